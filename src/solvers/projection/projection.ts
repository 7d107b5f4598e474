/**
 * Projection onto a polyhedron in a box, by a dual active-set method (Goldfarb and Idnani, with bounds eliminated):
 *
 *   min ½‖y‖²   s.t.   lower_i <= v_i·y <= upper_i,   lo <= y <= hi
 *
 * y = 0 is optimal without constraints. Each step adds the most violated constraint, along the direction that keeps the active ones, until
 * none is violated. Active bounds remove their coordinate, so a step costs O(k²d) for k active rows: the rows are few even where the
 * coordinates are many. Multipliers have a sign: positive at a lower end.
 *
 *   y = Σ λ_i v_i + Σ μ_j e_j        direction z = n - V_Wᵀ r on the free coordinates,   (V_W V_Wᵀ) r = V_W n
 */

import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';

export type ProjectionStatus = 'optimal' | 'infeasible' | 'numerical';

/** A direction below this share of its normal is rounding noise: the normal lies in the span of the active ones. */
const DEPENDENT = 1e-13;
/** A bound with a smaller relative violation counts as met. The caller clips. */
const BOUND_SLACK = 1e-11;
/** Passes over the coordinates in each step, in addition to those over rows. */
const OTHER_PASSES = 10;
const NONE = 0;
const LOWER = 1;
const UPPER = 2;

export class Projection {
  readonly y: Float64Array;
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** By row: a violation up to this size counts as none. */
  readonly slack: Float64Array;
  /** Multipliers of rows; after 'infeasible' the certificate. */
  readonly lambda: Float64Array;
  private readonly mu: Float64Array;
  private readonly atBound: Uint8Array;
  private readonly active: Int32Array;
  private count = 0;
  private steps = 0;
  /** The largest number of active rows: the independent ones, and one more to detect dependence. */
  private readonly most: number;
  private readonly gram: Float64Array;
  private readonly r: Float64Array;
  private readonly z: Float64Array;
  private readonly n: Float64Array;
  private readonly drift: Float64Array;

  /** `rows` is m x d, row-major. The caller may rewrite it between calls. */
  constructor(
    readonly m: number,
    readonly d: number,
    readonly rows: Float64Array,
  ) {
    const coordinates = () => new Float64Array(d);
    const perRow = () => new Float64Array(m);
    this.y = coordinates();
    this.lo = coordinates();
    this.hi = coordinates();
    this.mu = coordinates();
    this.z = coordinates();
    this.n = coordinates();
    this.drift = coordinates();
    this.atBound = new Uint8Array(d);
    this.lower = perRow();
    this.upper = perRow();
    this.slack = perRow();
    this.lambda = perRow();
    this.r = perRow();
    this.active = new Int32Array(m);
    this.most = Math.min(m, d + 1);
    this.gram = new Float64Array(this.most * this.most);
  }

  /**
   * Without a budget the method runs to its end. With a budget it gives up, as 'numerical', when its work reaches the rest of the budget.
   */
  solve(budget?: Budget): ProjectionStatus {
    this.y.fill(0);
    this.mu.fill(0);
    this.lambda.fill(0);
    this.atBound.fill(NONE);
    this.count = 0;
    const most = 50 + 10 * (this.m + this.d);
    for (this.steps = 0; this.steps < most; this.steps++) {
      const worst = this.mostViolated();
      if (worst === -1) return 'optimal';
      if (budget?.refuses(this.work)) return 'numerical';
      const status = this.add(worst);
      if (status !== 'optimal') return status;
    }
    return 'numerical';
  }

  /** The work of the last solve, in units of effort: each step checks all rows and solves for the active ones. */
  get work(): number {
    const entries = (this.m + OTHER_PASSES + this.count * this.count) * this.d;
    return ((this.steps + 1) * entries) / FLOPS_PER_UNIT;
  }

  private activity(i: number): number {
    const { rows, y, d } = this;
    let sum = 0;
    for (let j = 0, at = i * d; j < d; j++) sum += rows[at + j] * y[j];
    return sum;
  }

  /** Code of the constraint: j for a coordinate, d + i for a row; -1: none is violated. */
  private mostViolated(): number {
    let worst = -1;
    let size = 0;
    for (let j = 0; j < this.d; j++) {
      const excess = Math.max(this.lo[j] - this.y[j], this.y[j] - this.hi[j]);
      if (excess > BOUND_SLACK * (1 + Math.abs(this.y[j])) && excess > size) {
        size = excess;
        worst = j;
      }
    }
    if (worst >= 0) return worst;
    for (let i = 0; i < this.m; i++) {
      const value = this.activity(i);
      const excess = Math.max(this.lower[i] - value, value - this.upper[i]);
      if (excess > this.slack[i] && excess > size) {
        size = excess;
        worst = this.d + i;
      }
    }
    return worst;
  }

