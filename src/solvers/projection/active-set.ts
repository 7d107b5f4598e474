/**
 * L2 and Mahalanobis over linear rows and a box, by projection (survey, section 3.2, the QP).
 *
 *   L2            y_j = √w_j Δ_j          the box stays a box
 *   Mahalanobis   y = Lᵀ Δ, S⁻¹ = L Lᵀ     the box becomes rows: Δ = L⁻ᵀ y
 *   one-hot       ½w‖Δ‖² over a category's columns: w where it changes, and convex in between (branch-quadratic.ts)
 *
 * Infeasibility is certified on the original rows. The lower bound is the dual's value at the multipliers λ found, for the region as it is.
 * It is valid for any accuracy of the projection. With v_i the rows over y and β_i the ends that λ refers to
 *
 *   ‖y‖²  >=  Σ 2 λ_i β_i + Σ_j min over [lo_j, hi_j] of (y_j² - 2 p_j y_j),      p = Σ λ_i v_i
 *
 * Each β_i and p_j is taken for the worst case of rounding, here or in the model's sums (linear-rows.ts), and ‖y‖² for the worst case of
 * rounding in the factor S.
 *
 * All quantities are measured in the gap between the person and the rows, a power of two: no tolerance depends on the units of a cost.
 */
import { nearestPowerOfTwo } from '../../linalg/floats.js';
import { dot } from '../../linalg/vector.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { linearRows, type Problem } from '../../problems/problem.js';
import { provesInfeasible } from '../shared/certificate.js';
import {
  depthFor,
  distanceRoundingBetween,
  HALF_ULP,
  isRoundedAtOpenEnd,
  keepsLink,
  linkDepthFor,
  linkSlackFor,
  magnitude,
  readsDistances,
  roundingAt,
  termsOf,
  violation,
} from '../shared/linear-rows.js';
import { INFEASIBLE, type Limits, numerical, type Outcome, type Prepared, type Solver, solved } from '../solver.js';
import { costFactor, costScales, factorError } from './cost-factor.js';
import { Projection } from './projection.js';

function accepts(problem: Problem): 'no' | 'exact' {
  const { traits } = problem;
  const fits =
    traits.linear && !traits.discrete && !traits.capped && !traits.disjunctive && !isRoundedAtOpenEnd(problem);
  return fits && (traits.norm === 'l2' || traits.norm === 'mahalanobis') ? 'exact' : 'no';
}

/** Work of a row apart from the projection, in units of effort. */
const CALL_WORK = 1;
/** Rounding errors in addition to one for each row and two for each column. */
const OTHER_ROUNDINGS = 32;
/** The rounding residual of a bound that became a row, in units of the gap, and of the present value in it. */
const BOX_SLACK = 1e-11;
const ULPS = 2 ** -50;

export class PreparedActiveSet implements Prepared {
  readonly rows: readonly LinearRow[];
  private readonly projection: Projection;
  private readonly rowScale: Float64Array;
  /** By row and coordinate: the size of the terms of an entry, in the model or in the factor. */
  private readonly sizes: Float64Array;
  /** Δ = back · y where the box becomes rows. Else Δ_j = scale_j y_j: a matrix over many columns would need too much memory. */
  private readonly back: readonly Float64Array[];
  private readonly scale: Float64Array;
  /** ‖back_c‖ by column. */
  private readonly lengths: Float64Array;
  private readonly boxed: boolean;
  /** The largest relative error of ‖y‖² by rounding of the factor. */
  private readonly factorError: number;
  private readonly x: Float64Array;
  private readonly pull: Float64Array;
  private readonly terms: Float64Array;
  /** Of the present person: a·origin and the size of its terms by row, and the gap, the unit of y. */
  private readonly activity: Float64Array;
  private readonly size: Float64Array;
  private gap = 1;
  private readonly readsDistances: boolean;
  private readonly low: Float64Array;
  private readonly high: Float64Array;

  constructor(private readonly problem: Problem) {
    this.rows = linearRows(problem);
    const { space, cost } = problem;
    this.boxed = cost.metric === null;
    this.scale = costScales(problem);
    this.back = this.boxed ? [] : costFactor(problem);
    this.lengths = this.boxed ? this.scale : Float64Array.from(this.back, (row) => Math.sqrt(dot(row, row)));
    const d = space.columns;
    this.factorError = factorError(
      problem,
      Int32Array.from({ length: d }, (_, c) => c),
      Float64Array.from(this.boxed ? [] : this.back.flatMap((row) => [...row])),
    );
    const m = this.rows.length + (this.boxed ? 0 : d);
    this.rowScale = new Float64Array(m).fill(1);
    this.sizes = new Float64Array(m * d);
    const scaled = new Float64Array(m * d);
    for (const [i, row] of this.rows.entries())
      this.writeRow(
        scaled,
        i,
        this.transform(row.a, (value) => value),
        this.transform(termsOf(row), Math.abs),
      );
    for (let j = 0; j < m - this.rows.length; j++)
      this.writeRow(scaled, this.rows.length + j, this.back[j], this.back[j].map(Math.abs));
    this.projection = new Projection(m, d, scaled);
    this.x = new Float64Array(d);
    this.pull = new Float64Array(d);
    this.terms = new Float64Array(d);
    this.activity = new Float64Array(this.rows.length);
    this.size = new Float64Array(this.rows.length);
    this.readsDistances = this.rows.some(readsDistances);
    this.low = new Float64Array(d);
    this.high = new Float64Array(d);
  }

