/**
 * Symmetric positive definite systems, on ml-matrix's Cholesky. A matrix with a condition beyond double precision counts as singular: an
 * answer from it would be noise.
 */
import { CholeskyDecomposition, EigenvalueDecomposition, Matrix } from 'ml-matrix';

/** A pivot below this share of the diagonal it came from has lost all its digits. */
const SINGULAR_PIVOT = 1e-13;

/** x_k with A x_k = b_k, or undefined when A is not (numerically) positive definite. A is scaled to unit diagonal first. */
export function solvePositive(
  a: readonly (readonly number[])[],
  rightSides: readonly (readonly number[])[],
): Float64Array[] | undefined {
  const scale = a.map((row, i) => 1 / Math.sqrt(row[i]));
  if (!scale.every((s) => Number.isFinite(s) && s > 0)) return undefined;
  const lower = choleskyLower(a.map((row, i) => row.map((value, j) => value * scale[i] * scale[j])));
  if (!lower) return undefined;
  return rightSides.map((b) => {
    const y = forwardBack(
      lower,
      b.map((value, i) => value * scale[i]),
    );
    return Float64Array.from(y, (value, i) => value * scale[i]);
  });
}

/** L with A = L Lᵀ, or undefined when A is not positive definite. */
export function choleskyLower(a: readonly (readonly number[])[]): number[][] | undefined {
  const size = (i: number, j: number) => Math.sqrt(Math.abs(a[i][i] * a[j][j]));
  const asymmetry = a.some((row, i) => row.some((value, j) => Math.abs(value - a[j][i]) > 1e-8 * size(i, j)));
  if (asymmetry) return undefined;
  const symmetric = a.map((row, i) => row.map((_, j) => (i >= j ? a[i][j] : a[j][i])));
  const decomposition = new CholeskyDecomposition(new Matrix(symmetric));
  if (!decomposition.isPositiveDefinite()) return undefined;
  const lower = decomposition.lowerTriangularMatrix.to2DArray();
  return lower.every((row, i) => row[i] * row[i] > SINGULAR_PIVOT * symmetric[i][i]) ? lower : undefined;
}

function forwardBack(lower: number[][], b: number[]): number[] {
  const n = b.length;
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) x[i] -= lower[i][j] * x[j];
    x[i] /= lower[i][i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] -= lower[j][i] * x[j];
    x[i] /= lower[i][i];
  }
  return x;
}

/** A⁻¹ and log|A| of a positive definite matrix, scaled to unit diagonal first. Undefined: the matrix is not positive definite. */
export function invertPositive(
  a: readonly (readonly number[])[],
): { rows: number[][]; logDeterminant: number } | undefined {
  const scale = a.map((row, i) => 1 / Math.sqrt(row[i]));
  if (!scale.every((s) => Number.isFinite(s) && s > 0)) return undefined;
  const lower = choleskyLower(a.map((row, i) => row.map((value, j) => value * scale[i] * scale[j])));
  if (!lower) return undefined;
  const columns = a.map((_, k) =>
    forwardBack(
      lower,
      a.map((__, i) => +(i === k)),
    ),
  );
  const rows = a.map((_, i) => a.map((__, j) => 0.5 * (columns[j][i] + columns[i][j]) * scale[i] * scale[j]));
  const logDeterminant = 2 * lower.reduce((sum, row, i) => sum + Math.log(row[i]) - Math.log(scale[i]), 0);
  return { rows, logDeterminant };
}

export function isPositiveSemidefinite(a: readonly (readonly number[])[]): boolean {
  const size = Math.max(...a.map((row, i) => Math.abs(row[i])), 0);
  if (size === 0) return a.every((row) => row.every((value) => value === 0));
  if (a.some((row, i) => row.some((value, j) => Math.abs(value - a[j][i]) > 1e-8 * size))) return false;
  const symmetric = a.map((row, i) => row.map((value, j) => 0.5 * (value + a[j][i])));
  const { realEigenvalues } = new EigenvalueDecomposition(new Matrix(symmetric), { assumeSymmetric: true });
  return realEigenvalues.every((value) => value >= -1e-9 * size);
}
