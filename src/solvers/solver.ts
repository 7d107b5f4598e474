/**
 * What a solver is. It accepts a problem or not, prepares it once, and then answers rows. Status is not error:
 * infeasible is an outcome with a proof, a limit is an outcome with what was found, numerical trouble is an outcome too.
 */
import type { Domain } from '../policy/domain.js';
import type { Budget } from '../problems/budget.js';
import type { Problem } from '../problems/problem.js';
import type { Engine } from './engine.js';

export type Acceptance = 'no' | 'heuristic' | 'exact';

export interface Limits {
  /** Work that may be done, with the clock as the last guard. */
  readonly budget: Budget;
  /** How far inside the region's rows to stay, relative to the size of their terms: rounding must not undo an answer. */
  readonly nudge: number;
  readonly seed: number;
  /** An answer of this cost is in hand: only a cheaper one is of use, and a bound of as much ends the search. Infinity: none. */
  readonly cutoff: number;
  /** The search may stop once its answer is proved within this share of the optimum. */
  readonly gap: number;
  /** Stop at the first answer: only its existence matters. */
  readonly anyAnswer: boolean;
  /** What a search may keep of its open boxes, about. */
  readonly memoryMb?: number;
}

export interface Outcome {
  readonly status: 'solved' | 'infeasible' | 'limit' | 'numerical';
  /** The answer by column, valid until the next call; null when there is none. */
  readonly x: Float64Array | null;
  /** A proved lower bound on the cost of any answer in this piece; -Infinity when nothing is proved. */
  readonly lowerBound: number;
  readonly detail?: string;
}

/** Points in columns whose scores a solver wants to know together. */
export type ScoreBatch = readonly Float64Array[];

export interface Prepared {
  solve(domain: Domain, limits: Limits): Outcome;
  /**
   * The same for a model that is scored elsewhere: yields the points that it asks `problem.holds` and `problem.margin` about next.
   * Other rows are solved while it waits, with the same prepared solver: such a search keeps all its state to itself.
   */
  steps?(domain: Domain, limits: Limits): Generator<ScoreBatch, Outcome, void>;
  /** Releases what the garbage collector cannot. */
  dispose?(): void;
}

/**
 * Where a solver stands on a ladder that names no solvers. `rescue`: it is asked only while the rungs above have no answer.
 * `by-name`: it stands only on ladders whose policy names it.
 */
export type LadderPlace = 'rung' | 'rescue' | 'by-name';

export interface Solver {
  readonly name: string;
  /** The solver that does this one's work as well: on a ladder with it this one has nothing to add. */
  readonly partOf?: string;
  /** Its place on a ladder that names no solvers, for a problem that it accepts; absent: a rung. */
  place?(problem: Problem): LadderPlace;
  /** Takes parts of a person's domain, also those that the present row is not in: a reduction may ask it about each part. */
  readonly takesParts?: true;
  /** Minimises a term of the cost as well, and its bounds hold for the total. Others are never asked about a problem with a term. */
  readonly takesTerm?: true;
  /** A heuristic whose bound is proved: a relaxation. */
  readonly isRelaxation?: true;
  /** What has to be loaded before it solves: without it `solve` throws `EngineNeeded`. */
  readonly engine?: Engine;
  /** `table`: all solvers. A reduction makes another problem and takes the solver of that problem from the table. */
  accepts(problem: Problem, table: SolverTable): Acceptance;
  prepare(problem: Problem, table: SolverTable): Prepared;
}

/** In order of preference. */
export type SolverTable = readonly Solver[];

/** The same solver, which sees problems with a term of the cost only if it takes them: no solver has to look for a term. */
export const guardTerms = (solver: Solver): Solver =>
  solver.takesTerm
    ? solver
    : { ...solver, accepts: (problem, table) => (problem.term ? 'no' : solver.accepts(problem, table)) };

/** The solvers that a reduction may ask about parts of a domain, with a proof. */
export const exactForParts = (problem: Problem, table: SolverTable): Solver[] =>
  table.filter((solver) => solver.takesParts && solver.accepts(problem, table) === 'exact');

export const INFEASIBLE: Outcome = { status: 'infeasible', x: null, lowerBound: Infinity };

export const numerical = (detail: string): Outcome => ({ status: 'numerical', x: null, lowerBound: -Infinity, detail });

export const solved = (x: Float64Array, lowerBound: number): Outcome => ({ status: 'solved', x, lowerBound });

export const limit = (x: Float64Array | null, lowerBound: number): Outcome => ({ status: 'limit', x, lowerBound });

/** A nudge of this size asks for the edge of the region itself. */
const AT_THE_EDGE = 1e-12;

/** Whether the search comes back because the rounding of its answer left the region. */
export const isRoundingUndone = ({ nudge }: Pick<Limits, 'nudge'>): boolean => nudge > AT_THE_EDGE;

/** Whether a bound ends a search that was told of an answer: nothing beyond the bound is worth a look. */
export const isBeyond = (bound: number, { cutoff, gap }: Limits): boolean => bound >= cutoff * (1 - gap);

/** In the place of a question that an earlier row has asked: the round trip counts for every row, whichever came first. */
export const ASKED_BEFORE: ScoreBatch = [];

/** The outcome of a search whose model answers at once. */
export function withoutWaiting(steps: Generator<ScoreBatch, Outcome, void>): Outcome {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
