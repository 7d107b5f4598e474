/**
 * Text as HTML. Everything from results, models and policies passes here: `html` escapes each value that is not HTML already, so that a
 * forgotten call cannot open a hole.
 */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

export type HtmlContent = Html | string | number | readonly HtmlContent[];

/** A template whose values are escaped. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlContent[]): Html {
  return new Html(parts.reduce((text, part, i) => `${text}${asText(values[i - 1])}${part}`));
}

export const EMPTY = new Html('');

function asText(content: HtmlContent): string {
  if (content instanceof Html) return content.text;
  if (Array.isArray(content)) return content.map(asText).join('');
  return escapeText(String(content));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Also control characters, and marks that change the direction of the text around them, become visible: an id with such a mark could show
 * another id.
 */
export const escapeText = (text: string): string => withEntities(visible(text));

/** The characters that mean something in HTML as entities. */
export const withEntities = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** Text between tags, where quotes mean nothing: a record has many of them. */
export const elementText = (text: string): Html =>
  new Html(visible(text).replace(/[&<>]/g, (character) => ENTITIES[character]));

const visible = (text: string): string =>
  text.replace(
    INVISIBLE,
    (character) => `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`,
  );

/** Control characters except tab and newline, marks of direction, and halves of characters. */
const INVISIBLE = /[^\P{Cc}\t\n]|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

/** Text of limited length. */
export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
