/** How much work proofs over boxes may be: a number of looks, each of which is spent from the row's budget. */
import type { Budget } from '../problems/budget.js';

export interface BoxEffort {
  /** Takes one look; false: there is none left. */
  take(): boolean;
}

/** What one look at a part of a box takes, in units of effort. */
const LOOK_WORK = 2;

export function boxEffort(most: number, budget: Budget): BoxEffort {
  let used = 0;
  return {
    take() {
      budget.spend(LOOK_WORK);
      return used++ < most && !budget.isSpent;
    },
  };
}

/** At most so many looks of a larger effort: one hard question must not eat up all the others'. */
export function shareOf(effort: BoxEffort, looks: number): BoxEffort {
  let left = looks;
  return { take: () => left-- > 0 && effort.take() };
}
