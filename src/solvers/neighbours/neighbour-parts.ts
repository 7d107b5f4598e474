/** What the searches of all persons share (neighbour-search.ts). */
import type { NeighboursAtom } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import type { RelaxedProblems } from '../reductions/relaxed-problems.js';
import type { BestAnswer } from '../shared/best-answer.js';
import type { PrepareLater } from '../shared/prepare-later.js';
import type { Comparisons } from './comparisons.js';
import type { Votes } from './votes.js';

export interface NeighbourParts {
  readonly problem: Problem;
  readonly atom: NeighboursAtom;
  readonly votes: Votes;
  readonly comparisons: Comparisons;
  /** First answers where rows hold within boxes only. */
  readonly starts: PrepareLater;
  /** Answers where the search has none for long. */
  readonly rescues: readonly PrepareLater[];
  readonly relaxed: RelaxedProblems;
  readonly best: BestAnswer;
  /** Answers by a tie, for want of a better one. */
  readonly doubtful: BestAnswer;
}

/** First answers: from so many samples, of so many nearest, in so many rounds. */
export const START = { samples: 2, lookedAt: 200, rounds: 30 };
/** Shares of work: of what is left for one relaxation and one rescue, of all for first answers, and where a search without an answer asks others. */
export const SHARE = { node: 0.5, start: 0.1, rescueAt: 0.5, rescue: 0.3 };
/** How much deeper inside the rows to look where the model refuses a point by rounding. */
export const DEEPER = [1e2, 1e4, 1e6];
