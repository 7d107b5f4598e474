/**
 * A person's domain: the values that the policy permits for one row. The present value is always permitted: bounds and allowed categories
 * are widened to it.
 *
 *   numeric column c     the values of values.ts between lower_c and upper_c, which are values themselves or infinite
 *   one-hot columns      0 <= x_c <= upper_c, upper_c = 1 for allowed categories, exactly one column is 1
 *   ordinal feature      a rank within bounds whose mask is set, when it has a mask
 *
 * A domain is filled in place for every row: no allocation on the hot path.
 */
import { decimalSum } from '../linalg/decimals.js';
import { type Feature, type FeatureSpace, spread } from '../models/features.js';
import { isDecimal, lastDecimal, lastStep, unitOf } from './lattice.js';
import { type PlainEnds, plainEndsOf } from './plain-ends.js';
import type { FeatureRule } from './rules.js';

export interface Domain {
  readonly space: FeatureSpace;
  /** The row itself, by column, with imputed values where it is missing. */
  readonly origin: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** By feature: the hard lattice of changes around the origin; 0: continuous. */
  readonly step: Float64Array;
  /** By feature: the grid 10^-decimals if the origin lies on it; 0: none. Answers are rounded to the grid. */
  readonly grid: Float64Array;
  /** By feature: the allowed ranks of an ordinal feature. Null: all within the bounds. */
  readonly ranks: (Uint8Array | null)[];
}

export function createDomain(space: FeatureSpace): Domain {
  const columns = () => new Float64Array(space.columns);
  const features = () => new Float64Array(space.features.length);
  return {
    space,
    origin: columns(),
    lower: columns(),
    upper: columns(),
    step: features(),
    grid: features(),
    ranks: space.features.map(() => null),
  };
}

export function copyDomain(from: Domain, to: Domain): void {
  to.origin.set(from.origin);
  to.lower.set(from.lower);
  to.upper.set(from.upper);
  to.step.set(from.step);
  to.grid.set(from.grid);
  for (let f = 0; f < from.ranks.length; f++) to.ranks[f] = from.ranks[f];
}

export function cloneDomain(domain: Domain): Domain {
  const clone = createDomain(domain.space);
  copyDomain(domain, clone);
  return clone;
}

/** Fills the domain of a row. `imputed` replaces missing columns. */
export function fillDomain(
  domain: Domain,
  space: FeatureSpace,
  rules: readonly FeatureRule[],
  values: Float64Array,
  imputed: Float64Array,
): void {
  const { origin } = domain;
  spread(space, values, origin);
  for (let c = 0; c < origin.length; c++) if (Number.isNaN(origin[c])) origin[c] = imputed[c];
  const ends = plainEndsOf(rules);
  fillPlain(domain, ends);
  for (const rule of ends.others) {
    if (rule.feature.kind === 'choice') fillChoice(domain, rule);
    else fillNumber(domain, rule, Number.isNaN(values[rule.feature.index]));
  }
}

/** A missing value that the model accepts stays missing: its ends are no numbers. */
function fillPlain({ origin, lower, upper, step, grid, ranks }: Domain, ends: PlainEnds): void {
  const { features, columns, low, high } = ends;
  for (let k = 0; k < columns.length; k++) {
    const column = columns[k];
    const index = features[k];
    const here = origin[column];
    lower[column] = Math.min(here, low[k]);
    upper[column] = Math.max(here, high[k]);
    step[index] = 0;
    grid[index] = 0;
    ranks[index] = null;
  }
}

function fillChoice({ origin, lower, upper }: Domain, rule: FeatureRule): void {
  const { column, width } = rule.feature;
  for (let i = 0; i < width; i++) {
    const c = column + i;
    const allowed = !rule.never && (!rule.allowed || rule.allowed[i] === 1);
    lower[c] = rule.never ? origin[c] : 0;
    upper[c] = allowed || origin[c] > 0 ? 1 : 0;
  }
}

