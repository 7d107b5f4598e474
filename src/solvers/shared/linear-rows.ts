/**
 * Functions of rows  lower <= a·x <= upper  that the linear solvers share: the depth inside a row that answers keep, whether a point meets
 * a row, and how far rounding may move a row.
 *
 * The model decides about a row by its own sums (`arithmetic`): terms that cancel in the row may be large in the model. With sizes t >= |a|
 * of these terms, rounding moves the row at x by a share of  t·|x| + constant.
 */
import { liesWithin } from '../../linalg/ends.js';
import type { LinearRow } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { isRoundingUndone } from '../solver.js';

/** The largest relative error of one operation. */
export const HALF_ULP = 2 ** -53;

/** Sum of the magnitudes of a row's terms at a point. Depths are relative to this size. */
export function magnitude(row: LinearRow, x: Float64Array): number {
  const { a } = row;
  let sum = 0;
  let largest = 0;
  for (let j = 0; j < a.length; j++) {
    if (a[j] === 0) continue;
    sum += Math.abs(a[j] * x[j]);
    largest = Math.max(largest, Math.abs(a[j]));
  }
  // A row whose terms are all zero has no size of its own. Its coefficients take the place of the terms.
  return sum + Math.max(finiteSize(row.lower), finiteSize(row.upper)) || largest;
}

/** The same for the model's own sums, where their terms are larger. */
function modelMagnitude({ a, arithmetic }: LinearRow, x: Float64Array): number {
  if (!arithmetic) return 0;
  const { terms, constant } = arithmetic;
  let sum = constant;
  // A missing value does not affect a row that does not read the column.
  for (let j = 0; j < a.length; j++) if (a[j] !== 0 || x[j] < Infinity) sum += Math.abs(terms[j] * x[j]);
  return sum;
}

const finiteSize = (bound: number) => (Number.isFinite(bound) ? Math.abs(bound) : 0);

/** The depth inside its ends at which a row of the region is kept. A negative nudge widens the row by the same amount. */
export function depthOf(row: LinearRow, x: Float64Array, nudge: number): number {
  return depthFor(row, magnitude(row, x), nudge);
}

/** The same where the magnitude of the row's terms is known. */
export const depthFor = ({ lower, upper }: LinearRow, size: number, nudge: number): number =>
  Math.min(nudge * size, 0.25 * (upper - lower));

/**
 * Whether answers stay strictly inside a row of the policy: where an end is open, or where rounding moved an answer at the end out of the
 * row.
 */
export const isKeptInside = ({ open }: LinearRow, nudge: number): boolean =>
  open !== undefined || isRoundingUndone({ nudge: Math.abs(nudge) });

/**
 * Whether a method that rounds its answer to decimals at last gives away a whole decimal: an answer at an open end is rounded away from the end,
 * while the bound stays at the end. Methods that search the decimals take such problems.
 */
export const isRoundedAtOpenEnd = ({ traits, links }: Pick<Problem, 'traits' | 'links'>): boolean =>
  traits.rounded && links.some(({ open }) => open !== undefined);

/** The depth for a row of the policy. Its ends may be met unless they are open. */
export const linkDepthFor = (row: LinearRow, size: number, nudge: number): number =>
  isKeptInside(row, nudge) ? depthFor(row, size, nudge) : 0;

/** The largest amount by which an engine may miss a row of the policy. */
export function linkSlack(row: LinearRow, x: Float64Array): number {
  return linkSlackFor(magnitude(row, x));
}

/** The tolerance of a row that states none. */
const DEFAULT_TOLERANCE = 2 ** -49;

export const linkSlackFor = (size: number): number => 1e-11 * size;

/** Whether x meets a row of the policy, by the same rule as the check of an answer. A value at an open end does not meet the row. */
export function keepsLink(
  { a, lower, upper, open, tolerance = DEFAULT_TOLERANCE }: LinearRow,
  x: Float64Array,
): boolean {
  let value = 0;
  let size = 0;
  for (let j = 0; j < a.length; j++) {
    if (a[j] === 0) continue;
    value += a[j] * x[j];
    size += Math.abs(a[j] * x[j]);
  }
  return liesWithin({ lower, upper, open, tolerance }, value, size);
}

/** Rounding errors in addition to one for each term of a row: those of the terms, of the ends, and of the row's construction. */
const OTHER_ROUNDINGS = 16;

/** The largest rounding error in the value of a row, whether it is added up here or by the model. */
export const roundingFor = ({ a }: LinearRow, size: number): number => (a.length + OTHER_ROUNDINGS) * HALF_ULP * size;

/**
 * The same at a point. `size`: the size of the row's own terms there. A model that compares distances has rounding errors in these as well.
 */
export const roundingAt = (row: LinearRow, x: Float64Array, size = magnitude(row, x)): number =>
  roundingFor(row, Math.max(size, modelMagnitude(row, x))) + distanceRounding(row, x);

const distanceRounding = ({ arithmetic }: LinearRow, x: Float64Array): number =>
  arithmetic?.distances?.rounding(x) ?? 0;

/**
 * The largest effect of rounded distances on a row at every point between two opposite corners of a box. Both corners together cover the
 * largest squares in between.
 */
export const distanceRoundingBetween = (row: LinearRow, low: Float64Array, high: Float64Array): number =>
  distanceRounding(row, low) + distanceRounding(row, high);

export const readsDistances = ({ arithmetic }: LinearRow): boolean => arithmetic?.distances !== undefined;

/** The sizes t of the terms that the model adds up for a·x, by column. */
export const termsOf = ({ a, arithmetic }: LinearRow): Float64Array => arithmetic?.terms ?? a.map(Math.abs);

/** The largest ratio of a term to its coefficient, over the columns that the row reads; at least 1. */
export function growthOf(row: LinearRow): number {
  const { a } = row;
  const terms = termsOf(row);
  return a.reduce((most, entry, j) => (entry === 0 ? most : Math.max(most, terms[j] / Math.abs(entry))), 1);
}

/** How far x is outside the row. 0 or less: inside. NaN: the row reads a missing value. */
export const violation = (row: LinearRow, x: Float64Array): number => outside(row, valueAt(row, x));

const outside = ({ lower, upper }: LinearRow, value: number): number => Math.max(lower - value, value - upper);

function valueAt({ a }: LinearRow, x: Float64Array): number {
  let value = 0;
  for (let j = 0; j < a.length; j++) if (a[j] !== 0) value += a[j] * x[j];
  return value;
}
