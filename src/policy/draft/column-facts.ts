/**
 * Facts about one feature in rows: range, step, categories.
 *
 *   step  =  the greatest common divisor of all values, as decimal numbers
 *
 * A step is a fact only with several distinct values and with room for several steps between the smallest and the largest value. A lattice of
 * very many steps is no step: the feature is continuous with decimals.
 */
import type { Background } from '../../models/background.js';
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
  /** The number of rows of each category, or of false and true. Empty for numbers. */
  readonly counts: readonly number[];
}

const LEAST_DISTINCT = 5;
const LEAST_STEPS = 4;
const MOST_STEPS = 2000;
const MOST_DECIMALS = 4;

export const isNumeric = ({ kind }: Feature): boolean => kind === 'continuous' || kind === 'integer';

export function factsOf(feature: Feature, rows: readonly Float64Array[], background: Background): ColumnFacts {
  const values = rows.map((row) => row[feature.index]).filter((value) => !Number.isNaN(value));
  const counted = { feature, known: values.length, missing: rows.length - values.length };
  if (!isNumeric(feature)) return { ...counted, range: null, step: null, counts: countsOf(feature, values) };
  const range = values.length ? rangeOf(values) : quantileRange(feature, background);
  return { ...counted, range, step: values.length ? stepOf(feature, values) : null, counts: [] };
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

function countsOf({ kind, categories }: Feature, values: readonly number[]): number[] {
  const counts = Array<number>(kind === 'boolean' ? 2 : categories.length).fill(0);
  for (const value of values) counts[value]++;
  return counts;
}

function stepOf(feature: Feature, values: readonly number[]): number | null {
  const distinct = [...new Set(values)];
  const [least, most] = rangeOf(values);
  const step = distinct.length < LEAST_DISTINCT ? null : commonStep(distinct);
  if (step === null || (feature.kind === 'integer' && step === 1)) return null;
  const steps = (most - least) / step;
  return steps >= LEAST_STEPS && steps <= MOST_STEPS ? step : null;
}

/** Null: the values have more decimals than a step. */
function commonStep(values: readonly number[]): number | null {
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
