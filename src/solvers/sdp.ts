/**
 * Several quadratics, or quadratics and bounds, under L2 or Mahalanobis cost: the semidefinite relaxation (survey, 7.9.2, and
 * shor.ts) by an interior-point method. It is never weaker than the Lagrangian dual of dual.ts, and stronger where bounds
 * matter, because an interval also holds down the squares.
 *
 * The bound is proved anew from the multipliers. The answer: y of the relaxation, and where that is not a feasible point
 * y ± the main axis of U - yyᵀ, brought into the region and down from there. Solved when an answer meets the bound.
 */

import { type SemidefiniteSolution, solveSemidefinite } from '../linalg/interior-point.js';
import type { Domain } from '../policy/domain.js';
import type { FeatureRule } from '../policy/rules.js';
import type { Problem } from '../problems/problem.js';
import { PreparedCcp } from './ccp.js';
import { type DescentProblem, descend, FINE, restore } from './ccp-descent.js';
import type { Frame } from './quadratic-view.js';
import { decompose } from './secular.js';
import {
  intervalConstraint,
  leastDistance,
  multipliers,
  provedBound,
  provedEmpty,
  quadraticConstraint,
  type RelaxedConstraint,
  relaxation,
  rescaled,
  rowConstraints,
} from './shor.js';
import { INFEASIBLE, type Limits, limit, type Outcome, type Prepared, type Solver, solved } from './solver.js';
import { CLOSED } from './spatial-search.js';

function accepts({ traits, piece, rules }: Problem): 'no' | 'heuristic' {
  const squared = traits.norm === 'l2' || traits.norm === 'mahalanobis';
  if (piece.kind !== 'quadratics' || !squared || traits.discrete || traits.capped || traits.disjunctive) return 'no';
  return piece.quadratics.length > 1 || rules.some(isInterval) ? 'heuristic' : 'no';
}

function isInterval({ never, mayDecrease, mayIncrease, min, max, maxDecrease, maxIncrease }: FeatureRule): boolean {
  const below = !mayDecrease || min > Number.NEGATIVE_INFINITY || maxDecrease < Infinity;
  const above = !mayIncrease || max < Infinity || maxIncrease < Infinity;
  return !never && below && above;
}

/** Beyond this many free columns the factorisations take too long. */
const MAX_COLUMNS = 64;
/** Taken off the bound for the rounding of rows and bounds. */
const BOUND_SHARE = 1e-9;
/** An axis of U - yyᵀ that is shorter than this, relative to y, is rounding. */
const NO_AXIS = 1e-6;

class PreparedSdp implements Prepared {
  private readonly local: PreparedCcp;
  private readonly x: Float64Array;

  constructor(problem: Problem) {
    this.local = new PreparedCcp(problem);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const frame = this.local.view.frame(domain);
    const d = frame.free.length;
    const constraints = this.constraints(frame, domain, limits.nudge);
    const distance = constraints.reduce((most, constraint) => Math.max(most, leastDistance(constraint, d)), 0);
    if (distance === 0) return solved(this.columns(frame, new Float64Array(d), domain), 0);
    if (distance === Infinity) return INFEASIBLE;
    if (d > MAX_COLUMNS) return limit(null, 0);
    const sigma = 2 ** Math.round(Math.log2(distance));
    const relaxed = solveSemidefinite(
      relaxation(scale(constraints, sigma, d), d),
      () => limits.now() > limits.deadline,
    );
    const bound = this.bound(relaxed, frame, domain, sigma);
    if (bound === Infinity) return INFEASIBLE;
    const found = this.cheapest(candidates(relaxed.X, sigma, d), this.local.descent(frame, domain, limits), bound);
    if (!found) return limit(null, bound);
    const x = this.columns(frame, found.y, domain);
    return meets(found.cost, bound) ? solved(x, bound) : limit(x, bound);
  }

