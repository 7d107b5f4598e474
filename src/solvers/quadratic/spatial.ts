/**
 * Spatial branch and bound: quadratics that are not convex, L1 or squared cost, rows and bounds, to a proved optimum.
 *
 *   A_i = Σ α_k v_k v_kᵀ, u_k = v_k·y. Terms with α_k > 0 are convex: tangents. Terms with α_k < 0 are concave: on an interval
 *   [l, u] the chord  -|α_k| ((l + u) u_k - l u)  lies below them. The relaxation of a node has these for every quadratic,
 *   and the intervals themselves as rows; its optimum is a lower bound, and exact where every u_k is at an end.
 *   Branching: the interval of the u_k whose chord is furthest from its term, at u_k.
 *
 * An answer bounds every |u_k| through its cost, so the convex-concave procedure goes first. Tangents are valid everywhere
 * and shared by all nodes. The effort grows with the number of concave directions: made for few features or few of them.
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { type Limits, limit, type Outcome, type Prepared, type Solver, solved } from '../solver.js';
import { fitsQuadratics, PreparedCcp } from './ccp.js';
import { type DescentProblem, descend, FINE, restore } from './ccp-descent.js';
import type { Frame } from './quadratic-view.js';
import { decompose } from './secular.js';
import { CLOSED, type SpatialProblem, SpatialSearch, type SplitQuadratic } from './spatial-search.js';

/** More concave directions than this are left to the bound of the dual. */
const MAX_DIRECTIONS = 24;
const MAX_NODES = 4000;

type Split = readonly Pick<SplitQuadratic, 'P' | 'concave'>[];

class PreparedSpatial implements Prepared {
  private readonly splits = new WeakMap<Frame, Split>();
  private readonly local: PreparedCcp;
  private readonly best: Float64Array;

  constructor(private readonly problem: Problem) {
    this.local = new PreparedCcp(problem);
    this.best = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { view } = this.local;
    const first = this.local.solve(domain, limits);
    const frame = view.frame(domain);
    if (!frame.free.length) return first;
    const split = this.splitOf(frame);
    const directions = split.reduce((sum, q) => sum + q.concave.length, 0);
    if (!first.x || directions > MAX_DIRECTIONS) return first;
    const descent = this.local.descent(frame, domain, limits);
    const y = view.toScaled(frame, first.x, domain);
    const result = new SpatialSearch(this.asSpatial(split, descent), { y, cost: descent.cost(y) }).run(MAX_NODES);
    const bound = Math.max(first.lowerBound, result.bound * (1 - CLOSED));
    view.toColumns(frame, result.y, domain, this.best);
    return result.bound >= result.cost * (1 - 2 * CLOSED) ? solved(this.best, bound) : limit(this.best, bound);
  }

  private asSpatial(split: Split, descent: DescentProblem): SpatialProblem {
    const linear = this.problem.cost.norm === 'l1';
    return {
      ...descent,
      quadratics: descent.quadratics.map(({ b, c, depth }, i) => ({ ...split[i], b, c: c + depth })),
      reach: (v, cost) =>
        linear ? cost * v.reduce((most, value) => Math.max(most, Math.abs(value)), 0) : Math.sqrt(cost),
      improve: (y) => {
        const inside = restore(descent, y);
        return inside && descend(descent, inside, FINE);
      },
    };
  }

  private splitOf(frame: Frame): Split {
    let split = this.splits.get(frame);
    if (!split) {
      split = frame.matrices.map((A) => splitConvex(A, frame.free.length));
      this.splits.set(frame, split);
    }
    return split;
  }
}

function splitConvex(A: Float64Array, d: number): Pick<SplitQuadratic, 'P' | 'concave'> {
  const { values, vectors } = decompose(A, d);
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const P = new Float64Array(d * d);
  const concave: { v: Float64Array; weight: number }[] = [];
  for (let k = 0; k < d; k++) {
    const v = vectors.slice(k * d, (k + 1) * d);
    if (values[k] < -1e-14 * scale) concave.push({ v, weight: -values[k] });
    else for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) P[i * d + j] += values[k] * v[i] * v[j];
  }
  return { P, concave };
}

export const spatial: Solver = {
  name: 'spatial',
  takesParts: true,
  accepts: (problem) => (fitsQuadratics(problem) ? 'exact' : 'no'),
  prepare: (problem) => new PreparedSpatial(problem),
};
