/**
 * What a feature costs as a function of its move Δ, in parts that are quadratic and lie on one side of 0:
 *
 *   cost(Δ) = c0 + c1 Δ + c2 Δ²   on [low, high]        l0, l1, l2, percentile
 *
 * A percentile curve has a part for each of its segments; beyond its ends it goes on. L0 costs its weight on both sides. That
 * standing still costs nothing is the caller's to know.
 */
import type { Feature } from '../../models/features.js';
import { type Cost, type PercentileCurve, percentile } from '../../policy/cost.js';

export interface CostPart {
  readonly low: number;
  readonly high: number;
  readonly c0: number;
  readonly c1: number;
  readonly c2: number;
  /** How far rounding may put c0 off. */
  readonly doubt: number;
}

const ROUNDING = 2 ** -50;

export function costParts(cost: Cost, feature: Feature, here: number): CostPart[] {
  const weight = cost.weight[feature.index];
  const curve = cost.norm === 'percentile' ? cost.curves[feature.index] : null;
  if (cost.norm === 'l0') return bothSides(weight, 0, 0);
  if (cost.norm === 'l2') return bothSides(0, 0, weight);
  return curve ? segments(curve, weight, here) : bothSides(0, weight, 0);
}

const bothSides = (c0: number, c1: number, c2: number): CostPart[] => [
  { low: Number.NEGATIVE_INFINITY, high: 0, c0, c1: -c1, c2, doubt: 0 },
  { low: 0, high: Infinity, c0, c1, c2, doubt: 0 },
];

function segments(curve: PercentileCurve, weight: number, here: number): CostPart[] {
  const ends = [Number.NEGATIVE_INFINITY, ...curve.points, Infinity].map((point) => point - here);
  const cuts = [...new Set([...ends, 0])].sort((a, b) => a - b);
  const level = percentile(curve, here);
  return cuts.slice(1).map((high, k) => {
    const [from, to] = innerPoints(cuts[k], high);
    const [left, right] = [from, to].map((delta) => weight * Math.abs(percentile(curve, here + delta) - level));
    const c1 = (right - left) / (to - from);
    const size = weight + left + right + Math.abs(c1) * (Math.abs(from) + Math.abs(here));
    return { low: cuts[k], high, c0: left - c1 * from, c1, c2: 0, doubt: ROUNDING * size };
  });
}

/** Two points of an interval that may have no end, the interval's own ends where it has them. */
function innerPoints(low: number, high: number): [number, number] {
  const reach = Math.max(1, Math.abs(Number.isFinite(low) ? low : high));
  if (low === Number.NEGATIVE_INFINITY) return [high - reach, high];
  return high === Infinity ? [low, low + reach] : [low, high];
}

/** The furthest move to a side that costs no more than this. */
export function reachOf(parts: readonly CostPart[], side: 1 | -1, most: number): number {
  let reach = 0;
  for (const { low, high, c0, c1, c2 } of side > 0 ? parts : [...parts].reverse()) {
    const [near, far] = side > 0 ? [low, high] : [high, low];
    if ((far - near) * side <= 0 || near * side < 0) continue;
    if (c0 + near * (c1 + c2 * near) > most) break;
    const root = rootOf(c0 - most, c1 * side, c2);
    reach = Math.min(root, far * side);
    if (root < far * side) break;
  }
  return side * reach;
}

/** The largest t >= 0 at which c0 + c1 t + c2 t² is at most 0, for a function that grows. */
function rootOf(c0: number, c1: number, c2: number): number {
  if (c2 === 0) return c1 > 0 ? -c0 / c1 : Infinity;
  return (-c1 + Math.sqrt(Math.max(0, c1 * c1 - 4 * c2 * c0))) / (2 * c2);
}
