/** What has to change: the share of answers by feature, the direction, and the typical size. */
import type { ChangeSummary, Distribution } from '../../../documents/summary-document.js';
import { formatCount, formatNumber, formatPercent, formatShort } from '../../numbers.js';
import { valueInWords } from '../../words.js';
import { bar } from '../charts/bar.js';
import { clip, type Html, type HtmlContent, html } from '../escape.js';
import type { Labels } from '../labels.js';
import type { Report } from '../report.js';
import { wideTable } from '../wide-table.js';

const SHOWN = 12;
const LONGEST_VALUE = 60;

export function changesSection({ summary, labels }: Report): Html {
  const { changes, changesPerAnswer } = summary;
  const rows = changes.slice(0, SHOWN).map((change) => rowOf(change, labels));
  const others = changes.length - SHOWN;
  const more =
    others > 0
      ? html`<p class="note">${formatCount(others, 'other feature changes', 'other features change')} less often.</p>`
      : '';
  const body = changes.length
    ? html`${wideTable('h-changes', html`<table><caption>Share of the cheapest answers that change a feature. Sizes: the median, and the range of the middle four fifths.</caption><thead><tr><th scope="col">feature</th><th scope="col"><span class="hide">bar</span></th><th scope="col" class="n">answers</th><th scope="col">how</th></tr></thead><tbody>${rows}</tbody></table>`)}${more}<p class="note">${perAnswer(changesPerAnswer)}</p>`
    : html`<p class="soft">There are no answers.</p>`;
  return html`<section class="card" aria-labelledby="h-changes"><h2 id="h-changes">What has to change</h2>${body}</section>`;
}

function rowOf(change: ChangeSummary, labels: Labels): Html {
  const { feature, answers } = change;
  return html`<tr><th scope="row">${labels.name(feature)}</th><td>${bar(answers.share)}</td><td class="n">${formatPercent(answers.people, answers.of)}</td><td>${howOf(change, labels)}</td></tr>`;
}

function howOf(change: ChangeSummary, labels: Labels): HtmlContent {
  const { feature, increases, decreases, increase, decrease, values } = change;
  const both = increases > 0 && decreases > 0;
  const parts: string[] = [];
  if (increase) parts.push(`${both ? `${formatNumber(increases)}: ` : ''}up by ${sizeOf(feature, increase, labels)}`);
  if (decrease) parts.push(`${both ? `${formatNumber(decreases)}: ` : ''}down by ${sizeOf(feature, decrease, labels)}`);
  const total = values.reduce((sum, { answers }) => sum + answers, 0);
  for (const { from, to, answers } of values.slice(0, 2)) {
    const value = clip(valueInWords(to), LONGEST_VALUE);
    const said = from === undefined ? `to ${value}` : `${clip(valueInWords(from), LONGEST_VALUE)} to ${value}`;
    parts.push(answers === total ? said : `${said} (${formatNumber(answers)})`);
  }
  return parts.map((part, i) => (i === 0 ? html`${part}` : html`<br>${part}`));
}

function sizeOf(feature: string, { median, p10, p90 }: Distribution, labels: Labels): string {
  const range = p10 === p90 ? '' : ` (${formatShort(p10)} to ${formatShort(p90)})`;
  return `${labels.amount(feature, formatShort(median))}${range}`;
}

/** `1 change: 812 answers, 2 changes: 1,004 answers.` */
function perAnswer(counts: Readonly<Record<string, number>>): string {
  const listed = Object.entries(counts).slice(0, 8);
  return `${listed.map(([changes, answers]) => `${changes} ${changes === '1' ? 'change' : 'changes'}: ${formatCount(answers, 'answer')}`).join(', ')}.`;
}
