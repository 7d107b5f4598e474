/**
 * The largest rounding error in a model's computation of a linear row, and of a difference of two distances:
 *
 *   a sum        ρ (t·|x| + constant),               t >= |a| the sizes of the model's terms, ρ the rounding of that many terms
 *   distances    h (D(x - μ) + D'(x - ν) + size),    D, D' the diagonals of both matrices
 *
 * The diagonal of a positive semidefinite form bounds the terms that cancel: |P_ij δ_i δ_j| <= ½ (P_ii δ_i² + P_jj δ_j²). Behind a map the
 * inputs themselves are rounded, by a share of their terms: h and the constant grow with the size of these terms.
 */
import { diagonalOf, entry } from '../linalg/symmetric-matrix.js';
import { type Centre, DistanceDifference } from '../models/distance-difference.js';
import { arithmeticOf, type LinearRow } from '../models/region.js';

/** More than a unit in the last place, per term of a sum. */
export const SUM_ROUNDING = 2 ** -51;
const ROUNDING = 2 ** -52;

/** The largest rounding error of a row: a convex function of each column, and a constant. */
export interface RowNoise {
  ofColumn(column: number, value: number): number;
  readonly constant: number;
}

/** Null: the noise is not a sum over columns. */
export function noiseOf(row: LinearRow): RowNoise | null {
  const { terms, constant, distances } = arithmeticOf(row);
  const own = sumNoise(terms, constant);
  if (!distances) return own;
  const more = distanceNoise(distances);
  return (
    more && { ofColumn: (c, x) => own.ofColumn(c, x) + more.ofColumn(c, x), constant: own.constant + more.constant }
  );
}

function sumNoise(terms: Float64Array, constant: number): RowNoise {
  const rounding = SUM_ROUNDING * (terms.length + 4);
  return {
    ofColumn: (c, x) => (terms[c] === 0 ? 0 : rounding * terms[c] * Math.abs(x)),
    constant: rounding * constant,
  };
}

/** h. */
export function roundingShare({ near, far, map }: DistanceDifference): number {
  const inputs = near.at.length;
  const terms = near.matrix.kind === 'full' || far.matrix.kind === 'full' ? inputs : 1;
  return 2 * ROUNDING * (inputs + 4) * terms * (map ? 1 + added({ near, far, map }) : 1);
}

/** The sizes of which h is a share, as a form with values and gradients. */
export function sizesOf({ near, far, map, size }: DistanceDifference): DistanceDifference {
  const ofInputs = map ? added({ near, far, map }) * (traceOf(near) + traceOf(far)) : 0;
  return new DistanceDifference(diagonalCentre(near), diagonalCentre(far), 0, map, size + ofInputs);
}

/** The noise by columns. Null: the map mixes columns. */
function distanceNoise(difference: DistanceDifference): RowNoise | null {
  const { map } = difference;
  if (map?.matrix) return null;
  const share = roundingShare(difference);
  const { near, far, size } = sizesOf(difference);
  const ofCentre = ({ at, matrix }: Centre, c: number, x: number) => matrix.entries[c] * (x - at[c]) ** 2;
  return {
    ofColumn(c, value) {
      const x = map ? map.offset[c] + map.diagonal![c] * value : value;
      return share * (ofCentre(near, c, x) + ofCentre(far, c, x));
    },
    constant: share * size,
  };
}

/** The largest term on the way to the difference from a centre. */
function added({ near, far, map }: Pick<DistanceDifference, 'near' | 'far' | 'map'>): number {
  const offset = map!.offset;
  const of = ({ at }: Centre) =>
    at.reduce((most, value, i) => Math.max(most, Math.abs(value) + 2 * Math.abs(offset[i])), 0);
  return Math.max(of(near), of(far));
}

function traceOf({ matrix }: Centre): number {
  let trace = 0;
  for (let i = 0; i < matrix.size; i++) trace += Math.abs(entry(matrix, i, i));
  return trace;
}

const diagonalCentre = ({ at, matrix }: Centre): Centre => ({ at, matrix: diagonalOf(matrix) });
