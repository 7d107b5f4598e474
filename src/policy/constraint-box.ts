/**
 * Whether a constraint holds at every point of a box of values.
 *
 *   min over the box of Σ c_f · value(f) + Σ c_fk · [f = k]   is the sum of the features' own minima: exact for boxes.
 *
 * A clause of alternatives is kept when one of them holds everywhere, which is enough but not needed: two alternatives that
 * hold on half of the box each are not seen.
 */
import { allOf, type BoxVerdict } from './box-verdict.js';
import { type Constraint, holds, type LinearAtom } from './constraint.js';
import type { Domain } from './domain.js';
import { isListed, listedValues } from './listed-values.js';

/** Rounding of a sum, as a share of its terms: far below what the check of an answer forgives. */
const ROUNDING = 1e-12;

/** `values`: a point of the box that keeps the constraint, by feature. */
export function holdsOver(constraint: Constraint, box: Domain, varies: Uint8Array, values: Float64Array): BoxVerdict {
  return allOf(
    constraint.clauses.map(({ atoms }) => {
      if (atoms.some((atom) => atomHoldsOver(atom, box, varies, values))) return 'proved';
      return atoms.length === 1 ? 'refuted' : 'unknown';
    }),
  );
}

function atomHoldsOver(atom: LinearAtom, box: Domain, varies: Uint8Array, values: Float64Array): boolean {
  const moving = [...atom.terms, ...atom.indicators].some(({ feature }) => varies[feature]);
  // What stands still is as good as it was at the point itself.
  if (!moving) return holds({ text: '', clauses: [{ atoms: [atom] }] }, values);
  const low = leastSum(atom, 1, box, varies, values);
  const high = leastSum(atom, -1, box, varies, values);
  const above = atom.lowerStrict ? low.sum - low.rounding > atom.lower : low.sum + low.rounding >= atom.lower;
  const below = atom.upperStrict ? -high.sum + high.rounding < atom.upper : -high.sum - high.rounding <= atom.upper;
  return (atom.lower === -Infinity || above) && (atom.upper === Infinity || below);
}

/** The least value of sign · (the atom's sum) over the box. */
function leastSum(atom: LinearAtom, sign: number, box: Domain, varies: Uint8Array, values: Float64Array) {
  let sum = 0;
  let size = 0;
  for (const feature of new Set([...atom.terms, ...atom.indicators].map((term) => term.feature))) {
    const least = Math.min(...corners(feature, box, varies, values).map((v) => sign * share(atom, feature, v)));
    sum += least;
    size += Math.abs(least);
  }
  return { sum, rounding: Number.isFinite(size) ? ROUNDING * Math.max(1, size) : 0 };
}

/** What one feature adds to the sum at a value. */
function share({ terms, indicators }: LinearAtom, f: number, value: number): number {
  let sum = 0;
  for (const { feature, coefficient } of terms) if (feature === f && coefficient !== 0) sum += coefficient * value;
  for (const { feature, category, coefficient } of indicators)
    if (feature === f && category === value) sum += coefficient;
  return sum;
}

/** The values of a feature at which its share can be least. */
function corners(f: number, box: Domain, varies: Uint8Array, values: Float64Array): number[] {
  const feature = box.space.features[f];
  if (!varies[f]) return [values[f]];
  return isListed(feature) ? listedValues(box, feature) : [box.lower[feature.column], box.upper[feature.column]];
}
