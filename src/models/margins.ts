/**
 * How far scores are inside a goal.
 *
 *   interval   min(score - from, to - score)
 *   class      score_t - max_{j != t} score_j - margin
 *
 * A goal that is reached has a margin of at least 0. The reverse holds but for ties, which the model decides.
 */
import type { Goal } from './region.js';

export const insideOf = (value: number, from: number, to: number): number => Math.min(value - from, to - value);

/** The lead of one entry over the largest other. */
export function leadOf(values: Float64Array, index: number): number {
  let rival = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < values.length; k++) if (k !== index && values[k] > rival) rival = values[k];
  return values[index] - rival;
}

/** Of the scores that are shown: by class, or a regressor's prediction. */
export function goalMargin(shown: Float64Array, goal: Goal): number {
  return goal.kind === 'interval'
    ? insideOf(shown[goal.index], goal.from, goal.to)
    : leadOf(shown, goal.index) - goal.margin;
}
