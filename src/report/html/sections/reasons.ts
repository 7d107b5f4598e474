/** Why people have no answer: entries of the policy that block, entries whose removal helps, and other reasons. */
import { formatCount, formatFigure, formatNumber, formatPercent } from '../../numbers.js';
import { clip, EMPTY, type Html, html } from '../escape.js';
import type { Labels } from '../labels.js';
import type { Report } from '../report.js';
import { wideTable } from '../wide-table.js';

const SHOWN = 10;
const LONGEST = 300;

export function otherReasons({ summary }: Report): Html {
  const { reasons, statuses } = summary;
  const notFound = listSection('h-not-found', 'Why nothing was found', reasons.notFound, statuses['not-found']);
  const invalid = listSection('h-invalid', 'Why rows could not be read', reasons.invalid, statuses.invalid);
  return html`${notFound}${invalid}`;
}

export function blockingSection({ summary, labels }: Report): Html {
  const { reasons, statuses } = summary;
  if (reasons.blocking.length === 0) return EMPTY;
  const rows = reasons.blocking
    .slice(0, SHOWN)
    .map(({ entry, people }) => html`<tr>${entryCell(entry, labels)}${countCells(people, statuses.infeasible)}</tr>`);
  return html`<section class="card" aria-labelledby="h-blocking"><h2 id="h-blocking">What stands in the way</h2>${wideTable('h-blocking', html`<table><caption>Entries of the policy that block, alone or together, for the ${formatCount(statuses.infeasible, 'person', 'people')} without a way.</caption><thead><tr><th scope="col">entry</th><th scope="col" class="n">people</th><th scope="col" class="n">share</th></tr></thead><tbody>${rows}</tbody></table>`)}</section>`;
}

export function relaxationSection({ summary, labels }: Report): Html {
  const { relaxations, noSingleEntry, undetermined } = summary.reasons;
  if (relaxations.length + noSingleEntry + undetermined === 0) return EMPTY;
  const rows = relaxations.slice(0, SHOWN).map(({ entry, people, cost }) => {
    const counts = countCells(people, summary.statuses.infeasible);
    return html`<tr>${entryCell(entry, labels)}${counts}<td class="n">${formatFigure(cost.median)}</td></tr>`;
  });
  const table = wideTable(
    'h-relaxations',
    html`<table><caption>The single entry whose removal gives a person the cheapest way. Other entries may help the same people at a higher cost.</caption><thead><tr><th scope="col">entry removed</th><th scope="col" class="n">people</th><th scope="col" class="n">share</th><th scope="col" class="n">median cost</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
  const rest = [
    noSingleEntry > 0
      ? `For ${formatCount(noSingleEntry, 'person', 'people')} the removal of no single entry helps.`
      : '',
    undetermined > 0
      ? `For ${formatCount(undetermined, 'person', 'people')} the budget ended before this was decided.`
      : '',
  ].filter(Boolean);
  return html`<section class="card" aria-labelledby="h-relaxations"><h2 id="h-relaxations">What would help</h2>${rows.length ? table : ''}${rest.length ? html`<p class="note">${rest.join(' ')}</p>` : ''}</section>`;
}

const entryCell = (entry: string, labels: Labels): Html =>
  html`<th scope="row">${clip(labels.entry(entry), LONGEST)}<br><code>${clip(entry, LONGEST)}</code></th>`;

const countCells = (count: number, of: number): Html =>
  html`<td class="n">${formatNumber(count)}</td><td class="n">${formatPercent(count, of)}</td>`;

function listSection(
  id: string,
  title: string,
  reasons: Report['summary']['reasons']['invalid'],
  people: number,
): Html {
  if (reasons.length === 0) return EMPTY;
  const rows = reasons
    .slice(0, SHOWN)
    .map(
      ({ reason, people: count }) =>
        html`<tr><th scope="row">${clip(reason, LONGEST)}</th>${countCells(count, people)}</tr>`,
    );
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${wideTable(id, html`<table><thead><tr><th scope="col">reason</th><th scope="col" class="n">people</th><th scope="col" class="n">share</th></tr></thead><tbody>${rows}</tbody></table>`)}</section>`;
}
