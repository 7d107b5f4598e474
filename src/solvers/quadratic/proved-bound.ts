/**
 * Lower bounds from multipliers that rounding cannot make too high.
 *
 *   min Σ w_j y_j²  s.t.  vᵀQ_k v <= 0 or = 0,   v = (y, 1),   w_j > 0
 *   D(λ) = min_y Σ w_j y_j² + Σ λ_k vᵀQ_k v = max { t : W + Σ λ_k Q_k - t E ⪰ 0 },    W = diag(w, 0),   E = diag(0, …, 0, 1)
 *
 * bounds the cost for every λ (λ_k >= 0 for inequalities), from whatever source. D(λ) is the last pivot of a Cholesky factorisation.
 * Multipliers outside the domain of D are pulled towards 0, which is inside: D(sλ) >= s D(λ) for 0 <= s <= 1.
 *
 * Rounding: if the factorisation of order n of a matrix succeeds in floating point, that matrix with its diagonal enlarged by a share n(n +
 * 1)u is positive semidefinite (Demmel 1989; Rump 2006). The diagonal is therefore first reduced by that share. The rounding errors of the
 * entries of Σ λ_k Q_k are also taken off the diagonal, row by row (Gershgorin).
 */
import { factorInPlace, forward } from '../../linalg/cholesky.js';
import { addForm, dense, type SymmetricForm } from './semidefinite-program.js';

export interface FormConstraint {
  readonly form: SymmetricForm;
  /** The form is = 0 instead of <= 0. */
  readonly equation: boolean;
  /** The depth of the form below 0, for a square plus a constant. */
  readonly depth?: number;
  /** The largest distance of the form from 0 by rounding. */
  readonly slack?: number;
}

/** Twice the unit roundoff. */
const ROUNDING = 2 ** -52;
/** The shares of the multipliers, and the multiples of a certificate, that are tried. */
const SHARES = [1, 1 - 1e-12, 1 - 1e-10, 1 - 1e-8, 1 - 1e-6, 1 - 1e-4, 0.99, 0.5];
const MULTIPLES = Array.from({ length: 13 }, (_, k) => 10 ** k);
/** The shares of a certificate that are given to squares to make it strict. */
const GIVEN = [0, 1e-8, 1e-6, 1e-4, 1e-2, 0.1, 0.5];

/** D(sλ) for the largest tried s with a proof; -Infinity: no s has one. */
export function provedBound(
  weights: Float64Array,
  constraints: readonly FormConstraint[],
  lambda: Float64Array,
): number {
  for (const share of SHARES) {
    const bound = leastOf(
      weights,
      constraints,
      lambda.map((value) => share * value),
    );
    if (bound > Number.NEGATIVE_INFINITY) return bound;
  }
  return Number.NEGATIVE_INFINITY;
}

/** yᵀA y + 2 b·y + c <= 0 as a form over (y, 1); A null: linear. */
export function quadraticConstraint(A: Float64Array | null, b: Float64Array, c: number): FormConstraint {
  const d = b.length;
  const entries = new Float64Array((d + 1) * (d + 1));
  for (let i = 0; i < d; i++) {
    if (A) entries.set(A.subarray(i * d, (i + 1) * d), i * (d + 1));
    entries[i * (d + 1) + d] = entries[d * (d + 1) + i] = b[i];
  }
  entries[d * (d + 1) + d] = c;
  return { form: dense(entries), equation: false };
}

/**
 * Infinity when Σ λ_k vᵀQ_k v > 0 for every y, so that none is feasible; else the best bound from a multiple of λ. The λ of an
 * interior-point method tend to the edge, where the quadratic part is singular. A larger weight of the squares moves λ off the edge.
 */
export function provedEmpty(
  weights: Float64Array,
  constraints: readonly FormConstraint[],
  lambda: Float64Array,
): number {
  const none = new Float64Array(weights.length);
  const squares = constraints.filter(({ depth }) => depth).length;
  const more = (given: number) =>
    lambda.map((value, k) => value + (constraints[k].depth ? given / (squares * constraints[k].depth) : 0));
  if (GIVEN.some((given) => leastOf(none, constraints, more(given)) > 0)) return Infinity;
  return bestOf(MULTIPLES, weights, constraints, lambda);
}

function bestOf(
  factors: readonly number[],
  weights: Float64Array,
  constraints: readonly FormConstraint[],
  lambda: Float64Array,
): number {
  const times = (factor: number) => lambda.map((value) => factor * value);
  return Math.max(...factors.map((factor) => leastOf(weights, constraints, times(factor))));
}

/** A proved lower bound on  Σ w_j y_j² + Σ λ_k vᵀQ_k v  over all y; -Infinity when its matrix is not proved positive. */
function leastOf(weights: Float64Array, constraints: readonly FormConstraint[], lambda: Float64Array): number {
  const d = weights.length;
  const n = d + 1;
  const Z = new Float64Array(n * n);
  const sizes = new Float64Array(n);
  for (let i = 0; i < d; i++) Z[i * n + i] = sizes[i] = weights[i];
  let given = 0;
  for (const [k, { form, equation, slack = 0 }] of constraints.entries()) {
    const multiplier = equation ? lambda[k] : Math.max(0, lambda[k]);
    if (multiplier === 0) continue;
    given += Math.abs(multiplier) * slack;
    addForm(form, multiplier, Z, n);
    addRowSizes(form, Math.abs(multiplier), sizes);
  }
  const doubts = sizes.map((sum) => (constraints.length + 4) * ROUNDING * sum);
  const least = lastPivot(Z, doubts, d) - given;
  // Overflowing multipliers prove nothing.
  return Number.isNaN(least) ? Number.NEGATIVE_INFINITY : least;
}

/** A lower bound of Σ λ c - bᵀM⁻¹b, for Z = [M b; bᵀ Σ λ c]. */
function lastPivot(Z: Float64Array, doubts: Float64Array, d: number): number {
  const n = d + 1;
  const share = n * (n + 1) * ROUNDING;
  const M = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) M[i * d + j] = Z[i * n + j];
    M[i * d + i] -= doubts[i] + share * Math.abs(Z[i * n + i]);
  }
  if (!factorInPlace(M, d)) return Number.NEGATIVE_INFINITY;
  const w = Z.slice(d * n, d * n + d);
  forward(M, d, w);
  const square = w.reduce((sum, value) => sum + value * value, 0);
  const corner = Z[d * n + d];
  return corner - square - 2 * share * (Math.abs(corner) + square) - doubts[d];
}

/** Adds factor · Σ_j |entry_ij|, or an upper bound of it, to every row i. */
function addRowSizes(form: SymmetricForm, factor: number, sizes: Float64Array): void {
  const n = sizes.length;
  if (form.kind === 'dense') {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += Math.abs(form.entries[i * n + j]);
      sizes[i] += factor * sum;
    }
    return;
  }
  for (const [one, other] of [
    [form.u, form.w],
    [form.w, form.u],
  ]) {
    const sum = other.value.reduce((total, value) => total + Math.abs(value), 0);
    for (let k = 0; k < one.index.length; k++) sizes[one.index[k]] += 0.5 * factor * Math.abs(one.value[k]) * sum;
  }
}
