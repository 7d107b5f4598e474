/**
 * Shor's relaxation of quadratics and intervals, tightened by products of the intervals' ends.
 *
 *   min ‖y‖²  s.t.  q_k(y) = yᵀA_k y + 2 b_k·y + c_k <= 0,    l_i <= a_i·y <= h_i
 *   relaxed:  min tr U  s.t.  Q_k•Y <= 0,   Y = [U y; yᵀ 1] ⪰ 0,   Q_k = [A_k b_k; b_kᵀ c_k]     (exact where Y has rank one)
 *
 * An interval enters as (a·y - l)(a·y - h) <= 0, which also bounds U and, because U ⪰ yyᵀ, implies its two linear rows. These rows are left
 * out. A single end is linear, an equation is a row without slack. Further products g_i(y) g_k(y) >= 0 of ends g >= 0
 * (reformulation-linearisation) enter when Y breaks them, and an answer's cost bounds every coordinate.
 *
 * Everything is in ŷ_j = y_j/s_j. With λ roughly optimal for the quadratics (dual-newton.ts) and σ² its value, s_j is a power of two near
 * σ/√(1 + Σ λ_k A_k,jj), or near the coordinate's bounds if these are closer: then Y and its multiplier are of size 1 in every coordinate,
 * and scaling rounds nothing. The bound is that of proved-bound.ts: valid for any error of the interior-point method.
 */

import type { Budget } from '../../problems/budget.js';
import type { UpperRow } from '../linear/polyhedral.js';
import { LagrangeDual } from './dual-newton.js';
import { type SemidefiniteSolution, solveSemidefinite } from './interior-point.js';
import { type FormConstraint, provedBound, provedEmpty } from './proved-bound.js';
import type { ScaledQuadratic } from './quadratic-view.js';
import {
  dense,
  dotSparse,
  NONE,
  product,
  type SemidefiniteProgram,
  type SparseVector,
  type SymmetricForm,
  sparse,
  unit,
} from './semidefinite-program.js';

export interface Interval {
  readonly a: Float64Array;
  readonly low: number;
  readonly high: number;
  /** The largest amount by which rounding may miss an equation. */
  readonly slack?: number;
}

export interface Relaxed {
  /** The proved bound; Infinity: no y meets the constraints. */
  readonly bound: number;
  /** How the method ended. Only an infinite bound proves that no solution exists. */
  readonly status: SemidefiniteSolution['status'];
  /** y, and U - yyᵀ row-major. */
  readonly y: Float64Array;
  readonly spread: Float64Array;
}

/** a·y - l >= 0 or h - a·y >= 0, as a linear form of (ŷ, 1). */
interface End {
  readonly interval: number;
  readonly upper: boolean;
  readonly form: SparseVector;
  readonly size: number;
}

interface Pair {
  readonly first: Pick<End, 'interval' | 'upper'>;
  readonly second: Pick<End, 'interval' | 'upper'>;
}

/** A product of two ends, of unit norm, counts as broken below this value. */
const BROKEN = -1e-6;
/** The number of products that enter in one round, per order of Y. */
const ENTERING = 2;
/** The largest move of an answer in one coordinate is rounded up by this share. */
const REACH_SHARE = 1e-9;
/** The factor of c that makes the dual stop at a residual of a thousandth of c: accurate enough for scaling. */
const ROUGH = 1e8;
/** The factor by which an answer must exceed the expected size for another size, and the largest number of resizes. */
const RESIZE = 4;
const RESIZES = 3;

export class Shor {
  /** σ: the approximate length of the answer. */
  size = 0;
  private scale: Float64Array = new Float64Array();
  /** ‖y‖² = σ² Σ w_j ŷ_j². */
  private weights: Float64Array = new Float64Array();
  private forms: readonly SymmetricForm[] = [];
  private readonly shape: Float64Array;
  private intervals: readonly Interval[];
  private readonly pairs: Pair[] = [];
  private readonly known = new Set<string>();
  /** The last solution. */
  private Y: Float64Array = new Float64Array();

  /** The intervals of the coordinates come first, including those without ends. `distance` is not 0. */
  constructor(
    distance: number,
    private readonly quadratics: readonly ScaledQuadratic[],
    intervals: readonly Interval[],
    private readonly budget: Budget,
  ) {
    const { root, shape } = roughScale(quadratics, intervals[0].a.length, budget);
    this.shape = shape;
    this.intervals = intervals;
    this.resize(Math.max(distance, root));
  }

  private get d(): number {
    return this.shape.length;
  }