  private writeRow(scaled: Float64Array, i: number, entries: Float64Array, sizes: Float64Array): void {
    const size = Math.sqrt(dot(entries, entries)) || 1;
    this.rowScale[i] = 1 / size;
    for (let j = 0; j < entries.length; j++) {
      scaled[i * entries.length + j] = entries[j] / size;
      this.sizes[i * entries.length + j] = sizes[j] / size;
    }
  }

  /** a·Δ as a functional of y, from the entries of the factor or from their sizes. */
  private transform(a: Float64Array, entry: (value: number) => number): Float64Array {
    if (this.boxed) return a.map((value, j) => value * entry(this.scale[j]));
    const out = new Float64Array(a.length);
    for (let j = 0; j < a.length; j++) {
      if (a[j] !== 0) for (let k = 0; k < out.length; k++) out[k] += a[j] * entry(this.back[j][k]);
    }
    return out;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.measure(domain);
    if (!Number.isFinite(this.gap)) return numerical('a row overflows');
    const depths = this.fill(domain, limits.nudge);
    const status = this.projection.solve(limits.budget);
    limits.budget.spend(CALL_WORK + this.projection.work);
    if (status === 'numerical') return numerical('the active set lost its footing');
    if (status === 'infeasible') return this.certify(domain);
    this.toColumns(domain);
    if (this.rows.some((row, i) => !this.keeps(row, i, depths[i]))) return numerical('rounding left a row');
    this.placeCorners(domain, this.gap * this.gap * dot(this.projection.y, this.projection.y));
    return solved(this.x, Math.max(0, this.provedValue(domain)));
  }

  /** The bound that multipliers of rows and columns prove, given an answer of some cost. Multipliers are per unit of the row or column. */
  boundOf(domain: Domain, rows: Float64Array, columns: Float64Array, cost: number): number {
    const { lambda } = this.projection;
    this.measure(domain);
    this.fill(domain, 0);
    for (let i = 0; i < lambda.length; i++)
      lambda[i] = (i < rows.length ? rows[i] : columns[i - rows.length]) / (2 * this.gap * this.rowScale[i]);
    this.placeCorners(domain, cost);
    return Math.max(0, this.provedValue(domain));
  }

  /** An upper bound on the cost of staying a depth inside the rows, at some prices. */
  priceOfDepth(domain: Domain, prices: Float64Array, nudge: number): number {
    return prices.reduce((sum, price, i) => {
      const depth = (i < this.problem.piece.rows.length ? depthFor : linkDepthFor)(this.rows[i], this.size[i], nudge);
      return sum + 2 * Math.abs(price) * (depth + 2 * this.rounding(i, domain));
    }, 0);
  }

  /** A lower bound of the dual's value at the projection's multipliers. */
  private provedValue(domain: Domain): number {
    const { projection, rows, pull, terms } = this;
    const { lambda, m, d, lo, hi } = projection;
    const share = (m + 2 * d + OTHER_ROUNDINGS) * HALF_ULP;
    pull.fill(0);
    terms.fill(0);
    let value = 0;
    let size = 0;
    for (let i = 0; i < m; i++) {
      if (lambda[i] === 0) continue;
      const end = i < rows.length ? this.widenedEnd(i, lambda[i] > 0, domain) : this.boxEnd(i, lambda[i] > 0);
      if (!Number.isFinite(end)) continue;
      value += 2 * lambda[i] * end;
      size += Math.abs(2 * lambda[i] * end);
      for (let j = 0, at = i * d; j < d; j++) {
        pull[j] += lambda[i] * projection.rows[at + j];
        terms[j] += Math.abs(lambda[i]) * this.sizes[at + j];
      }
    }
    for (let j = 0; j < d; j++) {
      const off = share * terms[j];
      const least = Math.min(leastSquare(pull[j] - off, lo[j], hi[j]), leastSquare(pull[j] + off, lo[j], hi[j]));
      value += least;
      size += Math.abs(least) + share * pull[j] * pull[j];
    }
    const proved = (value - share * size) * (1 - this.factorError) * this.gap * this.gap;
    return Number.isNaN(proved) ? 0 : proved;
  }

  /** An end of a row of the region or the policy, moved outwards by the largest rounding error. */
  private widenedEnd(i: number, isLower: boolean, domain: Domain): number {
    const row = this.rows[i];
    const doubt = 2 * this.rounding(i, domain);
    const end = isLower ? row.lower - this.activity[i] - doubt : row.upper - this.activity[i] + doubt;
    return (this.rowScale[i] / this.gap) * end;
  }

