/**
 * Facts about one feature in rows: range, step, categories.
 *
 *   unit  =  the greatest common divisor of all values, as decimal numbers
 *   step  =  the unit, or a round multiple of it of at most 1/50 of the spread where the range has very many units
 *
 * A step needs several distinct values and room for several steps between the smallest and the largest value. Nobody asks a person for cents of
 * a salary: a round step costs an answer little and keeps changes round.
 */
import { type Background, medianDeviation, standardDeviation } from '../../models/background.js';
import type { Feature } from '../../models/features.js';
import { isDecimal } from '../lattice.js';

export interface ColumnFacts {
  readonly feature: Feature;
  /** The number of known values. */
  readonly known: number;
  readonly missing: number;
  /** Null: no value is known. */
  readonly range: readonly [number, number] | null;
  /** Null: no step fits, or the step of the type fits best. */
  readonly step: number | null;
  /** All values are multiples of the step. Otherwise the step keeps changes round. */
  readonly isObserved: boolean;
  /** The number of rows of each category, or of false and true. Empty for numbers. */
  readonly counts: readonly number[];
  /** The values that occur, of categories and booleans. Empty: nothing is known, or the feature is a number. */
  readonly seen: readonly number[];
}

const LEAST_DISTINCT = 5;
const LEAST_STEPS = 4;
/** More units than these are rounded to a larger step. */
const MOST_UNITS = 2000;
const MOST_DECIMALS = 4;
/** A round step is at most this share of the spread. */
const ROUND_SHARE = 1 / 50;
/** The first digits of round steps. */
const ROUND_DIGITS = [5, 2, 1];

export const isNumeric = ({ kind }: Feature): boolean => kind === 'continuous' || kind === 'integer';

export function factsOf(feature: Feature, rows: readonly Float64Array[], background: Background): ColumnFacts {
  const values = rows.map((row) => row[feature.index]).filter((value) => !Number.isNaN(value));
  const counted = { feature, known: values.length, missing: rows.length - values.length };
  if (!isNumeric(feature)) return { ...counted, ...NO_STEP, range: null, ...listedFacts(feature, values, background) };
  const range = values.length ? rangeOf(values) : quantileRange(feature, background);
  return { ...counted, range, ...(values.length ? stepOf(feature, values) : NO_STEP), counts: [], seen: [] };
}

function rangeOf(values: readonly number[]): [number, number] {
  let [least, most] = [values[0], values[0]];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** The first quantile is the smallest value, and the last is the largest. */
function quantileRange(feature: Feature, background: Background): [number, number] | null {
  const quantiles = background.quantiles(feature);
  return quantiles ? [quantiles[0], quantiles[quantiles.length - 1]] : null;
}

/** Without rows the shares of the background tell which values occur. */
function listedFacts(feature: Feature, values: readonly number[], background: Background) {
  const counts = countsOf(feature, values);
  const known = values.length ? counts : (background.shares(feature) ?? []);
  return { counts, seen: [...counts.keys()].filter((k) => known[k] > 0) };
}

function countsOf({ kind, categories }: Feature, values: readonly number[]): number[] {
  const counts = Array<number>(kind === 'boolean' ? 2 : categories.length).fill(0);
  for (const value of values) counts[value]++;
  return counts;
}

type Step = Pick<ColumnFacts, 'step' | 'isObserved'>;
const NO_STEP: Step = { step: null, isObserved: false };

function stepOf(feature: Feature, values: readonly number[]): Step {
  const distinct = [...new Set(values)];
  if (distinct.length < LEAST_DISTINCT) return NO_STEP;
  const [least, most] = rangeOf(values);
  const unit = commonUnit(distinct);
  const isObserved = unit !== null && (most - least) / unit <= MOST_UNITS;
  const step = isObserved ? unit : roundStep(unit, values);
  const isOfType = feature.kind === 'integer' && step === 1;
  return step === null || isOfType || (most - least) / step < LEAST_STEPS ? NO_STEP : { step, isObserved };
}

/** The largest multiple of the unit of the form 1, 2 or 5 times a power of ten that is small beside the spread; null: there is none. */
function roundStep(unit: number | null, values: readonly number[]): number | null {
  const most = ROUND_SHARE * (medianDeviation(values) || standardDeviation(values));
  const exponent = Math.floor(Math.log10(most));
  const steps = ROUND_DIGITS.map((digit) => Number(`${digit}e${exponent}`));
  return steps.find((step) => step <= most && (unit === null || isMultiple(step, unit))) ?? unit;
}

function isMultiple(step: number, unit: number): boolean {
  const ratio = step / unit;
  return ratio >= 1 && Math.abs(ratio - Math.round(ratio)) < 1e-9;
}

/** Null: the values have more decimals than a unit. */
function commonUnit(values: readonly number[]): number | null {
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++)
    if (values.every((value) => isDecimal(decimals, value))) {
      const power = 10 ** decimals;
      return values.reduce((step, value) => divisorOf(step, Math.round(Math.abs(value) * power)), 0) / power;
    }
  return null;
}

/** The greatest common divisor; of 0 and b it is b. */
function divisorOf(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
