/**
 * The sum that decides about a person (models/sums/score-sum.ts): of the goal that is nearest to the person, against the rival that is in its
 * way, with the direction in which the sum has to move.
 */
import type { ElsewiseError } from '../../documents/error.js';
import { argmax } from '../../linalg/vector.js';
import type { LoadedModel } from '../../models/load.js';
import type { Goal } from '../../models/region.js';
import { contributionsOf } from '../../models/sums/contributions.js';
import { type Contributions, type Direction, refuseReasons } from '../../models/sums/row-contributions.js';

export interface DecidedSum {
  readonly goal: Goal;
  readonly rival: number;
  readonly direction: Direction;
}

/** `raw` and `scores`: the output of the model for the person. */
export function decidedSum(
  goals: readonly Goal[],
  { model }: LoadedModel,
  raw: Float64Array,
  scores: Float64Array,
): DecidedSum {
  let goal = goals[0];
  for (const other of goals) if (model.margin(raw, other) > model.margin(raw, goal)) goal = other;
  return { goal, rival: rivalOf(goal.index, raw), direction: directionOf(goal, scores[goal.index]) };
}

/** The class with the largest raw output beside the own class. */
function rivalOf(index: number, raw: Float64Array): number {
  const best = argmax(raw);
  if (best !== index) return best;
  return argmax(raw.map((output, k) => (k === index ? Number.NEGATIVE_INFINITY : output)));
}

const directionOf = (goal: Goal, score: number): Direction => (goal.kind === 'interval' && score > goal.to ? -1 : 1);

/** Throws where the goal has no exact sum. */
export function contributionsTo(loaded: LoadedModel, { goal, rival }: DecidedSum): Contributions {
  const sum = loaded.model.scoreSum?.(goal, rival);
  if (sum) return contributionsOf(loaded, sum);
  if (sum === undefined) throw refuseFamily(loaded);
  throw refuseReasons('the score of one of several classes is no sum: give a class as the target');
}

export const refuseFamily = ({ document: { family } }: Pick<LoadedModel, 'document'>): ElsewiseError =>
  refuseReasons(
    `the family ${family} has no exact contributions: reasons are for linear models, naive Bayes, additive models and trees`,
  );
