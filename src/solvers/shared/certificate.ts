/**
 * Turns an engine's claim that rows over a box cannot be met into a proved outcome.
 *
 * Farkas: multipliers y prove that no x of the domain meets the rows when
 *   max over the domain of (Σ y_i a_i)·(x - origin)   <   Σ y_i (β_i - a_i·origin),      β_i = lower_i for y_i > 0, upper_i for y_i < 0.
 * The check uses the original rows, however the engine found y. Every sum is taken for the worst case of rounding, here and in the
 * model's own sums: with sizes t_i of the model's terms each coefficient may be off by a share of Σ |y_i| t_i, and each row by the
 * amount that linear-rows.ts gives.
 *
 * A column without a bound is taken to end at REACH times the distance at which the column alone makes up for a row. Beyond that
 * distance the model's own sums are rounding noise.
 */
import { dot } from '../../linalg/vector.js';
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import { type Domain, mayStand } from '../../policy/domain.js';
import { INFEASIBLE, numerical, type Outcome } from '../solver.js';
import { distanceRoundingBetween, HALF_ULP, readsDistances, roundingAt, termsOf } from './linear-rows.js';

const REACH = 2 ** 30;
/** The same factor for the rounding errors of distances. */
const NOISE_REACH = 2 ** 20;
/** Rounding errors in addition to one for each row and column. */
const OTHER_ROUNDINGS = 32;

/** `scale` by row: the factor between the original row and the row that the engine saw. Without a ray each row is tried by itself. */
export function certify(
  rows: readonly LinearRow[],
  ray: Float64Array | null,
  scale: (row: number) => number,
  domain: Domain,
): Outcome {
  const proves = (y: Float64Array) => provesInfeasible(rows, y, domain);
  const alone = (i: number, sign: number) => new Float64Array(rows.length).fill(sign, i, i + 1);
  const proved = ray
    ? proves(Float64Array.from(rows, (_, i) => ray[i] * scale(i)))
    : rows.some((_, i) => proves(alone(i, 1)) || proves(alone(i, -1)));
  return proved ? INFEASIBLE : numerical('infeasible, but the certificate is not certain');
}

/** Σ y_i times row i: its coefficients by column, and its demand at the person's row. */
interface Combination {
  /** Σ y_i a_i, and the largest rounding error of each entry. */
  readonly pull: Float64Array;
  readonly doubt: Float64Array;
  /** The largest distance at which a column alone makes up for a row. */
  readonly span: Float64Array;
  /** A lower bound of Σ y_i (β_i - a_i·origin). */
  readonly demand: number;
}

export function provesInfeasible(rows: readonly LinearRow[], y: Float64Array, domain: Domain): boolean {
  const combination = combine(rows, y, domain);
  if (!combination) return false;
  let reach = 0;
  let size = Math.abs(combination.demand);
  for (const feature of domain.space.features) {
    const term =
      feature.kind === 'choice'
        ? choiceReach(feature, combination, domain)
        : numberReach(feature.column, combination, domain);
    reach += term;
    size += Math.abs(term);
  }
  const rounding = (rows.length + domain.space.features.length) * HALF_ULP * size;
  return reach < combination.demand - rounding - distanceDoubt(rows, y, combination, domain);
}

/** The largest contribution of rounding errors in distances within the domain. */
function distanceDoubt(
  rows: readonly LinearRow[],
  y: Float64Array,
  { span }: Combination,
  { origin, lower, upper }: Domain,
): number {
  if (!rows.some(readsDistances)) return 0;
  const reach = (c: number) =>
    Math.min(NOISE_REACH * span[c], Math.max(Math.abs(lower[c] - origin[c]), Math.abs(upper[c] - origin[c])));
  const low = origin.map((here, c) => here - reach(c));
  const high = origin.map((here, c) => here + reach(c));
  return rows.reduce(
    (sum, row, i) => sum + (y[i] === 0 ? 0 : Math.abs(y[i]) * distanceRoundingBetween(row, low, high)),
    0,
  );
}

/** Null: a multiplier refers to an infinite end of a row. */
function combine(rows: readonly LinearRow[], y: Float64Array, { origin }: Domain): Combination | null {
  const columns = () => new Float64Array(origin.length);
  const [pull, doubt, span] = [columns(), columns(), columns()];
  const share = (rows.length + origin.length + OTHER_ROUNDINGS) * HALF_ULP;
  let demand = 0;
  for (const [i, row] of rows.entries()) {
    if (y[i] === 0) continue;
    const lack = (y[i] > 0 ? row.lower : row.upper) - dot(row.a, origin);
    const rounding = roundingAt(row, origin);
    if (!Number.isFinite(y[i] * lack)) return null;
    demand += y[i] * lack - Math.abs(y[i]) * (2 * rounding + share * Math.abs(lack));
    const terms = termsOf(row);
    for (let c = 0; c < origin.length; c++) {
      pull[c] += y[i] * row.a[c];
      doubt[c] += share * Math.abs(y[i]) * terms[c];
      if (row.a[c] !== 0) span[c] = Math.max(span[c], (Math.abs(lack) + rounding) / Math.abs(row.a[c]));
    }
  }
  return { pull, doubt, span, demand };
}

function numberReach(c: number, { pull, doubt, span }: Combination, { origin, lower, upper }: Domain): number {
  if (pull[c] === 0 && doubt[c] === 0) return 0;
  const low = lower[c] - origin[c];
  const high = upper[c] - origin[c];
  const far = REACH * span[c];
  const at = (move: number) => pull[c] * move + doubt[c] * Math.abs(move);
  return Math.max(
    at(low > Number.NEGATIVE_INFINITY ? low : Math.min(-far, 2 * high)),
    at(high < Infinity ? high : Math.max(far, 2 * low)),
  );
}

/** Exactly one category is taken. The reach is that of the best open category, or of the row's own columns unchanged. */
function choiceReach(feature: Feature, { pull, doubt }: Combination, domain: Domain): number {
  const { column, width } = feature;
  const { origin, upper } = domain;
  let present = 0;
  for (let c = column; c < column + width; c++) present += (pull[c] - doubt[c]) * origin[c];
  let best = mayStand(domain, feature) ? 0 : Number.NEGATIVE_INFINITY;
  for (let c = column; c < column + width; c++) if (upper[c] >= 1) best = Math.max(best, pull[c] + doubt[c] - present);
  return best;
}
