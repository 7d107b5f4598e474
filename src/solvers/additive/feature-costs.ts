/**
 * The cost of a feature as a function of its move Δ, in quadratic parts that lie on one side of 0:
 *
 *   cost(Δ) = c0 + c1 Δ + c2 Δ²   on [low, high]        l0, l1, l2, percentile
 *
 * A percentile curve has a part for each of its segments and continues beyond its last bend. L0 costs its weight on both sides. The caller
 * must know that no move costs nothing.
 */
import type { Feature } from '../../models/features.js';
import type { Cost, PercentileCurve } from '../../policy/cost.js';
import { costCurve } from '../shared/cost-curve.js';

export interface CostPart {
  readonly low: number;
  readonly high: number;
  readonly c0: number;
  readonly c1: number;
  readonly c2: number;
  /** The largest rounding error of c0. */
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

/** The segments of the curve on both sides as parts, ordered from the far end of one side to the far end of the other. */
function segments(curve: PercentileCurve, weight: number, here: number): CostPart[] {
  return [...oneSide(curve, weight, here, -1).reverse(), ...oneSide(curve, weight, here, 1)];
}

function oneSide(curve: PercentileCurve, weight: number, here: number, side: 1 | -1): CostPart[] {
  const { amounts, costs, tail } = costCurve(curve, weight, here, side);
  const starts = [0, ...amounts];
  const base = [0, ...costs];
  return starts.map((start, k) => {
    const isLast = k === amounts.length;
    const end = isLast ? Infinity : amounts[k];
    const slope = isLast ? tail : (costs[k] - base[k]) / (end - start);
    const [low, high] = side > 0 ? [start, end] : [-end, -start];
    const size = weight + base[k] + slope * (start + Math.abs(here));
    return { low, high, c0: base[k] - slope * start, c1: side * slope, c2: 0, doubt: ROUNDING * size };
  });
}

/** The furthest move to a side that costs at most `most`. */
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

/** The largest t >= 0 at which c0 + c1 t + c2 t² is at most 0, for an increasing function. */
function rootOf(c0: number, c1: number, c2: number): number {
  if (c2 === 0) return c1 > 0 ? -c0 / c1 : Infinity;
  return (-c1 + Math.sqrt(Math.max(0, c1 * c1 - 4 * c2 * c0))) / (2 * c2);
}
