/** Rational numbers over BigInt, and the double nearest to one: written without the arithmetic of the product. */

export interface Rational {
  readonly n: bigint;
  /** Positive. */
  readonly d: bigint;
}

/** The decimal of at most 15 digits and 22 places that reads as the double; where there is none, the double itself. */
export function decimalOf(x: number): Rational {
  const [mantissa, exponent] = x.toExponential().split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  if (shift < -22 || digits > 10n ** 15n || -digits > 10n ** 15n) return exactly(x);
  return shift >= 0 ? { n: digits * 10n ** BigInt(shift), d: 1n } : { n: digits, d: 10n ** BigInt(-shift) };
}

/** The binary fraction that a double is. */
function exactly(x: number): Rational {
  let [n, d] = [x, 1n];
  for (; !Number.isInteger(n); d *= 2n) n *= 2;
  return { n: BigInt(n), d };
}

export const plus = (a: Rational, b: Rational): Rational => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
export const times = (a: Rational, k: bigint): Rational => ({ n: a.n * k, d: a.d });
export const minus = (a: Rational, b: Rational): Rational => plus(a, times(b, -1n));

/** The largest whole number k with k · b <= a, for b > 0. */
export function floorOver(a: Rational, b: Rational): bigint {
  const [n, d] = [a.n * b.d, a.d * b.n];
  const quotient = n / d;
  return quotient * d > n ? quotient - 1n : quotient;
}

const bits = (n: bigint): number => n.toString(2).length;

/** Ties to even, subnormal numbers included. */
export function nearestDouble({ n, d }: Rational): number {
  if (n < 0n) return -nearestDouble({ n: -n, d });
  if (n === 0n) return 0;
  let exponent = Math.max(bits(n) - bits(d) - 53, -1074);
  for (;;) {
    const [over, under] = exponent >= 0 ? [n, d << BigInt(exponent)] : [n << BigInt(-exponent), d];
    let quotient = over / under;
    const rest = 2n * (over % under);
    if (quotient >= 2n ** 53n) {
      exponent++;
      continue;
    }
    if (rest > under || (rest === under && quotient % 2n === 1n)) quotient++;
    return scale(Number(quotient), exponent);
  }
}

/** value · 2^exponent, exact or Infinity. */
function scale(value: number, exponent: number): number {
  if (exponent > 971) return Infinity;
  return exponent < -1022 ? value * 2 ** -1022 * 2 ** (exponent + 1022) : value * 2 ** exponent;
}
