/**
 * The minimiser of a convex quadratic form where some rows and bounds are met with equality, by its optimality conditions:
 *
 *   min zᵀ Q z   s.t.   A_W z = b_W,   z_B = β_B              F: the coordinates that are not in B
 *
 *   2 Q z = A_Wᵀ y + μ,  μ_F = 0    =>    (A_WF Q_FF⁻¹ A_WFᵀ) y/2 = b_W - A_WB β_B + A_WF Q_FF⁻¹ Q_FB β_B
 *
 * The conditions turn a solver's point within tolerances, with its active ends, into a point of machine precision.
 */
import { solvePositive } from '../../linalg/symmetric.js';
import { dot } from '../../linalg/vector.js';

export interface Stationary {
  readonly z: Float64Array;
  /** Multipliers of the given rows, in their order, and of the coordinates. */
  readonly y: Float64Array;
  readonly mu: Float64Array;
}

/** `pinned` holds the value of a coordinate in B and NaN for a coordinate in F. Null: the rows are linearly dependent on F. */
export function stationaryPoint(
  q: readonly Float64Array[],
  rows: readonly Float64Array[],
  ends: readonly number[],
  pinned: Float64Array,
): Stationary | null {
  const free = [...pinned.keys()].filter((k) => Number.isNaN(pinned[k]));
  const z = pinned.map((value) => (Number.isNaN(value) ? 0 : value));
  const onFree = (vector: Float64Array) => free.map((k) => vector[k]);
  const block = free.map((k) => onFree(q[k]));
  const normals = rows.map(onFree);
  const pull = free.map((k) => dot(q[k], z));
  const solutions = free.length ? solvePositive(block, [...normals, pull]) : undefined;
  if (!solutions) return free.length || rows.length ? null : { z, y: new Float64Array(), mu: gradient(q, z) };
  const drift = solutions[rows.length];
  const half = multipliers(
    normals,
    solutions.slice(0, -1),
    rows.map((row, i) => ends[i] - dot(row, z) + product(normals[i], drift)),
  );
  if (!half) return null;
  free.forEach((k, f) => {
    z[k] = half.reduce((sum, value, i) => sum + value * solutions[i][f], -drift[f]);
  });
  const mu = gradient(q, z);
  for (const k of mu.keys())
    mu[k] = Number.isNaN(pinned[k]) ? 0 : mu[k] - rows.reduce((sum, row, i) => sum + 2 * half[i] * row[k], 0);
  return { z, y: Float64Array.from(half, (value) => 2 * value), mu };
}

/** y/2 of the equation above. */
function multipliers(
  normals: readonly number[][],
  solutions: readonly Float64Array[],
  demand: readonly number[],
): number[] | null {
  if (!normals.length) return [];
  const schur = normals.map((normal) => solutions.map((solution) => product(normal, solution)));
  const solved = solvePositive(schur, [demand]);
  return solved ? [...solved[0]] : null;
}

const gradient = (q: readonly Float64Array[], z: Float64Array): Float64Array =>
  Float64Array.from(q, (row) => 2 * dot(row, z));

function product(a: readonly number[], b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}
