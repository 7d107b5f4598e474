/** Small dense square matrices, row-major in typed arrays, for inner loops that must not allocate. */

/**
 * out = A B for a symmetric B: inner products of rows, in blocks of four by two that stay in registers. At the edges a block repeats the
 * last row, which writes the same value twice and saves three more loops.
 */
export function multiplySymmetric(A: Float64Array, B: Float64Array, out: Float64Array, n: number): void {
  const row = (i: number) => Math.min(i, n - 1) * n;
  for (let i = 0; i < n; i += 4) {
    const [r0, r1, r2, r3] = [row(i), row(i + 1), row(i + 2), row(i + 3)];
    for (let j = 0; j < n; j += 2) {
      const next = Math.min(j + 1, n - 1);
      let [s00, s01, s10, s11, s20, s21, s30, s31] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let k = 0; k < n; k++) {
        const left = B[j * n + k];
        const right = B[next * n + k];
        s00 += A[r0 + k] * left;
        s01 += A[r0 + k] * right;
        s10 += A[r1 + k] * left;
        s11 += A[r1 + k] * right;
        s20 += A[r2 + k] * left;
        s21 += A[r2 + k] * right;
        s30 += A[r3 + k] * left;
        s31 += A[r3 + k] * right;
      }
      out[r0 + j] = s00;
      out[r0 + next] = s01;
      out[r1 + j] = s10;
      out[r1 + next] = s11;
      out[r2 + j] = s20;
      out[r2 + next] = s21;
      out[r3 + j] = s30;
      out[r3 + next] = s31;
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
