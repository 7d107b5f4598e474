/**
 * The cost of a change, in the user's units. With Δ_f = x'_f - x_f, weights w_f, and [·] an indicator:
 *
 *   l0           Σ w_f [Δ_f ≠ 0]
 *   l1           Σ w_f |Δ_f|
 *   l2           Σ w_f Δ_f²
 *   mahalanobis  Δᵀ S⁻¹ Δ over the numeric features, S their covariance
 *   percentile   Σ w_f |F_f(x'_f) - F_f(x_f)|,  F_f the distribution function through the known quantiles
 *
 * A change of a one-hot category costs its weight under every norm, a change of an ordinal category its weight per rank (l2: per squared
 * rank). Weights `mad` and `std` measure Δ in those units: 1/s for l1, 1/s² for l2. A MAD of 0 falls back to the standard deviation, then
 * to 1. Weights given as numbers are factors. A difficulty k_f of the person multiplies w_f; under mahalanobis Δ_f becomes √k_f Δ_f.
 */
import { ElsewiseError, type PlacedFault } from '../documents/error.js';
import { refuseFirst } from '../documents/faults/refusal.js';
import { SMALLEST } from '../documents/numbers.js';
import type { PolicyDocument } from '../documents/policy-document.js';
import { solvePositive } from '../linalg/symmetric.js';
import type { Background } from '../models/background.js';
import { type Bounds, checkMatrixWork, DEFAULT_BOUNDS } from '../models/bounds.js';
import type { Feature, FeatureSpace } from '../models/features.js';
import { isLevered } from './levers.js';
import { difficultyOf } from './overlay.js';
import { ruleOf, unknownFeature } from './rules.js';

export type Norm = PolicyDocument['cost']['norm'];

/** F_f as a strictly increasing piecewise linear function. Beyond its ends it continues with its mean slope. */
export interface PercentileCurve {
  readonly points: Float64Array;
  readonly heights: Float64Array;
}

export interface Cost {
  readonly norm: Norm;
  /** By feature. */
  readonly weight: Float64Array;
  /** By feature, for `percentile`. Null: the feature has no curve. */
  readonly curves: readonly (PercentileCurve | null)[];
  /** For `mahalanobis`: the numeric features and S⁻¹ over them. */
  readonly metric: { readonly features: readonly Feature[]; readonly inverse: readonly Float64Array[] } | null;
}

export function compileCost(
  policy: PolicyDocument,
  space: FeatureSpace,
  background: Background,
  bounds: Bounds = DEFAULT_BOUNDS,
): Cost {
  const { norm } = policy.cost;
  refuseFirst(weightFaults(policy.cost, space));
  return {
    norm,
    weight: Float64Array.from(space.features, (feature) => priceOf(policy, feature, background)),
    curves: space.features.map((feature) => (norm === 'percentile' ? curveOf(policy, feature, background) : null)),
    metric: norm === 'mahalanobis' ? metricOf(policy, space, background, bounds) : null,
  };
}

/** The weight and the difficulty that the person gives to the feature. */
const priceOf = (policy: PolicyDocument, feature: Feature, background: Background): number =>
  weightOf(policy, feature, background) * difficultyOf(policy, feature.name);

function weightOf(policy: PolicyDocument, feature: Feature, background: Background): number {
  const { norm, weights = 'none' } = policy.cost;
  if (typeof weights === 'object') {
    return Object.hasOwn(weights, feature.name) ? weights[feature.name] : 1;
  }
  const measured = norm === 'l1' || norm === 'l2';
  if (weights === 'none' || !measured || (feature.kind !== 'continuous' && feature.kind !== 'integer')) return 1;
  const spread = spreadIn(weights, feature, background);
  if (spread === undefined) throw missingStatistic(weights, feature);
  return weightBySpread(norm, spread);
}

export type Spread = 'mad' | 'std';

/** The unit of a number: its MAD or standard deviation. Undefined: neither is known. */
export function spreadIn(weights: Spread, feature: Feature, background: Background): number | undefined {
  const spreads = weights === 'mad' ? [background.mad(feature), background.std(feature)] : [background.std(feature)];
  if (spreads.every((value) => value === undefined)) return undefined;
  return spreads.find((value) => value !== undefined && value >= SMALLEST) ?? 1;
}

export const weightBySpread = (norm: Norm, spread: number): number => (norm === 'l2' ? 1 / spread ** 2 : 1 / spread);

/** The weights whose names no feature of the model has. */
export function* weightFaults({ weights }: PolicyDocument['cost'], space: FeatureSpace): Iterable<PlacedFault> {
  for (const name of typeof weights === 'object' ? Object.keys(weights) : []) {
    if (!space.byName.has(name)) yield { path: `policy.cost.weights.${name}`, message: unknownFeature(name, space) };
  }
}

const costError = (path: string, message: string) => new ElsewiseError('bad-document', message, `policy.cost.${path}`);

const missingStatistic = (statistic: string, feature: Feature) =>
  costError('weights', `"${statistic}" needs model.background.${statistic}.${feature.name} or background samples`);

