/**
 * The distance of scores inside a goal.
 *
 *   interval   min(score - from, to - score)
 *   class      score_t - max_{j != t} score_j - margin
 *
 * A goal that is reached has a margin of at least 0. The reverse holds except for ties, which the model decides.
 */
import type { Goal } from './region.js';

export const insideOf = (value: number, from: number, to: number): number => Math.min(value - from, to - value);

/** The lead of one entry over the largest other. */
export function leadOf(values: Float64Array, index: number): number {
  return values[index] - values[rivalOf(values, index)];
}

/** The margin of reported scores: by class, or of a regressor's prediction. */
export function goalMargin(shown: Float64Array, goal: Goal): number {
  return goal.kind === 'interval'
    ? insideOf(shown[goal.index], goal.from, goal.to)
    : leadOf(shown, goal.index) - goal.margin;
}

/** Adds `factor` times the slope of one raw output to `out`. */
export type AddSlope = (output: number, factor: number, out: Float64Array) => void;

/** The slope of `goalMargin` where softmax turns raw outputs into scores:  ∇p_k = p_k (∇z_k - Σ_j p_j ∇z_j). */
export function softmaxSlope(shown: Float64Array, goal: Goal, addSlope: AddSlope, out: Float64Array): void {
  out.fill(0);
  const weights = new Float64Array(shown.length);
  if (goal.kind === 'class') {
    weights[goal.index] += 1;
    weights[rivalOf(shown, goal.index)] -= 1;
  } else weights[goal.index] = nearerEnd(shown[goal.index], goal);
  const mean = weights.reduce((sum, weight, k) => sum + weight * shown[k], 0);
  for (let j = 0; j < shown.length; j++) addSlope(j, shown[j] * (weights[j] - mean), out);
}

/** The sign with which an interval's margin follows a value: that of the nearer end. */
export const nearerEnd = (value: number, goal: Goal): 1 | -1 =>
  goal.kind === 'interval' && value - goal.from > goal.to - value ? -1 : 1;

/** The slope of `leadOf`. */
export function leadSlope(values: Float64Array, index: number, addSlope: AddSlope, out: Float64Array): void {
  out.fill(0);
  addSlope(index, 1, out);
  addSlope(rivalOf(values, index), -1, out);
}

export function rivalOf(values: Float64Array, index: number): number {
  let rival = index === 0 ? 1 : 0;
  for (let k = 0; k < values.length; k++) if (k !== index && values[k] > values[rival]) rival = k;
  return rival;
}
