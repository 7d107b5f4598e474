/**
 * L2 and Mahalanobis over linear rows and a box, by projection (survey, section 3.2, the QP).
 *
 *   L2            y_j = √w_j Δ_j          the box stays a box
 *   Mahalanobis   y = Lᵀ Δ, S⁻¹ = L Lᵀ     the box becomes rows: Δ = L⁻ᵀ y
 *   one-hot       ½w‖Δ‖² over a category's columns: w where it changes, and convex in between (branch-quadratic.ts)
 *
 * Infeasibility is certified on the original rows. The lower bound is the dual's value at the multipliers found, computed
 * for the region as it is: a valid bound however exact the projection was.
 */
import { dot } from '../../linalg/vector.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { linearRows, type Problem } from '../../problems/problem.js';
import { depthOf, linkSlack, provesInfeasible, violation } from '../shared/linear-rows.js';
import { INFEASIBLE, type Limits, numerical, type Outcome, type Prepared, type Solver, solved } from '../solver.js';
import { costFactor } from './cost-factor.js';
import { Projection } from './projection.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  const fits = traits.linear && !traits.discrete && !traits.capped && !traits.disjunctive;
  return fits && (traits.norm === 'l2' || traits.norm === 'mahalanobis') ? 'exact' : 'no';
}

export class PreparedActiveSet implements Prepared {
  readonly rows: readonly LinearRow[];
  private readonly projection: Projection;
  private readonly rowScale: Float64Array;
  /** Δ = back · y; diagonal when the box stays a box. */
  private readonly back: Float64Array[];
  private readonly boxed: boolean;
  private readonly x: Float64Array;

  constructor(private readonly problem: Problem) {
    this.rows = linearRows(problem);
    const { space, cost } = problem;
    this.boxed = cost.metric === null;
    this.back = costFactor(problem);
    const d = space.columns;
    const extra = this.boxed ? 0 : d;
    this.rowScale = new Float64Array(this.rows.length + extra).fill(1);
    const scaled = new Float64Array((this.rows.length + extra) * d);
    const entries = [...this.rows.map((row) => this.transform(row.a)), ...(this.boxed ? [] : this.back)];
    for (const [i, row] of entries.entries()) this.writeRow(scaled, i, row);
    this.projection = new Projection(this.rows.length + extra, d, scaled);
    this.x = new Float64Array(space.columns);
  }

  private writeRow(scaled: Float64Array, i: number, entries: Float64Array): void {
    const size = Math.sqrt(dot(entries, entries)) || 1;
    this.rowScale[i] = 1 / size;
    scaled.set(
      entries.map((value) => value / size),
      i * entries.length,
    );
  }

  /** a·Δ as a functional of y. */
  private transform(a: Float64Array): Float64Array {
    const out = new Float64Array(a.length);
    for (let j = 0; j < a.length; j++) {
      if (a[j] !== 0) for (let k = 0; k < out.length; k++) out[k] += a[j] * this.back[j][k];
    }
    return out;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const depths = this.fill(domain, limits.nudge);
    const status = this.projection.solve(limits.budget);
    limits.budget.spend(this.projection.work);
    if (status === 'numerical') return numerical('the active set lost its footing');
    if (status === 'infeasible') return this.certify(domain);
    this.toColumns(domain);
    if (this.rows.some((row, i) => violation(row, this.x) > this.allowance(i, depths[i], domain)))
      return numerical('rounding left a row');
    return solved(this.x, Math.max(0, this.dualValue(domain)));
  }

  /** The dual's value at the projection's multipliers, for the region itself: a bound however exact the projection is. */
  private dualValue(domain: Domain): number {
    const { projection, rows, rowScale } = this;
    const { lambda, d, lo, hi } = projection;
    const pull = new Float64Array(d);
    let value = 0;
    for (let i = 0; i < lambda.length; i++) {
      if (lambda[i] === 0) continue;
      const [lower, upper] =
        i < rows.length ? this.ends(rows[i], domain, rowScale[i]) : [projection.lower[i], projection.upper[i]];
      const end = lambda[i] > 0 ? lower : upper;
      if (!Number.isFinite(end)) continue;
      value += 2 * lambda[i] * end;
      for (let j = 0; j < d; j++) pull[j] += lambda[i] * projection.rows[i * d + j];
    }
    for (let j = 0; j < d; j++) {
      const y = Math.min(hi[j], Math.max(lo[j], pull[j]));
      value += y * y - 2 * pull[j] * y;
    }
    return value;
  }

  private ends(row: LinearRow, { origin }: Domain, scale: number): [number, number] {
    const activity = dot(row.a, origin);
    return [scale * (row.lower - activity), scale * (row.upper - activity)];
  }

  private fill(domain: Domain, nudge: number): Float64Array {
    const { projection, rows, rowScale } = this;
    const { origin, lower, upper } = domain;
    const depths = new Float64Array(rows.length);
    rows.forEach((row, i) => {
      const region = i < this.problem.piece.rows.length;
      const activity = dot(row.a, origin);
      depths[i] = region ? depthOf(row, origin, nudge) : 0;
      projection.lower[i] = rowScale[i] * (row.lower + depths[i] - activity);
      projection.upper[i] = rowScale[i] * (row.upper - depths[i] - activity);
      projection.slack[i] = rowScale[i] * (region ? 0.25 * Math.abs(depths[i]) : linkSlack(row, origin));
    });
    for (let j = 0; j < origin.length; j++) {
      const low = lower[j] - origin[j];
      const high = upper[j] - origin[j];
      const i = rows.length + j;
      projection.lo[j] = this.boxed ? low / this.back[j][j] : -Infinity;
      projection.hi[j] = this.boxed ? high / this.back[j][j] : Infinity;
      if (this.boxed) continue;
      projection.lower[i] = rowScale[i] * low;
      projection.upper[i] = rowScale[i] * high;
      projection.slack[i] = 1e-11 * (1 + Math.abs(rowScale[i] * origin[j]));
    }
    return depths;
  }

  /** How far a row may be missed: a region's not at all, unless it was widened. */
  private allowance(i: number, depth: number, domain: Domain): number {
    return i < this.problem.piece.rows.length
      ? Math.max(0, -1.25 * depth)
      : 10 * linkSlack(this.rows[i], domain.origin);
  }

  private toColumns({ origin, lower, upper }: Domain): void {
    const { y } = this.projection;
    for (let j = 0; j < origin.length; j++) {
      const moved = origin[j] + (this.boxed ? this.back[j][j] * y[j] : dot(this.back[j], y));
      this.x[j] = Math.min(upper[j], Math.max(lower[j], moved));
    }
  }

  /** By how much the optimum rises per unit that a row's active end moves in; positive at a lower end. */
  multiplier(row: number): number {
    return 2 * this.projection.lambda[row] * this.rowScale[row];
  }

  private certify(domain: Domain): Outcome {
    const y = Float64Array.from(this.rows, (_, i) => this.projection.lambda[i] * this.rowScale[i]);
    return provesInfeasible(this.rows, y, domain)
      ? INFEASIBLE
      : numerical('infeasible, but the certificate is not certain');
  }
}

export const activeSet: Solver = {
  name: 'active-set',
  takesParts: true,
  accepts,
  prepare: (problem) => new PreparedActiveSet(problem),
};
