/**
 * The values of a domain, one feature at a time: lattice points, decimals, allowed ranks, or every number between the bounds.
 * What is asked is always the same: the last value before a bound, seen from inside.
 */
import type { Feature } from '../models/features.js';
import { type Domain, roundTo } from './domain.js';

/** Up: the largest value at or below a bound. Down: the smallest at or above it. */
export type Side = 1 | -1;

/** How far rounding may put a lattice point beyond the bound that it is. */
const ON_THE_LATTICE = 1e-9;

/** The domain's last value that is not beyond `bound`, going to a side; NaN when the domain has none. */
export function lastWithin(domain: Domain, feature: Feature, bound: number, side: Side): number {
  const { column, index } = feature;
  const own = side > 0 ? domain.upper[column] : domain.lower[column];
  const isOwn = (own - bound) * side <= 0;
  const end = isOwn ? own : bound;
  if (!Number.isFinite(end)) return end === side * Infinity ? end : Number.NaN;
  let value = onGrid(domain, feature, end, side);
  // The domain's own end may be a rounding short of the lattice point that it stands for.
  const step = domain.step[index];
  if (isOwn && step > 0 && tidy(end) === tidy(value + side * step)) value = tidy(end);
  const ranks = domain.ranks[index];
  if (ranks) while (value >= 0 && value < ranks.length && ranks[value] !== 1) value -= side;
  const start = side > 0 ? domain.lower[column] : domain.upper[column];
  return (value - start) * side >= 0 || value === tidy(start) ? value : Number.NaN;
}

function onGrid(domain: Domain, { column, index, decimals }: Feature, end: number, side: Side): number {
  const here = domain.origin[column];
  const step = domain.step[index];
  if (step > 0) {
    const steps = Math.floor((side * (end - here)) / step + ON_THE_LATTICE);
    const point = (k: number) => tidy(here + side * k * step);
    return (point(steps) - end) * side <= 0 ? point(steps) : point(steps - 1);
  }
  if (decimals < 0 || end === here) return end;
  const rounded = roundTo(end, decimals);
  return (rounded - end) * side <= 0 ? rounded : roundTo(rounded - side * 10 ** -decimals, decimals);
}

/** 0.30000000000000004 -> 0.3 */
const tidy = (value: number): number => Number(value.toPrecision(15));

/** Whether a feature's values are listed rather than bounded: categories, ranks, yes and no. */
export const isListed = ({ kind }: Feature): boolean => kind === 'choice' || kind === 'ordinal' || kind === 'boolean';

/** The listed values that a domain leaves a feature. */
export function listedValues(domain: Domain, feature: Feature): number[] {
  const { column, index, kind, max } = feature;
  const open = (k: number) =>
    kind === 'choice'
      ? domain.upper[column + k] > 0
      : k >= domain.lower[column] && k <= domain.upper[column] && domain.ranks[index]?.[k] !== 0;
  return Array.from({ length: max + 1 }, (_, k) => k).filter(open);
}

/** Leaves a feature one value. */
export function fixAt(domain: Domain, feature: Feature, value: number): void {
  const { column, width, kind } = feature;
  if (kind !== 'choice') domain.lower[column] = domain.upper[column] = value;
  else for (let k = 0; k < width; k++) domain.lower[column + k] = domain.upper[column + k] = +(k === value);
}
