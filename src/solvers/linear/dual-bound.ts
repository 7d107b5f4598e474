/**
 * Lower bounds of linear programs that rounding cannot make too high (Neumaier and Shcherbina 2004; Jansson 2004).
 *
 *   min c·v   s.t.   lo_i <= a_i·v <= hi_i,   0 <= lo_j <= v_j <= hi_j,   c >= 0
 *
 * For any multipliers y, from whatever source,
 *
 *   c·v  >=  Σ_i y_i (lo_i for y_i > 0, hi_i for y_i < 0)  +  Σ_j min over [lo_j, hi_j] of (c_j - Σ_i y_i a_ij) v_j
 *
 * With c = 0 a positive bound proves that no v meets the rows (Farkas). Every sum is taken for the worst case of rounding. The caller
 * states the error of a row's ends (`doubt`). The error of the entries is counted here.
 *
 * A move without an upper bound needs c_j - Σ y_i a_ij >= 0. Multipliers that miss this by a small amount are corrected through the
 * basis. The correction costs at most that amount times the move. Multipliers that still miss are scaled down. Where too little remains
 * of them, the move is taken to end at REACH, in units of the gap: beyond that distance the model's own sums are rounding noise.
 *
 * Terms that the model adds up may be larger than a row's entries (`growth`). Their possible gain by rounding is counted up to
 * NOISE_REACH. Where the gain grows over long moves, the moves are shortened: an answer that costs less than z has v_j <= z / c_j.
 * The cost is therefore at least the smaller of z and the bound over moves of that length.
 */
import { HALF_ULP } from '../shared/linear-rows.js';

/** The original rows of a program: m x n entries. `lo` and `hi` hold the ends of the columns first. */
export interface BoundedRows {
  readonly m: number;
  readonly n: number;
  readonly rows: Float64Array;
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  /** By row: the largest error of its ends, and the largest ratio of the model's terms to the row's entries. */
  readonly doubt: Float64Array;
  readonly growth: Float64Array;
}

/** A basis that changes multipliers so that their earnings at given columns change. */
export interface Basis {
  correctMultipliers(multipliers: Float64Array, missing: Float64Array): void;
}

const REACH = 2 ** 30;
export const NOISE_REACH = 2 ** 20;
/** A reduced cost below zero by this share of the cost comes from rounding or from an inexact multiplier. */
const NEARLY = 1e-6;
/** Multipliers that would have to shrink by more than this share are corrected instead. */
const SHRINK = 1e-11;
/** Rounding errors of an entry. Scaling is exact, but the entry of a choice is a difference, and the model adds up in its own order. */
const ENTRY_ROUNDINGS = 16;
/** A relative gain of the bound that is worth trying shorter moves. */
const WORTH_SHORTENING = 1e-9;

export class DualBound {
  /** Σ_i y_i a_ij, and the sum of the absolute terms. */
  earned = new Float64Array();
  private terms = new Float64Array();
  /** By how much the model's terms exceed these terms. */
  private noise = new Float64Array();
  private missing = new Float64Array();
  private demand = 0;
  private size = 0;
  /** Of the last bound: the share of y that was used, and the bound that this share proves. */
  share = 1;
  bound = 0;

  /** The least cost that y proves; -Infinity: none. With a basis, y is corrected in place where it is dual infeasible. */
  least(program: BoundedRows, cost: Float64Array, y: Float64Array, basis?: Basis): number {
    this.combine(program, y);
    let bound = this.evaluateShare(program, cost);
    if (basis && this.share <= 1 - SHRINK) {
      this.correct(program, cost, y, basis);
      bound = Math.max(bound, this.evaluateShare(program, cost));
    }
    // No bound exceeds the demand. The demand therefore serves as the z of shorter moves.
    if (!(bound < this.demand * (1 - WORTH_SHORTENING))) return bound;
    return Math.max(bound, Math.min(this.demand, this.evaluate(program, cost, 1, this.demand)));
  }

  private evaluateShare(program: BoundedRows, cost: Float64Array): number {
    this.share = this.shrink(program, cost);
    this.bound = this.evaluate(program, cost, this.share);
    if (this.share > 1 - SHRINK) return this.bound;
    const whole = this.evaluate(program, cost, 1);
    if (whole > this.bound) {
      this.share = 1;
      this.bound = whole;
    }
    return this.bound;
  }

