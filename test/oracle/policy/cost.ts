/**
 * What a change costs, written anew from the contract: in the user's units, with Δ the change and w the weight,
 *
 *   l0  Σ w [Δ ≠ 0]     l1  Σ w |Δ|     l2  Σ w Δ²     mahalanobis  Δᵀ S⁻¹ Δ over all but one-hot features
 *   percentile  Σ w |F(to) - F(from)|, F the line through the quantiles; a feature without quantiles counts |Δ|
 *
 * A one-hot category that changes costs its weight under every norm. `mad` and `std` divide Δ by that spread, for l1 and l2 and
 * numbers only; a MAD of 0 falls back to the standard deviation, then to 1.
 */
import type { MixtureSpec } from '../evaluate/density.js';
import { invert } from '../evaluate/elimination.js';
import { type FeatureSpec, isNumeric, isSame, kindOf } from '../evaluate/features.js';

export type Norm = 'l0' | 'l1' | 'l2' | 'mahalanobis' | 'percentile';
export const NORMS: readonly Norm[] = ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'];

export interface BackgroundSpec {
  mad?: Record<string, number>;
  std?: Record<string, number>;
  quantiles?: Record<string, number[]>;
  covariance?: { features: string[]; matrix: number[][] };
  samples?: unknown[][];
  isolationForest?: unknown;
  mixture?: MixtureSpec;
}

export interface CostSpec {
  norm?: Norm;
  weights?: 'none' | 'mad' | 'std' | Record<string, number>;
}

export interface Cost {
  (from: ArrayLike<number>, to: ArrayLike<number>): number;
  /** By how much two right computations of a cost may differ, relative to it. */
  readonly error: number;
  /** What a change of one feature adds; null where features do not add up. */
  readonly share: ((f: number, from: number, to: number) => number) | null;
}

export function compileCost(cost: CostSpec, features: readonly FeatureSpec[], background: BackgroundSpec): Cost {
  const { norm = 'l1' } = cost;
  const weights = features.map((feature) => weightOf(cost, feature, background));
  const shares = features.map((feature, f) => shareOf(norm, feature, weights[f], background));
  const metric = norm === 'mahalanobis' ? compileMetric(features, background) : null;
  const total = (from: ArrayLike<number>, to: ArrayLike<number>): number => {
    let sum = metric ? metric.of(from, to) : 0;
    for (let f = 0; f < shares.length; f++) if (!isSame(from[f], to[f])) sum += shares[f](from[f], to[f]);
    return sum;
  };
  const share = (f: number, from: number, to: number): number => (isSame(from, to) ? 0 : shares[f](from, to));
  return Object.assign(total, { error: metric ? 1e-12 * metric.condition : 1e-12, share: metric ? null : share });
}

function weightOf(
  { norm = 'l1', weights = 'mad' }: CostSpec,
  feature: FeatureSpec,
  background: BackgroundSpec,
): number {
  if (typeof weights === 'object') return weights[feature.name] ?? 1;
  if (weights === 'none' || (norm !== 'l1' && norm !== 'l2') || !isNumeric(feature)) return 1;
  const spreads = [weights === 'mad' ? background.mad?.[feature.name] : undefined, background.std?.[feature.name]];
  const spread = spreads.find((value) => value !== undefined && value > 0) ?? 1;
  return norm === 'l1' ? 1 / spread : 1 / (spread * spread);
}

type Share = (from: number, to: number) => number;

function shareOf(norm: Norm, feature: FeatureSpec, weight: number, background: BackgroundSpec): Share {
  if (norm === 'l0' || kindOf(feature) === 'one-hot') return () => weight;
  if (norm === 'l1') return (from, to) => weight * Math.abs(to - from);
  if (norm === 'l2') return (from, to) => weight * (to - from) ** 2;
  if (norm === 'mahalanobis') return () => 0;
  const quantiles = isNumeric(feature) ? background.quantiles?.[feature.name] : undefined;
  const passed = quantiles && peoplePassed(quantiles);
  if (!passed) return (from, to) => weight * Math.abs(to - from);
  return (from, to) => weight * passed(Math.min(from, to), Math.max(from, to));
}

/**
 * The integral of F's slope: F is the line through the quantiles, tied ones at their middle, and goes on with the mean slope on both
 * sides. Segments are added up, because heights that are nearly the same would cancel.
 */
function peoplePassed(quantiles: readonly number[]): ((low: number, high: number) => number) | undefined {
  const last = quantiles.length - 1;
  const points = [...new Set(quantiles)];
  if (points.length === 1) return undefined;
  const heights = points.map((point) => (quantiles.indexOf(point) + quantiles.lastIndexOf(point)) / 2 / last);
  const end = points.length - 1;
  const mean = (heights[end] - heights[0]) / (points[end] - points[0]);
  const slopes = points.slice(1).map((point, k) => (heights[k + 1] - heights[k]) / (point - points[k]));
  const ends = [-Infinity, ...points, Infinity];
  return (low, high) =>
    [mean, ...slopes, mean].reduce((sum, slope, k) => {
      const length = Math.min(high, ends[k + 1]) - Math.max(low, ends[k]);
      return length > 0 ? sum + slope * length : sum;
    }, 0);
}

function compileMetric(features: readonly FeatureSpec[], background: BackgroundSpec) {
  const ordered = features.map((_, f) => f).filter((f) => kindOf(features[f]) !== 'one-hot');
  const { features: names, matrix } = background.covariance!;
  const place = ordered.map((f) => names.indexOf(features[f].name));
  const { rows, condition } = invert(place.map((i) => place.map((j) => matrix[i][j])));
  const of = (from: ArrayLike<number>, to: ArrayLike<number>): number => {
    let sum = 0;
    for (const [i, f] of ordered.entries()) {
      if (isSame(from[f], to[f])) continue;
      for (const [j, g] of ordered.entries())
        if (!isSame(from[g], to[g])) sum += (to[f] - from[f]) * rows[i][j] * (to[g] - from[g]);
    }
    return sum;
  };
  return { of, condition };
}
