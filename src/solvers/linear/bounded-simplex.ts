/**
 * Dual simplex for small dense LPs with bounds on every variable and row, written for counterfactuals:
 *
 *   min c·v   s.t.   s = A v,   lo <= (v, s) <= hi,   c >= 0,  v at a finite lower bound to begin with
 *
 * The start (nobody changes anything) is dual feasible. No phase one is needed, and a handful of violated rows takes a handful of
 * pivots. The ratio test flips bounds as it passes them (long steps). Rows are dense and there is no warm start: an answer depends
 * only on its own row, never on the rows before.
 *
 * Tolerances are relative: entries that cancel are zero, a pivot is judged beside the others of its row, and values are
 * computed again from the rows once the basis is found. These tolerances prove nothing; dual-bound.ts proves the bounds.
 *
 * Numbering: variable j < n is structural, n + i is the activity of row i. `table` holds basic = table · nonbasic.
 */

import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';
import { RatioHeap } from './ratio-heap.js';

export type SimplexStatus = 'optimal' | 'infeasible' | 'numerical';

/** Operations of a pivot for each entry of the table, including the choice of the pivot. */
const FLOPS_PER_ENTRY = 2;
/** A sum below this share of its terms is rounding noise. */
const CANCELLED = 1e-13;
/** A pivot below this share of its row's largest entry is rounding noise. */
const PIVOT_SHARE = 1e-12;
/** Prices whose relative difference is smaller tie. */
const TIE = 1e-12;
/** How often the final values are computed again from the rows. */
const REFINEMENTS = 2;

export class BoundedSimplex {
  lo = new Float64Array();
  hi = new Float64Array();
  /** By row: a violation up to this size counts as none. */
  slack = new Float64Array();
  /** Reduced costs by nonbasic position. */
  private reduced = new Float64Array();
  private table = new Float64Array();
  private basic = new Int32Array();
  private nonbasic = new Int32Array();
  private atUpper = new Uint8Array();
  private basicValue = new Float64Array();
  private readonly candidates = new RatioHeap();
  /** Of the structural variables. */
  private values = new Float64Array();
  private source: Float64Array = new Float64Array();
  m = 0;
  n = 0;
  pivots = 0;
  /** The row that cannot be met, after 'infeasible'. */
  private failed = -1;

  constructor(m: number, n: number) {
    this.resize(m, n);
  }

  /** Sets the size of the program. The caller must write the bounds again. */
  resize(m: number, n: number): void {
    this.m = m;
    this.n = n;
    if (this.lo.length < n + m) {
      this.lo = new Float64Array(grown(this.lo, n + m));
      this.hi = new Float64Array(this.lo.length);
    }
    if (this.slack.length < m) this.growRows(grown(this.slack, m));
    if (this.reduced.length < n) this.growColumns(grown(this.reduced, n));
    if (this.table.length < m * n) this.table = new Float64Array(grown(this.table, m * n));
  }

  private growRows(capacity: number): void {
    this.slack = new Float64Array(capacity);
    this.basic = new Int32Array(capacity);
    this.basicValue = new Float64Array(capacity);
  }

  private growColumns(capacity: number): void {
    this.reduced = new Float64Array(capacity);
    this.nonbasic = new Int32Array(capacity);
    this.atUpper = new Uint8Array(capacity);
    this.candidates.grow(capacity);
    this.values = new Float64Array(capacity);
  }

  /**
   * Solves from the slack basis. `rows` is m x n. `lo` and `hi` hold the bounds, `slack` the row tolerances. With a budget, the solver
   * gives up as 'numerical' when its work reaches the rest of the budget.
   */
  solve(rows: Float64Array, cost: Float64Array, budget?: Budget): SimplexStatus {
    const { m, n, table } = this;
    this.source = rows;
    this.failed = -1;
    for (let k = 0; k < m * n; k++) table[k] = rows[k];
    for (let j = 0; j < n; j++) this.reduced[j] = cost[j];
    this.atUpper.fill(0, 0, n);
    for (let j = 0; j < n; j++) this.nonbasic[j] = j;
    for (let i = 0; i < m; i++) {
      this.basic[i] = n + i;
      let value = 0;
      for (let j = 0; j < n; j++) value += table[i * n + j] * this.lo[j];
      this.basicValue[i] = value;
    }
    return this.iterate(budget);
  }

