/**
 * Spatial branch and bound: quadratics that are not convex, L1 or squared cost, rows and bounds, to a proved optimum.
 *
 *   A_i = Σ α_k v_k v_kᵀ, u_k = v_k·y. Terms with α_k > 0 are convex: tangents. Terms with α_k < 0 are concave: on an interval
 *   [l, u] the chord  -|α_k| ((l + u) u_k - l u)  lies below them. The relaxation of a node has these for every quadratic,
 *   and the intervals themselves as rows; its optimum is a lower bound, and exact where every u_k is at an end.
 *   Branching: the interval of the u_k whose chord is furthest from its term, at u_k.
 *
 * An answer bounds every |u_k| through its cost, so the convex-concave procedure runs first. Without an answer the box must bound them.
 * Tangents are valid everywhere and shared by all nodes. The effort grows with the number of concave directions: the method is made for few
 * features or few concave directions.
 *
 * The proof holds for the region as the model computes it: the quadratics are underestimates (quadratic-view.ts), rows and bounds are
 * widened, the split into convex and concave parts states its rounding error (concave-split.ts), every row of a relaxation carries its own
 * doubt, and a relaxation's bound follows from its multipliers (polyhedral.ts).
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
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
import { fitsQuadratics, PreparedCcp } from './ccp.js';
import { descend, FINE, restore } from './ccp-descent.js';
import { type ConcaveSplit, splitConcave } from './concave-split.js';
import type { Frame } from './quadratic-view.js';
import { RegionLines } from './region-lines.js';
import { CLOSED, type SpatialProblem, SpatialSearch } from './spatial-search.js';

/** Matrices with a larger entry are not searched. */
const LARGEST_ENTRY = 1e140;
/** A larger number of concave directions is left to the bound of the dual. */
const MAX_DIRECTIONS = 24;
const MAX_NODES = 4000;
/** The largest move of an answer in one coordinate is rounded up by this share. */
const REACH_SHARE = 1e-9;
/** The depth inside the constraints to which a path into the region is followed, as a share of their terms. */
const ENTRY_DEPTH = 1e-11;

class PreparedSpatial implements Prepared {
  private readonly splits = new WeakMap<Frame, readonly ConcaveSplit[]>();
  private readonly local: PreparedCcp;
  private readonly lines: RegionLines;
  private readonly best: Float64Array;

  constructor(private readonly problem: Problem) {
    this.local = new PreparedCcp(problem);
    this.lines = new RegionLines(problem);
    this.best = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { view } = this.local;
    const first = this.local.solve(domain, limits);
    const frame = view.frame(domain);
    if (!frame.free.length || first.status === 'infeasible' || isBeyond(first.lowerBound, limits)) return first;
    const split = this.splitOf(frame);
    if (!split || split.reduce((sum, q) => sum + q.concave.length, 0) > MAX_DIRECTIONS) return first;
    const y = first.x && view.toScaled(frame, first.x, domain);
    const start = y && { y, cost: this.local.cost(y) };
    const problem = this.asSpatial(frame, domain, Math.min(start?.cost ?? Infinity, limits.cutoff), limits);
    if (!problem) return first;
    const result = new SpatialSearch(problem, start, limits).run(MAX_NODES);
    const bound = Math.max(first.lowerBound, result.bound * (1 - CLOSED) * frame.share);
    if (!result.y) return bound === Infinity ? INFEASIBLE : limit(null, bound);
    view.toColumns(frame, result.y, domain, this.best);
    return result.bound >= result.cost * (1 - 2 * CLOSED) ? solved(this.best, bound) : limit(this.best, bound);
  }

  /** The problem for answers of at most this cost. Null: neither the cost nor the box bounds them. */
  private asSpatial(frame: Frame, domain: Domain, cost: number, limits: Limits): SpatialProblem | null {
    const { view } = this.local;
    const linear = this.problem.cost.norm === 'l1';
    const descent = this.local.descent(frame, domain, limits);
    const { rows, lo, hi } = view.outerBounds(frame, domain);
    const reach = (linear ? cost : Math.sqrt(cost)) * (1 + REACH_SHARE);
    for (let j = 0; j < lo.length; j++) [lo[j], hi[j]] = [Math.max(lo[j], -reach), Math.min(hi[j], reach)];
    const far = lo.map((low, j) => Math.max(-low, hi[j]));
    if (!far.every(Number.isFinite)) return null;
    const split = this.splitOf(frame)!;
    const quadratics = view.underestimates(frame, domain).map(({ b, c }, i) => {
      const blur = split[i].units.reduce((sum, unit, j) => sum + unit * far[j], 0);
      const { P, terms, concave, kappa } = split[i];
      return { P, terms, concave, b, c: c - 5 * kappa * blur * blur };
    });
    const longest = (v: Float64Array) => (linear ? Math.max(...v.map(Math.abs)) : Math.hypot(...v)) * reach;
    return {
      quadratics,
      rows,
      lo,
      hi,
      cheapest: descent.cheapest,
      isLinear: linear,
      reach: (v) =>
        Math.min(
          longest(v),
          v.reduce((sum, value, j) => sum + Math.abs(value) * far[j], 0),
        ) *
        (1 + REACH_SHARE),
      improve: (y, best) => {
        const inside = restore(descent, y) ?? (best ? this.between(frame, domain, y, best) : undefined);
        return inside && descend(descent, inside, FINE);
      },
    };
  }

  /** The first point of the region on the way from y to an answer. Closed forms work where Newton's steps diverge. */
  private between(frame: Frame, domain: Domain, y: Float64Array, best: Float64Array): Float64Array | undefined {
    const { view } = this.local;
    const [from, to] = [y, best].map((point) => {
      const x = new Float64Array(this.problem.space.columns);
      view.toColumns(frame, point, domain, x);
      return x;
    });
    const way = to.map((value, c) => value - from[c]);
    const entry = this.lines.spans(from, way, ENTRY_DEPTH).find(({ low, high }) => high >= 0 && low <= 1);
    if (!entry) return undefined;
    const t = Math.max(0, entry.low);
    return view.toScaled(
      frame,
      from.map((value, c) => value + t * way[c]),
      domain,
    );
  }

  /** Null: the matrices are too large for a spectrum, because sums of squares would overflow. */
  private splitOf(frame: Frame): readonly ConcaveSplit[] | null {
    if (frame.least.some((A) => A.some((entry) => !(Math.abs(entry) < LARGEST_ENTRY)))) return null;
    let split = this.splits.get(frame);
    if (!split) {
      const terms = frame.near.map((N, i) => N.map((value, k) => value + frame.far[i][k]));
      split = frame.least.map((A, i) => splitConcave(A, terms[i], frame.free.length));
      this.splits.set(frame, split);
    }
    return split;
  }
}

export const spatial: Solver = {
  name: 'spatial',
  takesParts: true,
  accepts: (problem) => (fitsQuadratics(problem) ? 'exact' : 'no'),
  prepare: (problem) => new PreparedSpatial(problem),
};
