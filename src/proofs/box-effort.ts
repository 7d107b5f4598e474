/** The work that proofs over boxes may do: a number of looks, each counted in the row's budget. */
import type { Budget } from '../problems/budget.js';

export interface BoxEffort {
  /** Takes one look. False: none is left. `work`: the look's additional work, in units of effort. */
  take(work?: number): boolean;
  /** Counts work apart from looks, in units of effort. False: nothing is left. */
  spend(work: number): boolean;
}

/** The least work of one look at a part of a box, in units of effort. */
const LOOK_WORK = 2;

export function boxEffort(most: number, budget: Budget): BoxEffort {
  let used = 0;
  return {
    take(work = 0) {
      budget.spend(LOOK_WORK + work);
      return used++ < most && !budget.isSpent;
    },
    spend(work) {
      budget.spend(work);
      return used < most && !budget.isSpent;
    },
  };
}

/** At most `looks` looks of a larger effort: one hard question must not spend the effort of all others. */
export function shareOf(effort: BoxEffort, looks: number): BoxEffort {
  let left = looks;
  return { take: (work) => left-- > 0 && effort.take(work), spend: (work) => left > 0 && effort.spend(work) };
}
