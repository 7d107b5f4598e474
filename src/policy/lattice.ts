/**
 * The two sets of numbers that policies and models define, each as the doubles nearest to decimal numbers (linalg/decimals.ts):
 *
 *   a step s from h        { fl(dec(h) + k · dec(s)) : k whole }      0.3, 0.4, 0.5, ...: as a person writes them
 *   D decimals             { fl(k / 10^D) : k whole }
 *
 * One function serves both sets: the last number that is not beyond a bound. All other functions follow from it, and no result depends on a
 * tolerance. The numbers of a set are compared as doubles, so a bound that a person writes is reached.
 */
import {
  commonPower,
  decimalOf,
  digitsAt,
  longSteps,
  MOST_WHOLE,
  POWERS,
  restOf,
  toDouble,
  ulpOf,
} from '../linalg/decimals.js';

/** Up: the largest number at or below a bound. Down: the smallest at or above it. */
export type Side = 1 | -1;

/** From here on every double has D decimals: neighbours are further apart than 10^-D. */
const ALL_DECIMALS = 2 ** 53;

/** The last number of D decimals that is not beyond a finite bound. */
export function lastDecimal(decimals: number, bound: number, side: Side): number {
  const power = POWERS[decimals];
  if (Math.abs(bound) * power >= ALL_DECIMALS) return bound;
  const end = side * bound;
  let k = Math.floor(end * power);
  while (k / power > end) k--;
  while ((k + 1) / power <= end) k++;
  return signed(k / power, side);
}

/** The distance between neighbours. */
export const unitOf = (decimals: number): number => 1 / POWERS[decimals];

export const isDecimal = (decimals: number, value: number): boolean => lastDecimal(decimals, value, 1) === value;

/** The last number of the lattice around `origin` that is not beyond a finite bound. */
export function lastStep(origin: number, step: number, bound: number, side: Side): number {
  const power = commonPower(origin, step);
  const limit = side * bound;
  if (!(Math.abs(bound) * power <= MOST_WHOLE)) return lastLongStep(side * origin, step, limit) * side + 0;
  const start = side * Math.round(origin * power);
  const stride = Math.round(step * power);
  let k = Math.floor((limit * power - start) / stride);
  while ((start + k * stride) / power > limit) k--;
  while ((start + (k + 1) * stride) / power <= limit) k++;
  return signed((start + k * stride) / power, side);
}

export const isStep = (origin: number, step: number, value: number): boolean =>
  (step === 1 && Number.isSafeInteger(origin) && Number.isSafeInteger(value)) ||
  lastStep(origin, step, value, 1) === value;

/** The number of lattice points from one lattice number to another. Points with the same double count separately. */
export function countSteps(origin: number, step: number, low: number, high: number): number {
  const power = commonPower(origin, step);
  const isShort = Math.max(Math.abs(low), Math.abs(high)) * power <= MOST_WHOLE;
  const span = isShort
    ? (Math.round(high * power) - Math.round(low * power)) / Math.round(step * power)
    : (high - low) / step;
  return Math.round(span) + 1;
}

/** The largest number of the lattice at or below a bound, for numbers of any length. */
function lastLongStep(origin: number, step: number, bound: number): number {
  // Where steps are shorter than half of the distance between doubles, every double is the nearest to some point.
  if (step <= 0.5 * ulpOf(bound)) return bound;
  let k = Math.floor((bound - origin) / step);
  if (!(Math.abs(k) < MOST_WHOLE)) return lastExactStep(origin, step, bound);
  const rest = restOf(origin);
  const stepRest = restOf(step);
  const point = (n: number) => longSteps(origin, rest, n, step, stepRest);
  while (point(k) > bound) k--;
  while (point(k + 1) <= bound) k++;
  return point(k);
}

/** The same for any number of steps. The point after the bound's decimal may still be the bound's double. */
function lastExactStep(origin: number, step: number, bound: number): number {
  const [start, stride, end] = [origin, step, bound].map(decimalOf);
  const places = Math.max(start.places, stride.places, end.places);
  const [h, s, b] = [start, stride, end].map((decimal) => digitsAt(decimal, places));
  const last = h + floorDivide(b - h, s) * s;
  const after = toDouble(last + s, places);
  return after <= bound ? after : toDouble(last, places);
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return quotient * b > a ? quotient - 1n : quotient;
}

/** Never -0. */
const signed = (value: number, side: Side): number => side * value + 0;