  private resize(size: number): void {
    const reach = ({ low, high }: Interval) => Math.max(-low, high);
    this.size = powerOfTwo(size);
    this.scale = this.shape.map((value, j) => powerOfTwo(Math.min(size * value, reach(this.intervals[j]))));
    this.weights = this.scale.map((value) => (value / this.size) ** 2);
    this.forms = this.quadratics.map((q) => homogeneous(q, this.scale));
  }

  /** Bounds can require far more than the quadratics alone. Where a bound shows this, the program is solved again at that size. */
  solve(): Relaxed {
    const { budget } = this;
    let relaxed = this.relax();
    for (let k = 0; k < RESIZES && relaxed.status !== 'optimal' && !budget.isSpent; k++) {
      const { bound } = relaxed;
      if (!(Math.sqrt(bound) > RESIZE * this.size && bound < Infinity)) break;
      this.resize(Math.sqrt(bound));
      const next = this.relax();
      relaxed = { ...next, bound: Math.max(bound, next.bound) };
    }
    return relaxed;
  }

  private relax(): Relaxed {
    const { d, size, scale, weights, budget } = this;
    const n = d + 1;
    const constraints = this.constraints();
    const { status, X, y: multipliers } = solveSemidefinite(programOf(weights, constraints), budget);
    const lambda = Float64Array.from(constraints, (_, k) => -multipliers[k + 1]);
    const prove = status === 'infeasible' ? provedEmpty : provedBound;
    const bound = Math.max(0, size * size * prove(weights, constraints, lambda));
    const y = scale.map((value, i) => value * X[i * n + d]);
    const spread = new Float64Array(d * d);
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) spread[i * d + j] = scale[i] * scale[j] * X[i * n + j] - y[i] * y[j];
    this.Y = X;
    return { bound, status, y, spread };
  }

  /** Excludes points that cost more than an answer. From then on bounds hold only for better answers. */
  cutOff(cost: number): void {
    const reach = Math.sqrt(cost) * (1 + REACH_SHARE);
    const clip = ({ a, low, high }: Interval) => ({ a, low: Math.max(low, -reach), high: Math.min(high, reach) });
    this.intervals = this.intervals.map((interval, j) => (j < this.d ? clip(interval) : interval));
  }

  /** Adds the products of ends that the last Y breaks most. Returns their number. */
  separate(): number {
    const { d, Y } = this;
    const n = d + 1;
    const ends = this.intervals.flatMap((_, i) => this.endsOf(i));
    const broken: { value: number; first: End; second: End; key: string }[] = [];
    for (const [i, second] of ends.entries()) {
      const image = new Float64Array(n);
      for (let k = 0; k < second.form.index.length; k++)
        for (let j = 0; j < n; j++) image[j] += second.form.value[k] * Y[second.form.index[k] * n + j];
      for (const first of ends.slice(0, i)) {
        if (first.interval === second.interval) continue;
        const value = dotSparse(first.form, image) / (first.size * second.size);
        const key = `${first.interval}${first.upper ? '<' : '>'}${second.interval}${second.upper ? '<' : '>'}`;
        if (value < BROKEN && !this.known.has(key)) broken.push({ value, first, second, key });
      }
    }
    const entering = broken.sort((p, q) => p.value - q.value).slice(0, ENTERING * n);
    for (const { first, second, key } of entering) {
      this.known.add(key);
      this.pairs.push({ first, second });
    }
    return entering.length;
  }

  private constraints(): FormConstraint[] {
    const { forms, intervals, pairs } = this;
    const quadratic = forms.map((form) => ({ form, equation: false }));
    const linear = intervals.flatMap((_, i) => this.intervalConstraint(i));
    const products = pairs.map(({ first, second }) => ({
      form: product(this.endForm(first.interval, first.upper, -1), this.endForm(second.interval, second.upper)),
      equation: false,
    }));
    return [...quadratic, ...linear, ...products];
  }

  private intervalConstraint(i: number): FormConstraint[] {
    const { low, high, slack } = this.intervals[i];
    const one = unit(this.d);
    if (low === high) return [{ form: product(this.endForm(i, true), one), equation: true, slack }];
    const both = () => product(this.endForm(i, false, -1), this.endForm(i, true));
    if (Number.isFinite(high - low)) return [{ form: both(), equation: false, depth: (high - low) ** 2 / 4 }];
    return this.endsOf(i).map(({ upper }) => ({ form: product(this.endForm(i, upper, -1), one), equation: false }));
  }

  /** The finite ends of an interval. An equation has none. */
  private endsOf(i: number): End[] {
    const { low, high } = this.intervals[i];
    const sides = [...(Number.isFinite(low) ? [false] : []), ...(Number.isFinite(high) ? [true] : [])];
    if (low === high) return [];
    return sides.map((upper) => {
      const form = this.endForm(i, upper);
      return { interval: i, upper, form, size: Math.hypot(...form.value) };
    });
  }

  private endForm(i: number, upper: boolean, factor = 1): SparseVector {
    const { a, low, high } = this.intervals[i];
    const sign = upper ? -factor : factor;
    return sparse([...a.map((value, j) => sign * this.scale[j] * value), sign * (upper ? -high : -low)]);
  }
}

