/**
 * The two linear-row engines on plain vectors, for methods that build their own rows:
 *
 *   min ‖y‖₁  or  min ‖y‖²   s.t.   a_i·y <= upper_i,   lo <= y <= hi
 *
 * The bound that comes with a point is proved: it follows from the multipliers on the original rows, each sum taken for the worst case of
 * rounding (dual-bound.ts for L1). `infeasible` is returned only with a proof of the same kind.
 *
 *   ‖y‖²  >=  Σ_j min over [lo_j, hi_j] of (y_j² + s_j y_j)  -  Σ_i μ_i upper_i,      s = Σ_i μ_i a_i,   μ >= 0
 */

import { nearestPowerOfTwo } from '../../linalg/floats.js';
import { largestSize } from '../../linalg/vector.js';
import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';
import { Projection } from '../projection/projection.js';
import { HALF_ULP } from '../shared/linear-rows.js';
import { BoundedSimplex } from './bounded-simplex.js';
import { DualBound } from './dual-bound.js';

export interface UpperRow {
  readonly a: Float64Array;
  readonly upper: number;
  /** A term  Σ_j s_j |y_j|  beside a·y, with s <= 0: for L1, where |y_j| is a variable of its own. */
  readonly sizes?: Float64Array;
  /** By how much the row may be too narrow through rounding of its entries and end. Default 0. */
  readonly doubt?: number;
  /** A violation up to this size counts as none. Default: a share of the end and of 1. */
  readonly slack?: number;
}

export interface Cheapest {
  readonly y: Float64Array;
  readonly cost: number;
  /** A proved lower bound for every y that meets the rows, each widened by its doubt. Computed on demand. */
  bound(): number;
}

const SLACK = 1e-12;
/** Work of a call apart from its engine: its arrays, in units of effort, and operations for each entry to write and prove the rows. */
const CALL_WORK = 4;
const ENTRY_FLOPS = 25;

const callWork = (rows: number, columns: number): number => CALL_WORK + (ENTRY_FLOPS * rows * columns) / FLOPS_PER_UNIT;

/** `infeasible` is proved. `numerical`: the engine failed numerically, or had no proof. */
export type CheapestPoint = (
  rows: readonly UpperRow[],
  lo: Float64Array,
  hi: Float64Array,
  budget: Budget,
) => Cheapest | 'infeasible' | 'numerical';

export const cheapestL1: CheapestPoint = (rows, lo, hi, budget) => {
  const d = lo.length;
  const n = 2 * d;
  const simplex = new BoundedSimplex(rows.length, n);
  const table = new Float64Array(rows.length * n);
  const doubt = new Float64Array(rows.length);
  for (const [i, { a, sizes, upper, slack, doubt: own = 0 }] of rows.entries()) {
    const scale = 1 / nearestPowerOfTwo(largestSize(a) || 1);
    for (let j = 0; j < d; j++) {
      const size = sizes ? sizes[j] : 0;
      table[i * n + j] = scale * (size + a[j]);
      table[i * n + d + j] = scale * (size - a[j]);
    }
    simplex.lo[n + i] = Number.NEGATIVE_INFINITY;
    simplex.hi[n + i] = scale * upper;
    simplex.slack[i] = slack === undefined ? SLACK * (1 + Math.abs(scale * upper)) : scale * slack;
    doubt[i] = scale * own;
  }
  for (let j = 0; j < d; j++) {
    simplex.lo[j] = Math.max(0, lo[j]);
    simplex.hi[j] = Math.max(0, hi[j]);
    simplex.lo[d + j] = Math.max(0, -hi[j]);
    simplex.hi[d + j] = Math.max(0, -lo[j]);
  }
  const cost = new Float64Array(n).fill(1);
  const status = simplex.solve(table, cost, budget);
  budget.spend(callWork(rows.length, d) + simplex.work);
  if (status === 'numerical') return status;
  const growth = new Float64Array(rows.length).fill(1);
  const program = { m: rows.length, n, rows: table, lo: simplex.lo, hi: simplex.hi, doubt, growth };
  const multipliers = new Float64Array(rows.length);
  const proof = new DualBound();
  if (status === 'infeasible') {
    simplex.readCertificate(multipliers);
    return proof.provesEmpty(program, multipliers, simplex) ? status : 'numerical';
  }
  simplex.readMultipliers(multipliers);
  const bound = () => Math.max(0, proof.least(program, cost, multipliers, simplex));
  const values = new Float64Array(n);
  simplex.read(values);
  const y = Float64Array.from(lo, (_, j) => values[j] - values[d + j]);
  if (!y.every(Number.isFinite)) return 'numerical';
  return { y, cost: y.reduce((sum, value) => sum + Math.abs(value), 0), bound };
};

