/**
 * The squared cost as a norm: cost(Δ) = ‖y‖² with Δ = S y.
 *
 *   l2            S = diag(1/√w);  a one-hot category's columns count half each, so that a change of two of them costs w
 *   mahalanobis   S = L⁻ᵀ for S⁻¹ = L Lᵀ over the numeric features
 */
import { choleskyLower } from '../../linalg/symmetric.js';
import type { Problem } from '../../problems/problem.js';

/** The diagonal of the factor by column. It is the whole factor where the cost has no metric. */
export function costScales({ space, cost }: Problem): Float64Array {
  const weight = (f: number) => (space.features[f].kind === 'choice' ? 0.5 : 1) * cost.weight[f];
  return Float64Array.from({ length: space.columns }, (_, c) => 1 / Math.sqrt(weight(space.owner[c])));
}

/** The factor over all columns, or over some of them with the others fixed. */
export function costFactor(problem: Problem, columns?: Int32Array): Float64Array[] {
  const { space, cost } = problem;
  const scales = costScales(problem);
  const chosen = columns ?? Int32Array.from({ length: space.columns }, (_, c) => c);
  const place = new Map(Array.from(chosen, (c, i) => [c, i]));
  const factor = Array.from(chosen, (c, i) => new Float64Array(chosen.length).fill(scales[c], i, i + 1));
  if (!cost.metric) return factor;
  const members = [...cost.metric.features.keys()].filter((k) => place.has(cost.metric!.features[k].column));
  const inverse = inverseFactor(members.map((i) => members.map((j) => cost.metric!.inverse[i][j])));
  for (const [i, f] of members.entries()) {
    const row = factor[place.get(cost.metric.features[f].column)!];
    for (const [j, g] of members.entries()) row[place.get(cost.metric.features[g].column)!] = inverse[i][j];
  }
  return factor;
}

/** L⁻ᵀ for P = L Lᵀ. */
function inverseFactor(p: readonly (readonly number[])[]): Float64Array[] {
  if (!p.length) return [];
  const lower = choleskyLower(p)!;
  const size = lower.length;
  const out = Array.from({ length: size }, () => new Float64Array(size));
  for (let k = 0; k < size; k++) {
    for (let i = size - 1; i >= 0; i--) {
      let sum = +(i === k);
      for (let j = i + 1; j < size; j++) sum -= lower[j][i] * out[j][k];
      out[i][k] = sum / lower[i][i];
    }
  }
  return out;
}

/** The largest relative difference between ‖y‖² and the cost of S y: rounding of S, and for a metric ‖SᵀPS - 1‖ by its row sums. */
export function factorError({ cost, space }: Problem, columns: Int32Array, S: Float64Array): number {
  const d = columns.length;
  const plain = 2 ** -48;
  if (!cost.metric) return plain;
  const place = new Map(cost.metric.features.map(({ column }, k) => [column, k]));
  const weight = (c: number) => {
    const { kind, index } = space.features[space.owner[c]];
    return (kind === 'choice' ? 0.5 : 1) * cost.weight[index];
  };
  const P = (i: number, j: number) => {
    const [f, g] = [place.get(columns[i]), place.get(columns[j])];
    if (f === undefined || g === undefined) return i === j ? weight(columns[i]) : 0;
    return cost.metric!.inverse[f][g];
  };
  return plain + largestRowSum(d, S, P);
}

/** The largest over i of Σ_j |SᵀPS - 1|_ij plus its rounding error. S is upper triangular. */
function largestRowSum(d: number, S: Float64Array, P: (i: number, j: number) => number): number {
  const [half, size] = [new Float64Array(d * d), new Float64Array(d * d)];
  for (let i = 0; i < d; i++) {
    for (let k = 0; k < d; k++) {
      const entry = P(i, k);
      for (let j = k; j < d; j++) half[i * d + j] += entry * S[k * d + j];
      for (let j = k; j < d; j++) size[i * d + j] += Math.abs(entry * S[k * d + j]);
    }
  }
  let most = 0;
  for (let i = 0; i < d; i++) {
    let row = 0;
    for (let j = 0; j < d; j++) {
      let [off, terms] = [-(i === j), +(i === j)];
      for (let k = 0; k <= i; k++) off += S[k * d + i] * half[k * d + j];
      for (let k = 0; k <= i; k++) terms += Math.abs(S[k * d + i]) * size[k * d + j];
      row += Math.abs(off) + 2 * (d + 4) * 2 ** -53 * terms;
    }
    most = Math.max(most, row);
  }
  return most;
}