  private boxEnd(i: number, isLower: boolean): number {
    const { lower, upper } = this.projection;
    return isLower ? lower[i] : upper[i];
  }

  /** Computes the activities and sizes of the rows, and the gap: the distance of the person from the farthest row. */
  private measure({ origin }: Domain): void {
    let gap = 0;
    for (let i = 0; i < this.rows.length; i++) {
      const row = this.rows[i];
      this.activity[i] = dot(row.a, origin);
      this.size[i] = magnitude(row, origin);
      const lack = Math.max(row.lower - this.activity[i], this.activity[i] - row.upper);
      // A sum that overflows makes the gap NaN.
      gap = Math.max(gap, this.rowScale[i] * lack, 0 * this.size[i]);
    }
    this.gap = gap === 0 ? 1 : nearestPowerOfTwo(gap);
  }

  private fill(domain: Domain, nudge: number): Float64Array {
    const { projection, rows, rowScale, gap } = this;
    const { origin, lower, upper } = domain;
    const depths = new Float64Array(rows.length);
    rows.forEach((row, i) => {
      const region = i < this.problem.piece.rows.length;
      const scale = rowScale[i] / gap;
      depths[i] = (region ? depthFor : linkDepthFor)(row, this.size[i], nudge);
      projection.lower[i] = scale * (row.lower + depths[i] - this.activity[i]);
      projection.upper[i] = scale * (row.upper - depths[i] - this.activity[i]);
      projection.slack[i] = scale * (region || row.open ? 0.25 * Math.abs(depths[i]) : linkSlackFor(this.size[i]));
    });
    for (let j = 0; j < origin.length; j++) {
      const low = (lower[j] - origin[j]) / gap;
      const high = (upper[j] - origin[j]) / gap;
      const i = rows.length + j;
      projection.lo[j] = this.boxed ? low / this.scale[j] : -Infinity;
      projection.hi[j] = this.boxed ? high / this.scale[j] : Infinity;
      if (this.boxed) continue;
      projection.lower[i] = rowScale[i] * low;
      projection.upper[i] = rowScale[i] * high;
      projection.slack[i] = BOX_SLACK + ULPS * Math.abs((rowScale[i] * origin[j]) / gap);
    }
    return depths;
  }

  /** A row of the region may not be violated at all, unless it was widened. An open end may not be violated either. */
  private keeps(row: LinearRow, i: number, depth: number): boolean {
    return i < this.problem.piece.rows.length || depth < 0
      ? violation(row, this.x) <= Math.max(0, -1.25 * depth)
      : keepsLink(row, this.x);
  }

  private toColumns({ origin, lower, upper }: Domain): void {
    const { y } = this.projection;
    for (let j = 0; j < origin.length; j++) {
      const moved = origin[j] + this.gap * (this.boxed ? this.scale[j] * y[j] : dot(this.back[j], y));
      this.x[j] = Math.min(upper[j], Math.max(lower[j], moved));
    }
  }

  /** The rate at which the optimum rises when a row's active end moves inwards; positive at a lower end. */
  multiplier(row: number): number {
    return 2 * this.gap * this.projection.lambda[row] * this.rowScale[row];
  }

  /** The amount that the person lacks to an end of a row, and its largest rounding error. */
  lack(row: number, isLower: boolean): number {
    return (isLower ? this.rows[row].lower : this.rows[row].upper) - this.activity[row];
  }

  rounding(row: number, { origin }: Domain): number {
    const own = roundingAt(this.rows[row], origin, this.size[row]);
    return this.readsDistances ? own + distanceRoundingBetween(this.rows[row], this.low, this.high) : own;
  }

  /** Sets the corners of a box around all points that cost up to four times as much as some point: |Δ_c| <= ‖back_c‖ ‖y‖. */
  private placeCorners({ origin, lower, upper }: Domain, cost: number): void {
    if (!this.readsDistances) return;
    const radius = 2 * Math.sqrt(cost);
    for (let c = 0; c < origin.length; c++) {
      const room = Math.max(Math.abs(lower[c] - origin[c]), Math.abs(upper[c] - origin[c]));
      const reach = Math.min(radius * this.lengths[c], room);
      this.low[c] = origin[c] - reach;
      this.high[c] = origin[c] + reach;
    }
  }

  private certify(domain: Domain): Outcome {
    const y = Float64Array.from(this.rows, (_, i) => this.projection.lambda[i] * this.rowScale[i]);
    return provesInfeasible(this.rows, y, domain)
      ? INFEASIBLE
      : numerical('infeasible, but the certificate is not certain');
  }
}

/** The least of y² - 2 p y over an interval. */
function leastSquare(p: number, low: number, high: number): number {
  const y = Math.min(high, Math.max(low, p));
  return y * (y - 2 * p);
}

export const activeSet: Solver = {
  name: 'active-set',
  takesParts: true,
  accepts,
  prepare: (problem) => new PreparedActiveSet(problem),
};
