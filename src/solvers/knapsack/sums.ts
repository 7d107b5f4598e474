/**
 * The sum of a knapsack at a person's row: what the sum lacks, and what a move of a column adds to it.
 *
 *   gain of Δ_c   slope_c Δ_c + bend_c Δ_c²          gains of several columns add up
 *
 *   a linear row                 lower <= a·x <= upper:             slope ± a_c, towards the nearer end
 *   a quadratic q(x) <= 0        with diagonal matrices:            -q, a parabola for each column
 *
 * Gains are never too small, by more than the slack of the sum: the largest rounding error, here or in the model.
 */
import { diagonalOf, formRoundingShare } from '../../linalg/symmetric-matrix.js';
import type { DistanceDifference } from '../../models/distance-difference.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { depthFor, growthOf, roundingAt, roundingFor } from '../shared/linear-rows.js';

/** What the sum lacks at the row of a person. */
export interface Lack {
  readonly need: number;
  /** A gain below need - slack is not enough, and a gain above need + slack is. */
  readonly slack: number;
  /** The depth that answers keep. */
  readonly depth: number;
  /** The gain has an upper end as well, which only the model checks. */
  readonly isSlab: boolean;
}

export interface MovedSum {
  readonly slopes: Float64Array;
  readonly bends: Float64Array;
  /** Null: the sum overflows. */
  begin(domain: Domain, nudge: number): Lack | null;
}

export class RowSum implements MovedSum {
  readonly slopes: Float64Array;
  readonly bends: Float64Array;
  private readonly growth: number;
  private readonly isSlab: boolean;

  constructor(private readonly row: LinearRow) {
    this.slopes = new Float64Array(row.a.length);
    this.bends = new Float64Array(row.a.length);
    this.growth = growthOf(row);
    this.isSlab = row.lower > Number.NEGATIVE_INFINITY && row.upper < Infinity;
  }

  begin({ origin }: Domain, nudge: number): Lack | null {
    const { row, growth, isSlab, slopes } = this;
    let activity = 0;
    let size = 0;
    for (let c = 0; c < origin.length; c++) {
      const term = row.a[c] * origin[c];
      activity += term;
      size += Math.abs(term);
    }
    const side = row.lower - activity >= activity - row.upper ? 1 : -1;
    const end = side > 0 ? row.lower : row.upper;
    size += Math.abs(end);
    if (!Number.isFinite(size)) return null;
    for (let c = 0; c < slopes.length; c++) slopes[c] = side * row.a[c];
    const need = side * (end - activity);
    const slack = roundingAt(row, origin, size) + roundingFor(row, 2 * growth * Math.abs(need));
    return { need, slack, depth: depthFor(row, size, nudge), isSlab };
  }
}

/** Rounding errors of values, matrices and slopes. */
const DOUBT = 8;

export class QuadraticSum implements MovedSum {
  readonly slopes: Float64Array;
  readonly bends: Float64Array;
  private readonly P: Float64Array;
  private readonly R: Float64Array;

  constructor(private readonly form: DistanceDifference) {
    const { near, far, map } = form;
    this.P = diagonalOf(near.matrix).entries;
    this.R = diagonalOf(far.matrix).entries;
    this.slopes = new Float64Array(this.P.length);
    const [own, other] = [near, far].map(({ matrix }) => DOUBT * formRoundingShare(matrix));
    this.bends = this.P.map(
      (entry, c) => (map ? map.diagonal![c] ** 2 : 1) * (this.R[c] * (1 + other) - entry * (1 - own)),
    );
  }

  begin({ origin }: Domain, nudge: number): Lack | null {
    const { form, slopes, P, R } = this;
    const { map } = form;
    for (let c = 0; c < origin.length; c++) {
      const scale = map ? map.diagonal![c] : 1;
      const x = map ? map.offset[c] + scale * origin[c] : origin[c];
      slopes[c] = 2 * scale * (R[c] * (x - form.far.at[c]) - P[c] * (x - form.near.at[c]));
    }
    const need = form.value(origin);
    const size = form.magnitude(origin);
    if (!Number.isFinite(size)) return null;
    return { need, slack: DOUBT * form.rounding(origin), depth: nudge * size, isSlab: false };
  }
}
