/**
 * Tests of the hypothesis that groups do not differ. No resampling: the same counts give the same p.
 *
 *   shares   r groups with k_i of n_i. Pearson's chi-square with r - 1 degrees of freedom where all expected counts are at least 5
 *            (Cochran). For two groups with smaller counts Fisher's exact test, two-sided: the sum of all tables that are at most as
 *            probable as the table at hand.
 *   values   Kruskal and Wallis: H = 12 / (N (N + 1)) sum n_i (mean rank_i - (N + 1) / 2)^2 / (1 - sum (t^3 - t) / (N^3 - N)), ties by
 *            mean ranks. H is chi-square with r - 1 degrees of freedom. Values are given as counts, which rounding may have tied.
 *   several  Holm: the i-th smallest of m values of p is multiplied by m - i + 1. The chance of any false finding stays below the level,
 *            whatever the dependence of the tests. Holm, Scand. J. Statist. 6 (1979).
 */
import { chiSquareTail, logGamma } from './special-functions.js';

export interface TestOutcome {
  readonly method: 'chi-square' | 'fisher' | 'kruskal-wallis';
  /** Null for an exact test. */
  readonly statistic: number | null;
  readonly p: number;
}

export interface Share {
  readonly count: number;
  readonly total: number;
}

/** Values with their numbers, in rising order. */
export type CountedValues = readonly (readonly [value: number, count: number])[];

const LEAST_EXPECTED = 5;
/** Tables whose probabilities differ by rounding only count as equally probable. */
const EQUAL = 1 + 1e-7;

/** Undefined: more than two groups, and too few expected counts for chi-square. */
export function testShares(groups: readonly Share[]): TestOutcome | undefined {
  const [count, total] = [sumOf(groups, 'count'), sumOf(groups, 'total')];
  if (count === 0 || count === total) return { method: 'chi-square', statistic: 0, p: 1 };
  const least = Math.min(...groups.map((group) => group.total)) * Math.min(count, total - count);
  if (least >= LEAST_EXPECTED * total) return chiSquare(groups, count / total);
  return groups.length === 2 ? { method: 'fisher', statistic: null, p: fisher(groups[0], groups[1]) } : undefined;
}

function chiSquare(groups: readonly Share[], share: number): TestOutcome {
  const statistic = groups.reduce((sum, { count, total }) => {
    return sum + (count - share * total) ** 2 / (total * share * (1 - share));
  }, 0);
  return { method: 'chi-square', statistic, p: chiSquareTail(statistic, groups.length - 1) };
}

export function fisher(one: Share, other: Share): number {
  const count = one.count + other.count;
  const choose = (n: number, k: number) => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
  const whole = choose(one.total + other.total, count);
  const probability = (k: number) => Math.exp(choose(one.total, k) + choose(other.total, count - k) - whole);
  const limit = probability(one.count) * EQUAL;
  let p = 0;
  for (let k = Math.max(0, count - other.total); k <= Math.min(count, one.total); k++) {
    const own = probability(k);
    if (own <= limit) p += own;
  }
  return Math.min(1, p);
}

/** Undefined: fewer than two groups with values. */
export function testValues(groups: readonly CountedValues[]): TestOutcome | undefined {
  const sizes = groups.map((values) => values.reduce((sum, [, count]) => sum + count, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.filter((size) => size > 0).length < 2) return undefined;
  const { rankSums, ties } = rank(groups);
  const correction = 1 - ties / (total ** 3 - total);
  if (correction <= 0) return { method: 'kruskal-wallis', statistic: 0, p: 1 };
  const filled = sizes.flatMap((size, i) => (size > 0 ? [{ size, mean: rankSums[i] / size }] : []));
  const spread = filled.reduce((sum, { size, mean }) => sum + size * (mean - (total + 1) / 2) ** 2, 0);
  const statistic = (12 * spread) / (total * (total + 1)) / correction;
  return { method: 'kruskal-wallis', statistic, p: chiSquareTail(statistic, filled.length - 1) };
}

/** The sums of ranks by group, and the sum of t^3 - t over the ties. */
function rank(groups: readonly CountedValues[]): { rankSums: number[]; ties: number } {
  const places = groups.map(() => 0);
  const rankSums = groups.map(() => 0);
  let [before, ties] = [0, 0];
  for (;;) {
    const value = Math.min(...groups.map((values, i) => values[places[i]]?.[0] ?? Number.POSITIVE_INFINITY));
    if (value === Number.POSITIVE_INFINITY) return { rankSums, ties };
    const counts = groups.map((values, i) => (values[places[i]]?.[0] === value ? values[places[i]++][1] : 0));
    const tied = counts.reduce((sum, count) => sum + count, 0);
    counts.forEach((count, i) => {
      rankSums[i] += count * (before + (tied + 1) / 2);
    });
    before += tied;
    ties += tied ** 3 - tied;
  }
}

/** The values of p, corrected for their number, in the given order. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, i) => i).sort((a, b) => ps[a] - ps[b]);
  const adjusted = ps.map(() => 1);
  let most = 0;
  order.forEach((place, i) => {
    most = Math.max(most, Math.min(1, ps[place] * (ps.length - i)));
    adjusted[place] = most;
  });
  return adjusted;
}

const sumOf = (groups: readonly Share[], key: keyof Share): number => groups.reduce((sum, one) => sum + one[key], 0);
