/**
 * Differences of distances as a piece: where both distances have the same matrix the quadratic terms cancel and the
 * constraint is a linear row, exactly:
 *
 *   (x-μ)ᵀP(x-μ) - (x-ν)ᵀP(x-ν) + c <= 0    <=>    2 (P(ν-μ))·x  <=  νᵀPν - μᵀPμ - c
 */
import { addQuadraticGradient, quadraticForm, sameMatrix } from '../linalg/symmetric-matrix.js';
import type { DistanceDifference } from './distance-difference.js';
import type { LinearRow, Piece, QuadraticAtom } from './region.js';

export function nearerPiece(quadratics: readonly DistanceDifference[]): Piece {
  const rows: LinearRow[] = [];
  const atoms: QuadraticAtom[] = [];
  for (const quadratic of quadratics) {
    if (sameMatrix(quadratic.near.matrix, quadratic.far.matrix)) rows.push(linearRow(quadratic));
    else atoms.push({ kind: 'quadratic', form: quadratic });
  }
  return { rows, atoms };
}

function linearRow(distances: DistanceDifference): LinearRow {
  const { near, far, constant } = distances;
  const a = new Float64Array(near.at.length);
  addQuadraticGradient(near.matrix, far.at, near.at, 1, a);
  // Both distances are equal at the midpoint of the centres.
  const middle = near.at.map((value, i) => 0.5 * (value + far.at[i]));
  const upper = a.reduce((sum, value, i) => sum + value * middle[i], 0) - constant;
  const terms = a.map(Math.abs);
  const size = terms.reduce((sum, term, i) => sum + term * Math.abs(middle[i]), 0) + Math.abs(constant);
  return { a, lower: -Infinity, upper, arithmetic: { terms, constant: size, distances } };
}

/** The distance of a point from a centre, in the centre's own measure. */
export const distanceTo = (
  centre: { at: Float64Array; matrix: Parameters<typeof quadraticForm>[0] },
  x: Float64Array,
): number => quadraticForm(centre.matrix, x, centre.at);
