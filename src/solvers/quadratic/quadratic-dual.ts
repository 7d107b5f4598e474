/**
 * Several quadratics, linear rows and bounds under L2 or Mahalanobis cost, through the Lagrangian dual (dual-newton.ts). Where the dual's
 * own point is feasible it is the global optimum, with zero gap. Otherwise its value is a lower bound for the next solvers of the ladder.
 * Rows and bounds enter only when they are broken, and most persons need none of them.
 */
import { dot } from '../../linalg/vector.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { depthOf, isKeptInside, linkSlack, magnitude, roundingFor, violation } from '../shared/linear-rows.js';
import {
  INFEASIBLE,
  isBeyond,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type Solver,
  solved,
} from '../solver.js';
import { type DualConstraint, LagrangeDual } from './dual-newton.js';
import { provedBound, provedEmpty, quadraticConstraint } from './proved-bound.js';
import { type Frame, hasFewQuadratics, QuadraticView, standing } from './quadratic-view.js';

function accepts(problem: Problem): 'no' | 'exact' {
  const { norm, discrete, capped, disjunctive } = problem.traits;
  const squared = norm === 'l2' || norm === 'mahalanobis';
  const plain = squared && !discrete && !capped && !disjunctive;
  return plain && hasFewQuadratics(problem) ? 'exact' : 'no';
}

const ROUNDS = 20;

export class PreparedDual implements Prepared {
  private readonly view: QuadraticView;
  private readonly x: Float64Array;

  constructor(private readonly problem: Problem) {
    this.view = new QuadraticView(problem);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const frame = this.view.frame(domain);
    if (!frame.free.length) return standing(this.problem, domain);
    const quadratics = this.quadraticConstraints(frame, domain, limits.nudge);
    const forms = this.view.underestimates(frame, domain).map(({ A, b, c }) => quadraticConstraint(A, b, c));
    const weights = new Float64Array(frame.free.length).fill(frame.share);
    const linear: LinearConstraint[] = [];
    const entered = new Set<string>();
    let bound = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const result = new LagrangeDual(frame.free.length, [...quadratics, ...linear], limits.budget).solve();
      if (result.unbounded) bound = Math.max(bound, provedEmpty(weights, forms, result.lambda));
      if (bound === Infinity) return INFEASIBLE;
      bound = Math.max(bound, provedBound(weights, forms, result.lambda));
      if (isBeyond(bound, limits)) return limit(null, bound);
      const broken = this.brokenLinear(frame, result.y, domain, limits.nudge, entered);
      if (!broken.length) {
        this.view.toColumns(frame, result.y, domain, this.x);
        return result.exact ? solved(this.x, bound) : limit(this.x, bound);
      }
      linear.push(...broken);
      forms.push(...broken.map(({ b, least }) => quadraticConstraint(null, b, least)));
      if (limits.budget.isSpent) break;
    }
    return limit(null, bound);
  }

  private quadraticConstraints(frame: Frame, domain: Domain, nudge: number): DualConstraint[] {
    return this.view
      .at(frame, domain, nudge)
      .map((q, i) => ({ ...q, size: this.view.quadratics[i].magnitude(domain.origin) + Math.abs(q.c) }));
  }

  /** Rows and bounds that y breaks and that have not entered yet, as linear constraints on y. */
  private brokenLinear(
    frame: Frame,
    y: Float64Array,
    domain: Domain,
    nudge: number,
    entered: Set<string>,
  ): LinearConstraint[] {
    const { origin, lower, upper } = domain;
    const moved = unclipped(frame, y, origin);
    const broken: LinearConstraint[] = [];
    const enter = (key: string, a: (c: number) => number, c: number, size: number, least: number) => {
      if (entered.has(key)) return;
      entered.add(key);
      broken.push({ A: null, b: scaledSlope(frame, a), c, size, least });
    };
    const end = (bound: number, c: number) => 2 ** -50 * (Math.abs(bound) + Math.abs(origin[c]));
    for (const c of frame.free) {
      const slack = 1e-11 * Math.max(1, Math.abs(origin[c]));
      const size = Math.abs(moved[c] - origin[c]) + 1e-300;
      const [over, under] = [origin[c] - upper[c], lower[c] - origin[c]];
      if (moved[c] > upper[c] + slack) enter(`${c}+`, (k) => +(k === c), over, size, over - end(upper[c], c));
      if (moved[c] < lower[c] - slack) enter(`${c}-`, (k) => -(k === c), under, size, under - end(lower[c], c));
    }
    const { piece, links } = this.problem;
    for (const [i, row] of [...piece.rows, ...links].entries()) {
      const isInner = i < piece.rows.length || isKeptInside(row, nudge);
      const depth = isInner ? depthOf(row, origin, nudge) : 0;
      if (violation(row, moved) <= (isInner ? -0.5 * depth : linkSlack(row, origin))) continue;
      const activity = dot(row.a, origin);
      const size = Math.abs(activity) + Math.abs(dot(row.a, moved)) + depth;
      const doubt = rowDoubt(row, origin, moved);
      if (dot(row.a, moved) < row.lower + depth) {
        const lack = row.lower - activity;
        enter(`${i}row-`, (k) => -row.a[k], lack + depth, size, lack - doubt);
      } else enter(`${i}row+`, (k) => row.a[k], activity - row.upper + depth, size, activity - row.upper - doubt);
    }
    return broken;
  }
}

/** A linear constraint with a constant that is reduced by the largest rounding error, for proofs. */
interface LinearConstraint extends DualConstraint {
  readonly least: number;
}

/** The largest rounding error of a row at the person, and at points about as far away as the point where it was broken. */
const rowDoubt = (row: LinearRow, origin: Float64Array, moved: Float64Array): number =>
  linkSlack(row, origin) + roundingFor(row, magnitude(row, origin) + magnitude(row, moved));

function unclipped(frame: Frame, y: Float64Array, origin: Float64Array): Float64Array {
  const d = frame.free.length;
  const moved = origin.slice();
  for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) moved[frame.free[i]] += frame.S[i * d + j] * y[j];
  return moved;
}

/** ½ Sᵀ a over the free columns: a·Δ = 2 b·y. */
function scaledSlope(frame: Frame, a: (column: number) => number): Float64Array {
  const d = frame.free.length;
  const b = new Float64Array(d);
  for (let i = 0; i < d; i++) {
    const value = a(frame.free[i]);
    if (value !== 0) for (let j = 0; j < d; j++) b[j] += 0.5 * frame.S[i * d + j] * value;
  }
  return b;
}

export const quadraticDual: Solver = {
  name: 'quadratic-dual',
  takesParts: true,
  accepts,
  prepare: (problem) => new PreparedDual(problem),
};
