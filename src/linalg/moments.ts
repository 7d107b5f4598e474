/**
 * Mean and standard deviation of numbers, about the first number:
 *
 *   m = v_0 + Σ (v_i - v_0) / n,     s² = Σ ((v_i - v_0) - (m - v_0))² / n
 *
 * Numbers that are all the same have a deviation of exactly 0. About zero the mean of a hundred times 0.1 is not 0.1, and the deviation
 * would be rounding noise.
 */
export function momentsOf(values: ArrayLike<number>): { mean: number; deviation: number } {
  const { length } = values;
  const first = length ? values[0] : Number.NaN;
  let shift = 0;
  for (let i = 0; i < length; i++) shift += (values[i] - first) / length;
  let variance = 0;
  for (let i = 0; i < length; i++) variance += (values[i] - first - shift) ** 2 / length;
  return { mean: first + shift, deviation: Math.sqrt(variance) };
}
