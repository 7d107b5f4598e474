/**
 * The normal equations of the HKM direction of a semidefinite program (interior-point.ts):
 *
 *   B_ij = A_i • (X A_j Z⁻¹) + Σ_k a_ik a_jk x_k / z_k            symmetric, positive definite when the rows are independent
 *
 * A dense A_j costs one product G = X A_j Z⁻¹ of matrices and an inner product with every other row. For two products ½(u wᵀ + w uᵀ) and
 * ½(s tᵀ + t sᵀ) the trace is a sum of bilinear forms of the vectors,
 *
 *   4 B_ij = (w·Xs)(t·Z⁻¹u) + (w·Xt)(s·Z⁻¹u) + (u·Xs)(t·Z⁻¹w) + (u·Xt)(s·Z⁻¹w),
 *
 * whose cost is the number of entries of the vectors, once Xs, Xt, Z⁻¹s and Z⁻¹t are known.
 */

import { multiplySymmetric } from '../../linalg/square-matrix.js';
import {
  dotSparse,
  innerProduct,
  type SemidefiniteRow,
  type SparseVector,
  type SymmetricForm,
} from './semidefinite-program.js';

type Product = Extract<SymmetricForm, { kind: 'product' }>;

export class SchurComplement {
  readonly matrix: Float64Array;
  private readonly denseRows: readonly number[];
  private readonly productRows: readonly number[];
  /** By product: Xu, Xw, Z⁻¹u, Z⁻¹w. */
  private readonly images: Float64Array;
  /** By column of the linear block: the rows that contain it, and its entries there. */
  private readonly columns: readonly { readonly row: number; readonly value: number }[][];
  private readonly half: Float64Array;
  private readonly full: Float64Array;

  constructor(
    private readonly rows: readonly SemidefiniteRow[],
    private readonly n: number,
    linearSize: number,
  ) {
    const all = [...rows.keys()];
    this.matrix = new Float64Array(rows.length * rows.length);
    this.denseRows = all.filter((i) => rows[i].form.kind === 'dense');
    this.productRows = all.filter((i) => rows[i].form.kind === 'product');
    this.images = new Float64Array(4 * n * this.productRows.length);
    this.columns = Array.from({ length: linearSize }, () => []);
    for (const [row, { linear }] of rows.entries())
      for (const [k, column] of linear.index.entries()) this.columns[column].push({ row, value: linear.value[k] });
    this.half = new Float64Array(n * n);
    this.full = new Float64Array(n * n);
  }

  build(X: Float64Array, inverse: Float64Array, x: Float64Array, z: Float64Array): void {
    this.addDense(X, inverse);
    this.addProducts(X, inverse);
    const m = this.rows.length;
    for (const [k, entries] of this.columns.entries()) {
      const weight = x[k] / z[k];
      for (const p of entries) for (const q of entries) this.matrix[p.row * m + q.row] += weight * p.value * q.value;
    }
  }

  private set(i: number, j: number, value: number): void {
    const m = this.rows.length;
    this.matrix[i * m + j] = this.matrix[j * m + i] = value;
  }

  private addDense(X: Float64Array, inverse: Float64Array): void {
    const { rows, n, half, full } = this;
    for (const [at, j] of this.denseRows.entries()) {
      multiplySymmetric(X, (rows[j].form as Extract<SymmetricForm, { kind: 'dense' }>).entries, half, n);
      multiplySymmetric(half, inverse, full, n);
      for (const i of this.denseRows.slice(at)) this.set(i, j, innerProduct(rows[i].form, full, n));
      for (const i of this.productRows) this.set(i, j, innerProduct(rows[i].form, full, n));
    }
  }

  private addProducts(X: Float64Array, inverse: Float64Array): void {
    const { rows, n, images, productRows } = this;
    for (const [at, j] of productRows.entries()) {
      const { u, w } = rows[j].form as Product;
      const place = 4 * n * at;
      image(X, u, images, place, n);
      image(X, w, images, place + n, n);
      image(inverse, u, images, place + 2 * n, n);
      image(inverse, w, images, place + 3 * n, n);
      for (let k = 0; k <= at; k++) this.set(productRows[k], j, this.pair(rows[productRows[k]].form as Product, place));
    }
  }

  private pair({ u, w }: Product, place: number): number {
    const { n, images } = this;
    const left = (v: SparseVector, which: number) => dotSparse(v, images, place + which * n);
    return (
      0.25 * (left(w, 0) * left(u, 3) + left(w, 1) * left(u, 2) + left(u, 0) * left(w, 3) + left(u, 1) * left(w, 2))
    );
  }
}

/** Writes A v into out from `place` on, for a symmetric A. */
function image(A: Float64Array, { index, value }: SparseVector, out: Float64Array, place: number, n: number): void {
  for (let i = 0; i < n; i++) out[place + i] = 0;
  for (let k = 0; k < index.length; k++) for (let i = 0; i < n; i++) out[place + i] += value[k] * A[index[k] * n + i];
}
