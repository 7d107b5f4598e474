/**
 * Tails of distributions.
 *
 *   Q(a, x)     = integral from x of t^(a-1) e^-t dt / Gamma(a)          the upper tail of chi-square: Q(df / 2, x / 2)
 *   I_x(a, b)   = integral up to x of t^(a-1) (1-t)^(b-1) dt / B(a, b)   the lower tail of the binomial
 *
 * Series where they converge fast, continued fractions by the modified method of Lentz elsewhere. Press et al., Numerical Recipes,
 * chapter 6. The relative error is about 1e-12 for arguments up to 1e6.
 */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const EPSILON = 1e-15;
/** Stands for zero in a denominator. */
const TINY = 1e-300;
const MOST_TERMS = 100_000;

/** ln Gamma(x), x > 0. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const at = x - 1;
  const t = at + 7.5;
  const sum = LANCZOS.reduce((total, term, i) => total + (i === 0 ? term : term / (at + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (at + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Q(a, x), the regularised upper incomplete gamma function. */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - scale * gammaSeries(a, x) : scale * gammaFraction(a, x);
}

function gammaSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < MOST_TERMS && term > sum * EPSILON; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

function gammaFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1; i < MOST_TERMS; i++) {
    const factor = -i * (i - a);
    b += 2;
    d = 1 / nonZero(factor * d + b);
    c = nonZero(b + factor / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < EPSILON) break;
  }
  return fraction;
}

/** I_x(a, b), the regularised incomplete beta function. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const scale = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (scale * betaFraction(x, a, b)) / a : 1 - (scale * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  const advance = (factor: number): number => {
    d = 1 / nonZero(1 + factor * d);
    c = nonZero(1 + factor / c);
    fraction *= d * c;
    return Math.abs(d * c - 1);
  };
  for (let m = 1; m < MOST_TERMS; m++) {
    advance((m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)));
    if (advance((-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))) < EPSILON) break;
  }
  return fraction;
}

const nonZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** The probability that chi-square with `df` degrees of freedom is at least `x`. */
export const chiSquareTail = (x: number, df: number): number => upperGamma(df / 2, x / 2);

/** The probability of at most `k` successes in `n` trials of probability `p`. */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  return k >= n ? 1 : incompleteBeta(1 - p, n - k, k + 1);
}
