/**
 * From a solver's columns to values that can be reported (policy/values.ts): each number becomes the value that the solver means. Where a
 * number of a feature with decimals lies between two values, both are tried:
 *
 *   up to 3 such features     all combinations
 *   more                      the nearest values, or the values further out; then features are turned inward one after the other
 *
 * A move that may be rounding is dropped if the answer holds without it. Model and policy check every candidate, and the cheapest valid
 * candidate is reported. A solver's bound holds for every value: the cost of rounding is reported as a gap and never as optimal.
 */
import { FloatArena } from '../linalg/float-arena.js';
import { type Feature, type FeatureSpace, gatherValue } from '../models/features.js';
import type { Domain } from '../policy/domain.js';
import { mayStandStill, meantValues } from '../policy/solver-numbers.js';
import { isContinuous } from '../policy/values.js';

/** Up to this many features every combination of roundings is tried. Further features are tried one after the other. */
const COMBINED = 3;
/** The number of features that are tried one after the other. */
const TURNED = 32;

export interface Settled {
  readonly values: Float64Array;
  readonly cost: number;
}

/** The cost of an answer; Infinity: the values are no answer. */
type Check = (values: Float64Array) => number;

/** A feature between two values. */
interface Loose {
  readonly index: number;
  readonly nearest: number;
  readonly outward: number;
  readonly inward: number;
}

/** The values that a solver's columns mean, where they are certain. */
interface Reading {
  readonly values: Float64Array;
  readonly loose: Loose[];
  /** Features whose move may be rounding. */
  readonly doubtful: number[];
}

const arena = new FloatArena();

/** Returns the verified values with the least cost, or null. */
export function settle(
  space: FeatureSpace,
  domain: Domain,
  factual: Float64Array,
  x: Float64Array,
  check: Check,
): Settled | null {
  const { values, loose, doubtful } = read(space, domain, factual, x);
  if (!doubtful.length) return round(values, loose, check);
  const still = values.slice();
  for (const f of doubtful) still[f] = factual[f];
  return (
    round(still, loose, check) ?? withNeeded(still, values, doubtful, (candidate) => round(candidate, loose, check))
  );
}

/** Some move that looked like rounding is needed: keeps as few of these moves as possible. */
function withNeeded(
  still: Float64Array,
  moved: Float64Array,
  doubtful: readonly number[],
  settled: (values: Float64Array) => Settled | null,
): Settled | null {
  const tried = doubtful.slice(0, TURNED);
  const one = doubtful.length > 1 && tried.map((f) => settled(still.with(f, moved[f]))).find((found) => found !== null);
  if (one) return one;
  let best = settled(moved);
  for (const f of best && doubtful.length > 2 ? tried : []) best = settled(best!.values.with(f, still[f])) ?? best;
  return best;
}

function read(space: FeatureSpace, domain: Domain, factual: Float64Array, x: Float64Array): Reading {
  const reading: Reading = { values: arena.take(factual.length), loose: [], doubtful: [] };
  const { values } = reading;
  const { origin, lower, upper } = domain;
  for (const feature of space.features) {
    const { index, column } = feature;
    const here = origin[column];
    if (feature.kind === 'choice' || Number.isNaN(here)) {
      values[index] = mayStandStill(feature, domain, x) ? factual[index] : gatherValue(feature, x);
    } else if (!isContinuous(domain, feature)) readSpaced(feature, domain, factual, x, reading);
    else if (x[column] === here && here >= lower[column] && here <= upper[column]) values[index] = factual[index];
    else readMoved(feature, domain, factual, x, reading);
  }
  return reading;
}

/** A continuous feature that a solver has moved, or that may not stay. */
function readMoved(
  feature: Feature,
  domain: Domain,
  factual: Float64Array,
  x: Float64Array,
  { values, doubtful }: Reading,
): void {
  const { index, column } = feature;
  const value = Math.min(domain.upper[column], Math.max(domain.lower[column], x[column]));
  values[index] = value === domain.origin[column] ? factual[index] : value;
  if (values[index] !== factual[index] && mayStandStill(feature, domain, x)) doubtful.push(index);
}

/** A feature whose values have distances between them. */
function readSpaced(
  feature: Feature,
  domain: Domain,
  factual: Float64Array,
  x: Float64Array,
  { values, loose }: Reading,
): void {
  const { index, column } = feature;
  const here = domain.origin[column];
  const toldAs = (value: number) => (value === here ? factual[index] : value);
  const [below, above = below] = meantValues(domain, feature, x[column]);
  const [near, far] = x[column] - below < above - x[column] ? [below, above] : [above, below];
  values[index] = toldAs(near);
  if (near === far) return;
  const [inward, outward] = Math.abs(below - here) < Math.abs(above - here) ? [below, above] : [above, below];
  loose.push({ index, nearest: toldAs(near), outward: toldAs(outward), inward: toldAs(inward) });
}

/** The cheapest valid rounding of the loose features. */
function round(values: Float64Array, loose: readonly Loose[], check: Check): Settled | null {
  if (!loose.length) return judged(values, check);
  if (loose.length > COMBINED) return roundMany(values, loose, check);
  let best: Settled | null = null;
  for (let choice = 0; choice < 2 ** loose.length; choice++) {
    const candidate = placed(values, loose, ({ outward, inward }, k) => ((choice >> k) & 1 ? inward : outward));
    best = cheaper(best, judged(candidate, check));
  }
  return best;
}

function roundMany(values: Float64Array, loose: readonly Loose[], check: Check): Settled | null {
  const starts = [values, placed(values, loose, ({ outward }) => outward)];
  let best = starts.reduce<Settled | null>((sofar, start) => cheaper(sofar, judged(start, check)), null);
  for (const { index, inward } of best ? loose.slice(0, TURNED) : [])
    if (best!.values[index] !== inward) best = cheaper(best, judged(best!.values.with(index, inward), check));
  return best;
}

function placed(values: Float64Array, loose: readonly Loose[], choose: (feature: Loose, k: number) => number) {
  const candidate = values.slice();
  for (const [k, feature] of loose.entries()) candidate[feature.index] = choose(feature, k);
  return candidate;
}

function judged(values: Float64Array, check: Check): Settled | null {
  const cost = check(values);
  return cost < Infinity ? { values, cost } : null;
}

const cheaper = (a: Settled | null, b: Settled | null): Settled | null => (b && (!a || b.cost < a.cost) ? b : a);
