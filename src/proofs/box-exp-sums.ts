/**
 * Sums of exponentials over a box: is  Σ_j c_j exp(u_j·x + v_j) <= bound  at every point, or >= bound?
 *
 * The sum is convex, so its maximum is at a corner. A column in which all exponents fall (or rise) has one worst end, and its other end may
 * be infinite. The other columns are tried at both ends. A box with an infinite worst end is not proved.
 *
 * A sum that has to be large is at least each of its tangents. A tangent is least at a corner. The next tangent is taken on the way there.
 *
 * Rounding is relative to the model's sums behind an exponent, and to the probability, which resolves the sum less the smaller the bound
 * is:  d log(sum) = dp / (p (1 - p)),  1 - p about the bound.
 */
import { logSumExp } from '../linalg/vector.js';
import { type ExpSum, expSumLog } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Box } from './box.js';
import { type Intervals, middle, withoutChoices } from './box-corners.js';

/** At most 2^MOST_MIXED corners are tried. */
const MOST_MIXED = 10;
const ROUNDING = 2 ** -49;

export function proveExpSum(sum: ExpSum, box: Box): BoxVerdict {
  const parts = withoutChoices(box.domain);
  const prove = sum.atLeast ? proveLarge : proveSmall;
  return parts ? allOf(parts.map((part) => prove(sum, part, box))) : 'unknown';
}

/** The number of tangents, at points that approach the least sum. */
const MOST_TANGENTS = 20;

function proveLarge(sum: ExpSum, { lo, hi }: Intervals, { at, varies, domain }: Box): BoxVerdict {
  let point = lo.map((low, c) => (varies[domain.space.owner[c]] ? middle(low, hi[c]) : at[c]));
  for (let k = 0; k < MOST_TANGENTS; k++) {
    const slope = slopeOf(sum, point);
    const corner = point.map((value, c) =>
      slope[c] === 0 || !varies[domain.space.owner[c]] ? value : slope[c] > 0 ? lo[c] : hi[c],
    );
    if (!corner.every((value, c) => Number.isFinite(value) || slope[c] === 0)) return 'unknown';
    const least = slope.reduce(
      (low, value, c) => low + (value && value * (corner[c] - point[c])),
      expSumLog(sum, point),
    );
    if (least - roundingAt(sum, point) - roundingAt(sum, corner) > 0) return 'proved';
    if (expSumLog(sum, corner) < 0) return { point: corner };
    point = point.map((value, c) => value + (corner[c] - value) / (k + 2));
  }
  return 'unknown';
}

/** The slope of the sum's logarithm. */
function slopeOf({ exponents, weights, shifts }: ExpSum, x: Float64Array): Float64Array {
  const logs = shifts.map((shift, j) => Math.log(weights[j]) + weightedSum(exponents[j], x) + shift);
  const total = logSumExp(logs);
  const slope = new Float64Array(x.length);
  for (const [j, u] of exponents.entries())
    for (let c = 0; c < x.length; c++) slope[c] += Math.exp(logs[j] - total) * u[c];
  return slope;
}

/** A column that is not read may be missing. */
const weightedSum = (u: Float64Array, x: Float64Array): number =>
  u.reduce((sum, value, c) => sum + (value && value * x[c]), 0);

function proveSmall(sum: ExpSum, { lo, hi }: Intervals, { at, varies, domain }: Box): BoxVerdict {
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

/** The ends of a column at which the sum can be largest. Both ends unless all exponents rise, or all fall. */
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
  return expSumLog(sum, x) + roundingAt(sum, x) < 0 ? 'proved' : { point: x.slice() };
}

function roundingAt({ arithmetic, bound }: ExpSum, x: Float64Array): number {
  const { terms, constant } = arithmetic;
  let size = constant;
  for (let c = 0; c < x.length; c++) if (terms[c] !== 0) size += Math.abs(terms[c] * x[c]);
  return ROUNDING * (x.length + 8) * (1 + size + 1 / bound);
}
