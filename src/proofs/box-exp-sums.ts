/**
 * Sums of exponentials over a box: is  Σ_j c_j exp(u_j·x + v_j) <= bound  at every point?
 *
 * The sum is convex, so its maximum is at a corner. A column in which all exponents fall (or rise) has its worst end, even when
 * the other one is infinite; only the columns with both kinds are tried at both ends.
 */
import { type ExpSum, expSumLog } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Domain } from '../policy/domain.js';
import { type Intervals, withoutChoices } from './box-corners.js';

/** Up to 2^MOST_MIXED corners. */
const MOST_MIXED = 10;
const ROUNDING = 2 ** -49;

export function proveExpSum(sum: ExpSum, box: Domain): BoxVerdict {
  const parts = withoutChoices(box);
  return parts ? allOf(parts.map((part) => proveOver(sum, part))) : 'unknown';
}

function proveOver(sum: ExpSum, { lo, hi }: Intervals): BoxVerdict {
  const x = lo.slice();
  const mixed: number[] = [];
  for (let c = 0; c < x.length; c++) {
    if (lo[c] === hi[c]) continue;
    const rising = sum.exponents.some((u) => u[c] > 0);
    const falling = sum.exponents.some((u) => u[c] < 0);
    if (rising && falling) mixed.push(c);
    else x[c] = rising ? hi[c] : falling ? lo[c] : 0;
    if ((rising && hi[c] === Infinity) || (falling && lo[c] === -Infinity)) return 'refuted';
  }
  if (mixed.length > MOST_MIXED) return 'unknown';
  return allOf(corners(x, mixed, lo, hi, (corner) => proveAt(sum, corner)));
}

function* corners(
  x: Float64Array,
  mixed: readonly number[],
  lo: Float64Array,
  hi: Float64Array,
  visit: (corner: Float64Array) => BoxVerdict,
): Generator<BoxVerdict> {
  for (let k = 0; k < 2 ** mixed.length; k++) {
    for (const [i, c] of mixed.entries()) x[c] = (k >> i) & 1 ? hi[c] : lo[c];
    yield visit(x);
  }
}

function proveAt(sum: ExpSum, x: Float64Array): BoxVerdict {
  const size = sum.exponents.reduce((most, u) => Math.max(most, termSize(u, x)), 0);
  const rounding = ROUNDING * (x.length + 8) * (1 + size + Math.max(...sum.shifts.map(Math.abs)));
  const value = expSumLog(sum, x);
  if (value + rounding <= 0) return 'proved';
  return value - rounding > 0 ? 'refuted' : 'unknown';
}

function termSize(u: Float64Array, x: Float64Array): number {
  let size = 0;
  for (let c = 0; c < u.length; c++) if (u[c] !== 0) size += Math.abs(u[c] * x[c]);
  return size;
}
