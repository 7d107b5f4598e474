/**
 * The contract of a solver. A solver accepts a problem or not, prepares the problem once, and then answers rows. A status is not an error:
 * infeasible is an outcome with a proof, a spent limit is an outcome with the best answer so far, and numerical trouble is an outcome too.
 */
import type { Domain } from '../policy/domain.js';
import type { Budget } from '../problems/budget.js';
import type { Problem } from '../problems/problem.js';
import type { Engine } from './engine.js';

export type Acceptance = 'no' | 'heuristic' | 'exact';

export interface Limits {
  /** The work that the search may do. The clock is the last guard. */
  readonly budget: Budget;
  /** The depth inside the region's rows that answers keep, relative to the size of the rows' terms. Rounding must not undo an answer. */
  readonly nudge: number;
  readonly seed: number;
  /** The cost of the incumbent. Only a cheaper answer is of use, and a bound of this height ends the search. Infinity: no incumbent. */
  readonly cutoff: number;
  /** The search may stop once its answer is proved within this share of the optimum. */
  readonly gap: number;
  /** Stop at the first answer: only its existence matters. */
  readonly anyAnswer: boolean;
  /** The approximate memory that a search may use for its open boxes. */
  readonly memoryMb?: number;
}

export interface Outcome {
  readonly status: 'solved' | 'infeasible' | 'limit' | 'numerical';
  /** The answer by column, valid until the next call. Null: there is no answer. */
  readonly x: Float64Array | null;
  /** A proved lower bound on the cost of any answer in this piece. -Infinity: nothing is proved. */
  readonly lowerBound: number;
  readonly detail?: string;
  /** The answer depends on a tie in the model that rounding decides. Any other answer is better. */
  readonly isDoubtful?: true;
}

/** Points in columns whose scores a solver needs together. */
export type ScoreBatch = readonly Float64Array[];

export interface Prepared {
  solve(domain: Domain, limits: Limits): Outcome;
  /**
   * The same search for a model that is scored elsewhere. It yields the points for which it calls `problem.holds` and `problem.margin`
   * next. Other rows are solved by the same prepared solver meanwhile, so the state of the search must be local to the generator.
   */
  steps?(domain: Domain, limits: Limits): Generator<ScoreBatch, Outcome, void>;
  /** Releases resources that the garbage collector does not release. */
  dispose?(): void;
}

/**
 * The place of a solver on a ladder that names no solvers. `rescue`: the solver is asked only while the rungs above have no answer.
 * `by-name`: the solver is only on ladders whose policy names it.
 */
export type LadderPlace = 'rung' | 'rescue' | 'by-name';

export interface Solver {
  readonly name: string;
  /** The solver whose work includes the work of this solver. On a ladder with that solver this one has nothing to add. */
  readonly partOf?: string;
  /** The place on a ladder that names no solvers, for a problem that the solver accepts. Absent: a rung. */
  place?(problem: Problem): LadderPlace;
  /**
   * The solver accepts parts of a person's domain, including parts without the present row. A reduction may therefore ask it about each
   * part.
   */
  readonly takesParts?: true;
  /**
   * The solver also minimises a term of the cost, and its bounds hold for the total. Other solvers are never asked about a problem with a
   * term.
   */
  readonly takesTerm?: true;
  /** The solver is a heuristic whose bound is proved: a relaxation. */
  readonly isRelaxation?: true;
  /** The engine that must be loaded before solving. Without the engine `solve` throws `EngineNeeded`. */
  readonly engine?: Engine;
  /** `table`: all solvers. A reduction builds another problem and takes the solver of that problem from the table. */
  accepts(problem: Problem, table: SolverTable): Acceptance;
  prepare(problem: Problem, table: SolverTable): Prepared;
}

/** All solvers in order of preference. */
export type SolverTable = readonly Solver[];

/**
 * The same solver, but it accepts problems with a term of the cost only if it declares `takesTerm`. No solver has to check for a term
 * itself.
 */
export const guardTerms = (solver: Solver): Solver =>
  solver.takesTerm
    ? solver
    : { ...solver, accepts: (problem, table) => (problem.term ? 'no' : solver.accepts(problem, table)) };

/** The solvers that prove answers over parts of a domain, for reductions. */
export const exactForParts = (problem: Problem, table: SolverTable): Solver[] =>
  table.filter((solver) => solver.takesParts && solver.accepts(problem, table) === 'exact');

export const INFEASIBLE: Outcome = { status: 'infeasible', x: null, lowerBound: Infinity };

export const numerical = (detail: string): Outcome => ({ status: 'numerical', x: null, lowerBound: -Infinity, detail });

export const solved = (x: Float64Array, lowerBound: number): Outcome => ({ status: 'solved', x, lowerBound });

export const limit = (x: Float64Array | null, lowerBound: number): Outcome => ({ status: 'limit', x, lowerBound });

/** A nudge up to this size asks for the edge of the region itself. */
const AT_THE_EDGE = 1e-12;

/** Whether the search is repeated because rounding moved its answer out of the region. */
export const isRoundingUndone = ({ nudge }: Pick<Limits, 'nudge'>): boolean => nudge > AT_THE_EDGE;

/** Whether a bound ends a search that has an incumbent: no answer above the bound is worth finding. */
export const isBeyond = (bound: number, { cutoff, gap }: Limits): boolean => bound >= cutoff * (1 - gap);

/** Yielded instead of a question that an earlier row has already asked. Every row counts the round trip, whichever row came first. */
export const ASKED_BEFORE: ScoreBatch = [];

/** The outcome of a search whose model answers at once. */
export function withoutWaiting(steps: Generator<ScoreBatch, Outcome, void>): Outcome {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
