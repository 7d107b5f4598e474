/**
 * Tangents of h(w) = log Σ_j exp w_j. For any shares s >= 0 that add up to 1
 *
 *   Σ s_j w_j - Σ s_j log s_j  <=  h(w),     equal where s_j = exp(w_j - h(w))
 *
 * so that h <= 0 implies  Σ s_j w_j <= Σ s_j log s_j,  and h >= 0 follows from  Σ s_j w_j >= Σ s_j log s_j.
 * The other way round, h <= 0 follows from  w_j <= log s_j  for all j: every exponent keeps to its share.
 */
import { logSumExp } from '../../linalg/vector.js';
import type { Exponents } from '../../models/exponents.js';
import type { Piece } from '../../models/region.js';

export interface Tangent {
  readonly sum: Exponents;
  readonly shares: Float64Array;
  /** Σ s_j log s_j */
  readonly level: number;
  /** A point of about the magnitude of the answers. */
  readonly around: Float64Array;
  /** The tangent as a condition that every answer meets. */
  readonly eased: Piece;
}

/** A share below this has no effect. */
const LEAST_SHARE = 1e-13;

export function sharesAt(sum: Exponents, x: Float64Array): Float64Array {
  const w = sum.at(x);
  const top = Math.max(...w);
  const sizes = w.map((value) => (Math.exp(value - top) < LEAST_SHARE ? 0 : Math.exp(value - top)));
  const total = sizes.reduce((a, b) => a + b, 0);
  return sizes.map((size) => size / total);
}

export const tangentAt = (sum: Exponents, x: Float64Array): Tangent => tangentOf(sum, sharesAt(sum, x), x);

function tangentOf(sum: Exponents, shares: Float64Array, around: Float64Array): Tangent {
  const level = shares.reduce((total, s) => total + (s > 0 ? s * Math.log(s) : 0), 0);
  return { sum, shares, level, around, eased: sum.condition(shares, level, 'eased', around) };
}

/** Each exponent alone: w_j <= 0. */
export const firstTangents = (sum: Exponents, around: Float64Array): Tangent[] =>
  Array.from({ length: sum.count }, (_, j) => tangentOf(sum, new Float64Array(sum.count).fill(1, j, j + 1), around));

/** The amount by which x misses a sum, in logarithms. At most 0: x meets the sum. */
export function missOf(sum: Exponents, x: Float64Array): number {
  const log = logSumExp(sum.at(x));
  return sum.atLeast ? -log : log;
}

/** For a sum that has to be small: the tangent moved inwards. */
export const movedIn = ({ sum, shares, level, around }: Tangent, depth: number): Piece =>
  sum.condition(shares, level - depth, 'tightened', around);

/** For a sum that has to be large: a point that meets the tangent is inside. */
export const kept = ({ sum, shares, level, around }: Tangent, depth: number): Piece => {
  const against = shares.map((s) => -s);
  return sum.condition(against, -level - depth, 'tightened', around);
};

/** For a sum that has to be small: every exponent is bounded by its share. */
export function withinShares({ sum, shares, around }: Tangent, depth: number): Piece[] {
  return Array.from(shares, (s, j) => {
    const alone = new Float64Array(sum.count).fill(1, j, j + 1);
    return sum.condition(alone, Math.log(Math.max(s, LEAST_SHARE)) - depth, 'tightened', around);
  });
}