  private columns(frame: Frame, y: Float64Array, domain: Domain): Float64Array {
    this.local.view.toColumns(frame, y, domain, this.x);
    return this.x;
  }

  private constraints(frame: Frame, domain: Domain, nudge: number): RelaxedConstraint[] {
    return [...this.local.view.at(frame, domain, nudge).map(quadraticConstraint), ...this.linear(frame, domain, nudge)];
  }

  private linear(frame: Frame, domain: Domain, nudge: number): RelaxedConstraint[] {
    const { rows, lo, hi } = this.local.view.bounds(frame, domain, nudge);
    const bounds = Array.from(lo, (low, j) =>
      intervalConstraint(new Float64Array(lo.length).fill(1, j, j + 1), low, hi[j]),
    );
    return [...bounds.filter((bound) => bound !== undefined), ...rowConstraints(rows)];
  }

  /** Proved for the constraints as they are, without the nudge, and for quadratics that are only known up to rounding. */
  private bound({ status, y }: SemidefiniteSolution, frame: Frame, domain: Domain, sigma: number): number {
    const d = frame.free.length;
    const honest = scale([...this.doubted(frame, domain), ...this.linear(frame, domain, 0)], sigma, d);
    const lambda = multipliers(honest, y);
    const proved = status === 'infeasible' ? provedEmpty(honest, lambda, d) : provedBound(honest, lambda, d);
    return Math.max(0, sigma * sigma * proved * (1 - BOUND_SHARE));
  }

  /** q - κ(near + far) <= 0 for a share κ of rounding: near + far <= 2(near + far)(0) + 2 yᵀ(N + F)y, both being convex. */
  private doubted(frame: Frame, domain: Domain): RelaxedConstraint[] {
    const { view } = this.local;
    const share = 2 * (frame.free.length + 8) * 2 ** -52;
    return view.at(frame, domain, 0).map(({ A, b, c }, i) => {
      const less = A.map((value, k) => value - share * (frame.near[i][k] + frame.far[i][k]));
      return quadraticConstraint({ A: less, b, c: c - share * view.quadratics[i].magnitude(domain.origin) });
    });
  }

  private cheapest(
    starts: Iterable<Float64Array>,
    descent: DescentProblem,
    bound: number,
  ): { y: Float64Array; cost: number } | undefined {
    let best: { y: Float64Array; cost: number } | undefined;
    for (const start of starts) {
      const inside = restore(descent, start);
      const found = inside && descend(descent, inside, FINE);
      if (found && !(found.cost >= (best?.cost ?? Infinity))) best = found;
      if (descent.late() || (best && meets(best.cost, bound))) break;
    }
    return best;
  }
}

const scale = (constraints: readonly RelaxedConstraint[], sigma: number, d: number) =>
  constraints.map((constraint) => rescaled(constraint, sigma, d));

const meets = (cost: number, bound: number) => bound >= cost * (1 - CLOSED);

/** y, then y ± √μ v for the largest eigenvalue μ of U - yyᵀ and its eigenvector v: in the hard case these are the answers. */
function* candidates(Y: Float64Array, sigma: number, d: number): Generator<Float64Array> {
  const n = d + 1;
  const y = Float64Array.from({ length: d }, (_, i) => sigma * Y[i * n + d]);
  yield y;
  const spread = new Float64Array(d * d);
  for (let i = 0; i < d; i++)
    for (let j = 0; j < d; j++) spread[i * d + j] = sigma * sigma * Y[i * n + j] - y[i] * y[j];
  const { values, vectors } = decompose(spread, d);
  const main = values.indexOf(Math.max(...values));
  const length = Math.sqrt(Math.max(0, values[main]));
  if (length <= NO_AXIS * Math.hypot(...y)) return;
  for (const sign of [1, -1]) yield y.map((value, i) => value + sign * length * vectors[main * d + i]);
}

export const sdp: Solver = { name: 'sdp', accepts, prepare: (problem) => new PreparedSdp(problem) };
