/**
 * A quadratic form as a convex part and concave squares along directions:
 *
 *   yᵀA y  >=  yᵀP y - Σ_k w_k (v_k·y)² - κ (Σ_j t_j |y_j|)²,        P = Σ_k p_k v_k v_kᵀ,   p_k, w_k >= 0
 *
 * from A = Σ α_k v_k v_kᵀ + E. The residual E of the decomposition is charged to the directions themselves: with diag(e) ⪰ ±E and ε = Σ_j
 * e_j (|A|⁻¹)_jj, the residual is at most a share ε of every |α_k|. The error is therefore a share of the terms at y, however far y goes.
 * Only where A is nearly singular the error is κ > 0, in units t_j of the columns. Columns in very different units make the eigenvectors
 * inaccurate: then the eigenvectors of A in units t are better.
 */
import { HALF_ULP } from '../shared/linear-rows.js';
import { decompose } from './secular.js';

export interface ConcaveSquare {
  readonly v: Float64Array;
  readonly weight: number;
}

export interface ConcaveSplit {
  readonly P: Float64Array;
  /** Σ_k p_k |v_k| |v_k|ᵀ: rounding of P is relative to this. */
  readonly terms: Float64Array;
  readonly concave: readonly ConcaveSquare[];
  readonly kappa: number;
  readonly units: Float64Array;
}

/** The largest share of curvature that may be given up for rounding. */
const MOST_GIVEN = 1e-7;

interface Directions {
  readonly alpha: Float64Array;
  readonly v: readonly Float64Array[];
  /** e_j */
  readonly left: Float64Array;
  /** ε */
  readonly share: number;
}

/** `sizes`: a matrix whose diagonal bounds the terms that make up A. */
export function splitConcave(A: Float64Array, sizes: Float64Array, d: number): ConcaveSplit {
  const units = Float64Array.from({ length: d }, (_, j) => Math.sqrt(sizes[j * d + j]) || 1);
  const plain = directionsOf(A, new Float64Array(d).fill(1), units);
  const scaled = plain.share <= MOST_GIVEN ? plain : directionsOf(A, units, units);
  const { alpha, v, left, share } = scaled.share < plain.share ? scaled : plain;
  const isGiven = share <= MOST_GIVEN;
  const [P, terms] = [new Float64Array(d * d), new Float64Array(d * d)];
  const concave: ConcaveSquare[] = [];
  for (let k = 0; k < d; k++) {
    const weight = isGiven ? alpha[k] - share * Math.abs(alpha[k]) : alpha[k];
    if (weight < 0) concave.push({ v: v[k], weight: -weight });
    if (weight <= 0) continue;
    addSquare(P, weight, v[k]);
    addSquare(terms, weight, v[k].map(Math.abs));
  }
  const blur = isGiven ? 0 : left.reduce((most, value, j) => Math.max(most, value / units[j] ** 2), 0);
  return { P, terms, concave, kappa: blur, units };
}

/** The eigenvectors of A in units `scale`, as directions in the units of A. */
function directionsOf(A: Float64Array, scale: Float64Array, units: Float64Array): Directions {
  const d = scale.length;
  const { values: alpha, vectors } = decompose(
    A.map((value, k) => value / scale[Math.floor(k / d)] / scale[k % d]),
    d,
  );
  const v = Array.from(alpha, (_, k) => vectors.slice(k * d, (k + 1) * d).map((value, j) => value * scale[j]));
  const [off, size] = [A.slice(), A.map(Math.abs)];
  for (let k = 0; k < d; k++) {
    addSquare(off, -alpha[k], v[k]);
    addSquare(size, Math.abs(alpha[k]), v[k].map(Math.abs));
  }
  const left = new Float64Array(d);
  for (let k = 0; k < d * d; k++) {
    const [i, j] = [Math.floor(k / d), k % d];
    const entry = Math.abs(off[k]) + 4 * (d + 4) * HALF_ULP * size[k];
    left[j] += (entry * units[j]) / units[i];
  }
  return { alpha, v, left, share: shareOf(left, alpha, vectors, scale) };
}

/** An upper bound of Σ_j e_j (|A|⁻¹)_jj, with a margin for vectors that are not exactly orthonormal. */
function shareOf(left: Float64Array, alpha: Float64Array, vectors: Float64Array, scale: Float64Array): number {
  const d = left.length;
  let share = 0;
  for (let j = 0; j < d; j++) {
    for (let k = 0; k < d && left[j] > 0; k++) {
      const entry = vectors[k * d + j] / scale[j];
      if (entry !== 0) share += (left[j] * entry * entry) / Math.abs(alpha[k]);
    }
  }
  return 2 * share;
}

function addSquare(out: Float64Array, weight: number, v: Float64Array): void {
  const d = v.length;
  for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) out[i * d + j] += weight * v[i] * v[j];
}
