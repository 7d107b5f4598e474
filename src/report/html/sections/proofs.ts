/** What is proved about the answers, and which searches ended early. */
import { formatCount, formatNumber, formatPercent } from '../../numbers.js';
import { type Html, html } from '../escape.js';
import type { Report } from '../report.js';

export function proofSection({ summary }: Report): Html {
  const { proofs, limits, statuses, solvers } = summary;
  const rows = [
    row('proved to be cheapest', proofs.optimal, statuses.found),
    row('a lower bound of the cost is known', proofs.gap, statuses.found),
    row('nothing is known about cheaper answers', proofs.heuristic, statuses.found),
  ];
  const { gaps } = proofs;
  const gapWords = gaps
    ? html`<p>Where a bound is known, a cheaper answer saves at most ${percent(gaps.median)} of the cost in half of the answers, at most ${percent(gaps.p90)} in nine tenths, and at most ${percent(gaps.max)} in all.</p>`
    : '';
  const bySolver = solvers.slice(0, 8).map(({ solver, answers }) => `${solver} ${formatNumber(answers)}`);
  return html`<section class="card" aria-labelledby="h-proofs"><h2 id="h-proofs">Proofs</h2><table><thead><tr><th scope="col">answers</th><th scope="col" class="n">people</th><th scope="col" class="n">share</th></tr></thead><tbody>${rows}</tbody></table>${gapWords}${statuses.infeasible > 0 ? html`<p>For ${formatCount(statuses.infeasible, 'person', 'people')} it is proved that the policy permits no answer.</p>` : ''}<p class="note">${limitsInWords(limits)}</p>${bySolver.length ? html`<p class="note">Answers by solver: ${bySolver.join(', ')}.</p>` : ''}</section>`;
}

const row = (words: string, count: number, of: number): Html =>
  html`<tr><th scope="row">${words}</th><td class="n">${formatNumber(count)}</td><td class="n">${formatPercent(count, of)}</td></tr>`;

function limitsInWords({ effort, time, degraded }: Report['summary']['limits']): string {
  if (effort + time + degraded === 0) return 'No search ended early.';
  const parts = [
    `${formatCount(degraded, 'search', 'searches')} ended before a proof.`,
    `${formatNumber(effort)} ended by their effort: the same row gives the same answer on every machine.`,
    `${formatNumber(time)} ended by the clock: a repetition may give other answers.`,
  ];
  return parts.join(' ');
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
