/**
 * Curved convex constraints by cutting planes (Kelley), around whatever exact solver takes the linear rest:
 *
 *   h(x) = log Σ_j c_j exp(u_j·x + v_j) - log bound  <=  0        (a probability of at least, a lead of at least)
 *
 * h is convex, so its tangent at any point is valid for every answer: each round solves the problem with the tangents
 * found so far, which is a lower bound, and adds tangents where its answer breaks a constraint. Logarithms keep the
 * tangents well scaled however small the probabilities are. Tangents ask for a hair more than zero, so that the limit
 * is inside.
 */
import { type ExpSum, expSumLog, type LinearRow, polyhedron } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { atomsOf, onlyAtoms, type Problem, withPiece } from '../../problems/problem.js';
import {
  exactForParts,
  INFEASIBLE,
  type Limits,
  limit,
  numerical,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
  solved,
} from '../solver.js';

const MAX_ROUNDS = 200;
/** How far inside the tangents aim, in log units; what it costs is taken off the bound. */
const INSIDE = 1e-9;
const BOUND_SHARE = 1e-7;

/** Whoever takes the problem without its atoms. */
const linearSolvers = (problem: Problem, table: SolverTable): Solver[] =>
  exactForParts(withPiece(problem, polyhedron(problem.piece.rows)), table);

class PreparedCuts implements Prepared {
  private readonly solvers: readonly Solver[];
  private readonly sums: readonly ExpSum[];

  constructor(
    private readonly problem: Problem,
    private readonly table: SolverTable,
  ) {
    this.solvers = linearSolvers(problem, table);
    this.sums = atomsOf(problem, 'exp-sum');
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const cuts: LinearRow[] = [];
    const inside = Math.max(INSIDE, limits.nudge);
    let lowerBound = 0;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const piece = polyhedron([...this.problem.piece.rows, ...cuts]);
      const outcome = this.solveLinear(withPiece(this.problem, piece), domain, limits);
      if (outcome.status === 'infeasible') return cuts.length ? INFEASIBLE : outcome;
      lowerBound = Math.max(lowerBound, outcome.lowerBound * (1 - BOUND_SHARE));
      if (outcome.status !== 'solved') return { ...outcome, lowerBound };
      const broken = this.sums.filter((sum) => expSumLog(sum, outcome.x!) > 0);
      if (!broken.length) return solved(outcome.x!, lowerBound);
      if (limits.budget.isSpent) return limit(null, lowerBound);
      cuts.push(...broken.map((sum) => tangent(sum, outcome.x!, inside)));
    }
    return limit(null, lowerBound);
  }
  /** The first solver that does not lose its footing has the word. */
  private solveLinear(problem: Problem, domain: Domain, limits: Limits): Outcome {
    let outcome: Outcome = numerical('no linear solver');
    for (const solver of this.solvers) {
      outcome = solver.prepare(problem, this.table).solve(domain, limits);
      if (outcome.status !== 'numerical') break;
    }
    return outcome;
  }
}

/** h(at) + ∇h(at)·(x - at) <= -inside, as a row. */
function tangent(sum: ExpSum, at: Float64Array, inside: number): LinearRow {
  const logs = sum.exponents.map(
    (u, j) => Math.log(sum.weights[j]) + u.reduce((total, value, i) => total + value * at[i], sum.shifts[j]),
  );
  const top = Math.max(...logs);
  const shares = logs.map((value) => Math.exp(value - top));
  const total = shares.reduce((a, b) => a + b, 0);
  const gradient = new Float64Array(at.length);
  sum.exponents.forEach((u, j) => {
    for (let i = 0; i < gradient.length; i++) gradient[i] += (shares[j] / total) * u[i];
  });
  const height = top + Math.log(total) - Math.log(sum.bound);
  const upper = gradient.reduce((value, slope, i) => value + slope * at[i], 0) - height - inside;
  return { a: gradient, lower: Number.NEGATIVE_INFINITY, upper };
}

export const cuts: Solver = {
  name: 'cuts',
  takesParts: true,
  accepts: (problem, table) =>
    onlyAtoms(problem, 'exp-sum').length && linearSolvers(problem, table).length ? 'exact' : 'no',
  prepare: (problem, table) => new PreparedCuts(problem, table),
};