  /** Makes one violated constraint hold, dropping others as their multipliers reach zero. */
  private add(code: number): ProjectionStatus {
    const { d, n, y } = this;
    const row = code - d;
    const value = row >= 0 ? this.activity(row) : y[code];
    const low = row >= 0 ? this.lower[row] : this.lo[code];
    const high = row >= 0 ? this.upper[row] : this.hi[code];
    const below = value < low;
    const sign = below ? 1 : -1;
    n.fill(0);
    if (row >= 0) for (let j = 0; j < d; j++) n[j] = sign * this.rows[row * d + j];
    else n[code] = sign;
    let lack = below ? low - value : value - high;
    let taken = 0;
    for (let tries = 0; tries <= this.m + d; tries++) {
      if (!this.direction()) return 'numerical';
      const slope = this.dotFree(n, this.z);
      const size = this.dotFree(n, n);
      const full = slope > DEPENDENT * size && slope > 0 ? lack / slope : Infinity;
      const [partial, blocking] = this.blocking();
      if (full === Infinity && partial === Infinity) return this.certify(row, code, sign);
      const step = Math.min(full, partial);
      this.advance(step, full < Infinity);
      taken += step;
      lack -= full < Infinity ? step * slope : 0;
      if (full <= partial) return this.activate(row, code, sign, below, taken);
      this.drop(blocking);
    }
    return 'numerical';
  }

  private dotFree(a: Float64Array, b: Float64Array): number {
    let sum = 0;
    for (let j = 0; j < this.d; j++) if (this.atBound[j] === NONE) sum += a[j] * b[j];
    return sum;
  }

  /** r, z and the drift of the bounds' multipliers for the present normal. */
  private direction(): boolean {
    const { d, count, active, rows, n, z, r, atBound, drift } = this;
    if (!this.factorise()) return false;
    for (let a = 0; a < count; a++) {
      let sum = 0;
      for (let j = 0, at = active[a] * d; j < d; j++) if (atBound[j] === NONE) sum += rows[at + j] * n[j];
      r[a] = sum;
    }
    this.solveGram();
    for (let j = 0; j < d; j++) {
      let sum = 0;
      for (let a = 0; a < count; a++) sum += r[a] * rows[active[a] * d + j];
      const left = n[j] - sum;
      z[j] = atBound[j] === NONE ? left : 0;
      drift[j] = atBound[j] === NONE ? 0 : -left;
    }
    return true;
  }

  /** Cholesky of the active rows' Gram matrix on the free coordinates. */
  private factorise(): boolean {
    const { d, most, count, active, rows, gram, atBound } = this;
    for (let a = 0; a < count; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let j = 0, p = active[a] * d, q = active[b] * d; j < d; j++)
          if (atBound[j] === NONE) sum += rows[p + j] * rows[q + j];
        const whole = sum;
        for (let k = 0; k < b; k++) sum -= gram[a * most + k] * gram[b * most + k];
        if (a === b) {
          if (!(sum > 1e-15 * whole) || !(whole > 0)) return false;
          gram[a * most + a] = Math.sqrt(sum);
        } else gram[a * most + b] = sum / gram[b * most + b];
      }
    }
    return true;
  }

  private solveGram(): void {
    const { most, count, gram, r } = this;
    for (let a = 0; a < count; a++) {
      for (let k = 0; k < a; k++) r[a] -= gram[a * most + k] * r[k];
      r[a] /= gram[a * most + a];
    }
    for (let a = count - 1; a >= 0; a--) {
      for (let k = a + 1; k < count; k++) r[a] -= gram[k * most + a] * r[k];
      r[a] /= gram[a * most + a];
    }
  }

  /** The first multiplier to reach zero: the step to it, and its position (rows by position in `active`, then coordinates). */
  private blocking(): [number, number] {
    let step = Infinity;
    let which = -1;
    const consider = (value: number, rate: number, code: number) => {
      if (value * rate >= 0) return;
      const reach = -value / rate;
      if (reach < step) {
        step = reach;
        which = code;
      }
    };
    for (let a = 0; a < this.count; a++) consider(this.lambda[this.active[a]], -this.r[a], a);
    for (let j = 0; j < this.d; j++) if (this.atBound[j] !== NONE) consider(this.mu[j], this.drift[j], this.m + j);
    return [step, which];
  }

  private advance(step: number, moves: boolean): void {
    for (let a = 0; a < this.count; a++) this.lambda[this.active[a]] -= step * this.r[a];
    for (let j = 0; j < this.d; j++) {
      if (this.atBound[j] !== NONE) this.mu[j] += step * this.drift[j];
      else if (moves) this.y[j] += step * this.z[j];
    }
  }

  private activate(row: number, code: number, sign: number, below: boolean, taken: number): ProjectionStatus {
    if (row >= 0) {
      if (this.count === this.most) return 'numerical';
      this.active[this.count++] = row;
      this.lambda[row] = sign * taken;
    } else {
      this.atBound[code] = below ? LOWER : UPPER;
      this.mu[code] = sign * taken;
      this.y[code] = below ? this.lo[code] : this.hi[code];
    }
    return 'optimal';
  }

  private drop(which: number): void {
    if (which >= this.m) {
      this.atBound[which - this.m] = NONE;
      this.mu[which - this.m] = 0;
      return;
    }
    this.lambda[this.active[which]] = 0;
    this.active.copyWithin(which, which + 1, this.count);
    this.count--;
  }

  /** The normal is a combination of active normals that pull the other way. Leaves that combination in `lambda`. */
  private certify(row: number, _code: number, sign: number): ProjectionStatus {
    this.lambda.fill(0);
    for (let a = 0; a < this.count; a++) this.lambda[this.active[a]] = -this.r[a];
    if (row >= 0) this.lambda[row] = sign;
    return 'infeasible';
  }
}