  private iterate(budget: Budget | undefined): SimplexStatus {
    const most = 50 + 20 * (this.m + this.n);
    let refined = 0;
    for (this.pivots = 0; this.pivots < most; this.pivots++) {
      let row = this.mostViolated();
      if (row < 0 && this.pivots > 0 && refined < REFINEMENTS) {
        this.refine();
        refined++;
        row = this.mostViolated();
      }
      if (row < 0) return this.isFinite() ? 'optimal' : 'numerical';
      if (budget?.refuses(this.work)) return 'numerical';
      const entering = this.ratioTest(row);
      if (entering < 0) {
        this.failed = row;
        return 'infeasible';
      }
      this.pivot(row, entering);
    }
    return 'numerical';
  }

  /** An overflowed value or reduced cost compares as no violation, so the result would be meaningless. */
  private isFinite(): boolean {
    for (let i = 0; i < this.m; i++) if (!Number.isFinite(this.basicValue[i])) return false;
    for (let j = 0; j < this.n; j++) if (!Number.isFinite(this.reduced[j])) return false;
    return true;
  }

  /** Corrects the basic values so that rows at an end meet that end exactly, computed from the original rows. */
  private refine(): void {
    const { m, n, table, basicValue, nonbasic } = this;
    const { values } = this;
    this.read(values);
    for (let q = 0; q < n; q++) {
      const row = nonbasic[q] - n;
      if (row < 0) continue;
      let lack = this.atUpper[q] ? this.hi[n + row] : this.lo[n + row];
      for (let j = 0; j < n; j++) lack -= this.source[row * n + j] * values[j];
      for (let i = 0; i < m; i++) basicValue[i] += table[i * n + q] * lack;
    }
    this.read(values);
    for (let i = 0; i < m; i++) {
      const row = this.basic[i] - n;
      if (row < 0) continue;
      let sum = 0;
      for (let j = 0; j < n; j++) sum += this.source[row * n + j] * values[j];
      basicValue[i] = sum;
    }
  }

  private toleranceOf(variable: number): number {
    return variable >= this.n
      ? this.slack[variable - this.n]
      : 1e-12 * (1 + Math.abs(Number.isFinite(this.hi[variable]) ? this.hi[variable] : 0));
  }

  private mostViolated(): number {
    let worst = -1;
    let size = 0;
    for (let i = 0; i < this.m; i++) {
      const variable = this.basic[i];
      const value = this.basicValue[i];
      const excess = Math.max(this.lo[variable] - value, value - this.hi[variable]);
      const tolerance = this.toleranceOf(variable);
      if (excess > tolerance && excess / (tolerance + 1e-300) > size) {
        size = excess / (tolerance + 1e-300);
        worst = i;
      }
    }
    return worst;
  }

  /** The nonbasic position that enters for row r. Bounds passed on the way are flipped. -1: the row cannot be met. */
  private ratioTest(r: number): number {
    const { n, table, nonbasic, candidates, lo, hi, atUpper } = this;
    const leaving = this.basic[r];
    const below = this.basicValue[r] < lo[leaving];
    const sign = below ? 1 : -1;
    let violation = below ? lo[leaving] - this.basicValue[r] : this.basicValue[r] - hi[leaving];
    const least = PIVOT_SHARE * this.largestEntry(r);
    candidates.clear(nonbasic);
    for (let q = 0; q < n; q++) {
      const variable = nonbasic[q];
      if (lo[variable] === hi[variable]) continue;
      const helps = sign * table[r * n + q] * (atUpper[q] ? -1 : 1);
      if (helps > least) candidates.add(q, Math.abs(this.reduced[q]) / helps);
    }
    candidates.arrange();
    const tolerance = this.toleranceOf(leaving);
    while (candidates.size > 0) {
      const q = candidates.pop();
      const reach = Math.abs(table[r * n + q]) * (hi[nonbasic[q]] - lo[nonbasic[q]]);
      if (reach >= violation - tolerance) return this.steadier(q, r);
      violation -= reach;
      this.flip(q);
    }
    return -1;
  }

  private largestEntry(r: number): number {
    let most = 0;
    for (let k = r * this.n; k < (r + 1) * this.n; k++) most = Math.max(most, Math.abs(this.table[k]));
    return most;
  }

  /** Among the candidates that tie with the one at q, one whose pivot is more than ten times larger, if there is one. */
  private steadier(q: number, r: number): number {
    const { candidates, table, n } = this;
    const tied = candidates.ratios[q] * (1 + TIE);
    let best = q;
    while (candidates.size > 0 && !(candidates.ratios[candidates.first] > tied)) {
      const other = candidates.pop();
      if (Math.abs(table[r * n + other]) > 10 * Math.abs(table[r * n + best])) best = other;
    }
    return best;
  }

