/**
 * Semidefinite programs as data: one dense block X of order n and a linear block x.
 *
 *   min  C•X + c·x   s.t.   A_i•X + a_i·x = b_i,   X ⪰ 0,  x >= 0              A•X = Σ A_jk X_jk
 *
 * A matrix A_i is dense, or ½(u wᵀ + w uᵀ) with sparse u and w: a product of two linear forms, a linear form (w = e_0), a square (u = w), a
 * single entry. Each matrix of the second kind saves a factor n² in the normal equations.
 *
 * Scaling: every A_i to norm 1, every column of the linear block to a largest entry of 1, b and the cost to size 1.
 */

export interface SparseVector {
  readonly index: Int32Array;
  readonly value: Float64Array;
}

export type SymmetricForm =
  | { readonly kind: 'dense'; readonly entries: Float64Array }
  | { readonly kind: 'product'; readonly u: SparseVector; readonly w: SparseVector };

export interface SemidefiniteRow {
  readonly form: SymmetricForm;
  readonly linear: SparseVector;
  readonly value: number;
}

export interface SemidefiniteProgram {
  readonly order: number;
  /** C, row-major. */
  readonly cost: Float64Array;
  readonly linearCost: Float64Array;
  readonly rows: readonly SemidefiniteRow[];
}

export const NONE: SparseVector = { index: new Int32Array(), value: new Float64Array() };

export const unit = (k: number, value = 1): SparseVector => ({
  index: Int32Array.of(k),
  value: Float64Array.of(value),
});

export function sparse(entries: ArrayLike<number>): SparseVector {
  const index = Int32Array.from(Array.from(entries).keys()).filter((k) => entries[k] !== 0);
  return { index, value: Float64Array.from(index, (k) => entries[k]) };
}

export const dense = (entries: Float64Array): SymmetricForm => ({ kind: 'dense', entries });

export const product = (u: SparseVector, w: SparseVector): SymmetricForm => ({ kind: 'product', u, w });

export function dotSparse({ index, value }: SparseVector, x: Float64Array, offset = 0): number {
  let sum = 0;
  for (let k = 0; k < index.length; k++) sum += value[k] * x[offset + index[k]];
  return sum;
}

export function addSparse({ index, value }: SparseVector, factor: number, x: Float64Array): void {
  for (let k = 0; k < index.length; k++) x[index[k]] += factor * value[k];
}

/** A•X; X need not be symmetric. */
export function innerProduct(form: SymmetricForm, X: Float64Array, n: number): number {
  let sum = 0;
  if (form.kind === 'dense') {
    for (let k = 0; k < X.length; k++) sum += form.entries[k] * X[k];
    return sum;
  }
  const { u, w } = form;
  for (let i = 0; i < u.index.length; i++) {
    for (let j = 0; j < w.index.length; j++) {
      const [p, q] = [u.index[i], w.index[j]];
      sum += u.value[i] * w.value[j] * (X[p * n + q] + X[q * n + p]);
    }
  }
  return 0.5 * sum;
}

/** out += factor · A */
export function addForm(form: SymmetricForm, factor: number, out: Float64Array, n: number): void {
  if (form.kind === 'dense') {
    for (let k = 0; k < out.length; k++) out[k] += factor * form.entries[k];
    return;
  }
  const { u, w } = form;
  for (let i = 0; i < u.index.length; i++) {
    for (let j = 0; j < w.index.length; j++) {
      const term = 0.5 * factor * (u.value[i] * w.value[j]);
      out[u.index[i] * n + w.index[j]] += term;
      out[w.index[j] * n + u.index[i]] += term;
    }
  }
}

/** ‖A‖ with ‖A‖² = A•A. */
export function normOf(form: SymmetricForm): number {
  if (form.kind === 'dense') return Math.hypot(...form.entries);
  const { u, w } = form;
  let cross = 0;
  for (let i = 0; i < u.index.length; i++)
    for (let j = 0; j < w.index.length; j++) if (u.index[i] === w.index[j]) cross += u.value[i] * w.value[j];
  return Math.hypot(Math.hypot(...u.value) * Math.hypot(...w.value), cross) / Math.SQRT2;
}

function scaledForm(form: SymmetricForm, factor: number): SymmetricForm {
  if (form.kind === 'dense') return dense(form.entries.map((value) => factor * value));
  return product({ ...form.u, value: form.u.value.map((value) => factor * value) }, form.w);
}

export interface ScaledProgram {
  readonly program: SemidefiniteProgram;
  /** Â_i = row_i A_i,  x = column x̂ · size,  X = size X̂,  Ẑ = price Z. */
  readonly row: Float64Array;
  readonly column: Float64Array;
  readonly size: number;
  readonly price: number;
}

export function scaleProgram({ order, cost, linearCost, rows }: SemidefiniteProgram): ScaledProgram {
  const row = Float64Array.from(rows, ({ form, linear }) => 1 / (normOf(form) || Math.hypot(...linear.value) || 1));
  const largest = new Float64Array(linearCost.length);
  for (const [i, { linear }] of rows.entries())
    for (let k = 0; k < linear.index.length; k++)
      largest[linear.index[k]] = Math.max(largest[linear.index[k]], Math.abs(row[i] * linear.value[k]));
  const column = largest.map((value) => 1 / (value || 1));
  const size = rows.reduce((most, { value }, i) => Math.max(most, Math.abs(row[i] * value)), 0) || 1;
  const price =
    1 / (linearCost.reduce((most, value, k) => Math.max(most, Math.abs(value * column[k])), normOf(dense(cost))) || 1);
  const program: SemidefiniteProgram = {
    order,
    cost: cost.map((value) => price * value),
    linearCost: linearCost.map((value, k) => price * column[k] * value),
    rows: rows.map(({ form, linear, value }, i) => ({
      form: scaledForm(form, row[i]),
      linear: { ...linear, value: linear.value.map((entry, k) => row[i] * column[linear.index[k]] * entry) },
      value: (row[i] * value) / size,
    })),
  };
  return { program, row, column, size, price };
}
