/**
 * The cost of moving a number by an amount to one side, under percentile cost:
 *
 *   φ(v) = w |F(x ± v) - F(x)|,   v >= 0:   piecewise linear, bent where the distribution function F is, and a line beyond its last bend
 *
 * Costs are added up from the present value on. No difference of large heights is taken, so φ keeps its digits far outside of F's points.
 */
import type { PercentileCurve } from '../../policy/cost.js';

/** Bends at ascending amounts, the cost at each bend, and the slope beyond the last bend. */
export interface CostCurve {
  readonly amounts: Float64Array;
  readonly costs: Float64Array;
  readonly tail: number;
}

/** `curve` null: the cost is a line of slope `weight`. */
export function costCurve(curve: PercentileCurve | null, weight: number, here: number, side: 1 | -1): CostCurve {
  if (!curve) return { amounts: new Float64Array(), costs: new Float64Array(), tail: weight };
  const { points, heights } = curve;
  const last = points.length - 1;
  const mean = (heights[last] - heights[0]) / (points[last] - points[0]);
  const ahead = [...points.keys()].filter((k) => (points[k] - here) * side > 0);
  if (side < 0) ahead.reverse();
  const slopeInto = (k: number) => {
    const before = k - side;
    return before < 0 || before > last ? mean : (heights[k] - heights[before]) / (points[k] - points[before]);
  };
  const amounts = Float64Array.from(ahead, (k) => (points[k] - here) * side);
  const costs = new Float64Array(amounts.length);
  for (let k = 0; k < amounts.length; k++) {
    const length = k ? Math.abs(points[ahead[k]] - points[ahead[k - 1]]) : amounts[0];
    costs[k] = (k ? costs[k - 1] : 0) + weight * slopeInto(ahead[k]) * length;
  }
  return { amounts, costs, tail: weight * mean };
}

export function costAt({ amounts, costs, tail }: CostCurve, amount: number): number {
  const last = amounts.length - 1;
  if (last < 0) return tail * amount;
  if (amount >= amounts[last]) return costs[last] + tail * (amount - amounts[last]);
  let low = -1;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (amounts[middle] <= amount) low = middle;
    else high = middle;
  }
  const from = low < 0 ? 0 : amounts[low];
  const base = low < 0 ? 0 : costs[low];
  return base + ((costs[high] - base) * (amount - from)) / (amounts[high] - from);
}

/** The slope of a chord from the present value, and the amount where the chord meets the cost. */
export interface CostChord {
  readonly slope: number;
  readonly amount: number;
}

/**
 * The least φ(v) / v over the amounts of [least, most]. Between bends φ(v) / v is monotone: only bends and ends need a check. At an end
 * that is 0 or infinite, the limit is the slope of φ there.
 */
export function leastChord(curve: CostCurve, least: number, most: number): CostChord {
  const { amounts, costs, tail } = curve;
  const bends = amounts.filter((amount) => amount > least && amount < most);
  const ends = [least, most].filter((amount) => amount > 0 && amount < Infinity);
  let chord: CostChord = { slope: Infinity, amount: 0 };
  const consider = (slope: number, amount: number) => {
    if (slope < chord.slope) chord = { slope, amount };
  };
  for (const amount of [...bends, ...ends]) consider(costAt(curve, amount) / amount, amount);
  if (least === 0) consider(amounts.length ? costs[0] / amounts[0] : tail, Math.min(most, amounts[0] ?? most));
  if (most === Infinity) consider(tail, Math.max(least, amounts.at(-1) ?? 0));
  return chord;
}
