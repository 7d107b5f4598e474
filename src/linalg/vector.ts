/** Tight loops over typed arrays that several layers share. */

export function dot(a: Float64Array, x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * x[i];
  return sum;
}

/** Index of the first largest entry: ties go to the lower index, as in numpy and scikit-learn. */
export function argmax(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/** The largest |value|. */
export function largestSize(values: Float64Array): number {
  let most = 0;
  for (let j = 0; j < values.length; j++) most = Math.max(most, Math.abs(values[j]));
  return most;
}

export function subtract(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value - b[i]);
}

/** log Σ_j exp w_j, safe for any size of w. */
export function logSumExp(w: Float64Array): number {
  const top = Math.max(...w);
  if (top === -Infinity) return top;
  return top + Math.log(w.reduce((sum, value) => sum + Math.exp(value - top), 0));
}
