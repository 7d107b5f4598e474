/** Small dense square matrices, row-major in typed arrays, for inner loops that must not allocate. */

/** out = A B, or out += A B. */
export function multiply(A: Float64Array, B: Float64Array, out: Float64Array, n: number, add = false): void {
  if (!add) out.fill(0);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      const factor = A[i * n + k];
      if (factor === 0) continue;
      for (let j = 0; j < n; j++) out[i * n + j] += factor * B[k * n + j];
    }
  }
}

/** A becomes ½(A + Aᵀ). */
export function symmetrise(A: Float64Array, n: number): void {
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
}

/** out = (L Lᵀ)⁻¹ from a Cholesky factor: first L⁻¹ in the lower triangle of `work`, then L⁻ᵀ L⁻¹. */
export function invertFactored(L: Float64Array, out: Float64Array, work: Float64Array, n: number): void {
  work.fill(0);
  for (let i = 0; i < n; i++) {
    const pivot = 1 / L[i * n + i];
    for (let k = 0; k < i; k++) {
      const factor = -L[i * n + k] * pivot;
      for (let j = 0; j <= k; j++) work[i * n + j] += factor * work[k * n + j];
    }
    work[i * n + i] = pivot;
  }
  out.fill(0);
  for (let k = 0; k < n; k++)
    for (let i = 0; i <= k; i++) for (let j = 0; j <= i; j++) out[i * n + j] += work[k * n + i] * work[k * n + j];
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) out[j * n + i] = out[i * n + j];
}
