/**
 * Curved convex constraints by cutting planes (Kelley), around whatever exact solver takes the linear rest:
 *
 *   h(x) = log Σ_j c_j exp(u_j·x + v_j) - log bound  <=  0        (a probability of at least, a lead of at least)
 *
 * h is convex, so its tangent at any point holds for every answer. Each round solves the problem with the tangents found so far, a
 * relaxation: its bound is one of the whole problem, and where it has no point there is no answer. Tangents are widened by what
 * rounding may have done to them, so that they cut off no answer. New tangents are added where the relaxed point breaks a constraint.
 *
 * The relaxed points come from outside and may stop a rounding short of the region. Then the same tangents are moved in by a hair,
 * and the cheapest point within them is the answer; what is proved is the bound from outside. Logarithms keep the tangents well
 * scaled however small the probabilities are.
 */
import { dot } from '../../linalg/vector.js';
import { type ExpSum, expSumLog, type LinearRow, polyhedron } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { atomsOf, onlyAtoms, type Problem, withPiece } from '../../problems/problem.js';
import { magnitude, violation } from '../shared/linear-rows.js';
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
const MAX_INNER_ROUNDS = 30;
/** A relaxed point that misses by less, in log units, is as near as more tangents get. */
const NEAR = 1e-10;
/** How far tangents are moved in for an answer, in log units: further where the model does not confirm. */
const DEPTHS = [1e-9, 1e-8, 1e-7, 1e-6, 1e-4];
/** What rounding may do to a tangent, as a share of its terms. */
const ROUNDING = 2 ** -46;

/** A nudge of this size asks for the edge of the region itself; a larger one means that the rounding of an answer left the region. */
const AT_THE_EDGE = 1e-12;

/** Whoever takes the problem without its atoms. */
const linearSolvers = (problem: Problem, table: SolverTable): Solver[] => exactForParts(relaxed(problem, []), table);

/** The same with decimals as a lattice to be searched, not as what an answer is rounded to. */
const onDecimals = (problem: Problem): Problem => ({ ...problem, traits: { ...problem.traits, discrete: true } });

/** The problem with rows in place of its atoms. The rows have the word that the model has elsewhere; the model is asked later. */
function relaxed(problem: Problem, cuts: readonly LinearRow[]): Problem {
  const rows = [...problem.piece.rows, ...cuts];
  const holds = (x: Float64Array) => rows.every((row) => violation(row, x) <= ROUNDING * magnitude(row, x));
  return withPiece({ ...problem, holds }, polyhedron(rows));
}

/** h(x) <= 0 by its tangent: slope·x <= level, with what rounding may have done to it. */
interface Tangent {
  readonly slope: Float64Array;
  readonly level: number;
  readonly rounding: number;
}

class PreparedCuts implements Prepared {
  private readonly solvers: readonly Solver[];
  /** Those that search decimals; none: there are no decimals. */
  private readonly decimalSolvers: readonly Solver[];
  private readonly sums: readonly ExpSum[];

  constructor(
    private readonly problem: Problem,
    private readonly table: SolverTable,
  ) {
    this.solvers = linearSolvers(problem, table);
    this.decimalSolvers = problem.traits.rounded ? linearSolvers(onDecimals(problem), table) : [];
    this.sums = atomsOf(problem, 'exp-sum');
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const tangents: Tangent[] = [];
    let bound = 0;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = this.solveLinear(tangents.map(widened), domain, { ...limits, anyAnswer: false });
      if (outcome.status === 'infeasible') return INFEASIBLE;
      bound = Math.max(bound, outcome.lowerBound);
      if (!outcome.x) break;
      if (this.problem.holds(outcome.x))
        return outcome.status === 'solved' ? solved(outcome.x, bound) : limit(outcome.x, bound);
      const added = this.tangentsAt(outcome.x, NEAR);
      if (!added.length || limits.budget.isSpent || bound >= limits.cutoff) break;
      tangents.push(...added);
    }
    return limit(bound >= limits.cutoff ? null : this.fromInside(tangents, domain, limits), bound);
  }

  /** The cheapest point within tangents that are moved in, once the model confirms it. */
  private fromInside(known: readonly Tangent[], domain: Domain, limits: Limits): Float64Array | null {
    const tangents = [...known];
    for (const depth of DEPTHS) {
      for (let round = 0; round < MAX_INNER_ROUNDS; round++) {
        const rows = tangents.map((tangent) => movedIn(tangent, depth));
        const { x } = this.solveLinear(rows, domain, { ...limits, anyAnswer: false });
        if (!x) break;
        if (this.problem.holds(x)) return x;
        const added = this.tangentsAt(x, -0.5 * depth);
        if (!added.length || limits.budget.isSpent) break;
        tangents.push(...added);
      }
    }
    return null;
  }

  private tangentsAt(x: Float64Array, above: number): Tangent[] {
    return this.sums.filter((sum) => expSumLog(sum, x) > above).map((sum) => tangentOf(sum, x));
  }

  /** The first solver that does not lose its footing has the word. */
  private solveLinear(rows: readonly LinearRow[], domain: Domain, limits: Limits): Outcome {
    const problem = relaxed(this.problem, rows);
    let outcome: Outcome = numerical('no linear solver');
    const searched = limits.nudge > AT_THE_EDGE ? this.decimalSolvers : [];
    for (const solver of searched.length ? searched : this.solvers) {
      outcome = solver.prepare(problem, this.table).solve(domain, limits);
      if (outcome.status !== 'numerical') break;
    }
    return outcome;
  }
}

/** The tangent as a row that no answer breaks. */
const widened = ({ slope, level, rounding }: Tangent): LinearRow => ({
  a: slope,
  lower: Number.NEGATIVE_INFINITY,
  upper: level + rounding,
});

const movedIn = ({ slope, level, rounding }: Tangent, depth: number): LinearRow => ({
  a: slope,
  lower: Number.NEGATIVE_INFINITY,
  upper: level - rounding - depth,
});

/** h(at) + ∇h(at)·(x - at) <= 0 */
function tangentOf(sum: ExpSum, at: Float64Array): Tangent {
  const logs = sum.exponents.map((u, j) => Math.log(sum.weights[j]) + dot(u, at) + sum.shifts[j]);
  const top = Math.max(...logs);
  const shares = logs.map((value) => Math.exp(value - top));
  const total = shares.reduce((a, b) => a + b, 0);
  const slope = new Float64Array(at.length);
  let size = Math.abs(top) + Math.abs(Math.log(sum.bound)) + 1;
  sum.exponents.forEach((u, j) => {
    for (let i = 0; i < slope.length; i++) {
      slope[i] += (shares[j] / total) * u[i];
      size += Math.abs((shares[j] / total) * u[i] * at[i]);
    }
    size += (shares[j] / total) * Math.abs(sum.shifts[j]);
  });
  const height = top + Math.log(total) - Math.log(sum.bound);
  return { slope, level: dot(slope, at) - height, rounding: ROUNDING * size };
}

export const cuts: Solver = {
  name: 'cuts',
  takesParts: true,
  accepts: (problem, table) =>
    onlyAtoms(problem, 'exp-sum').length && linearSolvers(problem, table).length ? 'exact' : 'no',
  prepare: (problem, table) => new PreparedCuts(problem, table),
};
