/**
 * The shapes of increasing functions f over the reals: what a solver must know for a least value of  c2 x² + c1 x + g f(x).
 *
 *   logarithm   f = log(x + s)                          f' = 1/(x + s)            concave
 *   power       f = (x^λ - 1)/λ                         f' = x^(λ-1)              concave for λ < 1, convex for λ > 1
 *   two-sided   f = ((1 + x)^λ - 1)/λ     for x >= 0    f' = (1 + x)^(λ-1)        concave for λ < 1, convex for λ > 1, on both sides
 *                   -((1 - x)^(2-λ) - 1)/(2-λ)  below   f' = (1 - x)^(1-λ)
 *
 * f' and f'' are powers: each takes a number at most once on a side, and in closed form.
 */

export interface CurveShape {
  /** The domain: the numbers above this one. */
  readonly above: number;
  /** 1: convex; -1: concave; 0: a line. */
  readonly turn: -1 | 0 | 1;
  /** f'(x) */
  slope(x: number): number;
  /** f''(x) */
  bend(x: number): number;
  /** The x with f(x) = y; infinite or the end of the domain where no x has. */
  inverse(y: number): number;
  /** The x with f'(x) = slope > 0. Only for curves that are no lines. */
  atSlope(slope: number): number;
  /** The x where f'' equals a number, and those where f'' stops being monotone. Numbers outside of the domain may be among them. */
  atBend(bend: number): readonly number[];
  /** The largest difference between f(x) as computed and as defined. */
  rounding(x: number): number;
}

const ULP = 2 ** -52;
/** Roundings of a power or a logarithm and of its argument. */
const ROUNDINGS = 4;

export const IDENTITY_SHAPE: CurveShape = {
  above: Number.NEGATIVE_INFINITY,
  turn: 0,
  slope: () => 1,
  bend: () => 0,
  inverse: (y) => y,
  atSlope: () => Number.NaN,
  atBend: () => [],
  rounding: () => 0,
};

/** log(x + shift), with a shift of 0 or 1. */
export const logShape = (shift: 0 | 1): CurveShape => ({
  above: -shift,
  turn: -1,
  slope: (x) => 1 / (x + shift),
  bend: (x) => -1 / (x + shift) ** 2,
  inverse: shift ? Math.expm1 : Math.exp,
  atSlope: (slope) => 1 / slope - shift,
  atBend: (bend) => (bend < 0 ? [Math.sqrt(-1 / bend) - shift] : []),
  rounding: (x) => ROUNDINGS * ULP * Math.abs(shift ? Math.log1p(x) : Math.log(x)),
});

const turnOf = (lambda: number): -1 | 0 | 1 => Math.sign(lambda - 1) as -1 | 0 | 1;

export const powerShape = (lambda: number): CurveShape => ({
  above: 0,
  turn: turnOf(lambda),
  slope: (x) => x ** (lambda - 1),
  bend: (x) => (lambda - 1) * x ** (lambda - 2),
  inverse: (y) => unpower(y, lambda),
  atSlope: (slope) => slope ** (1 / (lambda - 1)),
  atBend: (bend) => [(bend / (lambda - 1)) ** (1 / (lambda - 2))],
  rounding: (x) => powerRounding(x, lambda),
});

export const twoSidedShape = (lambda: number): CurveShape => ({
  above: Number.NEGATIVE_INFINITY,
  turn: turnOf(lambda),
  slope: (x) => (x >= 0 ? (1 + x) ** (lambda - 1) : (1 - x) ** (1 - lambda)),
  bend: (x) => (lambda - 1) * (x >= 0 ? (1 + x) ** (lambda - 2) : (1 - x) ** -lambda),
  inverse: (y) => (y >= 0 ? unpower(y, lambda) - 1 : 1 - unpower(-y, 2 - lambda)),
  atSlope(slope) {
    const u = slope ** (1 / (lambda - 1));
    return u >= 1 ? u - 1 : 1 - 1 / u;
  },
  atBend(bend) {
    const ratio = bend / (lambda - 1);
    return [0, ratio ** (1 / (lambda - 2)) - 1, 1 - ratio ** (-1 / lambda)];
  },
  rounding: (x) => (x >= 0 ? powerRounding(1 + x, lambda) : powerRounding(1 - x, 2 - lambda)),
});

/** The u with (u^λ - 1)/λ = y; at the end of the range of f, 0 or Infinity. */
function unpower(y: number, lambda: number): number {
  if (lambda === 0) return Math.exp(y);
  const power = lambda * y + 1;
  if (power > 0) return power ** (1 / lambda);
  return lambda > 0 ? 0 : Infinity;
}

/** Of (u^λ - 1)/λ: a difference of two numbers, divided by a number that may be small. */
function powerRounding(u: number, lambda: number): number {
  if (lambda === 0) return ROUNDINGS * ULP * (Math.abs(Math.log(u)) + 1);
  const size = Math.abs(lambda);
  return (ROUNDINGS * ULP * ((1 + size) * u ** lambda + 1)) / size;
}
