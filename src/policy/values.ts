/**
 * THE VALUE KERNEL: the numbers that a feature may take for one person. With h the present value, [l, u] the domain's bounds, and the sets
 * of lattice.ts:
 *
 *   a step                     V = { points of the step from h }                   integers, yes and no, ranks: the step is 1
 *   D decimals and no step     V = { numbers of D decimals } and h itself, which may lie between them
 *   neither                    V = every double
 *   a mask of ranks            V without the ranks that it closes
 *
 * The domain's values are V within [l, u], compared as doubles. No tolerance applies: a number is a value or not, and a feature has moved
 * if its number is another double. A solver's number means the value nearest to it (`nearestValue`). The bounds of a domain are values
 * themselves, and `narrowTo` keeps this property.
 *
 * Categories in columns of their own are in listed-values.ts.
 */
import { nextDown, nextUp } from '../linalg/floats.js';
import type { Feature } from '../models/features.js';
import type { Domain } from './domain.js';
import { countSteps, isDecimal, isStep, lastDecimal, lastStep, type Side, unitOf } from './lattice.js';

export type { Side } from './lattice.js';

/** Whether every number between the bounds is a value. */
export const isContinuous = ({ step }: Domain, { index, decimals }: Feature): boolean =>
  step[index] === 0 && decimals < 0;

/** The distance between neighbouring values, apart from the present value; 0: any distance. */
export function spacing({ step }: Domain, { index, decimals }: Feature): number {
  return step[index] || (decimals < 0 ? 0 : unitOf(decimals));
}

/** Whether a number is a value of the domain. */
export function isValue(domain: Domain, feature: Feature, value: number): boolean {
  const { column } = feature;
  if (!(value >= domain.lower[column] && value <= domain.upper[column])) return false;
  return isOpenRank(domain, feature, value) && isOnGrid(domain, feature, value);
}

const isOpenRank = ({ ranks }: Domain, { index }: Feature, value: number): boolean => ranks[index]?.[value] !== 0;

function isOnGrid({ origin, step }: Domain, { column, index, decimals }: Feature, value: number): boolean {
  if (step[index] > 0) return isStep(origin[column], step[index], value);
  return decimals < 0 || value === origin[column] || isDecimal(decimals, value);
}

/** The domain's last value that is not beyond `bound`, going to a side; NaN: none; infinite: the domain is unbounded there. */
export function lastWithin(domain: Domain, feature: Feature, bound: number, side: Side): number {
  const { column } = feature;
  const own = side > 0 ? domain.upper[column] : domain.lower[column];
  const end = side > 0 ? Math.min(own, bound) : Math.max(own, bound);
  if (!Number.isFinite(end)) return end === side * Infinity ? end : Number.NaN;
  let value = onGrid(domain, feature, end, side);
  while (!isOpenRank(domain, feature, value)) value = onGrid(domain, feature, beside(value, -side as Side), side);
  const start = side > 0 ? domain.lower[column] : domain.upper[column];
  return (value - start) * side >= 0 ? value : Number.NaN;
}

function onGrid({ origin, step }: Domain, { column, index, decimals }: Feature, end: number, side: Side): number {
  const here = origin[column];
  if (step[index] > 0) return lastStep(here, step[index], end, side);
  if (decimals < 0) return end;
  const decimal = lastDecimal(decimals, end, side);
  return (end - here) * side >= 0 && (here - decimal) * side > 0 ? here : decimal;
}

const beside = (value: number, side: Side): number => (side > 0 ? nextUp(value) : nextDown(value));

/** The first value beyond a number, going to a side; NaN: none. */
export function nextValue(domain: Domain, feature: Feature, value: number, side: Side): number {
  const next = lastWithin(domain, feature, beside(value, side), -side as Side);
  return Number.isFinite(next) ? next : Number.NaN;
}