const powerOfTwo = (value: number) => 2 ** Math.round(Math.log2(value));

/** The root of the dual's value, and 1/√(1 + Σ λ_k A_k,jj) by coordinate, at most 1. */
function roughScale(
  quadratics: readonly ScaledQuadratic[],
  d: number,
  budget: Budget,
): { root: number; shape: Float64Array } {
  const rough = quadratics.map((q) => ({ ...q, size: ROUGH * Math.abs(q.c) }));
  const { lambda, bound } = new LagrangeDual(d, rough, budget).solve();
  const curvature = (j: number) => quadratics.reduce((sum, { A }, k) => sum + lambda[k] * A[j * d + j], 1);
  const shape = Float64Array.from({ length: d }, (_, j) => 1 / Math.sqrt(Math.max(1, curvature(j))));
  return { root: Math.sqrt(Math.max(0, bound)), shape };
}

/** A lower bound on the distance of y = 0 from the region; 0: y = 0 is inside. */
export function leastDistance(quadratics: readonly ScaledQuadratic[], intervals: readonly Interval[]): number {
  return Math.max(0, ...quadratics.map(quadraticDistance), ...intervals.map(intervalDistance));
}

/** c - 2‖b‖r - ‖A‖r² > 0 for every r below this. */
function quadraticDistance({ A, b, c }: ScaledQuadratic): number {
  if (!(c > 0)) return 0;
  const slope = Math.hypot(...b);
  return c / (slope + Math.sqrt(slope * slope + Math.hypot(...A) * c));
}

const intervalDistance = ({ a, low, high }: Interval) => Math.max(0, low, -high) / Math.hypot(...a);

function homogeneous({ A, b, c }: ScaledQuadratic, scale: Float64Array): SymmetricForm {
  const d = b.length;
  const n = d + 1;
  const Q = new Float64Array(n * n);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) Q[i * n + j] = scale[i] * scale[j] * A[i * d + j];
    Q[i * n + d] = Q[d * n + i] = scale[i] * b[i];
  }
  Q[d * n + d] = c;
  return dense(Q);
}

/** Row 0 is Y_dd = 1, row k + 1 is constraint k with its slack. */
function programOf(weights: Float64Array, constraints: readonly FormConstraint[]): SemidefiniteProgram {
  const d = weights.length;
  const n = d + 1;
  const cost = new Float64Array(n * n);
  for (let i = 0; i < d; i++) cost[i * n + i] = weights[i];
  let slacks = 0;
  const rows = constraints.map(({ form, equation }) => ({ form, linear: equation ? NONE : unit(slacks++), value: 0 }));
  rows.unshift({ form: product(unit(d), unit(d)), linear: NONE, value: 1 });
  return { order: n, cost, linearCost: new Float64Array(slacks), rows };
}

export function boxIntervals(lo: Float64Array, hi: Float64Array): Interval[] {
  return Array.from(lo, (low, j) => ({ a: new Float64Array(lo.length).fill(1, j, j + 1), low, high: hi[j] }));
}

/** Rows a·y <= upper. A row and its negative in succession are the two ends of one interval. A row without y restricts nothing. */
export function rowIntervals(rows: readonly UpperRow[]): Interval[] {
  const intervals: Interval[] = [];
  for (let i = 0; i < rows.length; i++) {
    const { a, upper, doubt = 0 } = rows[i];
    const next = rows[i + 1];
    const paired = next?.a.every((value, j) => value === -a[j]);
    const low = paired ? -next.upper : Number.NEGATIVE_INFINITY;
    if (a.some((value) => value !== 0))
      intervals.push(
        low === upper ? { a, low, high: upper, slack: doubt } : { a, low: low - doubt, high: upper + doubt },
      );
    if (paired) i++;
  }
  return intervals;
}