export const cheapestL2: CheapestPoint = (rows, lo, hi, budget) => {
  const d = lo.length;
  const table = new Float64Array(rows.length * d);
  const projection = new Projection(rows.length, d, table);
  const scales = rows.map(({ a }) => 1 / (Math.sqrt(a.reduce((sum, value) => sum + value * value, 0)) || 1));
  for (const [i, { a, upper, slack }] of rows.entries()) {
    for (let j = 0; j < d; j++) table[i * d + j] = scales[i] * a[j];
    projection.lower[i] = Number.NEGATIVE_INFINITY;
    projection.upper[i] = scales[i] * upper;
    projection.slack[i] = slack === undefined ? SLACK * (1 + Math.abs(scales[i] * upper)) : scales[i] * slack;
  }
  projection.lo.set(lo);
  projection.hi.set(hi);
  const status = projection.solve(budget);
  budget.spend(callWork(rows.length, d) + projection.work);
  if (status === 'numerical') return status;
  // The projection minimises half of the square, and its multipliers are negative at an upper end.
  const multipliers = Float64Array.from(rows, (_, i) => Math.max(0, -2 * projection.lambda[i] * scales[i]));
  if (status === 'infeasible') return leastOf(rows, multipliers, lo, hi, leastLinear) > 0 ? status : 'numerical';
  const y = projection.y.slice();
  const bound = () => Math.max(0, leastOf(rows, multipliers, lo, hi, leastSquare));
  return { y, cost: y.reduce((sum, value) => sum + value * value, 0), bound };
};

/** A lower bound of Σ_j least(s_j) - Σ_i μ_i upper_i. `least` is concave in s, so its minimum over an interval of s is at an end. */
function leastOf(
  rows: readonly UpperRow[],
  multipliers: Float64Array,
  lo: Float64Array,
  hi: Float64Array,
  least: (s: number, low: number, high: number) => number,
): number {
  let [value, size] = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    const term = multipliers[i] === 0 ? 0 : multipliers[i] * (rows[i].upper + (rows[i].doubt ?? 0));
    value -= term;
    size += Math.abs(term);
  }
  for (let j = 0; j < lo.length; j++) {
    let [slope, terms] = [0, 0];
    for (let i = 0; i < rows.length; i++) {
      const term = multipliers[i] * rows[i].a[j];
      slope += term;
      terms += Math.abs(term);
    }
    const off = (rows.length + 2) * HALF_ULP * terms;
    const part = Math.min(least(slope - off, lo[j], hi[j]), least(slope + off, lo[j], hi[j]));
    value += part;
    size += Math.abs(part);
  }
  const proved = value - (rows.length + lo.length + 8) * HALF_ULP * size;
  return Number.isNaN(proved) ? Number.NEGATIVE_INFINITY : proved;
}

function leastSquare(slope: number, low: number, high: number): number {
  const y = Math.min(high, Math.max(low, -slope / 2));
  return y * (y + slope);
}

const leastLinear = (slope: number, low: number, high: number): number =>
  slope === 0 ? 0 : slope * (slope > 0 ? low : high);
