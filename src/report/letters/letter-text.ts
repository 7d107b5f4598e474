/** A letter as plain text, in lines of a width that every program shows. */
import {
  type LabelledValue,
  type LetterBlock,
  type LetterSection,
  type PersonLetter,
  visible,
} from './letter-parts.js';
import type { LetterWords } from './letter-words.js';

const WIDTH = 76;
/** The widest column of labels. A longer label stands on its own line. */
const MOST_LABEL_WIDTH = 44;

export function sectionAsText({ heading, blocks }: LetterSection, words: LetterWords): string {
  const parts = blocks.map((block) => blockAsText(block, words)).filter((text) => text !== '');
  return `${underlined(heading, '-')}\n\n${parts.join('\n\n')}`;
}

export const titleAsText = ({ title }: PersonLetter): string => underlined(title, '=');

/** The width of text is that of its letters, not of its code units. */
const widthOf = (text: string): number => [...text].length;

function underlined(text: string, line: string): string {
  const lines = wrap(text);
  return `${lines.join('\n')}\n${line.repeat(Math.max(...lines.map(widthOf)))}`;
}

function blockAsText(block: LetterBlock, { pair }: LetterWords): string {
  switch (block.kind) {
    case 'paragraph':
    case 'verdict':
    case 'subheading':
      return wrap(block.text).join('\n');
    case 'changes':
      return block.items.map(({ label, value }) => item('  - ', pair(label, value))).join('\n');
    case 'list':
      return block.items.map((text) => item('  - ', text)).join('\n');
    case 'steps':
      return block.items.map((text, k) => item(`  ${k + 1}. `, text)).join('\n');
    case 'code':
      return block.text;
    case 'table':
      return tableAsText(block.rows);
    case 'scale':
      return '';
  }
}

function item(bullet: string, text: string): string {
  const [first, ...rest] = wrap(text, WIDTH - bullet.length);
  return [bullet + first, ...rest.map((line) => ' '.repeat(bullet.length) + line)].join('\n');
}

function tableAsText(rows: readonly LabelledValue[]): string {
  const shown = rows.map(({ label, value }) => ({ label: visible(label), value: visible(value) }));
  const widths = shown.map(({ label }) => widthOf(label)).filter((width) => width <= MOST_LABEL_WIDTH);
  const widest = Math.max(0, ...widths);
  return shown
    .map(({ label, value }) => {
      const pad = widest - widthOf(label);
      return pad >= 0 ? `  ${label}${' '.repeat(pad)}  ${value}` : `  ${label}\n  ${' '.repeat(widest)}  ${value}`;
    })
    .join('\n');
}

/** Lines of whole words. A no-break space is no place for a break. */
export function wrap(text: string, width = WIDTH): string[] {
  const lines = [''];
  for (const word of visible(text).split(/ +/)) {
    const last = lines[lines.length - 1];
    if (last === '') lines[lines.length - 1] = word;
    else if (widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
