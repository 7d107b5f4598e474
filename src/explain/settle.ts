/**
 * From a solver's columns to values that a person can be told: lattice moves exactly on their points, decimals rounded,
 * everything else as it came. Rounding is chosen so that the answer stays one: the roundings of the changed features
 * are tried from the cheapest on, each checked by the model and the policy.
 */
import { type Feature, type FeatureSpace, gather } from '../models/features.js';
import { type Domain, roundTo } from '../policy/domain.js';

/** Up to this many features every combination of roundings is tried; beyond it, one after the other. */
const COMBINED = 3;
/** How many features are tried for a cheaper rounding when there are many. */
const TURNED = 8;
/** A move of this size, relative, is rounding and not a change. */
const NO_CHANGE = 1e-12;

/** A category's column that is this far from where it was has not changed. */
const CATEGORY_NOISE = 1e-6;

export interface Settled {
  readonly values: Float64Array;
  readonly cost: number;
}

/** Returns the verified values with the least cost, or null. `check` gives the cost, Infinity when it is no answer. */
export function settle(
  space: FeatureSpace,
  domain: Domain,
  factual: Float64Array,
  x: Float64Array,
  check: (values: Float64Array) => number,
): Settled | null {
  const values = new Float64Array(factual.length);
  gather(space, x, values);
  const loose: Feature[] = [];
  for (const feature of space.features) {
    const f = feature.index;
    if (unmoved(feature, domain, x)) values[f] = factual[f];
    else if (feature.kind !== 'choice') {
      values[f] = onLattice(feature, domain, values[f]);
      if (domain.step[f] === 0 && feature.decimals >= 0) loose.push(feature);
    }
  }
  if (!loose.length) {
    const cost = check(values);
    return cost < Infinity ? { values, cost } : null;
  }
  return bestRounding(loose, domain, factual, values, check);
}

function unmoved(feature: Feature, { origin }: Domain, x: Float64Array): boolean {
  for (let c = feature.column; c < feature.column + feature.width; c++) {
    if (feature.kind === 'choice') {
      if (Math.abs(x[c] - origin[c]) > CATEGORY_NOISE) return false;
    } else if (Math.abs(x[c] - origin[c]) > NO_CHANGE * Math.max(1, Math.abs(origin[c]))) return false;
  }
  return true;
}

function onLattice(feature: Feature, domain: Domain, value: number): number {
  const step = domain.step[feature.index];
  const here = domain.origin[feature.column];
  if (step === 0) return Math.min(domain.upper[feature.column], Math.max(domain.lower[feature.column], value));
  return tidy(here + step * Math.round((value - here) / step));
}

/** 0.30000000000000004 -> 0.3 */
const tidy = (value: number): number => Number(value.toPrecision(15));

function bestRounding(
  loose: readonly Feature[],
  domain: Domain,
  factual: Float64Array,
  values: Float64Array,
  check: (values: Float64Array) => number,
): Settled | null {
  const options = loose.map((feature) => roundings(feature, domain, factual[feature.index], values[feature.index]));
  let best: Settled | null = null;
  for (const choice of loose.length <= COMBINED ? combinations(options) : [options.map((list) => list[0])]) {
    const candidate = values.slice();
    for (const [k, feature] of loose.entries()) candidate[feature.index] = choice[k];
    const cost = check(candidate);
    if (cost < (best?.cost ?? Infinity)) best = { values: candidate, cost };
  }
  return best && loose.length > COMBINED ? roundInward(loose, options, best, check) : best;
}

/** From all outward, features are turned inward one after the other while the answer stays one. */
function roundInward(
  loose: readonly Feature[],
  options: readonly number[][],
  start: Settled,
  check: (values: Float64Array) => number,
): Settled {
  let best = start;
  for (const [k, { index }] of loose.slice(0, TURNED).entries()) {
    const inward = options[k][options[k].length - 1];
    if (inward === best.values[index]) continue;
    const candidate = best.values.with(index, inward);
    const cost = check(candidate);
    if (cost < best.cost) best = { values: candidate, cost };
  }
  return best;
}

/** The decimals on both sides of a value, the one further from the present value first; back at it means unchanged. */
function roundings(feature: Feature, domain: Domain, factual: number, value: number): number[] {
  const { decimals, column } = feature;
  const here = domain.origin[column];
  const side = value > here ? 1 : -1;
  const nearest = roundTo(value, decimals);
  const grid = side * 10 ** -decimals;
  const outward = (nearest - value) * side >= 0 ? nearest : roundTo(nearest + grid, decimals);
  const inward = roundTo(outward - grid, decimals);
  const options = [(inward - here) * side > 0 ? inward : factual];
  if (outward >= domain.lower[column] && outward <= domain.upper[column]) options.unshift(outward);
  return options;
}

function combinations(options: readonly number[][]): number[][] {
  return options.reduce<number[][]>((sofar, list) => sofar.flatMap((prefix) => list.map((v) => [...prefix, v])), [[]]);
}
