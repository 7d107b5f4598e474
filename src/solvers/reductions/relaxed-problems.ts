/**
 * A problem with other conditions, rows and quadratics, in place of some of its atoms, and an exact solver of that problem:
 *
 *   min cost(x' - x)   s.t.   rows and atoms that stay,  conditions,  domain,  links, clauses
 *
 * The conditions, or a test of the caller, decide in place of the model. The model itself is asked later.
 */
import type { Atom, Piece } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import { type Problem, searchingDecimals, withPiece } from '../../problems/problem.js';
import { magnitude, violation } from '../shared/linear-rows.js';
import {
  exactForParts,
  isRoundingUndone,
  type Limits,
  limit,
  numerical,
  type Outcome,
  type Solver,
  type SolverTable,
} from '../solver.js';

/** The largest rounding error of a row, as a share of its terms. */
const ROUNDING = 2 ** -46;
/** Share of the remaining budget for one of several solvers while others wait. */
const SHARE = 0.5;

/** Operations for each entry of a quadratic's matrix to prepare it once. */
const PREPARE_FLOPS = 20;

/** `kept`: the atoms that stay. */
function relaxedProblem(
  problem: Problem,
  kept: readonly Atom[],
  conditions: readonly Piece[],
  word?: Problem['holds'],
): Problem {
  const rows = [...problem.piece.rows, ...conditions.flatMap((condition) => condition.rows)];
  const atoms = [...kept, ...conditions.flatMap((condition) => condition.atoms)];
  const isMet = (atom: Atom, x: Float64Array) =>
    atom.kind !== 'quadratic' || atom.form.value(x) <= 2 * atom.form.rounding(x);
  const areMet = (x: Float64Array) =>
    rows.every((row) => violation(row, x) <= ROUNDING * magnitude(row, x)) && atoms.every((atom) => isMet(atom, x));
  const holds = word ?? areMet;
  return withPiece({ ...problem, holds, reaches: holds }, { rows, atoms });
}

export class RelaxedProblems {
  /** `first`: the conditions of every round. Later conditions are of the same kinds. */
  readonly solvers: readonly Solver[];
  readonly isLinear: boolean;
  /** The solvers that search decimals. Empty: the problem has no decimals. */
  private readonly decimalSolvers: readonly Solver[];

  constructor(
    private readonly problem: Problem,
    private readonly kept: readonly Atom[],
    first: readonly Piece[],
    private readonly table: SolverTable,
  ) {
    const relaxed = relaxedProblem(problem, kept, first);
    this.solvers = exactForParts(relaxed, table);
    this.decimalSolvers = problem.traits.rounded ? exactForParts(searchingDecimals(relaxed), table) : [];
    this.isLinear = relaxed.traits.linear;
  }

  /**
   * Asks one solver after the other until an outcome is final. The best bound of all counts. `word`: whether a point meets the conditions.
   */
  solve(conditions: readonly Piece[], domain: Domain, limits: Limits, word?: Problem['holds']): Outcome {
    const problem = relaxedProblem(this.problem, this.kept, conditions, word);
    const entries = problem.piece.atoms.length * problem.space.columns ** 2;
    limits.budget.spend((PREPARE_FLOPS * entries) / FLOPS_PER_UNIT);
    let best: Outcome = numerical('no solver for the conditions');
    const solvers = isRoundingUndone(limits) && this.decimalSolvers.length ? this.decimalSolvers : this.solvers;
    for (const [k, solver] of solvers.entries()) {
      const isLast = k === solvers.length - 1;
      const budget = isLast ? limits.budget : limits.budget.shareEffort(SHARE);
      const outcome = solver.prepare(problem, this.table).solve(domain, { ...limits, budget });
      if (outcome.status === 'solved' || outcome.status === 'infeasible') return outcome;
      best = bothOf(best, outcome);
      if (outcome.status === 'limit' && problem.traits.linear) return best;
    }
    return best;
  }
}

function bothOf(one: Outcome, other: Outcome): Outcome {
  const lowerBound = Math.max(one.lowerBound, other.lowerBound);
  if (one.status === 'numerical' && other.status === 'numerical') return other;
  return limit(other.x ?? one.x, lowerBound);
}
