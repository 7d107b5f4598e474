/** Small dense Cholesky factorisation in place, on row-major typed arrays, for inner loops. */

/** A pivot below this share of its diagonal entry counts as zero. */
const LEAST_PIVOT = 1e-14;

/** Overwrites the lower triangle of A (n x n) with L, A = L Lᵀ. False when A is not positive definite. */
export function factorInPlace(A: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i * n + j];
      for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      if (i === j) {
        if (!(sum > LEAST_PIVOT * Math.abs(A[i * n + i])) || !(sum > 0)) return false;
        A[i * n + i] = Math.sqrt(sum);
      } else A[i * n + j] = sum / A[j * n + j];
    }
  }
  return true;
}

/** Solves L z = b in place. */
export function forward(L: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = b[i];
    for (let k = 0; k < i; k++) sum -= L[i * n + k] * b[k];
    b[i] = sum / L[i * n + i];
  }
}

/** Solves Lᵀ z = b in place. */
export function backward(L: Float64Array, n: number, b: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    let sum = b[i];
    for (let k = i + 1; k < n; k++) sum -= L[k * n + i] * b[k];
    b[i] = sum / L[i * n + i];
  }
}
