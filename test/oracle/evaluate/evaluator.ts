/** What every family's formula gives the judge. Inputs are what reaches the model after preprocessing. */
import type { Goal } from './goal.js';
import type { Inputs } from './inputs.js';
import { atLeastZero, both, type Verdict } from './verdict.js';

export interface Evaluator {
  /** As reported: a probability or raw score per class, or the prediction. */
  scores(inputs: Inputs): number[];
  /** By how much a reported score may differ between two right implementations. */
  scoreError(inputs: Inputs): number;
  /** The class that is decided, -1 within rounding of a tie; 0 for a regressor. */
  predicted(inputs: Inputs): number;
  reaches(inputs: Inputs, goal: Goal): Verdict;
}

/** score in [from, to] */
export const within = (score: number, { from, to }: Goal & { kind: 'interval' }, error: number): Verdict =>
  both(
    from === -Infinity ? 'yes' : atLeastZero(score - from, error),
    to === Infinity ? 'yes' : atLeastZero(to - score, error),
  );

/** The class whose lead over every rival is certain; ties go to the lower class. */
export function certainWinner(leads: (k: number) => Verdict, classes: number): number {
  for (let k = 0; k < classes; k++) if (leads(k) === 'yes') return k;
  return -1;
}
