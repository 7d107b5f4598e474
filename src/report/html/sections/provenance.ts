/** Where the figures come from: documents, digests, software, time and methods. */
import { formatCount } from '../../numbers.js';
import { targetInWords } from '../../target-words.js';
import { clip, type Html, html } from '../escape.js';
import type { Report } from '../report.js';
import { timeInWords } from './headline.js';

const LONGEST = 200;

export function provenanceSection(report: Report): Html {
  const { summary, source, software, created, seed } = report;
  const entries = [
    ['results', `${clip(source, LONGEST)}, ${formatCount(summary.results, 'line')}`],
    ...summary.models.map(({ name, version, digest, results }) => [
      'model',
      `${clip(name, LONGEST)}${version === null ? '' : `@${version}`} · ${clip(digest, LONGEST)}${ofAll(results, report)}`,
    ]),
    ...summary.policies.map(({ name, digest, results }) => [
      'policy',
      `${clip(name, LONGEST)} · ${clip(digest, LONGEST)}${ofAll(results, report)}`,
    ]),
    ...summary.targets.map(({ target, results }) => [
      'target',
      `${target === null ? 'not readable' : clip(targetInWords(target), LONGEST)}${ofAll(results, report)}`,
    ]),
    ['software', `elsewise ${software}`],
    ['made', timeInWords(created)],
    ['seed of samples', String(seed)],
  ];
  const error = summary.cost ? errorInWords(summary.cost.error) : '';
  return html`<section class="card" aria-labelledby="h-source"><h2 id="h-source">Sources and methods</h2><dl>${entries.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl><p class="note">Figures count the cheapest answer of each person. ${error}Shares have Wilson's intervals, medians those of order statistics, both of 95 %. Shares are compared by the chi-square test or Fisher's exact test, costs by the Kruskal-Wallis test. p is corrected by Holm for the tests of all features.</p></section>`;
}

const ofAll = (results: number, { summary }: Report): string =>
  results === summary.results ? '' : ` (${formatCount(results, 'result')})`;

const errorInWords = (error: number): string =>
  error < 1e-5 ? '' : `Quantiles of costs have a relative error of at most ${(100 * error).toFixed(1)} %. `;
