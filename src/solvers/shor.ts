/**
 * Shor's relaxation of quadratics, rows and bounds, and lower bounds from it that rounding cannot make too high.
 *
 *   min ‖y‖²  s.t.  q_k(y) <= 0            q_k(y) = vᵀQ_k v,   v = (y, 1),   Q_k = [A_k b_k; b_kᵀ c_k]
 *   relaxed:  min tr U  s.t.  Q_k•Y <= 0,   Y = [U y; yᵀ 1] ⪰ 0,      exact where Y has rank one
 *
 * An interval l <= a·y <= h enters as (a·y - l)(a·y - h) <= 0, which holds U down as well and, because U ⪰ yyᵀ, implies both
 * linear rows: these are left out. A single end is linear, an equation a row without slack.
 *
 * Any λ >= 0 gives the bound   D(λ) = max { t : I' + Σ λ_k Q_k - t E ⪰ 0 },   I' = diag(1, …, 1, 0),   E = diag(0, …, 0, 1),
 * the last pivot of a Cholesky factorisation. Multipliers that are not quite feasible are pulled to 0, which is: D(sλ) >= s D(λ).
 * Rounding: a factorisation of order n that succeeds on a matrix whose diagonal is smaller by a share n(n + 1) u proves that
 * matrix positive (Demmel 1989, Rump 2006); the rounding of Σ λ_k Q_k itself is taken off the diagonal by Gershgorin's rows.
 */
import { factorInPlace, forward } from '../linalg/cholesky.js';
import {
  addForm,
  dense,
  NONE,
  product,
  type SemidefiniteProgram,
  type SparseVector,
  type SymmetricForm,
  sparse,
  unit,
} from '../linalg/semidefinite-program.js';
import type { UpperRow } from './polyhedral.js';
import type { ScaledQuadratic } from './quadratic-view.js';

export interface RelaxedConstraint {
  readonly form: SymmetricForm;
  /** = 0 rather than <= 0. */
  readonly equation: boolean;
}

/** One rounding, with a factor of two in hand. */
const ROUNDING = 2 ** -52;
/** Shares of the multipliers, or multiples of a certificate, that are tried for the best bound. */
const SHARES = [1, 1 - 1e-12, 1 - 1e-10, 1 - 1e-8, 1 - 1e-6, 1 - 1e-4, 0.99, 0.5];
const MULTIPLES = Array.from({ length: 13 }, (_, k) => 10 ** k);

export function quadraticConstraint({ A, b, c }: ScaledQuadratic): RelaxedConstraint {
  const d = b.length;
  const n = d + 1;
  const Q = new Float64Array(n * n);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) Q[i * n + j] = A[i * d + j];
    Q[i * n + d] = Q[d * n + i] = b[i];
  }
  Q[d * n + d] = c;
  return { form: dense(Q), equation: false };
}

/** low <= a·y <= high; undefined when both are infinite. */
export function intervalConstraint(a: Float64Array, low: number, high: number): RelaxedConstraint | undefined {
  const from = (value: number, sign = 1) => sparse([...a.map((entry) => sign * entry), -sign * value]);
  const one = unit(a.length);
  if (low === high) return { form: product(from(high), one), equation: true };
  if (low > Number.NEGATIVE_INFINITY && high < Infinity)
    return { form: product(from(low), from(high)), equation: false };
  if (high < Infinity) return { form: product(from(high), one), equation: false };
  return low > Number.NEGATIVE_INFINITY ? { form: product(from(low, -1), one), equation: false } : undefined;
}

/** Rows a·y <= upper as intervals: a row and its negative that follow each other are the two ends of one. */
export function rowConstraints(rows: readonly UpperRow[]): RelaxedConstraint[] {
  const constraints: RelaxedConstraint[] = [];
  for (let i = 0; i < rows.length; i++) {
    const { a, upper } = rows[i];
    const next = rows[i + 1];
    const paired = next?.a.every((value, j) => value === -a[j]);
    constraints.push(intervalConstraint(a, paired ? -next.upper : Number.NEGATIVE_INFINITY, upper)!);
    if (paired) i++;
  }
  return constraints;
}

/** The same constraint in ŷ = y/σ. For σ a power of two nothing is rounded. */
export function rescaled({ form, equation }: RelaxedConstraint, sigma: number, d: number): RelaxedConstraint {
  const stretch = (v: SparseVector) => ({
    ...v,
    value: v.value.map((value, k) => (v.index[k] < d ? sigma * value : value)),
  });
  if (form.kind === 'product') return { form: product(stretch(form.u), stretch(form.w)), equation };
  const n = d + 1;
  const factor = (i: number) => (i < d ? sigma : 1);
  return { form: dense(form.entries.map((value, k) => factor(Math.floor(k / n)) * factor(k % n) * value)), equation };
}

