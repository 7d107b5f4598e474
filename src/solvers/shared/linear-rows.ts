/**
 * What the linear solvers share about rows  lower <= a·x <= upper:  how far inside to stay, whether a point keeps them,
 * and the check of a certificate.
 *
 * Farkas: multipliers y prove that no x of the box meets the rows when
 *   sup over the domain of (Σ y_i a_i)·x   <   Σ y_i β_i,      β_i = lower_i for y_i > 0, upper_i for y_i < 0.
 * The check is done in plain arithmetic on the original rows, whatever a solver did to come by y.
 */
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';

/** The largest relative error of one operation. */
export const HALF_ULP = 2 ** -53;

/** Sum of the magnitudes that a row adds up at a point: the size against which rounding is measured. */
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

const finiteSize = (bound: number) => (Number.isFinite(bound) ? Math.abs(bound) : 0);

/** How far inside its ends a row of the region is kept; a negative nudge widens it by as much. */
export function depthOf(row: LinearRow, x: Float64Array, nudge: number): number {
  return depthFor(row, magnitude(row, x), nudge);
}

/** The same where the magnitude of the row's terms is known. */
export const depthFor = ({ lower, upper }: LinearRow, size: number, nudge: number): number =>
  Math.min(nudge * size, 0.25 * (upper - lower));

/** How far a row of the policy may be missed: a hundredth of what the check of an answer allows. */
export function linkSlack(row: LinearRow, x: Float64Array): number {
  return linkSlackFor(magnitude(row, x));
}

export const linkSlackFor = (size: number): number => 1e-11 * size;

/** Whether x keeps a row of the policy, as well as rounding lets it: by the sizes of its terms where the person was and where x is. */
export const keepsLink = (row: LinearRow, origin: Float64Array, x: Float64Array): boolean =>
  violation(row, x) <= 10 * linkSlackFor(Math.max(magnitude(row, origin), magnitude(row, x)));

/** Roundings beside one for each term of a row: of the terms, of the ends, of what was done before the row was one. */
const OTHER_ROUNDINGS = 16;

/** How far rounding may put the value of a row off, wherever it was added up: here or by the model. */
export const roundingFor = ({ a }: LinearRow, size: number): number => (a.length + OTHER_ROUNDINGS) * HALF_ULP * size;

/** How far x is outside the row; 0 or less: inside. NaN where the row reads what is missing. */
export function violation({ a, lower, upper }: LinearRow, x: Float64Array): number {
  let value = 0;
  for (let j = 0; j < a.length; j++) if (a[j] !== 0) value += a[j] * x[j];
  return Math.max(lower - value, value - upper);
}

/** A coefficient of this share of the terms that cancelled in it is rounding, not a coefficient. */
const CANCELLED = 1e-11;
const CERTAIN = 1e-10;

export function provesInfeasible(rows: readonly LinearRow[], y: Float64Array, domain: Domain): boolean {
  let demand = 0;
  let size = 0;
  for (let i = 0; i < rows.length; i++) {
    if (y[i] === 0) continue;
    const term = y[i] * (y[i] > 0 ? rows[i].lower : rows[i].upper);
    if (!Number.isFinite(term)) return false;
    demand += term;
    size += Math.abs(term);
  }
  let reach = 0;
  for (const feature of domain.space.features) {
    const term =
      feature.kind === 'choice' ? choiceReach(feature, rows, y, domain) : columnReach(feature.column, rows, y, domain);
    reach += term;
    size += Math.abs(term);
  }
  return reach < demand - CERTAIN * size;
}

/** Σ_i y_i a_ij, cancelled rounding removed. */
function combined(column: number, rows: readonly LinearRow[], y: Float64Array): number {
  let coefficient = 0;
  let terms = 0;
  for (let i = 0; i < rows.length; i++) {
    const term = y[i] * rows[i].a[column];
    coefficient += term;
    terms += Math.abs(term);
  }
  return Math.abs(coefficient) <= CANCELLED * terms ? 0 : coefficient;
}

function columnReach(column: number, rows: readonly LinearRow[], y: Float64Array, { lower, upper }: Domain): number {
  const coefficient = combined(column, rows, y);
  return coefficient === 0 ? 0 : coefficient * (coefficient > 0 ? upper[column] : lower[column]);
}

/** Exactly one category is taken: the best of the open ones, or the row's own columns as they are. */
function choiceReach(
  { column, width }: Feature,
  rows: readonly LinearRow[],
  y: Float64Array,
  { origin, upper }: Domain,
): number {
  let best = Number.NEGATIVE_INFINITY;
  let present = 0;
  let mayStay = true;
  for (let c = column; c < column + width; c++) {
    const coefficient = combined(c, rows, y);
    if (upper[c] >= 1) best = Math.max(best, coefficient);
    present += coefficient * origin[c];
    if (origin[c] > upper[c]) mayStay = false;
  }
  return mayStay ? Math.max(best, present) : best;
}
