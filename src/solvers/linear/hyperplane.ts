/**
 * One linear row and a box, in closed form (survey, section 3.2, instead of its LP and QP).
 *
 *   min Σ c_j(Δ_j)   s.t.   lower <= a·(x + Δ) <= upper,   Δ in a box around 0
 *
 * Let g > 0 be the amount that a·x lacks to the nearer end. Every Δ_j moves in the direction that helps, by at most its room m_j.
 *   L1: greedy by price w_j/|a_j|, an order that does not depend on the row: sorted once per model.     O(d) per row
 *   L2: Δ_j = min(m_j, λ|a_j|/w_j); λ by saturating whatever exceeds its room and solving again.        O(d) per pass
 * Infeasible exactly when Σ |a_j| m_j < g, which is its own certificate. The largest rounding error of g, here or in the model's sums,
 * is granted to the answer before a row is called infeasible, and is taken off the bound: the least cost is convex in g, so the price of
 * the last unit bounds the saving of a smaller demand.
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import {
  depthFor,
  distanceRoundingBetween,
  growthOf,
  readsDistances,
  roundingAt,
  roundingFor,
} from '../shared/linear-rows.js';
import { INFEASIBLE, type Limits, numerical, type Outcome, type Prepared, type Solver, solved } from '../solver.js';

function accepts({ traits, piece }: Problem): 'no' | 'exact' {
  const one = traits.linear && traits.rows === 1 && !traits.linked && !traits.disjunctive;
  const plain = one && !traits.discrete && !traits.capped && (traits.norm === 'l1' || traits.norm === 'l2');
  if (!plain) return 'no';
  const slab = Number.isFinite(piece.rows[0].lower) && Number.isFinite(piece.rows[0].upper);
  return traits.rounded && traits.norm === 'l1' && !slab ? 'no' : 'exact';
}

class Slab implements Prepared {
  private readonly a: Float64Array;
  private readonly size: Float64Array;
  /** The largest ratio of the model's terms to the row's own terms. */
  private readonly growth: number;
  /** Columns by ascending price, without the columns that have no influence. */
  private readonly order: Int32Array;
  /** a²/w by column: gain per unit of λ (L2). */
  private readonly yield: Float64Array;
  private readonly weight: Float64Array;
  private readonly room: Float64Array;
  private readonly x: Float64Array;
  private readonly fill: (gain: number, side: number, origin: Float64Array) => number;
  /** Price of the last unit of gain: the row's multiplier. */
  private multiplier = 0;

  constructor(private readonly problem: Problem) {
    const { space, cost, piece } = problem;
    this.a = piece.rows[0].a;
    this.size = this.a.map(Math.abs);
    this.growth = growthOf(piece.rows[0]);
    this.weight = Float64Array.from(space.owner, (feature) => cost.weight[feature]);
    this.yield = this.size.map((size, j) => (size * size) / this.weight[j]);
    this.room = new Float64Array(this.a.length);
    this.x = new Float64Array(this.a.length);
    const price = (j: number) => this.weight[j] / this.size[j];
    const useful = [...this.a.keys()].filter((j) => this.size[j] > 0);
    this.order = Int32Array.from(useful.sort((i, j) => price(i) - price(j) || i - j));
    this.fill = cost.norm === 'l1' ? this.fillGreedily : this.fillEvenly;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { a, size, x, room } = this;
    const { origin, lower, upper } = domain;
    const row = this.problem.piece.rows[0];
    let activity = 0;
    let scale = 0;
    for (let j = 0; j < a.length; j++) {
      if (origin[j] < lower[j] || origin[j] > upper[j]) return numerical('the present value is not in the domain');
      const term = a[j] * origin[j];
      activity += term;
      scale += Math.abs(term);
      x[j] = origin[j];
    }
    if (!Number.isFinite(activity)) return numerical('the row overflows');
    const side = activity < row.lower ? 1 : activity > row.upper ? -1 : 0;
    const end = side < 0 ? row.upper : row.lower;
    scale += Number.isFinite(end) ? Math.abs(end) : 0;
    const depth = depthFor(row, scale, limits.nudge);
    const lack = side === 0 ? this.shortOfDepth(activity, depth) : side * (end - activity);
    if (side === 0 && lack <= 0) return solved(x, 0);
    const direction = side || (activity - row.lower < row.upper - activity ? 1 : -1);
    let reach = 0;
    for (let j = 0; j < a.length; j++) {
      room[j] = a[j] * direction > 0 ? upper[j] - origin[j] : origin[j] - lower[j];
      if (size[j] > 0) reach += size[j] * room[j];
    }
    const rounding = roundingAt(row, origin, scale);
    const mostNoise = roundingFor(row, this.growth * reach);
    if (reach < lack && reach < lack - rounding - mostNoise - this.distanceRounding(domain, Infinity))
      return INFEASIBLE;
    const goal = side === 0 ? lack : lack + depth;
    const spent = this.fill(goal, direction, origin);
    const noise = roundingFor(row, 2 * this.growth * goal) + this.distanceRounding(domain, spent);
    return solved(x, side === 0 ? 0 : Math.max(0, spent - this.multiplier * (depth + rounding + noise)));
  }

  /** The effect of rounded distances over all answers that cost less than the amount; infinite where nothing limits a column. */
  private distanceRounding({ origin, lower, upper }: Domain, amount: number): number {
    const row = this.problem.piece.rows[0];
    if (!readsDistances(row)) return 0;
    const far = (w: number) => (this.problem.cost.norm === 'l1' ? amount / w : Math.sqrt(amount / w));
    const reach = (c: number) => Math.min(far(this.weight[c]), Math.max(origin[c] - lower[c], upper[c] - origin[c]));
    return distanceRoundingBetween(
      row,
      origin.map((here, c) => here - reach(c)),
      origin.map((here, c) => here + reach(c)),
    );
  }

  /** The amount by which a row inside the slab has to move inwards to reach the depth. */
  private shortOfDepth(activity: number, depth: number): number {
    const row = this.problem.piece.rows[0];
    return depth - Math.min(activity - row.lower, row.upper - activity);
  }

  private fillGreedily(gain: number, side: number): number {
    const { a, size, order, room, weight, x } = this;
    let spent = 0;
    let open = gain;
    for (let k = 0; k < order.length && open > 0; k++) {
      const j = order[k];
      const move = Math.min(room[j], open / size[j]);
      if (move <= 0) continue;
      x[j] += a[j] * side > 0 ? move : -move;
      open -= move * size[j];
      spent += weight[j] * move;
      this.multiplier = weight[j] / size[j];
    }
    return spent;
  }

  private fillEvenly(gain: number, side: number, origin: Float64Array): number {
    const { a, size, order, room, weight, x } = this;
    let open = gain;
    let lambda = 0;
    for (let saturated = true; saturated; ) {
      let rate = 0;
      saturated = false;
      for (let k = 0; k < order.length; k++) if (room[order[k]] >= 0) rate += this.yield[order[k]];
      if (rate === 0) break;
      lambda = open / rate;
      for (let k = 0; k < order.length; k++) {
        const j = order[k];
        if (room[j] < 0 || (lambda * size[j]) / weight[j] <= room[j]) continue;
        open -= room[j] * size[j];
        x[j] += a[j] * side > 0 ? room[j] : -room[j];
        room[j] = -1;
        saturated = true;
      }
    }
    for (let k = 0; k < order.length; k++) {
      const j = order[k];
      if (room[j] >= 0) x[j] += (side * lambda * a[j]) / weight[j];
    }
    this.multiplier = 2 * lambda;
    let spent = 0;
    for (let j = 0; j < x.length; j++) spent += weight[j] * (x[j] - origin[j]) ** 2;
    return spent;
  }
}

export const hyperplane: Solver = { name: 'hyperplane', accepts, prepare: (problem) => new Slab(problem) };
