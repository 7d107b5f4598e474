/** The costs as bars of equal width. */
import type { SummaryDocument } from '../../../documents/summary-document.js';
import { formatCount, formatShort } from '../../numbers.js';
import { EMPTY, type Html, html } from '../escape.js';
import { at, ticksOf } from './axis.js';

const [WIDTH, HEIGHT, BASE, TOP] = [520, 200, 170, 10];

export function costHistogram(histogram: NonNullable<SummaryDocument['costHistogram']>, median: number): Html {
  const { width, counts, above } = histogram;
  const bins = above > 0 ? [...counts, above] : counts;
  const most = Math.max(...bins);
  const step = (WIDTH - 20) / bins.length;
  const x = (value: number) => 10 + Math.min(value / width, counts.length) * step;
  const bars = bins.map((count, i) => {
    if (count === 0) return EMPTY;
    const height = Math.max(1.5, ((BASE - TOP) * count) / most);
    const range =
      i < counts.length
        ? `${formatShort(i * width)} to ${formatShort((i + 1) * width)}`
        : `above ${formatShort(i * width)}`;
    const title = `cost ${range}: ${formatCount(count, 'person', 'people')}`;
    return html`<rect class="${i < counts.length ? 'fill' : 'rest'}" x="${at(10 + i * step + 0.75)}" y="${at(BASE - height)}" width="${at(Math.max(0.5, step - 1.5))}" height="${at(height)}" rx="1.5"><title>${title}</title></rect>`;
  });
  const ticks = ticksOf(0, counts.length * width, 6).map(
    ({ value, text }) => html`<text x="${at(x(value))}" y="${BASE + 20}" text-anchor="middle">${text}</text>`,
  );
  const described = `Histogram of the cost of the cheapest answer. The median is ${formatShort(median)}. The highest bar has ${formatCount(most, 'person', 'people')}.`;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${described}"><line class="axis" x1="10" x2="${WIDTH - 10}" y1="${BASE}" y2="${BASE}"/>${bars}<line class="median" x1="${at(x(median))}" x2="${at(x(median))}" y1="${TOP - 6}" y2="${BASE}"/>${ticks}</svg>`;
}
