/**
 * Which values a policy lets one feature of one person take, beside the present one. Standing still is always allowed: bounds and
 * lists are widened to the present value. A change is a whole multiple of `step`; without a step a continuous feature takes
 * numbers of so many decimals, or any number between the bounds.
 */
import { type FeatureSpec, isNumeric, kindOf } from '../evaluate/features.js';
import { type Decimal, decimalOf, floorUnits, plus, toNumber } from './decimal.js';

export interface RuleSpec {
  change?: 'never' | 'increase' | 'decrease' | 'any';
  min?: number;
  max?: number;
  maxIncrease?: number;
  maxDecrease?: number;
  step?: number;
  allow?: (string | boolean)[];
}

/** Without `unbounded` a number without a bound ends where the background ends, or where the policy's other bound lies beyond that. */
export function seenRule(feature: FeatureSpec, rule: RuleSpec, seen: readonly number[] | undefined): RuleSpec {
  if (!isNumeric(feature) || !seen) return rule;
  const [min, max] = [rule.min ?? feature.min, rule.max ?? feature.max];
  return {
    ...rule,
    ...(min === undefined && { min: Math.min(seen[0], max ?? Infinity) }),
    ...(max === undefined && { max: Math.max(seen[seen.length - 1], min ?? -Infinity) }),
  };
}

/** `list`: all values that a change may lead to. `lattice`: evenly spaced ones, too many to list. `interval`: any number. */
export type Values =
  | { kind: 'list'; values: number[] }
  | { kind: 'lattice'; low: number; high: number; at(k: number): number; spacing: number; least: number; most: number }
  | { kind: 'interval'; low: number; high: number };

export const MOST_LISTED = 20_000;

export interface Present {
  /** The value, imputed where it is missing. */
  from: number;
  missing: boolean;
}

export function valuesOf(feature: FeatureSpec, rule: RuleSpec, present: Present): Values {
  const { from } = present;
  if (rule.change === 'never' || Number.isNaN(from)) return { kind: 'list', values: [] };
  if (!isNumeric(feature)) return { kind: 'list', values: listed(feature, rule, from) };
  const [low, high] = boundsOf(feature, rule, from);
  const step = stepOf(feature, rule, present);
  if (step > 0) return latticeFrom(from, decimalOf(step), low, high, from);
  if (feature.type === 'continuous' && feature.decimals === undefined) return { kind: 'interval', low, high };
  return latticeFrom(0, { digits: 1n, exponent: -(feature.decimals ?? 0) }, low, high, from);
}

/** start + k · step within the bounds, each the double nearest to the exact decimal. */
function latticeFrom(start: number, step: Decimal, low: number, high: number, from: number): Values {
  const origin = decimalOf(start);
  const at = (k: number) => toNumber(plus(origin, step, BigInt(k)));
  // A point that is the double of a bound is within it, though the decimals of the two may differ beyond the last digit.
  const most = Number.isFinite(high) ? furthest(high, origin, step, 1n, at) : Infinity;
  const least = Number.isFinite(low) ? furthest(low, origin, step, -1n, at) : -Infinity;
  if (!(most - least <= MOST_LISTED)) return { kind: 'lattice', low, high, at, spacing: at(1) - at(0), least, most };
  const all = Array.from({ length: Math.max(0, most - least + 1) }, (_, k) => at(least + k));
  return { kind: 'list', values: all.filter((value) => value !== from) };
}

/** The number of the last point that is not beyond an end. */
function furthest(end: number, origin: Decimal, step: Decimal, side: 1n | -1n, at: (k: number) => number): number {
  const sign = Number(side);
  const length = plus({ digits: 0n, exponent: 0 }, plus(decimalOf(end), origin, -1n), side);
  const k = Number(floorUnits(length, step));
  return sign * ((at(sign * (k + 1)) - end) * sign <= 0 ? k + 1 : k);
}

