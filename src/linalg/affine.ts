/**
 * Affine maps y = M x + o. A map stays diagonal as long as possible: scaling a thousand columns must not cost a thousand squared
 * operations. `diagonal` is null for a full map, `matrix` is null for a diagonal map.
 */
export interface AffineMap {
  readonly matrix: readonly Float64Array[] | null;
  readonly diagonal: Float64Array | null;
  readonly offset: Float64Array;
}

export function identityMap(size: number): AffineMap {
  return { matrix: null, diagonal: new Float64Array(size).fill(1), offset: new Float64Array(size) };
}

export function diagonalMap(diagonal: readonly number[], offset: readonly number[]): AffineMap {
  return { matrix: null, diagonal: Float64Array.from(diagonal), offset: Float64Array.from(offset) };
}

/** The map of the absolute values of all entries. */
export const sizesOf = ({ matrix, diagonal, offset }: AffineMap): AffineMap => ({
  matrix: matrix?.map((row) => row.map(Math.abs)) ?? null,
  diagonal: diagonal?.map(Math.abs) ?? null,
  offset: offset.map(Math.abs),
});

/** outer after inner: x -> outer(inner(x)) */
export function compose(outer: AffineMap, inner: AffineMap): AffineMap {
  if (outer.diagonal && inner.diagonal) {
    const diagonal = outer.diagonal.map((s, i) => s * inner.diagonal![i]);
    return { matrix: null, diagonal, offset: outer.offset.map((o, i) => o + outer.diagonal![i] * inner.offset[i]) };
  }
  const rows = Array.from(outer.offset, (_, r) => pullBackVector(inner, rowOf(outer, r)));
  const offset = outer.offset.map((o, r) => o + rows[r].shift);
  return { matrix: rows.map((row) => row.a), diagonal: null, offset };
}

function rowOf(map: AffineMap, r: number): Float64Array {
  if (map.matrix) return map.matrix[r];
  const row = new Float64Array(map.offset.length);
  row[r] = map.diagonal![r];
  return row;
}

/** x -> (map(x), x): the image, then the unchanged source. */
export function withSource(map: AffineMap, columns: number): AffineMap {
  const image = Array.from(map.offset, (_, r) => rowOf(map, r));
  const source = Array.from({ length: columns }, (_, c) => new Float64Array(columns).fill(1, c, c + 1));
  const offset = new Float64Array(map.offset.length + columns);
  offset.set(map.offset);
  return { matrix: [...image, ...source], diagonal: null, offset };
}

/** The functional a·y on the image as a functional on the source: a·(M x + o) = (Mᵀa)·x + a·o. */
export function pullBackVector(map: AffineMap, a: Float64Array): { a: Float64Array; shift: number } {
  let shift = 0;
  for (let i = 0; i < a.length; i++) shift += a[i] * map.offset[i];
  if (map.diagonal) return { a: map.diagonal.map((s, i) => s * a[i]), shift };
  const out = new Float64Array(map.matrix![0].length);
  for (let r = 0; r < a.length; r++) {
    const row = map.matrix![r];
    if (a[r] !== 0) for (let i = 0; i < out.length; i++) out[i] += a[r] * row[i];
  }
  return { a: out, shift };
}

export function applyMap(map: AffineMap, x: Float64Array, out: Float64Array): void {
  for (let r = 0; r < out.length; r++) {
    if (map.diagonal) {
      out[r] = map.offset[r] + map.diagonal[r] * x[r];
      continue;
    }
    const row = map.matrix![r];
    let sum = map.offset[r];
    for (let i = 0; i < row.length; i++) sum += row[i] * x[i];
    out[r] = sum;
  }
}

export function isIdentity({ diagonal, offset }: AffineMap): boolean {
  return !!diagonal?.every((s) => s === 1) && offset.every((o) => o === 0);
}