function curveOf(policy: PolicyDocument, feature: Feature, background: Background): PercentileCurve | null {
  if (feature.kind !== 'continuous' && feature.kind !== 'integer') return null;
  const quantiles = background.quantiles(feature);
  if (quantiles) return spreadTies(quantiles);
  if (ruleOf(policy, feature.name).change === 'never' || !isLevered(policy, feature.name)) return null;
  throw costError('norm', `"percentile" needs model.background.quantiles.${feature.name} or background samples`);
}

/** Tied quantiles become one point at their middle height, so F is continuous and strictly increasing. */
function spreadTies(quantiles: readonly number[]): PercentileCurve | null {
  const points: number[] = [];
  const heights: number[] = [];
  const last = quantiles.length - 1;
  for (let i = 0; i <= last; ) {
    let j = i;
    while (j < last && quantiles[j + 1] === quantiles[i]) j++;
    points.push(quantiles[i]);
    heights.push((i + j) / 2 / last);
    i = j + 1;
  }
  if (points.length === 1) return null;
  return { points: Float64Array.from(points), heights: Float64Array.from(heights) };
}

/** |F(to) - F(from)|, added up segment by segment: nearly equal heights are never subtracted. */
function percentilesBetween(curve: PercentileCurve, from: number, to: number): number {
  const { points, heights } = curve;
  const [low, high] = from < to ? [from, to] : [to, from];
  const [first, last] = [segmentAt(points, low), segmentAt(points, high)];
  if (first === last) return slopeOf(curve, first) * (high - low);
  const ends = slopeOf(curve, first) * (points[first + 1] - low) + slopeOf(curve, last) * (high - points[last]);
  return ends + (heights[last] - heights[first + 1]);
}

/** The k for which x lies between points k and k + 1; -1: before all points. */
function segmentAt(points: Float64Array, x: number): number {
  let below = -1;
  let above = points.length;
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    if (points[middle] <= x) below = middle;
    else above = middle;
  }
  return below;
}

/** Before the first point and after the last one: the mean slope. */
function slopeOf({ points, heights }: PercentileCurve, segment: number): number {
  const last = points.length - 1;
  const [from, to] = segment < 0 || segment === last ? [0, last] : [segment, segment + 1];
  return (heights[to] - heights[from]) / (points[to] - points[from]);
}

function metricOf(policy: PolicyDocument, space: FeatureSpace, background: Background, bounds: Bounds): Cost['metric'] {
  const features = space.features.filter((feature) => feature.kind !== 'choice');
  checkMatrixWork(features.length ** 3, 'policy.cost.norm', 'inverting the covariance of the background', bounds);
  const covariance = background.covariance(features);
  if (!covariance)
    throw costError('norm', '"mahalanobis" needs model.background.covariance over the numeric features, or samples');
  const identity = features.map((_, i) => features.map((__, j) => +(i === j)));
  const inverse = solvePositive(covariance, identity);
  if (!inverse)
    throw costError('norm', '"mahalanobis": the covariance of the background is singular; give a regularised one');
  const roots = features.map(({ name }) => Math.sqrt(difficultyOf(policy, name)));
  return { features, inverse: inverse.map((row, i) => row.map((value, j) => value * roots[i] * roots[j])) };
}

/** The cost of going from one row to another, both as values by feature. A value missing in both rows has not changed. */
export function evaluateCost(cost: Cost, space: FeatureSpace, from: Float64Array, to: Float64Array): number {
  let total = 0;
  for (let f = 0; f < from.length; f++) {
    if (difference(from[f], to[f]) !== 0) total += changeCost(cost, space.features[f], from[f], to[f]);
  }
  return cost.metric ? total + quadraticForm(cost.metric, from, to) : total;
}

const difference = (from: number, to: number): number => (Number.isNaN(from) && Number.isNaN(to) ? 0 : to - from);

/** The contribution of one changed feature to a separable cost. */
export function changeCost(cost: Cost, feature: Feature, from: number, to: number): number {
  const weight = cost.weight[feature.index];
  if (feature.kind === 'choice' || cost.norm === 'l0') return from === to ? 0 : weight;
  const delta = to - from;
  switch (cost.norm) {
    case 'l1':
      return weight * Math.abs(delta);
    case 'l2':
      return weight * delta * delta;
    case 'percentile': {
      const curve = cost.curves[feature.index];
      return weight * (curve ? percentilesBetween(curve, from, to) : Math.abs(delta));
    }
    default:
      return 0;
  }
}

function quadraticForm(
  { features, inverse }: NonNullable<Cost['metric']>,
  from: Float64Array,
  to: Float64Array,
): number {
  const delta = features.map(({ index }) => difference(from[index], to[index]));
  let total = 0;
  for (let i = 0; i < delta.length; i++) {
    if (delta[i] === 0) continue;
    for (let j = 0; j < delta.length; j++) total += delta[i] * inverse[i][j] * delta[j];
  }
  return total;
}
