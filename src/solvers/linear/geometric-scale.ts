/**
 * Units for the rows and columns of a matrix that spread  |a_ij| · rowScale_i · unit_j  evenly around 1 in every row and
 * column: each unit in turn is the inverse geometric mean of the least and the largest entry (Tomlin 1975).
 * Units are powers of two: multiplication by a power of two is exact.
 */
import { nearestPowerOfTwo } from '../../linalg/floats.js';

const PASSES = 4;

export interface Scale {
  readonly rows: Float64Array;
  /** By column of the rows; 1 for columns that are not named. */
  readonly columns: Float64Array;
}

export function geometricScale(matrix: readonly Float64Array[], columns: readonly number[]): Scale {
  const width = matrix.reduce((most, row) => Math.max(most, row.length), 0);
  const scale: Scale = { rows: new Float64Array(matrix.length).fill(1), columns: new Float64Array(width).fill(1) };
  for (let pass = 0; pass < PASSES; pass++) {
    for (const c of columns) scale.columns[c] = evenly(matrix.map((row, i) => row[c] * scale.rows[i]));
    for (const [i, row] of matrix.entries()) scale.rows[i] = evenly(columns.map((c) => row[c] * scale.columns[c]));
  }
  return { rows: scale.rows.map(nearestPowerOfTwo), columns: scale.columns.map(nearestPowerOfTwo) };
}

/** The factor that makes the least and the largest of some sizes equally far from 1; 1 where all are zero. */
function evenly(entries: readonly number[]): number {
  let least = Infinity;
  let largest = 0;
  for (const entry of entries) {
    const size = Math.abs(entry);
    if (size === 0) continue;
    least = Math.min(least, size);
    largest = Math.max(largest, size);
  }
  return largest > 0 ? 1 / (Math.sqrt(least) * Math.sqrt(largest)) : 1;
}