  private flip(q: number): void {
    const variable = this.nonbasic[q];
    const move = (this.hi[variable] - this.lo[variable]) * (this.atUpper[q] ? -1 : 1);
    this.atUpper[q] ^= 1;
    for (let i = 0; i < this.m; i++) this.basicValue[i] += this.table[i * this.n + q] * move;
  }

  private pivot(r: number, q: number): void {
    const { m, n, table, reduced, basicValue } = this;
    const leaving = this.basic[r];
    const entering = this.nonbasic[q];
    const toUpper = basicValue[r] > this.hi[leaving];
    const target = toUpper ? this.hi[leaving] : this.lo[leaving];
    const element = table[r * n + q];
    const step = (target - basicValue[r]) / element;
    const from = this.atUpper[q] ? this.hi[entering] : this.lo[entering];
    for (let i = 0; i < m; i++) basicValue[i] += table[i * n + q] * step;
    basicValue[r] = from + step;
    // row r solved for the entering variable: x_q = (s_r - Σ_{k≠q} t_rk x_k) / t_rq
    const start = r * n;
    for (let k = 0; k < n; k++) table[start + k] = k === q ? 1 / element : -table[start + k] / element;
    for (let i = 0; i < m; i++) {
      if (i === r) continue;
      const factor = table[i * n + q];
      if (factor === 0) continue;
      const at = i * n;
      for (let k = 0; k < n; k++)
        table[at + k] = k === q ? factor * table[start + q] : sum(table[at + k], factor * table[start + k]);
    }
    const price = reduced[q];
    for (let k = 0; k < n; k++)
      reduced[k] = k === q ? price * table[start + q] : sum(reduced[k], price * table[start + k]);
    this.basic[r] = entering;
    this.nonbasic[q] = leaving;
    this.atUpper[q] = toUpper ? 1 : 0;
  }

  /** The work of the last solve, in units of effort. */
  get work(): number {
    return (FLOPS_PER_ENTRY * (this.pivots + 1) * this.m * this.n) / FLOPS_PER_UNIT;
  }

  /** Values of the structural variables. */
  read(values: Float64Array): void {
    for (let q = 0; q < this.n; q++) {
      const variable = this.nonbasic[q];
      if (variable < this.n) values[variable] = this.atUpper[q] ? this.hi[variable] : this.lo[variable];
    }
    for (let i = 0; i < this.m; i++) if (this.basic[i] < this.n) values[this.basic[i]] = this.basicValue[i];
  }

  /** Multipliers of the rows: by how much the optimum rises per unit that a row's active bound moves in. */
  readMultipliers(multipliers: Float64Array): void {
    multipliers.fill(0);
    for (let q = 0; q < this.n; q++)
      if (this.nonbasic[q] >= this.n) multipliers[this.nonbasic[q] - this.n] = this.reduced[q];
  }

  /** Changes the multipliers so that their earnings at each basic variable rise by the missing amount. */
  correctMultipliers(multipliers: Float64Array, missing: Float64Array): void {
    const { m, n, table, basic, nonbasic } = this;
    for (let i = 0; i < m; i++) {
      if (basic[i] >= n || i === this.failed) continue;
      for (let q = 0; q < n; q++)
        if (nonbasic[q] >= n) multipliers[nonbasic[q] - n] += missing[basic[i]] * table[i * n + q];
    }
  }

  /** After 'infeasible': multipliers y of the rows whose combination y·s cannot reach the demand of its bounds. */
  readCertificate(multipliers: Float64Array): void {
    multipliers.fill(0);
    const r = this.failed;
    const leaving = this.basic[r];
    const sign = this.basicValue[r] < this.lo[leaving] ? 1 : -1;
    if (leaving >= this.n) multipliers[leaving - this.n] = sign;
    for (let q = 0; q < this.n; q++) {
      if (this.nonbasic[q] >= this.n) multipliers[this.nonbasic[q] - this.n] = -sign * this.table[r * this.n + q];
    }
  }
}

/** a + b; zero where the terms cancel up to rounding. */
function sum(a: number, b: number): number {
  const value = a + b;
  return Math.abs(value) <= CANCELLED * Math.abs(a) ? 0 : value;
}

/** The first allocation has the wanted size. Later allocations have reserve. */
const grown = ({ length }: Float64Array, wanted: number): number => (length ? 2 * wanted : wanted);
