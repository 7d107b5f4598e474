/** The parts that the searches of all persons share (neighbour-search.ts). */
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
  /** The search for first answers, if rows are valid within boxes only. */
  readonly starts: PrepareLater;
  /** The search that helps if no answer was found for long. */
  readonly rescues: readonly PrepareLater[];
  readonly relaxed: RelaxedProblems;
  readonly best: BestAnswer;
  /** The search for answers that depend on a tie, if there is no other answer. */
  readonly doubtful: BestAnswer;
}

/** First answers: the number of starting samples, of nearest samples, and of rounds. */
export const START = { samples: 2, lookedAt: 200, rounds: 30 };
/** Shares of the work: of the remaining work for one relaxation and for one rescue; of all work for first answers, and until a search without an answer calls the general optimisers. */
export const SHARE = { node: 0.5, start: 0.1, rescueAt: 0.5, rescue: 0.3 };
/** The factor by which the depth inside the rows grows, if the model refuses a point because of rounding. */
export const DEEPER = [1e2, 1e4, 1e6];
