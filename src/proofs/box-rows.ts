/**
 * Linear rows over a box of the domain, as the model computes them:
 *
 *   a·x - noise(x) > bound  at every point          proves the row for computed numbers, ties included
 *
 * The noise (rounding.ts) is a sum over columns, and a column's share of the left side is concave: its minimum is at an end, and the
 * minimum of a one-hot group at one of its open categories. The result is exact for boxes up to the noise. A row that is not proved is
 * returned with its worst corner.
 */
import type { Feature } from '../models/features.js';
import type { LinearRow } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Domain } from '../policy/domain.js';
import { lastWithin } from '../policy/values.js';
import type { Box } from './box.js';
import { type RowNoise, SUM_ROUNDING } from './rounding.js';

export function proveRow(row: LinearRow, noise: RowNoise, box: Box): BoxVerdict {
  const opposite = row.a.map((value) => -value);
  return allOf([proveAtLeast(row.a, row.lower, noise, box), proveAtLeast(opposite, -row.upper, noise, box)]);
}

function proveAtLeast(a: Float64Array, bound: number, noise: RowNoise, box: Box): BoxVerdict {
  if (bound === -Infinity) return 'proved';
  const own = SUM_ROUNDING * (a.length + 4) * Math.abs(bound);
  const least = leastOver(a, noise, box.domain) - noise.constant - own;
  return least > bound ? 'proved' : { point: worstPoint(a, bound, box) };
}

/** min a·x - noise over the box. */
function leastOver(a: Float64Array, noise: RowNoise, box: Domain): number {
  const share = (c: number, x: number) =>
    Number.isFinite(x) ? a[c] * x - noise.ofColumn(c, x) : endless(a[c], c, x, noise);
  let total = 0;
  for (const { kind, column, width } of box.space.features)
    total += kind === 'choice' ? choiceLeast(share, column, width, box) : columnLeast(share, column, box);
  return total;
}

/** The limit along an unbounded column: noise that grows as fast as the row exceeds the row in the end. */
function endless(slope: number, c: number, x: number, noise: RowNoise): number {
  const far = Math.sign(x) * 2 ** 500;
  const size = noise.ofColumn(c, far);
  if (slope === 0 && size === 0) return 0;
  return slope * far > 2 * size ? Infinity : -Infinity;
}

type Share = (column: number, value: number) => number;

function columnLeast(share: Share, c: number, { lower, upper }: Domain): number {
  return lower[c] === upper[c] ? share(c, lower[c]) : Math.min(share(c, lower[c]), share(c, upper[c]));
}

/** The least of the open categories; of a group that does not vary, its columns as they are. */
export function choiceLeast(share: Share, column: number, width: number, { lower, upper }: Domain): number {
  let [fixed, without, least, isFixed] = [0, 0, Infinity, true];
  for (let c = column; c < column + width; c++) {
    if (lower[c] !== upper[c]) isFixed = false;
    fixed += share(c, lower[c]);
    without += share(c, 0);
  }
  if (isFixed) return fixed;
  for (let c = column; c < column + width; c++)
    if (upper[c] > 0) least = Math.min(least, without - share(c, 0) + share(c, 1));
  return least;
}

/**
 * The corner of the box where a·x is least, in columns: `at` with the varying columns at their worst end, or far out where they are
 * unbounded.
 */
export function worstPoint(a: Float64Array, bound: number, box: Box): Float64Array {
  const x = box.at.slice();
  for (const feature of box.domain.space.features) {
    if (!box.varies[feature.index]) continue;
    if (feature.kind === 'choice') takeWorst(a, feature, box.domain, x);
    else if (a[feature.column] !== 0) x[feature.column] = worstEnd(a, bound, feature, box);
  }
  return x;
}

function takeWorst(a: Float64Array, { column, width }: Feature, { upper }: Domain, x: Float64Array): void {
  let worst = -1;
  for (let c = column; c < column + width; c++) if (upper[c] > 0 && (worst < 0 || a[c] < a[worst])) worst = c;
  for (let c = column; c < column + width; c++) x[c] = +(c === worst);
}

function worstEnd(a: Float64Array, bound: number, feature: Feature, { domain, at }: Box): number {
  const { column } = feature;
  const side = a[column] > 0 ? -1 : 1;
  const end = side < 0 ? domain.lower[column] : domain.upper[column];
  if (Number.isFinite(end)) return end;
  let size = Math.abs(bound);
  for (let c = 0; c < a.length; c++) if (a[c] !== 0) size += Math.abs(a[c] * at[c]);
  const far = at[column] + side * (1 + (4 * size) / Math.abs(a[column]));
  const value = lastWithin(domain, feature, far, side);
  return Number.isFinite(value) ? value : at[column];
}
