/**
 * A weighted sum of distances as one distance:
 *
 *   Σ_k w_k (x - μ_k)ᵀ P_k (x - μ_k)  =  (x - m)ᵀ R (x - m) + constant,     R = Σ w_k P_k,   R m = Σ w_k P_k μ_k,   w_k > 0, Σ w_k = 1
 *
 * The right side of the equation for m is added up from differences to one of the centres, so features far from zero lose no digits. The
 * residual r of the equation after rounding is a slope of the error: |2 r·δ| <= ε Σ R_ii δ_i² + Σ r_i² / (ε R_ii). The first term has the
 * size of the rounding error of a distance, the second is the doubt about the constant.
 */
import { solvePositive } from '../linalg/symmetric.js';
import {
  addQuadraticGradient,
  diagonalOf,
  entry,
  formRounding,
  formRoundingShare,
  quadraticForm,
  type SymmetricMatrix,
  sameMatrix,
} from '../linalg/symmetric-matrix.js';
import type { Centre } from './distance-difference.js';

export interface WeightedCentre {
  readonly centre: Centre;
  readonly weight: number;
}

export interface MixedDistance {
  readonly centre: Centre;
  readonly constant: number;
  /** The largest rounding error of the constant. */
  readonly doubt: number;
}

/** The weights must add up to 1. */
export function mixDistances(parts: readonly WeightedCentre[]): MixedDistance {
  if (parts.length === 1) return { centre: parts[0].centre, constant: 0, doubt: 0 };
  const matrix = mixMatrices(parts);
  const centre = { at: mixCentres(parts, matrix), matrix };
  let [constant, doubt] = [0, doubtOf(parts, centre)];
  for (const { centre: own, weight } of parts) {
    constant += weight * quadraticForm(own.matrix, own.at, centre.at);
    doubt += 2 * weight * formRounding(own.matrix, own.at, centre.at);
  }
  return { centre, constant, doubt };
}

function mixMatrices(parts: readonly WeightedCentre[]): SymmetricMatrix {
  const first = parts[0].centre.matrix;
  if (parts.every(({ centre }) => sameMatrix(centre.matrix, first))) return first;
  const { size } = first;
  if (parts.every(({ centre }) => centre.matrix.kind === 'diagonal'))
    return { kind: 'diagonal', size, entries: first.entries.map((_, i) => weighted(parts, (m) => m.entries[i])) };
  const entries = Float64Array.from({ length: size * size }, (_, k) =>
    weighted(parts, (m) => entry(m, Math.floor(k / size), k % size)),
  );
  return { kind: 'full', size, entries };
}

const weighted = (parts: readonly WeightedCentre[], of: (matrix: SymmetricMatrix) => number): number =>
  parts.reduce((sum, { centre, weight }) => sum + weight * of(centre.matrix), 0);

function mixCentres(parts: readonly WeightedCentre[], matrix: SymmetricMatrix): Float64Array {
  const base = parts[0].centre.at;
  const side = pullFrom(parts, base);
  const away = matrix.kind === 'diagonal' ? side.map((value, i) => value / matrix.entries[i]) : solveFull(matrix, side);
  return base.map((value, i) => value + (away?.[i] ?? 0));
}

/** Σ w_k P_k (μ_k - at) */
function pullFrom(parts: readonly WeightedCentre[], at: Float64Array): Float64Array {
  const pull = new Float64Array(at.length);
  for (const { centre, weight } of parts) addQuadraticGradient(centre.matrix, centre.at, at, 0.5 * weight, pull);
  return pull;
}

function solveFull({ size, entries }: SymmetricMatrix, side: Float64Array): Float64Array | undefined {
  const rows = Array.from({ length: size }, (_, i) => [...entries.subarray(i * size, (i + 1) * size)]);
  return solvePositive(rows, [[...side]])?.[0];
}

/** Σ r_i² / (ε R_ii), with r enlarged by its rounding error. */
function doubtOf(parts: readonly WeightedCentre[], { at, matrix }: Centre): number {
  const share = formRoundingShare(matrix);
  const rest = pullFrom(parts, at);
  const hidden = hiddenRest(parts, at);
  const diagonal = diagonalOf(matrix).entries;
  return rest.reduce((sum, r, i) => sum + (Math.abs(r) + hidden[i]) ** 2 / (share * diagonal[i]), 0);
}

function hiddenRest(parts: readonly WeightedCentre[], at: Float64Array): Float64Array {
  const hidden = new Float64Array(at.length);
  const rounding = (at.length + parts.length + 4) * 2 ** -53;
  for (const { centre, weight } of parts)
    for (let i = 0; i < at.length; i++)
      for (let k = 0; k < at.length; k++)
        hidden[i] += rounding * weight * Math.abs(entry(centre.matrix, i, k) * (centre.at[k] - at[k]));
  return hidden;
}
