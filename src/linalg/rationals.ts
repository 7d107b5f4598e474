/** Exact fractions of whole numbers, for the few numbers that a person writes. A double enters as the decimal that it represents. */
import { decimalOf } from './decimals.js';

export interface Rational {
  readonly over: bigint;
  /** Above 0. */
  readonly under: bigint;
}

export const ZERO: Rational = { over: 0n, under: 1n };
export const ONE: Rational = { over: 1n, under: 1n };

/** dec(x) of a finite double. */
export function rationalOf(x: number): Rational {
  const { digits, places } = decimalOf(x);
  return { over: digits, under: 10n ** BigInt(places) };
}

export function sumOf(a: Rational, b: Rational): Rational {
  if (a.under % b.under === 0n) return bounded(a.over + b.over * (a.under / b.under), a.under);
  if (b.under % a.under === 0n) return sumOf(b, a);
  return bounded(a.over * b.under + b.over * a.under, a.under * b.under);
}

export const productOf = (a: Rational, b: Rational): Rational => bounded(a.over * b.over, a.under * b.under);

/** b is not 0. */
export const quotientOf = (a: Rational, b: Rational): Rational =>
  b.over < 0n ? bounded(-a.over * b.under, -a.under * b.over) : bounded(a.over * b.under, a.under * b.over);

export const negativeOf = ({ over, under }: Rational): Rational => ({ over: -over, under });

/** Numbers with more bits lose their last ones, far beyond those of a double: a long text takes no more time than a short one. */
const MOST_BITS = 8192;
const MOST = 2n ** BigInt(MOST_BITS);

function bounded(over: bigint, under: bigint): Rational {
  const size = over < 0n ? -over : over;
  if (size < MOST && under < MOST) return { over, under };
  const excess = BigInt(bitsOf(size > under ? size : under) - MOST_BITS);
  return { over: over >> excess, under: under >> excess || 1n };
}

/** Bits of a quotient: more than a double has, and one that says whether a remainder is left. */
const QUOTIENT_BITS = 66;
const EXACT = 2n ** 53n;

/** The nearest double. Numbers below the normal doubles may be rounded twice. */
export function nearestDouble({ over, under }: Rational): number {
  if (over < 0n) return -nearestDouble({ over: -over, under });
  if (over <= EXACT && under <= EXACT) return Number(over) / Number(under);
  const shift = QUOTIENT_BITS - bitsOf(over) + bitsOf(under);
  const [a, b] = shift > 0 ? [over << BigInt(shift), under] : [over, under << BigInt(-shift)];
  const quotient = a / b;
  const marked = quotient * b === a ? quotient : quotient | 1n;
  const half = Math.trunc(shift / 2);
  return Number(marked) * 2 ** -half * 2 ** (half - shift);
}

const bitsOf = (whole: bigint): number => 4 * whole.toString(16).length;
