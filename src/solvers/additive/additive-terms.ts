/**
 * A problem whose constraints are sums over features, at one person's row:
 *
 *   min Σ_f cost_f(x_f)   s.t.   lower_i <= Σ_f h_if(x_f) <= upper_i
 *
 *   quadratics with diagonal matrices   h = bend Δ² + slope Δ,   upper = -q(x)     (naive Bayes)
 *   rows of region and policy           h = a Δ,  a category's columns together
 *   rows of an alternative              the same; they count only where a node has chosen the alternative
 *   the number of changes               h = 1 where Δ is not 0
 *
 * Features are curves, a number within bounds, or lists: categories, and numbers with few values. The terms of bounds are underestimates: h
 * of quadratics and the ends of all constraints are relaxed by the largest rounding error, here or in the model.
 */
import { diagonalOf, formRoundingShare } from '../../linalg/symmetric-matrix.js';
import { dot } from '../../linalg/vector.js';
import type { DistanceDifference } from '../../models/distance-difference.js';
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import { changeCost } from '../../policy/cost.js';
import { type Domain, mayStand } from '../../policy/domain.js';
import { listedValues } from '../../policy/listed-values.js';
import { countValues, valuesOf } from '../../policy/values.js';
import { atomsOf, linearRows, type Problem } from '../../problems/problem.js';
import { linkSlack, roundingAt } from '../shared/linear-rows.js';
import { type CostPart, costParts } from './feature-costs.js';

/** A number with at most this many values is a list. */
const MOST_LISTED = 40;
/** Rounding errors of matrices and slopes, in addition to those of values. */
const DOUBT = 4;

export interface CurveFeature {
  readonly kind: 'curve';
  readonly feature: Feature;
  readonly parts: readonly CostPart[];
  readonly low: number;
  readonly high: number;
  /** By constraint. */
  readonly bends: Float64Array;
  readonly slopes: Float64Array;
}

export interface ListedFeature {
  readonly kind: 'list';
  readonly feature: Feature;
  /** Values by option: numbers or categories; NaN: the present columns. */
  readonly values: readonly number[];
  readonly costs: Float64Array;
  readonly moved: Uint8Array;
  /** By option and constraint. */
  readonly terms: Float64Array;
}

export type AdditiveFeature = CurveFeature | ListedFeature;

export interface AdditiveTerms {
  readonly features: readonly AdditiveFeature[];
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** By constraint: its alternative, or null. */
  readonly alternatives: readonly ({ readonly clause: number; readonly row: number } | null)[];
  /** The constraint on the number of changes; -1: none. */
  readonly changes: number;
}

/** Whether the quadratic is a sum over columns. */
export const isDiagonal = ({ near, far, map }: DistanceDifference): boolean =>
  near.matrix.kind === 'diagonal' && far.matrix.kind === 'diagonal' && (!map || map.diagonal !== null);

export class TermsBuilder {
  private readonly forms: readonly DistanceDifference[];
  private readonly rows: readonly LinearRow[];
  private readonly alternatives: AdditiveTerms['alternatives'];
  private readonly count: number;
  private readonly changes: number;

  constructor(private readonly problem: Problem) {
    this.forms = atomsOf(problem, 'quadratic').map(({ form }) => form);
    const always = linearRows(problem);
    const clauses = problem.clauses.flatMap((clause, k) => clause.rows.map((row, r) => ({ row, clause: k, index: r })));
    this.rows = [...always, ...clauses.map(({ row }) => row)];
    const plain = [...this.forms, ...always].map(() => null);
    this.alternatives = [...plain, ...clauses.map(({ clause, index }) => ({ clause, row: index })), null];
    this.changes = problem.traits.capped ? this.forms.length + this.rows.length : -1;
    this.count = this.forms.length + this.rows.length + +problem.traits.capped;
  }

  build(domain: Domain): AdditiveTerms {
    const [lower, upper] = this.ends(domain);
    const columns = this.columnTerms(domain);
    const features = this.problem.space.features.map((feature) => this.featureTerms(domain, feature, columns));
    const { alternatives, changes } = this;
    return { features, lower, upper, alternatives, changes };
  }

  private ends({ origin }: Domain): [Float64Array, Float64Array] {
    const lower = new Float64Array(this.count).fill(Number.NEGATIVE_INFINITY);
    const upper = new Float64Array(this.count).fill(Infinity);
    for (const [i, form] of this.forms.entries()) upper[i] = 2 * DOUBT * form.rounding(origin) - form.value(origin);
    for (const [r, row] of this.rows.entries()) {
      const i = this.forms.length + r;
      const doubt = linkSlack(row, origin) + 2 * roundingAt(row, origin);
      const activity = dot(row.a, origin);
      lower[i] = row.lower - activity - doubt;
      upper[i] = row.upper - activity + doubt;
    }
    if (this.changes >= 0) upper[this.changes] = this.problem.maxChanges;
    return [lower, upper];
  }

