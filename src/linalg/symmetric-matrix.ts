/** Symmetric matrices of models: full, diagonal, or the identity. Full matrices are row-major. */
import type { AffineMap } from './affine.js';

export type SymmetricMatrix =
  | { readonly kind: 'full'; readonly size: number; readonly entries: Float64Array }
  | { readonly kind: 'diagonal'; readonly size: number; readonly entries: Float64Array };

export const identity = (size: number): SymmetricMatrix => ({
  kind: 'diagonal',
  size,
  entries: new Float64Array(size).fill(1),
});

export function fullMatrix(rows: readonly (readonly number[])[]): SymmetricMatrix {
  const size = rows.length;
  const entries = new Float64Array(size * size);
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) entries[i * size + j] = 0.5 * (rows[i][j] + rows[j][i]);
  return { kind: 'full', size, entries };
}

/** (x - at)ᵀ A (x - at) */
export function quadraticForm(a: SymmetricMatrix, x: Float64Array, at: Float64Array): number {
  const { size, entries } = a;
  let total = 0;
  for (let i = 0; i < size; i++) {
    const delta = x[i] - at[i];
    if (a.kind === 'diagonal') total += entries[i] * delta * delta;
    else {
      let sum = 0;
      for (let j = 0; j < size; j++) sum += entries[i * size + j] * (x[j] - at[j]);
      total += delta * sum;
    }
  }
  return total;
}

/** (x - at)ᵀ A v, in time proportional to the nonzero entries of v */
export function bilinearForm(a: SymmetricMatrix, x: Float64Array, at: Float64Array, v: Float64Array): number {
  const { size, entries } = a;
  let total = 0;
  for (let j = 0; j < size; j++) {
    if (v[j] === 0) continue;
    if (a.kind === 'diagonal') total += entries[j] * (x[j] - at[j]) * v[j];
    else {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += entries[j * size + i] * (x[i] - at[i]);
      total += sum * v[j];
    }
  }
  return total;
}

/**
 * The largest rounding error of the form at x, for a positive semidefinite A. The diagonal bounds the terms that cancel: |a_ij δ_i δ_j| <=
 * ½(a_ii δ_i² + a_jj δ_j²).
 */
export function formRounding(a: SymmetricMatrix, x: Float64Array, at: Float64Array): number {
  return formRoundingShare(a) * quadraticForm(diagonalOf(a), x, at);
}

/** The same error as a share of the form of the diagonal. */
export const formRoundingShare = ({ kind, size }: SymmetricMatrix): number =>
  2 * (size + 4) * (kind === 'full' ? size : 1) * 2 ** -53;

const diagonals = new WeakMap<SymmetricMatrix, SymmetricMatrix>();

/** The diagonal of a matrix, as a matrix. */
export function diagonalOf(a: SymmetricMatrix): SymmetricMatrix {
  if (a.kind === 'diagonal') return a;
  let known = diagonals.get(a);
  if (!known) {
    const entries = Float64Array.from({ length: a.size }, (_, i) => Math.abs(a.entries[i * a.size + i]));
    known = { kind: 'diagonal', size: a.size, entries };
    diagonals.set(a, known);
  }
  return known;
}

/** out += factor · 2 A (x - at) */
export function addQuadraticGradient(
  a: SymmetricMatrix,
  x: Float64Array,
  at: Float64Array,
  factor: number,
  out: Float64Array,
): void {
  const { size, entries } = a;
  for (let i = 0; i < size; i++) {
    if (a.kind === 'diagonal') out[i] += 2 * factor * entries[i] * (x[i] - at[i]);
    else {
      let sum = 0;
      for (let j = 0; j < size; j++) sum += entries[i * size + j] * (x[j] - at[j]);
      out[i] += 2 * factor * sum;
    }
  }
}

export function sameMatrix(a: SymmetricMatrix, b: SymmetricMatrix): boolean {
  return a === b || (a.kind === b.kind && a.size === b.size && a.entries.every((value, i) => value === b.entries[i]));
}

export function entry(a: SymmetricMatrix, i: number, j: number): number {
  if (a.kind === 'full') return a.entries[i * a.size + j];
  return i === j ? a.entries[i] : 0;
}

/** Mᵀ A M for an affine map's linear part, row-major over the map's source. */
export function pullBackMatrix(a: SymmetricMatrix, map: AffineMap | null): Float64Array {
  if (!map || map.diagonal) {
    const scale = map?.diagonal;
    const out = new Float64Array(a.size * a.size);
    for (let i = 0; i < a.size; i++)
      for (let j = 0; j < a.size; j++) out[i * a.size + j] = entry(a, i, j) * (scale ? scale[i] * scale[j] : 1);
    return out;
  }
  const rows = map.matrix!;
  const source = rows[0].length;
  const half = rows.map((_, i) => {
    const sum = new Float64Array(source);
    for (let k = 0; k < a.size; k++) {
      const value = entry(a, i, k);
      if (value !== 0) for (let j = 0; j < source; j++) sum[j] += value * rows[k][j];
    }
    return sum;
  });
  const out = new Float64Array(source * source);
  for (let i = 0; i < a.size; i++)
    for (let p = 0; p < source; p++) for (let q = 0; q < source; q++) out[p * source + q] += rows[i][p] * half[i][q];
  return out;
}
