/** How much work proofs over boxes may be: a number of looks, each of which is spent from the row's budget. */
import type { Budget } from '../problems/budget.js';

export interface BoxEffort {
  /** Takes one look; false: there is none left. `work`: what the look takes in units of effort, beside its own. */
  take(work?: number): boolean;
  /** Counts work beside looks, in units of effort; false: nothing is left. */
  spend(work: number): boolean;
}

/** What one look at a part of a box takes at least, in units of effort. */
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

/** At most so many looks of a larger effort: one hard question must not eat up all the others'. */
export function shareOf(effort: BoxEffort, looks: number): BoxEffort {
  let left = looks;
  return { take: (work) => left-- > 0 && effort.take(work), spend: (work) => left > 0 && effort.spend(work) };
}
