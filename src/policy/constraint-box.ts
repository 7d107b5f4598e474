/**
 * Whether a constraint holds at every point of a box of values.
 *
 *   min over the box of Σ c_f · value(f) + Σ c_fk · [f = k]   is the sum of the features' own minima: exact for boxes.
 *
 * A clause of alternatives is proved when one of them holds everywhere. This is sufficient but not necessary: two alternatives that each
 * hold on half of the box prove nothing here.
 */
import { spread } from '../models/features.js';
import { allOf, type BoxVerdict } from './box-verdict.js';
import { atomHolds, type Constraint, type LinearAtom } from './constraint.js';
import type { Domain } from './domain.js';
import { isListed, listedValues } from './listed-values.js';
import { lastWithin } from './values.js';

/** Where a box has no end, the point is this many times as far from zero as the answer. */
const FAR = 1e6;

/** `values`: a point of the box that keeps the constraint, by feature. */
export function holdsOver(constraint: Constraint, box: Domain, varies: Uint8Array, values: Float64Array): BoxVerdict {
  return allOf(constraint.clauses.map(({ atoms }) => clauseHoldsOver(atoms, { box, varies, values })));
}

interface Question {
  readonly box: Domain;
  readonly varies: Uint8Array;
  readonly values: Float64Array;
}

/** Where no alternative holds everywhere, the worst point of the first alternative may break all of them. */
function clauseHoldsOver(atoms: readonly LinearAtom[], asked: Question): BoxVerdict {
  let worst: Float64Array | null = null;
  for (const atom of atoms) {
    const point = failingPoint(atom, asked);
    if (!point) return 'proved';
    worst ??= point;
  }
  const columns = new Float64Array(asked.box.space.columns);
  spread(asked.box.space, worst!, columns);
  return { point: columns };
}

/**
 * The worst point of a box for an atom, by feature. Null: the atom holds at every point. The tolerance of an end grows less than the terms
 * do: where the sum is least, the atom holds least.
 */
function failingPoint(atom: LinearAtom, asked: Question): Float64Array | null {
  const { varies, values } = asked;
  const moving = [...atom.terms, ...atom.indicators].some(({ feature }) => varies[feature]);
  // No feature of the atom varies: the atom holds over the box if it holds at the point itself.
  if (!moving) return atomHolds(atom, values) ? null : values;
  const sides = [atom.lower > -Infinity ? 1 : 0, atom.upper < Infinity ? -1 : 0].filter((sign) => sign !== 0);
  const worst = sides.map((sign) => leastSum(atom, sign, asked));
  return worst.find(({ point, isFar }) => isFar || !atomHolds(atom, point))?.point ?? null;
}

/**
 * The point of the box with the least value of sign · (the atom's sum). Without a least value: a point with a very small value, which is
 * far.
 */
function leastSum(atom: LinearAtom, sign: number, asked: Question) {
  const point = asked.values.slice();
  let isFar = false;
  for (const feature of new Set([...atom.terms, ...atom.indicators].map((term) => term.feature))) {
    const options = corners(feature, asked).map((value) => ({ value, share: sign * share(atom, feature, value) }));
    const worst = options.reduce((least, option) => (option.share < least.share ? option : least));
    isFar ||= !Number.isFinite(worst.value);
    point[feature] = Number.isFinite(worst.value) ? worst.value : farOut(worst.value, feature, asked);
  }
  return { point, isFar };
}

/** A value of the domain far from zero. */
function farOut(end: number, f: number, { box, values }: Question): number {
  const side = end > 0 ? 1 : -1;
  const far = values[f] + side * FAR * Math.max(1, Math.abs(values[f]));
  return lastWithin(box, box.space.features[f], far, side);
}

/** The contribution of one feature to the sum at a value. */
function share({ terms, indicators }: LinearAtom, f: number, value: number): number {
  let sum = 0;
  for (const { feature, coefficient } of terms) if (feature === f && coefficient !== 0) sum += coefficient * value;
  for (const { feature, category, coefficient } of indicators)
    if (feature === f && category === value) sum += coefficient;
  return sum;
}

/** The values of a feature at which its contribution can be least. */
function corners(f: number, { box, varies, values }: Question): number[] {
  const feature = box.space.features[f];
  if (!varies[f]) return [values[f]];
  return isListed(feature) ? listedValues(box, feature) : [box.lower[feature.column], box.upper[feature.column]];
}