/** How far y = 0 is at least from the constraint: c - 2‖b‖r - ‖A‖r² > 0 below this r. */
export function leastDistance({ form, equation }: RelaxedConstraint, d: number): number {
  const n = d + 1;
  const Q = new Float64Array(n * n);
  addForm(form, 1, Q, n);
  const c = equation ? Math.abs(Q[d * n + d]) : Q[d * n + d];
  if (!(c > 0)) return 0;
  let slope = 0;
  let bend = 0;
  for (let i = 0; i < d; i++) {
    slope += Q[i * n + d] ** 2;
    for (let j = 0; j < d; j++) bend += Q[i * n + j] ** 2;
  }
  return c / (Math.sqrt(slope) + Math.sqrt(slope + Math.sqrt(bend) * c));
}

export function relaxation(constraints: readonly RelaxedConstraint[], d: number): SemidefiniteProgram {
  const n = d + 1;
  const cost = new Float64Array(n * n);
  for (let i = 0; i < d; i++) cost[i * n + i] = 1;
  let slacks = 0;
  const rows = constraints.map(({ form, equation }) => ({ form, linear: equation ? NONE : unit(slacks++), value: 0 }));
  rows.unshift({ form: product(unit(d), unit(d)), linear: NONE, value: 1 });
  return { order: n, cost, linearCost: new Float64Array(slacks), rows };
}

/** λ >= 0 of the relaxation's constraints, from the multipliers of the program's rows. */
export function multipliers(constraints: readonly RelaxedConstraint[], y: Float64Array): Float64Array {
  return Float64Array.from(constraints, ({ equation }, k) => (equation ? -y[k + 1] : Math.max(0, -y[k + 1])));
}

/** The best of the bounds D(sλ); -Infinity when none is proved. */
export function provedBound(constraints: readonly RelaxedConstraint[], lambda: Float64Array, d: number): number {
  return Math.max(
    ...SHARES.map((s) =>
      leastOf(
        constraints,
        lambda.map((value) => s * value),
        d,
        1,
      ),
    ),
  );
}

/** Infinity when Σ λ_k q_k > 0 everywhere, which no y of the region allows; else the best bound from a multiple of λ. */
export function provedEmpty(constraints: readonly RelaxedConstraint[], lambda: Float64Array, d: number): number {
  if (leastOf(constraints, lambda, d, 0) > 0) return Infinity;
  return Math.max(
    ...MULTIPLES.map((s) =>
      leastOf(
        constraints,
        lambda.map((value) => s * value),
        d,
        1,
      ),
    ),
  );
}

/** A proved lower bound on  weight ‖y‖² + Σ λ_k q_k(y)  over all y; -Infinity when its matrix is not proved positive. */
function leastOf(constraints: readonly RelaxedConstraint[], lambda: Float64Array, d: number, weight: number): number {
  const n = d + 1;
  const Z = new Float64Array(n * n);
  const sizes = new Float64Array(n * n);
  for (let i = 0; i < d; i++) Z[i * n + i] = sizes[i * n + i] = weight;
  for (const [k, { form }] of constraints.entries()) {
    if (lambda[k] === 0) continue;
    addForm(form, lambda[k], Z, n);
    addForm(sizeOf(form), Math.abs(lambda[k]), sizes, n);
  }
  const share = n * (n + 1) * ROUNDING;
  const formed = (constraints.length + 4) * ROUNDING;
  const doubt = (i: number) => formed * sizes.subarray(i * n, (i + 1) * n).reduce((sum, value) => sum + value, 0);
  const M = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) M[i * d + j] = Z[i * n + j];
    M[i * d + i] -= doubt(i) + share * Math.abs(Z[i * n + i]);
  }
  if (!factorInPlace(M, d)) return Number.NEGATIVE_INFINITY;
  const w = Float64Array.from({ length: d }, (_, i) => Z[d * n + i]);
  forward(M, d, w);
  const square = w.reduce((sum, value) => sum + value * value, 0);
  const corner = Z[d * n + d];
  return corner - square - 2 * share * (Math.abs(corner) + square) - doubt(d);
}

function sizeOf(form: SymmetricForm): SymmetricForm {
  if (form.kind === 'dense') return dense(form.entries.map(Math.abs));
  const positive = (v: SparseVector) => ({ ...v, value: v.value.map(Math.abs) });
  return product(positive(form.u), positive(form.w));
}
