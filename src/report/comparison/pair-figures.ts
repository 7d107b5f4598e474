/**
 * Figures of pairs. Tests of pairs are exact: of n people who differ, k differ in one direction. Without a preference of direction
 *
 *   K ~ binomial(n, 1/2),   p = min(1, 2 P(K <= min(k, n - k)))
 *
 * For gains and losses of answers this is McNemar's exact test, for costs the sign test.
 */
import type { ComparisonDocument } from '../../documents/comparison-document.js';
import { binomialAtMost } from '../statistics/special-functions.js';
import type { CountedValues } from '../statistics/tests.js';
import { rateOf, roundWidth } from '../summary/figures.js';
import { medianOf, quantileOf, type ValueCounts } from '../summary/value-counts.js';
import type { PairTally } from './pair-tally.js';

const MOST_BINS = 30;
/** The share of values within the bins. */
const SHOWN_SHARE = 0.99;

export function directionTest(one: number, other: number): number | null {
  const total = one + other;
  return total === 0 ? null : Math.min(1, 2 * binomialAtMost(Math.min(one, other), total, 0.5));
}

export function compareCosts(tally: PairTally, comparable: boolean): ComparisonDocument['cost'] {
  const { cheaper, dearer, same } = tally;
  const both = comparable ? cheaper.count + dearer.count + same : 0;
  const values = signed(tally);
  const at = (q: number) => quantileOf(values, both, q);
  return {
    comparable,
    both,
    cheaper: rateOf(comparable ? cheaper.count : 0, both),
    dearer: rateOf(comparable ? dearer.count : 0, both),
    same: comparable ? same : 0,
    difference: both > 0 ? { p25: at(0.25), median: medianOf(values, both), p75: at(0.75) } : null,
    p: comparable ? directionTest(cheaper.count, dearer.count) : null,
  };
}

/** The differences in rising order. */
function signed({ cheaper, dearer, same }: PairTally): CountedValues {
  const lower = cheaper.sorted().map(([value, count]) => [-value, count] as const);
  return [...lower.reverse(), ...(same > 0 ? [[0, same] as const] : []), ...dearer.sorted()];
}

/** Both sides in the same bins. */
export function commonHistogram(before: ValueCounts, after: ValueCounts): ComparisonDocument['costHistogram'] {
  const sides = [before, after].filter(({ count }) => count > 0);
  if (!sides.length) return null;
  const highest = Math.max(...sides.map((one) => quantileOf(one.sorted(), one.count, SHOWN_SHARE)));
  const width = roundWidth(highest / MOST_BINS);
  const bins = Math.floor(highest / width) + 1;
  const [one, other] = [inBins(before, width, bins), inBins(after, width, bins)];
  return { width, before: one.counts, after: other.counts, aboveBefore: one.above, aboveAfter: other.above };
}

function inBins(values: ValueCounts, width: number, bins: number): { counts: number[]; above: number } {
  const counts = Array<number>(bins).fill(0);
  let above = 0;
  for (const [value, count] of values.sorted()) {
    const bin = Math.floor(value / width);
    if (bin < bins) counts[bin] += count;
    else above += count;
  }
  return { counts, above };
}