  /** Bend and slope of every constraint in every column, constraint by constraint. */
  private columnTerms({ origin }: Domain): { bends: Float64Array; slopes: Float64Array } {
    const d = origin.length;
    const bends = new Float64Array(this.count * d);
    const slopes = new Float64Array(this.count * d);
    for (const [i, { near, far, map }] of this.forms.entries()) {
      const shares = [near, far].map(({ matrix }) => 2 * DOUBT * formRoundingShare(matrix));
      const [P, R] = [near, far].map(({ matrix }) => diagonalOf(matrix).entries);
      for (let c = 0; c < d; c++) {
        const scale = map ? map.diagonal![c] : 1;
        const x = map ? map.offset[c] + scale * origin[c] : origin[c];
        bends[i * d + c] = scale * scale * (P[c] * (1 - shares[0]) - R[c] * (1 + shares[1]));
        slopes[i * d + c] = 2 * scale * (P[c] * (x - near.at[c]) - R[c] * (x - far.at[c]));
      }
    }
    for (const [r, { a }] of this.rows.entries()) slopes.set(a, (this.forms.length + r) * d);
    return { bends, slopes };
  }

  private featureTerms(
    domain: Domain,
    feature: Feature,
    columns: { bends: Float64Array; slopes: Float64Array },
  ): AdditiveFeature {
    const { column, kind } = feature;
    const { lower, upper, origin } = domain;
    const isListed = kind === 'choice' || countValues(domain, feature) <= MOST_LISTED;
    if (isListed) return this.listed(domain, feature, columns);
    const d = origin.length;
    const of = (all: Float64Array) => Float64Array.from({ length: this.count }, (_, i) => all[i * d + column]);
    return {
      kind: 'curve',
      feature,
      parts: costParts(this.problem.cost, feature, origin[column]),
      low: lower[column] - origin[column],
      high: upper[column] - origin[column],
      bends: of(columns.bends),
      slopes: of(columns.slopes),
    };
  }

  private listed(
    domain: Domain,
    feature: Feature,
    { bends, slopes }: { bends: Float64Array; slopes: Float64Array },
  ): ListedFeature {
    const { origin } = domain;
    const { column, width, index, kind } = feature;
    const values = this.optionsOf(domain, feature);
    const moves = values.map((value) =>
      Float64Array.from({ length: width }, (_, k) => {
        if (Number.isNaN(value)) return 0;
        return (kind === 'choice' ? +(k === value) : value) - origin[column + k];
      }),
    );
    const moved = Uint8Array.from(moves, (move) => +move.some((delta) => delta !== 0));
    const terms = new Float64Array(values.length * this.count);
    for (const [k, move] of moves.entries()) {
      for (let i = 0; i < this.count; i++) {
        for (let j = 0; j < width; j++) {
          const at = i * origin.length + column + j;
          terms[k * this.count + i] += move[j] * (slopes[at] + bends[at] * move[j]);
        }
      }
      if (this.changes >= 0) terms[k * this.count + this.changes] = moved[k];
    }
    const weight = this.problem.cost.weight[index];
    const price = (value: number) =>
      kind === 'choice' ? weight : changeCost(this.problem.cost, feature, origin[column], value);
    const costs = Float64Array.from(values, (value, k) => (moved[k] ? price(value) : 0));
    return { kind: 'list', feature, values, costs, moved, terms };
  }

  /** The open categories, and the present columns where they equal no category. */
  private optionsOf(domain: Domain, feature: Feature): number[] {
    if (feature.kind !== 'choice') return [...valuesOf(domain, feature)];
    const open = listedValues(domain, feature).filter((k) => canBe(domain, feature, k));
    const { column, width } = feature;
    const isOne = open.some((k) => domain.origin[column + k] === 1);
    const isWhole = domain.origin.subarray(column, column + width).every((value) => value === 0 || value === 1);
    return mayStand(domain, feature) && !(isOne && isWhole) ? [...open, Number.NaN] : open;
  }
}

/** A forced category is the only one. */
function canBe({ lower, upper }: Domain, { column, width }: Feature, k: number): boolean {
  for (let c = column; c < column + width; c++) if (c !== column + k && lower[c] > 0) return false;
  return upper[column + k] >= 1;
}
