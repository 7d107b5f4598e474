/**
 * Numbers as people write them: the shortest decimal form of a double, computed with exactly.  0.3 + 0.6 is 0.9.
 *
 *   value = digits · 10^exponent
 */
export interface Decimal {
  digits: bigint;
  exponent: number;
}

export function decimalOf(value: number): Decimal {
  const [mantissa, power = '0'] = String(value).split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

export const toNumber = ({ digits, exponent }: Decimal): number => Number(`${digits}e${exponent}`);

/** Both with the smaller exponent. */
function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const raised = ({ digits, exponent: e }: Decimal) => digits * 10n ** BigInt(e - exponent);
  return [raised(a), raised(b), exponent];
}

export function plus(a: Decimal, b: Decimal, factor = 1n): Decimal {
  const [x, y, exponent] = aligned(a, b);
  return { digits: x + factor * y, exponent };
}

/** floor(value / unit), for any sign of the value. */
export function floorUnits(value: Decimal, unit: Decimal): bigint {
  const [x, y] = aligned(value, unit);
  const quotient = x / y;
  return x < 0n && quotient * y !== x ? quotient - 1n : quotient;
}

/** n / d, for sums and quotients of decimals; d is not 0. */
export interface Fraction {
  n: bigint;
  d: bigint;
}

const MOST_DIGITS = 10n ** 15n;

/** A number of at most 15 digits as the decimal that people read; null: it has more, and stands for many decimals. */
export function fractionOf(value: number): Fraction | null {
  if (!Number.isFinite(value)) return null;
  const { digits, exponent } = decimalOf(value);
  if (digits > MOST_DIGITS || -digits > MOST_DIGITS) return null;
  return exponent < 0 ? { n: digits, d: 10n ** BigInt(-exponent) } : { n: digits * 10n ** BigInt(exponent), d: 1n };
}
