/**
 * Linear functions over a box of the domain:  min a·x  is the sum of the columns' own minima, a one-hot group's the least of its
 * open categories'. Exact for boxes; rounding is allowed for at the corner where the minimum is, which covers every other
 * point: what a point is further inside grows with its terms, and rounding is a tiny share of them.
 */
import type { LinearRow } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Domain } from '../policy/domain.js';
import type { Box } from './box.js';

/** A unit in the last place and then some, per term of a sum. */
const ROUNDING = 2 ** -51;

export function proveRow({ a, lower, upper }: LinearRow, box: Domain): BoxVerdict {
  return allOf([
    proveAtLeast(a, lower, box),
    proveAtLeast(
      a.map((value) => -value),
      -upper,
      box,
    ),
  ]);
}

function proveAtLeast(a: Float64Array, bound: number, box: Domain): BoxVerdict {
  if (bound === -Infinity) return 'proved';
  const { value, size } = leastOver(a, box);
  if (value === -Infinity) return 'refuted';
  const rounding = ROUNDING * (a.length + 4) * (size + Math.abs(bound));
  if (value - rounding >= bound) return 'proved';
  return value + rounding < bound ? 'refuted' : 'unknown';
}

/** min a·x over the box, and the sum of its terms' sizes there. */
export function leastOver(a: Float64Array, box: Domain): { value: number; size: number } {
  let value = 0;
  let size = 0;
  for (const { kind, column, width } of box.space.features) {
    for (const term of kind === 'choice' ? choiceTerms(a, column, width, box) : [columnTerm(a, column, box)]) {
      value += term;
      size += Math.abs(term);
    }
  }
  return { value, size };
}

function columnTerm(a: Float64Array, c: number, { lower, upper }: Domain): number {
  return a[c] === 0 ? 0 : a[c] * (a[c] > 0 ? lower[c] : upper[c]);
}

function choiceTerms(a: Float64Array, column: number, width: number, { lower, upper }: Domain): number[] {
  const columns = Array.from({ length: width }, (_, k) => column + k);
  if (columns.every((c) => lower[c] === upper[c])) return columns.map((c) => a[c] * lower[c]);
  return [Math.min(...columns.filter((c) => upper[c] > 0).map((c) => a[c]))];
}

/** The corner of the box where a·x is least, in columns: `at` with what varies at its worst. */
export function worstCorner(a: Float64Array, box: Box): Float64Array {
  const x = box.at.slice();
  const { lower, upper, space } = box.domain;
  for (const { index, kind, column, width } of space.features) {
    if (!box.varies[index]) continue;
    if (kind !== 'choice') {
      x[column] = a[column] > 0 ? lower[column] : a[column] < 0 ? upper[column] : x[column];
      continue;
    }
    const open = Array.from({ length: width }, (_, k) => column + k).filter((c) => upper[c] > 0);
    const worst = open.reduce((best, c) => (a[c] < a[best] ? c : best));
    for (let c = column; c < column + width; c++) x[c] = +(c === worst);
  }
  return x;
}
