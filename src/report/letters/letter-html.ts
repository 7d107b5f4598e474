/** Parts of a letter as HTML. Every text is escaped: ids, labels and values come from files. */
import { withEntities } from '../html/escape.js';
import { type LetterBlock, type LetterSection, type ScaleMark, type SectionName, visible } from './letter-parts.js';

export const escapeHtml = (text: string): string => withEntities(visible(text));

export function sectionAsHtml(name: SectionName, { heading, blocks }: LetterSection): string {
  const content = blocks.map(blockAsHtml).join('\n');
  return `<section aria-labelledby="${name}">\n<h2 id="${name}">${escapeHtml(heading)}</h2>\n${content}\n</section>`;
}

function blockAsHtml(block: LetterBlock): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${escapeHtml(block.text)}</p>`;
    case 'verdict':
      return `<p class="verdict ${block.isReached ? 'yes' : 'no'}">${escapeHtml(block.text)}</p>`;
    case 'subheading':
      return `<h3>${escapeHtml(block.text)}</h3>`;
    case 'changes':
      return `<dl class="changes${block.isAnswer ? '' : ' barred'}">\n${pairs(block.items)}\n</dl>`;
    case 'list':
      return `<ul>\n${entries(block.items)}\n</ul>`;
    case 'steps':
      return `<ol>\n${entries(block.items)}\n</ol>`;
    case 'code':
      return `<p class="receipt"><code>${escapeHtml(block.text)}</code></p>`;
    case 'table':
      return `<dl class="data">\n${pairs(block.rows)}\n</dl>`;
    case 'scale':
      return scaleAsHtml(block.marks);
  }
}

const entries = (items: readonly string[]): string => items.map((text) => `<li>${escapeHtml(text)}</li>`).join('\n');

const pairs = (items: readonly { label: string; value: string }[]): string =>
  items.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('\n');

/** A picture of numbers that the paragraph before tells: programs that read aloud leave the picture out. */
function scaleAsHtml(marks: readonly ScaleMark[]): string {
  const at = (score: number): string => `${(100 * Math.min(1, Math.max(0, score))).toFixed(2)}%`;
  const find = (role: ScaleMark['role']) => marks.find((mark) => mark.role === role);
  const bars = (['after', 'now'] as const).flatMap((role) => {
    const mark = find(role);
    return mark ? [`<i class="${role}" style="width:${at(mark.at)}"></i>`] : [];
  });
  const needed = find('needed');
  const line = needed ? `<b style="left:${at(needed.at)}"></b>` : '';
  const key = marks.map(
    ({ role, label, score }) => `<span class="${role}">${escapeHtml(label)} ${escapeHtml(score)}</span>`,
  );
  return `<div class="scale" aria-hidden="true"><div class="bar">${bars.join('')}${line}</div><p>${key.join(' ')}</p></div>`;
}