/** The value nearest to a number. Of two equally near values, the one nearer to the present value. NaN: the domain is empty. */
export function nearestValue(domain: Domain, feature: Feature, wanted: number): number {
  const { column } = feature;
  const number = Math.min(domain.upper[column], Math.max(domain.lower[column], wanted));
  const below = lastWithin(domain, feature, number, 1);
  if (below === number) return below;
  const above = lastWithin(domain, feature, number, -1);
  const isBelow = number - below === above - number ? below >= domain.origin[column] : number - below < above - number;
  return isBelow || Number.isNaN(above) ? below : above;
}

/** The value within [low, high] nearest to the present value, the lower of two; NaN: none. */
export function nearestWithin(domain: Domain, feature: Feature, low: number, high: number): number {
  const { column } = feature;
  const here = domain.origin[column];
  const from = Math.max(low, domain.lower[column]);
  const to = Math.min(high, domain.upper[column]);
  if (!(from <= to)) return Number.NaN;
  if (here >= from && here <= to)
    return isOpenRank(domain, feature, here) ? here : aroundPresent(domain, feature, from, to);
  const value = here < from ? lastWithin(domain, feature, from, -1) : lastWithin(domain, feature, to, 1);
  return value >= from && value <= to ? value : Number.NaN;
}

/** The present rank is closed: returns the nearest rank on either side. */
function aroundPresent(domain: Domain, feature: Feature, from: number, to: number): number {
  const here = domain.origin[feature.column];
  const below = lastWithin(domain, feature, here, 1);
  const above = lastWithin(domain, feature, here, -1);
  const [hasBelow, hasAbove] = [below >= from, above <= to];
  if (hasBelow && hasAbove) return here - below <= above - here ? below : above;
  return hasBelow ? below : hasAbove ? above : Number.NaN;
}

/** The number of values in the domain; Infinity if it is continuous over an interval, or unbounded. */
export function countValues(domain: Domain, feature: Feature): number {
  const { column, index, decimals } = feature;
  const low = lastWithin(domain, feature, Number.NEGATIVE_INFINITY, -1);
  const high = lastWithin(domain, feature, Infinity, 1);
  if (!(low <= high)) return 0;
  if (low === high) return 1;
  if (isContinuous(domain, feature) || high - low === Infinity) return Infinity;
  if (domain.ranks[index]) return [...valuesOf(domain, feature)].length;
  if (domain.step[index] > 0) return countSteps(domain.origin[column], domain.step[index], low, high);
  return countDecimals(domain, feature, decimals, low, high);
}

function countDecimals(
  { origin, lower, upper }: Domain,
  { column }: Feature,
  decimals: number,
  low: number,
  high: number,
) {
  const here = origin[column];
  const isExtra = here >= lower[column] && here <= upper[column] && !isDecimal(decimals, here);
  const [first, last] = [lastDecimal(decimals, low, -1), lastDecimal(decimals, high, 1)];
  return +isExtra + (first <= last ? countSteps(0, unitOf(decimals), first, last) : 0);
}

/** The values from low to high. The sequence is infinite if the domain is unbounded. Not for continuous features. */
export function* valuesOf(domain: Domain, feature: Feature): Generator<number> {
  let value = lastWithin(domain, feature, Number.NEGATIVE_INFINITY, -1);
  for (; Number.isFinite(value); value = nextValue(domain, feature, value, 1)) yield value;
}

/** Narrows a domain to the values within [low, high]: its bounds become values. False: no value is left. */
export function narrowTo(domain: Domain, feature: Feature, low: number, high: number): boolean {
  const { column } = feature;
  const first = lastWithin(domain, feature, low, -1);
  const last = lastWithin(domain, feature, high, 1);
  // Bounds of an empty domain exclude each other.
  const isEmpty = !(first <= last);
  domain.lower[column] = isEmpty ? Infinity : first;
  domain.upper[column] = isEmpty ? Number.NEGATIVE_INFINITY : last;
  return !isEmpty;
}

/** Whether the numbers of a feature's columns differ. A value missing in both has not moved. */
export function hasMoved({ column, width }: Feature, from: Float64Array, to: Float64Array): boolean {
  for (let c = column; c < column + width; c++) if (!isSame(from[c], to[c])) return true;
  return false;
}

export const isSame = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));
