/** The recourse map and the histogram of costs. */
import { formatFigure, formatNumber } from '../../numbers.js';
import { costHistogram } from '../charts/histogram.js';
import { recourseMap } from '../charts/recourse-map.js';
import { type Html, html } from '../escape.js';
import type { Report } from '../report.js';

export function mapSection({ summary, band }: Report): Html {
  const { map, statuses } = summary;
  const body = map.scores
    ? html`<figure>${recourseMap(map, band)}<figcaption>${caption(map.found.length, statuses.found, map.infeasible.length, statuses.infeasible)}${band ? ` ${band.text}.` : ''}</figcaption></figure>`
    : html`<p class="soft">The scores of people are not known.</p>`;
  return html`<section class="card" aria-labelledby="h-map"><h2 id="h-map">Recourse map</h2>${body}</section>`;
}

function caption(found: number, allFound: number, blocked: number, allBlocked: number): string {
  const of = (count: number, all: number) =>
    count === all ? formatNumber(all) : `a random sample of ${formatNumber(count)} of ${formatNumber(all)}`;
  const strip =
    allBlocked > 0
      ? ` The strip at the top: ${of(blocked, allBlocked)} ${allBlocked === 1 ? 'person' : 'people'} without a way within the policy.`
      : '';
  return `Each point is a person with a way to the target (${of(found, allFound)}): the score, and the cost of the cheapest way.${strip}`;
}

export function costSection({ summary, costUnit }: Report): Html {
  const { cost, costHistogram: histogram } = summary;
  const body =
    cost && histogram
      ? html`<figure>${costHistogram(histogram, cost.median)}<figcaption>Cost of the cheapest answer of each person${costUnit ? ` in ${costUnit}` : ''}. Median ${formatFigure(cost.median)} (dashed), half of the people between ${formatFigure(cost.p25)} and ${formatFigure(cost.p75)}, nine tenths at most ${formatFigure(cost.p90)}, highest ${formatFigure(cost.max)}.${histogram.above > 0 ? ` The last bar has the ${histogram.above === 1 ? 'highest cost' : `${formatNumber(histogram.above)} highest costs`}.` : ''}</figcaption></figure>`
      : html`<p class="soft">There are no answers.</p>`;
  return html`<section class="card" aria-labelledby="h-cost"><h2 id="h-cost">Cost</h2>${body}</section>`;
}
