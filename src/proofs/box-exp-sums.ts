/**
 * Sums of exponentials over a box: is  Σ_j c_j exp(u_j·x + v_j) <= bound  at every point?
 *
 * The sum is convex, so its maximum is at a corner. A column in which all exponents fall (or rise) has one worst end, and its other end
 * may be infinite; the other columns are tried at both ends. A box without end at a worst end is not proved.
 *
 * Rounding is a share of what the model adds up behind an exponent, and of the probability, which says the less of the sum the
 * smaller the bound is:  d log(sum) = dp / (p (1 - p)),  1 - p about the bound.
 */
import { type ExpSum, expSumLog } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Box } from './box.js';
import { type Intervals, withoutChoices } from './box-corners.js';

/** Up to 2^MOST_MIXED corners. */
const MOST_MIXED = 10;
const ROUNDING = 2 ** -49;

export function proveExpSum(sum: ExpSum, box: Box): BoxVerdict {
  const parts = withoutChoices(box.domain);
  return parts ? allOf(parts.map((part) => proveOver(sum, part, box))) : 'unknown';
}

function proveOver(sum: ExpSum, { lo, hi }: Intervals, { at, varies, domain }: Box): BoxVerdict {
  const x = lo.slice();
  const mixed: number[] = [];
  for (let c = 0; c < x.length; c++) {
    if (!varies[domain.space.owner[c]] || lo[c] === hi[c]) continue;
    const worst = worstEnds(sum, c, lo[c], hi[c], at[c]);
    if (!worst.every(Number.isFinite)) return 'unknown';
    x[c] = worst[0];
    if (worst.length > 1) mixed.push(c);
  }
  if (mixed.length > MOST_MIXED) return 'unknown';
  return allOf(corners(x, mixed, lo, hi, (corner) => proveAt(sum, corner)));
}

/** Where the sum can be largest along a column. Both ends unless all exponents rise, or all fall. */
function worstEnds({ exponents, arithmetic }: ExpSum, c: number, lo: number, hi: number, at: number): number[] {
  if (arithmetic.terms[c] === 0) return [at];
  if (exponents.every((u) => u[c] > 0)) return [hi];
  return exponents.every((u) => u[c] < 0) ? [lo] : [lo, hi];
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
  const { terms, constant } = sum.arithmetic;
  let size = constant;
  for (let c = 0; c < x.length; c++) if (terms[c] !== 0) size += Math.abs(terms[c] * x[c]);
  const rounding = ROUNDING * (x.length + 8) * (1 + size + 1 / sum.bound);
  return expSumLog(sum, x) + rounding < 0 ? 'proved' : { point: x.slice() };
}