/** The nearest value that is allowed; a listed one must be given. */
export function snap(values: Values, value: number): number {
  if (values.kind === 'list') return value;
  const inside = Math.min(values.high, Math.max(values.low, value));
  if (values.kind === 'interval') return inside;
  const { spacing } = values;
  const k = spacing > 0 ? Math.round((inside - values.at(0)) / spacing) : 0;
  return values.at(Math.min(values.most, Math.max(values.least, k)));
}

function listed(feature: FeatureSpec, rule: RuleSpec, from: number): number[] {
  const names: (string | boolean)[] = feature.type === 'boolean' ? [false, true] : feature.categories!;
  const allowed = (name: string | boolean) => !rule.allow || rule.allow.some((other) => String(other) === String(name));
  return names
    .map((name, k) => ({ name, k }))
    .filter(({ name, k }) => k !== from && allowed(name) && isRightWay(rule, from, k))
    .map(({ k }) => k);
}

const isRightWay = ({ change }: RuleSpec, from: number, to: number): boolean =>
  to > from ? change !== 'decrease' : change !== 'increase';

function boundsOf(feature: FeatureSpec, rule: RuleSpec, from: number): [number, number] {
  const min = Math.max(feature.min ?? -Infinity, rule.min ?? -Infinity);
  const max = Math.min(feature.max ?? Infinity, rule.max ?? Infinity);
  const low = rule.change === 'increase' ? from : Math.min(from, Math.max(min, moved(from, rule.maxDecrease, -1n)));
  const high = rule.change === 'decrease' ? from : Math.max(from, Math.min(max, moved(from, rule.maxIncrease, 1n)));
  return [low, high];
}

const moved = (from: number, by: number | undefined, side: 1n | -1n): number =>
  by === undefined ? Number(side) * Infinity : toNumber(plus(decimalOf(from), decimalOf(by), side));

/** A missing value has nothing to step from. */
function stepOf(feature: FeatureSpec, rule: RuleSpec, { missing }: Present): number {
  if (missing) return 0;
  return rule.step ?? (feature.type === 'integer' ? 1 : 0);
}

/** What is wrong with a change to a value; nothing when the change is allowed. */
export type ChangeRule = (to: number) => string | undefined;

/** The rule of one feature for one person; bounds and lists are computed once. */
export function changeRule(feature: FeatureSpec, rule: RuleSpec, present: Present): ChangeRule {
  const { from } = present;
  if (rule.change === 'never') return () => 'must stand still';
  if (Number.isNaN(from)) return () => 'is missing and stays so';
  const inner = isNumeric(feature) ? numberRule(feature, rule, present) : listRule(listed(feature, rule, from));
  return (to) => (Number.isFinite(to) ? inner(to) : 'is no number');
}

const listRule =
  (allowed: readonly number[]): ChangeRule =>
  (to) =>
    allowed.includes(to) ? undefined : 'is not allowed';

function numberRule(feature: FeatureSpec, rule: RuleSpec, present: Present): ChangeRule {
  const { from } = present;
  const [low, high] = boundsOf(feature, rule, from);
  const slack = (bound: number) =>
    Number.isFinite(bound) ? 1e-9 * Math.max(Math.abs(bound), bound === from ? 0 : Math.abs(bound - from)) : 0;
  const [least, most] = [low - slack(low), high + slack(high)];
  return (to) => {
    if (kindOf(feature) === 'integer' && !Number.isInteger(to)) return 'is not whole';
    if (!isRightWay(rule, from, to)) return 'goes the wrong way';
    if (to > most || to < least) return `leaves [${low}, ${high}]`;
    return spacingFault(feature, rule, present, to);
  };
}

function spacingFault(feature: FeatureSpec, rule: RuleSpec, present: Present, to: number): string | undefined {
  const step = stepOf(feature, rule, present);
  if (step > 0) {
    const off = Math.abs(to - present.from - step * Math.round((to - present.from) / step));
    const rounding = 4 * 2 ** -52 * Math.max(Math.abs(to), Math.abs(present.from));
    return off <= 1e-9 * step + rounding ? undefined : `is no multiple of ${step} away`;
  }
  const { decimals } = feature;
  return decimals === undefined || Number(to.toFixed(decimals)) === to
    ? undefined
    : `has more than ${decimals} decimals`;
}