function fillNumber(domain: Domain, rule: FeatureRule, missing: boolean): void {
  const { feature } = rule;
  const { column, index } = feature;
  const here = domain.origin[column];
  if (Number.isNaN(here)) {
    leaveMissing(domain, feature);
    return;
  }
  const step = missing ? stepFromImputed(feature, here) : rule.step;
  let low = lowest(rule, here);
  let high = highest(rule, here);
  if (step > 0) {
    if (low > -Infinity && low < here) low = lastStep(here, step, low, -1);
    if (high < Infinity && high > here) high = lastStep(here, step, high, 1);
  } else if (feature.decimals >= 0) {
    if (low > -Infinity) low = Math.min(here, lastDecimal(feature.decimals, low, -1));
    if (high < Infinity) high = Math.max(here, lastDecimal(feature.decimals, high, 1));
  }
  domain.lower[column] = low;
  domain.upper[column] = high;
  domain.step[index] = step;
  domain.grid[index] = step > 0 ? 0 : gridOf(feature, here);
  domain.ranks[index] = null;
  if (rule.allowed && !rule.never) applyMask(domain, rule, here);
}

/** The lowest value that the rule permits. A value below the rule's own bound stays. */
export function lowest({ never, mayDecrease, min, maxDecrease }: FeatureRule, here: number): number {
  if (never || !mayDecrease) return here;
  return Math.min(here, maxDecrease === Infinity ? min : Math.max(min, decimalSum(here, -maxDecrease)));
}

/** The highest value that the rule permits. A value above the rule's own bound stays. */
export function highest({ never, mayIncrease, max, maxIncrease }: FeatureRule, here: number): number {
  if (never || !mayIncrease) return here;
  return Math.max(here, maxIncrease === Infinity ? max : Math.min(max, decimalSum(here, maxIncrease)));
}

/** A missing value that the model accepts stays missing. */
function leaveMissing(domain: Domain, { column, index }: Feature): void {
  domain.lower[column] = domain.upper[column] = Number.NaN;
  domain.step[index] = domain.grid[index] = 0;
  domain.ranks[index] = null;
}

/** A missing value has no start for steps. Whole numbers still step by one if the imputed value is whole. */
function stepFromImputed(feature: Feature, here: number): number {
  return feature.kind !== 'continuous' && Number.isInteger(here) ? 1 : 0;
}

/** The unit of the decimals if the present value has that many decimals. */
const gridOf = ({ decimals }: Feature, here: number): number =>
  decimals >= 0 && isDecimal(decimals, here) ? unitOf(decimals) : 0;

/** The allowed ranks of an ordinal or boolean feature. Bounds shrink to them, and the mask keeps the gaps. */
function applyMask(domain: Domain, rule: FeatureRule, here: number): void {
  const { column, index } = rule.feature;
  const allowed = (rank: number) => rank === here || rule.allowed![rank] === 1;
  while (!allowed(domain.lower[column])) domain.lower[column]++;
  while (!allowed(domain.upper[column])) domain.upper[column]--;
  const mask = Uint8Array.from(
    rule.allowed!,
    (_, rank) => +(rank >= domain.lower[column] && rank <= domain.upper[column] && allowed(rank)),
  );
  const gap = mask.slice(domain.lower[column], domain.upper[column] + 1).includes(0);
  domain.ranks[index] = gap ? mask : null;
}

/** Whether the feature has only one value in the domain. */
export function isFixed(domain: Domain, feature: Feature): boolean {
  for (let c = feature.column; c < feature.column + feature.width; c++) {
    if (
      domain.lower[c] !== domain.upper[c] &&
      !(feature.kind === 'choice' && domain.origin[c] > 0 && othersClosed(domain, feature))
    )
      return false;
  }
  return true;
}

function othersClosed(domain: Domain, feature: Feature): boolean {
  for (let c = feature.column; c < feature.column + feature.width; c++)
    if (domain.origin[c] === 0 && domain.upper[c] > 0) return false;
  return true;
}

/** Whether the present value is still in the domain. */
export function mayStand({ origin, lower, upper, ranks }: Domain, feature: Feature): boolean {
  if (ranks[feature.index]?.[origin[feature.column]] === 0) return false;
  for (let c = feature.column; c < feature.column + feature.width; c++) {
    if (origin[c] < lower[c] || origin[c] > upper[c]) return false;
  }
  return true;
}

/** Pins a feature to its present value. */
export function pin(domain: Domain, feature: Feature): void {
  for (let c = feature.column; c < feature.column + feature.width; c++)
    domain.lower[c] = domain.upper[c] = domain.origin[c];
  domain.ranks[feature.index] = null;
}
