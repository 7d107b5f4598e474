/**
 * The decimal number that a double represents. A person who writes 0.1 does not mean the nearest binary fraction:
 *
 *   dec(x)    the decimal of at most 15 digits and 22 places that reads as x, if one exists; else x itself
 *   fl(q)     the double nearest to a real number q;   fl(dec(x)) = x
 *   stepsFrom(a, k, b) = fl(dec(a) + k · dec(b)):   0.3 + 1 · 0.6 = 0.9, where binary arithmetic gives 0.8999999999999999
 *
 * 15 digits tell doubles apart, so dec(x) is unique. It is a whole number of at most 1e15 over a power of ten, both exact doubles.
 * Whole numbers are added exactly and their quotient is correctly rounded. Other numbers are added as sums of two doubles (Dekker
 * 1971). Their last rounding is accepted if an error of a billionth of the lower part would not change it. Otherwise BigInt
 * computes the sum.
 */
import { nextUp } from './floats.js';

/** 10^e as an exact double, e <= 22. */
export const POWERS: readonly number[] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
];

/** Whole numbers up to here have at most 15 digits, or are 1e15. */
const MOST_SHORT = 1e15;
/** Whole numbers up to here stay exact when two of them are added. */
export const MOST_WHOLE = 2 ** 51;

/** The fewest places e with dec(x) = k / 10^e; -1: x represents itself. */
export function placesOf(x: number): number {
  const size = Math.abs(x);
  for (let e = 0; e < POWERS.length; e++) {
    const power = POWERS[e];
    const scaled = size * power;
    if (!(scaled <= MOST_SHORT)) return -1;
    if (Math.round(scaled) / power === size) return e;
    if (e === FEW_PLACES && !isShort(size)) return -1;
  }
  return -1;
}

/** Decimals with more places than this are searched only after a test that one exists. */
const FEW_PLACES = 3;

/** Whether a number is a decimal within 15 digits. */
function isShort(size: number): boolean {
  let e = Math.min(22, Math.floor(15 - Math.log10(size)));
  while (size * POWERS[e] > MOST_SHORT) e--;
  return Math.round(size * POWERS[e]) / POWERS[e] === size;
}

/** A power of ten that makes both decimals whole numbers up to MOST_WHOLE; NaN: none. */
export function commonPower(a: number, b: number): number {
  const places = placesOf(a);
  const others = placesOf(b);
  if (places < 0 || others < 0) return Number.NaN;
  const power = POWERS[Math.max(places, others)];
  return Math.abs(a) * power <= MOST_WHOLE && Math.abs(b) * power <= MOST_WHOLE ? power : Number.NaN;
}

/** fl(dec(a) + dec(b)), where a sum of zero is +0. Plain addition if one of them is infinite. */
export function decimalSum(a: number, b: number): number {
  if (a === 0 || b === 0 || !Number.isFinite(a + b)) return a + b + 0;
  const power = commonPower(a, b);
  return Number.isNaN(power)
    ? longSteps(a, restOf(a), 1, b, restOf(b))
    : (Math.round(a * power) + Math.round(b * power)) / power;
}

// -------------------------------------------------------------------------------------------------- sums of two doubles

/** Sizes whose products neither overflow nor lose digits. */
const isModerate = (x: number): boolean => x === 0 || (Math.abs(x) > 1e-140 && Math.abs(x) < 1e140);
/** The assumed relative error of a lower part, far above the actual error. */
const DOUBT = 2 ** -30;
/** A sum below this share of its first term has lost digits. */
const CANCELLED = 2 ** -20;
const SPLITTER = 2 ** 27 + 1;

/** fl(dec(a) + k · dec(b)) for finite numbers, whole |k| < 2^52 and the rests dec(a) - a, dec(b) - b. */
export function longSteps(a: number, restA: number, k: number, b: number, restB: number): number {
  if (!isModerate(a) || !isModerate(b) || !isModerate(k * b)) return exactSteps(a, BigInt(k), b);
  const product = k * b;
  const upper = a + product;
  const lower = sumError(a, product, upper) + (productError(k, b, product) + k * restB + restA);
  const sum = upper + lower;
  const isSure = upper + lower * (1 + DOUBT) === sum && upper + lower * (1 - DOUBT) === sum;
  return isSure && Math.abs(sum) > CANCELLED * Math.abs(a) ? sum : exactSteps(a, BigInt(k), b);
}

/** dec(x) - x. */
export function restOf(x: number): number {
  const places = placesOf(x);
  if (places <= 0) return 0;
  const power = POWERS[places];
  const scaled = x * power;
  return (Math.round(scaled) - scaled - productError(x, power, scaled)) / power;
}

/** a + b - sum, exactly. */
function sumError(a: number, b: number, sum: number): number {
  const part = sum - a;
  return a - (sum - part) + (b - part);
}

/** a · b - product, exactly. */
function productError(a: number, b: number, product: number): number {
  const highA = SPLITTER * a - (SPLITTER * a - a);
  const highB = SPLITTER * b - (SPLITTER * b - b);
  const lowA = a - highA;
  const lowB = b - highB;
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}

// --------------------------------------------------------------------------------------------------------------- BigInt

export interface Decimal {
  readonly digits: bigint;
  /** The value is digits / 10^places. */
  readonly places: number;
}

/** fl(dec(a) + k · dec(b)), for any finite numbers. */
export function exactSteps(a: number, k: bigint, b: number): number {
  const [start, stride] = [decimalOf(a), decimalOf(b)];
  const places = Math.max(start.places, stride.places);
  return toDouble(digitsAt(start, places) + k * digitsAt(stride, places), places);
}

/** dec(x) of any finite double. A binary fraction is a decimal fraction with as many places. */
export function decimalOf(x: number): Decimal {
  const places = placesOf(x);
  if (places >= 0) return { digits: BigInt(Math.round(x * POWERS[places])), places };
  let [whole, halvings] = [x, 0];
  for (; !Number.isInteger(whole); halvings++) whole *= 2;
  return { digits: BigInt(whole) * 5n ** BigInt(halvings), places: halvings };
}

/** The digits of a decimal written with more places. */
export const digitsAt = ({ digits, places }: Decimal, wanted: number): bigint =>
  digits * 10n ** BigInt(wanted - places);

/** fl(digits / 10^places). */
export const toDouble = (digits: bigint, places: number): number => Number(`${digits}e-${places}`);

/** The distance from a double to the next larger one. */
export const ulpOf = (x: number): number => nextUp(Math.abs(x)) - Math.abs(x);
