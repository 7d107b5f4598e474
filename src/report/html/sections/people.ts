/** The table of people. Each line opens to the sentence and the full record. */
import { formatNumber } from '../../numbers.js';
import { EMPTY, type Html, html } from '../escape.js';
import type { Report } from '../report.js';

const STATUSES = {
  found: 'with an answer',
  infeasible: 'without a way, proved',
  'not-found': 'nothing found',
  already: 'have the target',
  invalid: 'not readable',
} as const;

export function peopleSection({ people, seed, summary }: Report): Html {
  const { rows, total } = people;
  if (rows.length === 0) return EMPTY;
  const which =
    rows.length === total
      ? total === 1
        ? 'The only person.'
        : `All ${formatNumber(total)} people.`
      : `A random sample of ${formatNumber(rows.length)} of ${formatNumber(total)} people (seed ${seed}). People without an answer are drawn more often, so that they can be looked at. All figures above count all people.`;
  const options = Object.entries(STATUSES)
    .filter(([status]) => summary.statuses[status as keyof typeof STATUSES] > 0)
    .map(([status, words]) => html`<option value="${status}">${words}</option>`);
  return html`<section class="card" aria-labelledby="h-people"><h2 id="h-people">People</h2><p class="note">${which} A line opens to the sentence and the full record.</p><div class="tools" id="tools" role="search" hidden><label class="hide" for="search">search people</label><input id="search" type="search" placeholder="Search id, change, reason …" autocomplete="off"><label class="hide" for="status">outcome</label><select id="status"><option value="">all outcomes</option>${options}</select><span class="soft" id="told" role="status"></span><button id="more" type="button" hidden>Show all</button></div><table class="people" id="people"><thead><tr><th scope="col" class="c-id">id</th><th scope="col">what would have helped</th><th scope="col" class="n c-score">score</th><th scope="col" class="n c-cost">cost</th><th scope="col" class="c-proof">proof</th></tr></thead><tbody>
${rows}</tbody></table></section>`;
}
