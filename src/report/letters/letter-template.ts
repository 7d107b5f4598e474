/**
 * Templates of letters: text with placeholders, `{{title}}`. A template runs no code. In HTML, texts are escaped and sections are whole
 * elements. An unknown placeholder is refused, and a template without a part that every letter owes a person is refused.
 */
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import { escapeHtml, sectionAsHtml } from './letter-html.js';
import { type PersonLetter, SECTIONS, type SectionName, visible } from './letter-parts.js';
import { sectionAsText, titleAsText, wrap } from './letter-text.js';
import type { LetterWords } from './letter-words.js';

export type LetterForm = 'html' | 'text';

const TEXTS = ['language', 'title', 'sender', 'date', 'id', 'greeting', 'record'] as const;
type TextName = (typeof TEXTS)[number];
export type Placeholder = TextName | SectionName;
export const PLACEHOLDERS: readonly Placeholder[] = [...TEXTS, ...SECTIONS];
const REQUIRED: readonly Placeholder[] = ['decision', 'explanation', 'data', 'review'];

export interface LetterTemplate {
  readonly form: LetterForm;
  /** Texts at even places, names of placeholders at odd places. */
  readonly parts: readonly string[];
}

/** `path`: the name of the file, for messages. */
export function parseTemplate(text: string, form: LetterForm, path: string): LetterTemplate {
  const parts = text.split(/\{\{\s*([^{}]*?)\s*\}\}/);
  const named = parts.filter((_, k) => k % 2 === 1);
  const unknown = named.find((name) => !PLACEHOLDERS.includes(name as Placeholder));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, PLACEHOLDERS) || `; known are ${PLACEHOLDERS.join(', ')}`;
    throw new ElsewiseError('bad-document', `unknown placeholder {{${unknown}}}${hint}`, path);
  }
  const missing = REQUIRED.filter((name) => !named.includes(name)).map((name) => `{{${name}}}`);
  if (missing.length)
    throw new ElsewiseError(
      'bad-document',
      `the placeholder ${missing.join(', ')} is missing: every letter has this part`,
      path,
    );
  return { form, parts };
}

export function fillTemplate({ form, parts }: LetterTemplate, letter: PersonLetter, words: LetterWords): string {
  const fill = form === 'html' ? htmlOf : textOf;
  const filled = parts.map((part, k) => (k % 2 === 1 ? fill(part as Placeholder, letter, words) : part)).join('');
  // A part that this letter does not have leaves no gap in a text.
  return form === 'html' ? filled : `${filled.replace(/\n{3,}/g, '\n\n').trim()}\n`;
}

const isSection = (name: Placeholder): name is SectionName => SECTIONS.includes(name as SectionName);

function htmlOf(name: Placeholder, letter: PersonLetter): string {
  if (name === 'record') return letter.record.map((line) => `<span>${escapeHtml(line)}</span>`).join('\n');
  if (!isSection(name)) return escapeHtml(letter[name]);
  const section = letter.sections[name];
  return section ? sectionAsHtml(name, section) : '';
}

function textOf(name: Placeholder, letter: PersonLetter, words: LetterWords): string {
  if (name === 'record') return letter.record.flatMap((line) => wrap(line)).join('\n');
  if (name === 'title') return titleAsText(letter);
  if (!isSection(name)) return visible(letter[name]);
  const section = letter.sections[name];
  return section ? sectionAsText(section, words) : '';
}
