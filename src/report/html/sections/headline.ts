/** The title and the figures at the top of a report. */
import { formatCount, formatFigure, formatNumber, formatPercent } from '../../numbers.js';
import { targetInWords } from '../../target-words.js';
import { clip, type Html, html } from '../escape.js';
import type { Report } from '../report.js';

export function heading({ summary, source, software, created }: Report): Html {
  const names = [
    ...summary.models.map(({ name, version }) => `model ${name}${version === null ? '' : `@${version}`}`),
    ...summary.policies.map(({ name }) => `policy ${name}`),
  ];
  return html`<header><div><p class="soft">${clip(names.join(' · '), 200)}</p><h1>Recourse report</h1><p class="soft">${formatCount(summary.results, 'person', 'people')}${targetsInWords(summary)}</p></div><p class="soft">${clip(source, 80)}<br>${timeInWords(created)}<br>elsewise ${software}</p></header>${notice(summary)}`;
}

/** Of more targets the most frequent ones. */
const SHOWN_TARGETS = 5;

/** `, target approved`, `, targets A, B, C` */
function targetsInWords({ targets }: Report['summary']): string {
  const known = targets.flatMap(({ target }) => (target === null ? [] : [targetInWords(target)]));
  if (!known.length) return '';
  const others = known.length - SHOWN_TARGETS;
  const more = others > 0 ? ` and ${formatCount(others, 'other')}` : '';
  return `, ${known.length === 1 ? 'target' : 'targets'} ${clip(known.slice(0, SHOWN_TARGETS).join(', '), 200)}${more}`;
}

/** What the results lack. */
function notice({ results, brief }: Report['summary']): Html | string {
  if (results === 0) return html`<section class="card"><p><strong>There are no results yet.</strong></p></section>`;
  if (brief === 0) return '';
  const which =
    brief === results
      ? 'The results are brief'
      : `${formatNumber(brief)} of the results ${brief === 1 ? 'is' : 'are'} brief`;
  return html`<section class="card"><p><strong>${which}.</strong> Brief results lack the values of the person. The report lacks the scores of people, directions and sizes of changes, blocking entries, groups and the target. Results of <code>explain</code> without <code>--detail brief</code> have all of them.</p></section>`;
}

export function figures({ summary, costUnit }: Report): Html {
  const { statuses, proofs, cost, results } = summary;
  const share = (count: number) => formatPercent(count, results);
  const items = [
    figure(
      formatNumber(statuses.found),
      `${have(statuses.found)} a way to the target (${share(statuses.found)})`,
      'yes',
    ),
    figure(
      formatNumber(statuses.infeasible),
      `${have(statuses.infeasible)} no way within the policy, proved (${share(statuses.infeasible)})`,
      statuses.infeasible > 0 ? 'no' : '',
    ),
    ...(statuses['not-found'] > 0
      ? [figure(formatNumber(statuses['not-found']), 'without an answer: nothing found, nothing proved', 'no')]
      : []),
    ...(statuses.already > 0
      ? [
          figure(
            formatNumber(statuses.already),
            statuses.already === 1 ? 'has the target already' : 'have the target as they are',
          ),
        ]
      : []),
    ...(statuses.invalid > 0 ? [figure(formatNumber(statuses.invalid), 'could not be read', 'no')] : []),
    figure(
      statuses.found ? formatPercent(proofs.optimal, statuses.found) : '–',
      'of the answers are proved to be cheapest',
    ),
    figure(cost ? formatFigure(cost.median) : '–', `median cost${costUnit ? `, in ${costUnit}` : ''}`),
  ];
  return html`<ul class="figures">${items}</ul>`;
}

const have = (people: number): string => (people === 1 ? 'has' : 'have');

const figure = (value: string, words: string, kind = ''): Html =>
  html`<li class="card"><span class="figure ${kind}">${value}</span> <span class="soft">${words}</span></li>`;

/** `2026-11-18 16:02 UTC` */
export const timeInWords = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
