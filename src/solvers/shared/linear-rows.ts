/**
 * What the linear solvers share about rows  lower <= a·x <= upper:  how far inside to stay, whether a point keeps them,
 * and how far rounding may move them.
 *
 * The model decides about a row by sums of its own (`arithmetic`): terms that cancel in the row may be large in the model. With
 * sizes t >= |a| of these terms, rounding moves the row at x by a share of  t·|x| + constant.
 */
import type { LinearRow } from '../../models/region.js';
import { isRoundingUndone } from '../solver.js';

/** The largest relative error of one operation. */
export const HALF_ULP = 2 ** -53;

/** Sum of the magnitudes that a row adds up at a point: the size against which depths are measured. */
export function magnitude(row: LinearRow, x: Float64Array): number {
  const { a } = row;
  let sum = 0;
  let largest = 0;
  for (let j = 0; j < a.length; j++) {
    if (a[j] === 0) continue;
    sum += Math.abs(a[j] * x[j]);
    largest = Math.max(largest, Math.abs(a[j]));
  }
  // A row at zero has no terms to measure against: its coefficients stand in.
  return sum + Math.max(finiteSize(row.lower), finiteSize(row.upper)) || largest;
}

/** The same for what the model adds up in place of the row, where that is more. */
function modelMagnitude({ a, arithmetic }: LinearRow, x: Float64Array): number {
  if (!arithmetic) return 0;
  const { terms, constant } = arithmetic;
  let sum = constant;
  // A missing value is no part of a row that does not read the column.
  for (let j = 0; j < a.length; j++) if (a[j] !== 0 || x[j] < Infinity) sum += Math.abs(terms[j] * x[j]);
  return sum;
}

const finiteSize = (bound: number) => (Number.isFinite(bound) ? Math.abs(bound) : 0);

/** How far inside its ends a row of the region is kept; a negative nudge widens it by as much. */
export function depthOf(row: LinearRow, x: Float64Array, nudge: number): number {
  return depthFor(row, magnitude(row, x), nudge);
}

/** The same where the magnitude of the row's terms is known. */
export const depthFor = ({ lower, upper }: LinearRow, size: number, nudge: number): number =>
  Math.min(nudge * size, 0.25 * (upper - lower));

/** Whether answers stay inside a row of the policy: where an end is open, or where an answer at the end was not one after rounding. */
export const isKeptInside = ({ open }: LinearRow, nudge: number): boolean =>
  open !== undefined || isRoundingUndone({ nudge: Math.abs(nudge) });

/** The same for a row of the policy: its ends may be met, unless they are open. */
export const linkDepthFor = (row: LinearRow, size: number, nudge: number): number =>
  isKeptInside(row, nudge) ? depthFor(row, size, nudge) : 0;

/** How far an engine may miss a row of the policy. */
export function linkSlack(row: LinearRow, x: Float64Array): number {
  return linkSlackFor(magnitude(row, x));
}

/** Of a row that says nothing of its own. */
const DEFAULT_TOLERANCE = 2 ** -49;

export const linkSlackFor = (size: number): number => 1e-11 * size;

/**
 * Whether x keeps a row of the policy, as the check of an answer decides it. An open end is not met at all.
 */
export function keepsLink(row: LinearRow, x: Float64Array): boolean {
  const { lower, upper, open, tolerance = DEFAULT_TOLERANCE } = row;
  const value = valueAt(row, x);
  if (open && ((open.lower && !(value > lower)) || (open.upper && !(value < upper)))) return false;
  if (value >= lower && value <= upper) return true;
  return outside(row, value) <= tolerance * sizeOf(row, x);
}

/** max(Σ |a_j x_j|, |end|), the size that a tolerance is a share of. */
function sizeOf({ a, lower, upper }: LinearRow, x: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) if (a[j] !== 0) sum += Math.abs(a[j] * x[j]);
  return Math.max(sum, finiteSize(lower), finiteSize(upper));
}

/** Roundings beside one for each term of a row: of the terms, of the ends, of what was done before the row was one. */
const OTHER_ROUNDINGS = 16;

/** How far rounding may put the value of a row off, wherever it was added up: here or by the model. */
export const roundingFor = ({ a }: LinearRow, size: number): number => (a.length + OTHER_ROUNDINGS) * HALF_ULP * size;

/** The same at a point, for a row whose own terms have the size there; a model that compares distances rounds these as well. */
export const roundingAt = (row: LinearRow, x: Float64Array, size = magnitude(row, x)): number =>
  roundingFor(row, Math.max(size, modelMagnitude(row, x))) + distanceRounding(row, x);

const distanceRounding = ({ arithmetic }: LinearRow, x: Float64Array): number =>
  arithmetic?.distances?.rounding(x) ?? 0;

/**
 * How far rounding of distances may put a row off at every point between two opposite corners of a box: with both corners no square
 * between them is missed.
 */
export const distanceRoundingBetween = (row: LinearRow, low: Float64Array, high: Float64Array): number =>
  distanceRounding(row, low) + distanceRounding(row, high);

export const readsDistances = ({ arithmetic }: LinearRow): boolean => arithmetic?.distances !== undefined;

/** The sizes t of what is added up in place of a·x, by column. */
export const termsOf = ({ a, arithmetic }: LinearRow): Float64Array => arithmetic?.terms ?? a.map(Math.abs);

/** How many times larger than its coefficient a term is at most, over the columns that the row feels; at least 1. */
export function growthOf(row: LinearRow): number {
  const { a } = row;
  const terms = termsOf(row);
  return a.reduce((most, entry, j) => (entry === 0 ? most : Math.max(most, terms[j] / Math.abs(entry))), 1);
}

/** How far x is outside the row; 0 or less: inside. NaN where the row reads what is missing. */
export const violation = (row: LinearRow, x: Float64Array): number => outside(row, valueAt(row, x));

const outside = ({ lower, upper }: LinearRow, value: number): number => Math.max(lower - value, value - upper);

function valueAt({ a }: LinearRow, x: Float64Array): number {
  let value = 0;
  for (let j = 0; j < a.length; j++) if (a[j] !== 0) value += a[j] * x[j];
  return value;
}