  /** Whether y proves that no v meets the rows, by a margin above the caller's own doubt. */
  provesEmpty(program: BoundedRows, y: Float64Array, basis?: Basis, doubt = 0): boolean {
    this.combine(program, y);
    if (this.evaluate(program, null, 1) > doubt) return true;
    if (!basis) return false;
    this.correct(program, null, y, basis);
    return this.evaluate(program, null, 1) > doubt;
  }

  /** Corrects y so that it earns slightly less at basic columns than they cost. */
  private correct(program: BoundedRows, cost: Float64Array | null, y: Float64Array, basis: Basis): void {
    for (let j = 0; j < program.n; j++) this.missing[j] = this.reduced(cost ? cost[j] : 0, 1, j, 2 * program.m);
    basis.correctMultipliers(y, this.missing);
    this.combine(program, y);
  }

  private grow(capacity: number): void {
    this.earned = new Float64Array(capacity);
    this.terms = new Float64Array(capacity);
    this.noise = new Float64Array(capacity);
    this.missing = new Float64Array(capacity);
  }

  private combine({ m, n, rows, lo, hi, doubt, growth }: BoundedRows, y: Float64Array): void {
    if (this.earned.length < n) this.grow(2 * n);
    const { earned, terms, noise } = this;
    earned.fill(0, 0, n);
    terms.fill(0, 0, n);
    noise.fill(0, 0, n);
    this.demand = this.size = 0;
    for (let i = 0; i < m; i++) {
      const end = y[i] > 0 ? lo[n + i] - doubt[i] : hi[n + i] + doubt[i];
      // Any multipliers are valid, so a multiplier that refers to an infinite end is left out.
      if (y[i] === 0 || !Number.isFinite(y[i] * end)) continue;
      this.demand += y[i] * end;
      this.size += Math.abs(y[i] * end);
      const grown = (growth[i] - 1) * Math.abs(y[i]);
      for (let j = 0, at = i * n; j < n; j++) {
        const term = y[i] * rows[at + j];
        earned[j] += term;
        terms[j] += Math.abs(term);
        if (grown > 0) noise[j] += grown * Math.abs(rows[at + j]);
      }
    }
  }

  /** A lower bound of the reduced cost c_j - s Σ y_i a_ij that counts rounding. */
  private reduced(price: number, share: number, j: number, m: number): number {
    return price - share * this.earned[j] - (m + ENTRY_ROUNDINGS) * HALF_ULP * (price + this.terms[j]);
  }

  /**
   * A share of y with which no priced move has a negative reduced cost, among moves without an upper bound and moves that miss only
   * slightly.
   */
  private shrink({ m, n, hi }: BoundedRows, cost: Float64Array): number {
    let share = 1;
    for (let j = 0; j < n; j++) {
      const reduced = this.reduced(cost[j], 1, j, m);
      if (reduced >= 0 || cost[j] === 0) continue;
      if (hi[j] < Infinity && reduced < -NEARLY * cost[j]) continue;
      share = Math.min(share, cost[j] / (cost[j] - 2 * reduced));
    }
    return share;
  }

  /** `dearest`: the bound holds for answers that cost less than this. */
  private evaluate(
    { m, n, lo, hi }: BoundedRows,
    cost: Float64Array | null,
    share: number,
    dearest = Infinity,
  ): number {
    let bound = share * this.demand;
    let size = this.size;
    for (let j = 0; j < n; j++) {
      const price = cost ? cost[j] : 0;
      const reduced = this.reduced(price, share, j, m);
      const noise = (m + ENTRY_ROUNDINGS) * HALF_ULP * this.noise[j];
      if (reduced === 0 && noise === 0) continue;
      const most = price > 0 ? Math.min(hi[j], Math.max(lo[j], (dearest / price) * (1 + 4 * HALF_ULP))) : hi[j];
      const end = most < Infinity ? most : Math.max(REACH, 2 * lo[j]);
      const least = reduced > noise ? (reduced - noise) * lo[j] : leastOn(lo[j], end, reduced, noise);
      bound += least;
      size += Math.abs(least);
    }
    const proved = bound - (m + n + ENTRY_ROUNDINGS) * HALF_ULP * size;
    return Number.isNaN(proved) ? Number.NEGATIVE_INFINITY : proved;
  }
}

/** The least of  reduced · v - noise · min(v, NOISE_REACH)  over [low, high]: at an end, or where the noise ends. */
function leastOn(low: number, high: number, reduced: number, noise: number): number {
  const at = (v: number) => reduced * v - noise * Math.min(v, NOISE_REACH);
  return Math.min(at(low), at(high), low < NOISE_REACH && NOISE_REACH < high ? at(NOISE_REACH) : Infinity);
}
