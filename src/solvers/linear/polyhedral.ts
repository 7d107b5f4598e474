/**
 * The two linear-row engines on bare vectors, for methods that make their own rows:
 *
 *   min ‖y‖₁  or  min ‖y‖²   s.t.   a_i·y <= upper_i,   lo <= y <= hi
 */

import type { Budget } from '../../problems/budget.js';
import { Projection } from '../projection/projection.js';
import { BoundedSimplex } from './bounded-simplex.js';

export interface UpperRow {
  readonly a: Float64Array;
  readonly upper: number;
}

export interface Cheapest {
  readonly y: Float64Array;
  readonly cost: number;
}

const SLACK = 1e-12;

export type CheapestPoint = (
  rows: readonly UpperRow[],
  lo: Float64Array,
  hi: Float64Array,
  budget: Budget,
) => Cheapest | 'infeasible' | 'numerical';

export const cheapestL1: CheapestPoint = (rows, lo, hi, budget) => {
  const d = lo.length;
  const simplex = new BoundedSimplex(rows.length, 2 * d);
  const table = new Float64Array(rows.length * 2 * d);
  for (const [i, { a, upper }] of rows.entries()) {
    const scale = 1 / (largest(a) || 1);
    for (let j = 0; j < d; j++) {
      table[i * 2 * d + j] = scale * a[j];
      table[i * 2 * d + d + j] = -scale * a[j];
    }
    simplex.lo[2 * d + i] = Number.NEGATIVE_INFINITY;
    simplex.hi[2 * d + i] = scale * upper;
    simplex.slack[i] = SLACK * (1 + Math.abs(scale * upper));
  }
  for (let j = 0; j < d; j++) {
    simplex.lo[j] = Math.max(0, lo[j]);
    simplex.hi[j] = Math.max(0, hi[j]);
    simplex.lo[d + j] = Math.max(0, -hi[j]);
    simplex.hi[d + j] = Math.max(0, -lo[j]);
  }
  const status = simplex.solve(table, new Float64Array(2 * d).fill(1));
  budget.spend(simplex.work);
  if (status !== 'optimal') return status;
  const values = new Float64Array(2 * d);
  simplex.read(values);
  const y = Float64Array.from(lo, (_, j) => values[j] - values[d + j]);
  return { y, cost: y.reduce((sum, value) => sum + Math.abs(value), 0) };
};

export const cheapestL2: CheapestPoint = (rows, lo, hi, budget) => {
  const d = lo.length;
  const table = new Float64Array(rows.length * d);
  const projection = new Projection(rows.length, d, table);
  for (const [i, { a, upper }] of rows.entries()) {
    const scale = 1 / (Math.sqrt(a.reduce((sum, value) => sum + value * value, 0)) || 1);
    for (let j = 0; j < d; j++) table[i * d + j] = scale * a[j];
    projection.lower[i] = Number.NEGATIVE_INFINITY;
    projection.upper[i] = scale * upper;
    projection.slack[i] = SLACK * (1 + Math.abs(scale * upper));
  }
  projection.lo.set(lo);
  projection.hi.set(hi);
  const status = projection.solve();
  budget.spend(projection.work);
  if (status !== 'optimal') return status;
  const y = projection.y.slice();
  return { y, cost: y.reduce((sum, value) => sum + value * value, 0) };
};

function largest(a: Float64Array): number {
  let most = 0;
  for (let j = 0; j < a.length; j++) most = Math.max(most, Math.abs(a[j]));
  return most;
}
