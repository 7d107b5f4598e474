/**
 * The squared cost as a norm: cost(Δ) = ‖y‖² with Δ = S y.
 *
 *   l2            S = diag(1/√w);  a one-hot category's columns count half each, so that a change of two of them costs w
 *   mahalanobis   S = L⁻ᵀ for S⁻¹ = L Lᵀ over the numeric features
 */
import { choleskyLower } from '../../linalg/symmetric.js';
import type { Problem } from '../../problems/problem.js';

/** The factor over all columns, or over some of them with the others held still. */
export function costFactor(problem: Problem, columns?: Int32Array): Float64Array[] {
  const { space, cost } = problem;
  const chosen = columns ?? Int32Array.from({ length: space.columns }, (_, c) => c);
  const place = new Map(Array.from(chosen, (c, i) => [c, i]));
  const weights = Array.from(
    chosen,
    (c) => (space.features[space.owner[c]].kind === 'choice' ? 0.5 : 1) * cost.weight[space.owner[c]],
  );
  const factor = weights.map((weight, i) =>
    Float64Array.from(weights, (_, j) => (i === j ? 1 / Math.sqrt(weight) : 0)),
  );
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
