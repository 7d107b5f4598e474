/**
 * The bound that row multipliers y of a linear program prove, however HiGHS found them:
 *
 *   c·v  >=  Σ_i y_i (lower_i for y_i > 0, upper_i for y_i < 0)  +  Σ_j min over [lo_j, hi_j] of (c_j - Σ_i y_i a_ij) v_j
 *
 * Every sum is taken for the worst case of rounding. A column without an end is taken to end at REACH: columns are measured in steps or in
 * the gap between the person and the rows (move-program.ts). With costs of 0 a positive bound proves that no v meets the rows.
 */
import { HALF_ULP } from '../shared/linear-rows.js';
import type { SparseProgram } from './sparse-program.js';

const REACH = 2 ** 20;
const OTHER_ROUNDINGS = 8;

/** The least cost that y proves; -Infinity: none. */
export function dualBound(
  program: SparseProgram,
  y: ArrayLike<number>,
  cost: readonly number[] = program.cost,
): number {
  const { lower, upper } = program;
  const reduced = cost.slice();
  const terms = cost.map(Math.abs);
  const [demand, demandSize] = combine(program, y, reduced, terms);
  let bound = demand;
  let size = demandSize;
  for (let j = 0; j < cost.length; j++) {
    const off = (y.length + OTHER_ROUNDINGS) * HALF_ULP * terms[j];
    const ends = [Math.max(lower[j], -REACH), upper[j] < Infinity ? upper[j] : Math.max(REACH, 2 * lower[j])];
    const least = Math.min(...ends.map((end) => reduced[j] * end - off * Math.abs(end)));
    bound += least;
    size += Math.abs(least);
  }
  const proved = bound - (y.length + cost.length + OTHER_ROUNDINGS) * HALF_ULP * size;
  return Number.isNaN(proved) ? Number.NEGATIVE_INFINITY : proved;
}

/** Whether multipliers prove that no v meets the rows (Farkas). Without multipliers each row is tried by itself. */
export function provesEmpty(program: SparseProgram, ray: ArrayLike<number> | null): boolean {
  const m = program.rowLower.length;
  const free = program.cost.map(() => 0);
  const alone = (i: number, sign: number) => new Float64Array(m).fill(sign, i, i + 1);
  const rays = ray ? [ray] : program.rowLower.flatMap((_, i) => [alone(i, 1), alone(i, -1)]);
  return rays.some((y) => dualBound(program, y, free) > 0);
}

/** Subtracts the rows' contributions from the costs. Returns the demand of the rows and the size of that sum's terms. */
function combine(
  { starts, indices, values, rowLower, rowUpper }: SparseProgram,
  y: ArrayLike<number>,
  reduced: number[],
  terms: number[],
): [demand: number, size: number] {
  let [demand, size] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    const end = y[i] > 0 ? rowLower[i] : rowUpper[i];
    // Any multipliers are valid, so a multiplier that refers to an infinite end is left out.
    if (y[i] === 0 || !Number.isFinite(y[i] * end)) continue;
    demand += y[i] * end;
    size += Math.abs(y[i] * end);
    for (let k = starts[i]; k < starts[i + 1]; k++) {
      reduced[indices[k]] -= y[i] * values[k];
      terms[indices[k]] += Math.abs(y[i] * values[k]);
    }
  }
  return [demand, size];
}
