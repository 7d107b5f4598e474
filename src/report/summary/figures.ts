/** The parts of a summary that state figures: shares, quantiles, bins. */
import type { Distribution, Rate, SummaryDocument } from '../../documents/summary-document.js';
import { medianRanks, wilsonInterval } from '../statistics/intervals.js';
import { medianOf, quantileOf, type ValueCounts, valueAtRank } from './value-counts.js';

const MOST_BINS = 40;
/** The share of values within the bins. The few values above would make all bins too wide. */
const SHOWN_SHARE = 0.99;

export function rateOf(people: number, of: number): Rate {
  const { low, high } = wilsonInterval(people, of);
  return { people, of, share: of === 0 ? 0 : people / of, low, high };
}

export function distributionOf(counts: ValueCounts): Distribution | undefined {
  const { count, min, max, error } = counts;
  if (count === 0) return undefined;
  const values = counts.sorted();
  const at = (q: number) => quantileOf(values, count, q);
  const median = medianOf(values, count);
  return { count, min, p10: at(0.1), p25: at(0.25), median, p75: at(0.75), p90: at(0.9), max, error };
}

/** The median with its interval. */
export function medianWithInterval(counts: ValueCounts) {
  if (counts.count === 0) return null;
  const values = counts.sorted();
  const ranks = medianRanks(counts.count);
  const [low, high] = ranks ? [valueAtRank(values, ranks.low), valueAtRank(values, ranks.high)] : [null, null];
  return { median: medianOf(values, counts.count), low, high };
}

/** Bins from 0, whose width is 1, 2 or 5 times a power of ten. */
export function histogramOf(counts: ValueCounts): SummaryDocument['costHistogram'] {
  if (counts.count === 0) return null;
  const values = counts.sorted();
  const highest = quantileOf(values, counts.count, SHOWN_SHARE);
  const width = roundWidth(highest / MOST_BINS);
  const bins = Array<number>(Math.floor(highest / width) + 1).fill(0);
  let above = 0;
  for (const [value, count] of values) {
    const bin = Math.floor(value / width);
    if (bin < bins.length) bins[bin] += count;
    else above += count;
  }
  return { width, counts: bins, above };
}

/** The next number of 1, 2, 5, 10, 20, ... that is at least `width`. */
export function roundWidth(width: number): number {
  if (width <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(width));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= width * (1 - 1e-9)) ?? 10;
  return Number((step * power).toPrecision(1));
}
