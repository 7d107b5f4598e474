/**
 * The meaning of an engine's numbers. An engine with tolerances returns 0.30000000004 for the value 0.3, and moves a feature by 1e-14 when
 * the feature should not move. All tolerances for reading engines are defined here, each relative to the distance between values or to the
 * size of the value. Tolerances decide the order of trials, never the result: the model decides about the exact values of an answer, and a
 * move that the model needs is kept however small (explain/settle.ts).
 */
import type { Feature } from '../models/features.js';
import type { Domain } from './domain.js';
import { isContinuous, lastWithin, nearestValue, spacing } from './values.js';

/** A number this close to a value means that value, as a share of the distance to the value on the other side. */
export const ON_VALUE = 1e-7;
/** A relative move of a continuous feature up to this size may be the engine's rounding. */
const ROUNDING = 1e-12;
/** Shares of categories that changed by less than this mean the same category. */
const SHARE_ROUNDING = 1e-6;

/** The values on both sides of a number within the domain, the lower first. Only one value if the number means it. */
export function meantValues(domain: Domain, feature: Feature, number: number): readonly number[] {
  const inside = clamped(domain, feature, number);
  const below = lastWithin(domain, feature, inside, 1);
  if (below === inside) return [below];
  const above = lastWithin(domain, feature, inside, -1);
  const gap = ON_VALUE * (above - below);
  if (Number.isNaN(above) || inside - below <= gap) return [below];
  return Number.isNaN(below) || above - inside <= gap ? [above] : [below, above];
}

/** The distance of a number from the nearest value, as a share of the distance between values; 0 if the feature has no choice. */
export function offValue(domain: Domain, feature: Feature, number: number): number {
  const { column } = feature;
  if (isContinuous(domain, feature) || domain.lower[column] === domain.upper[column]) return 0;
  const inside = clamped(domain, feature, number);
  return Math.abs(inside - nearestValue(domain, feature, inside)) / spacing(domain, feature);
}

const clamped = ({ lower, upper }: Domain, { column }: Feature, number: number): number =>
  Math.min(upper[column], Math.max(lower[column], number));

/** Whether columns differ from the present ones by no more than an engine's rounding. */
export function mayStandStill({ kind, column, width }: Feature, { origin }: Domain, x: Float64Array): boolean {
  for (let c = column; c < column + width; c++) {
    const rounding = kind === 'choice' ? SHARE_ROUNDING : ROUNDING * Math.max(1, Math.abs(origin[c]));
    if (Math.abs(x[c] - origin[c]) > rounding) return false;
  }
  return true;
}
