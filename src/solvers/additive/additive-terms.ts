/**
 * A problem whose constraints are sums over features, at one person's row:
 *
 *   min Σ_f cost_f(x_f)   s.t.   lower_i <= Σ_f h_if(x_f) <= upper_i
 *
 *   quadratics with diagonal matrices   h = bend Δ² + slope Δ,   upper = -q(x)     (naive Bayes)
 *   sums of increasing functions        h = a (f(x + Δ) - f(x))                    (behind a monotone step)
 *   rows of region and policy           h = a Δ,  a category's columns together
 *   rows of an alternative              the same; they count only where a node has chosen the alternative
 *   the number of changes               h = 1 where Δ is not 0
 *
 * Features are curves, a number within bounds, or lists: categories, and numbers with few values. The terms of bounds are underestimates: h
 * of quadratics and the ends of all constraints are relaxed by the largest rounding error, here or in the model. For sums of functions that
 * error depends on the point: `noises`.
 */
import { diagonalOf, formRoundingShare } from '../../linalg/symmetric-matrix.js';
import { dot } from '../../linalg/vector.js';
import { type Curve, IDENTITY } from '../../models/curves/monotone.js';
import type { DistanceDifference } from '../../models/distance-difference.js';
import type { Feature } from '../../models/features.js';
import { type AdditiveAtom, arithmeticOf, type LinearRow } from '../../models/region.js';
import { changeCost } from '../../policy/cost.js';
import { type Domain, mayStand } from '../../policy/domain.js';
import { listedValues } from '../../policy/listed-values.js';
import { countValues, nextValue, valuesOf } from '../../policy/values.js';
import { atomsOf, linearRows, type Problem } from '../../problems/problem.js';
import { canBe } from '../shared/feature-values.js';
import { HALF_ULP, linkSlack, roundingAt } from '../shared/linear-rows.js';
import { type CostPart, costParts } from './feature-costs.js';

/** A number with at most this many values is a list. */
const MOST_LISTED = 40;
/** Rounding errors of a model's sum, in addition to one for each term. */
const SUM_ROUNDINGS = 16;
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
  /** The function whose values sums add up. Null: no sum does. */
  readonly bent: BentTerm | null;
  /** By constraint: the rounding of the model's terms, for a unit of change or of the function. */
  readonly noises: Float64Array;
}

/** a (f(x + Δ) - f(x)) by constraint. Where x is below the domain of f, 0 takes the place of f(x). */
export interface BentTerm {
  readonly curve: Curve;
  readonly here: number;
  readonly reference: number;
  readonly gains: Float64Array;
  /** By constraint: the model's term for a unit of the function. */
  readonly sizes: Float64Array;
  /** The rounding of a sum of the model, as a share of its terms. */
  readonly share: number;
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
  /** By option and constraint: the largest rounding error of a term of a sum of functions. Null: the problem has no sums. */
  readonly noises: Float64Array | null;
}

export type AdditiveFeature = CurveFeature | ListedFeature;

export interface AdditiveTerms {
  readonly features: readonly AdditiveFeature[];
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** By constraint: the part of its ends that is rounding. */
  readonly slack: Float64Array;
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
  private readonly sums: readonly AdditiveAtom[];
  private readonly rows: readonly LinearRow[];
  /** The index of the first row. */
  private readonly firstRow: number;
  private readonly alternatives: AdditiveTerms['alternatives'];
  private readonly count: number;
  private readonly changes: number;
  /** The rounding of a sum of the model, as a share of its terms. */
  private readonly share: number;

  constructor(private readonly problem: Problem) {
    this.forms = atomsOf(problem, 'quadratic').map(({ form }) => form);
    this.sums = atomsOf(problem, 'additive');
    const always = linearRows(problem);
    const clauses = problem.clauses.flatMap((clause, k) => clause.rows.map((row, r) => ({ row, clause: k, index: r })));
    this.rows = [...always, ...clauses.map(({ row }) => row)];
    const plain = [...this.forms, ...this.sums, ...always].map(() => null);
    this.alternatives = [...plain, ...clauses.map(({ clause, index }) => ({ clause, row: index })), null];
    this.firstRow = this.forms.length + this.sums.length;
    this.changes = problem.traits.capped ? this.firstRow + this.rows.length : -1;
    this.count = this.firstRow + this.rows.length + +problem.traits.capped;
    this.share = 2 * (problem.space.columns + SUM_ROUNDINGS) * HALF_ULP;
  }

  build(domain: Domain): AdditiveTerms {
    const ends = this.ends(domain);
    const columns = this.columnTerms(domain);
    const features = this.problem.space.features.map((feature) => this.featureTerms(domain, feature, columns));
    const { alternatives, changes } = this;
    return { features, ...ends, alternatives, changes };
  }

  private ends(domain: Domain): Pick<AdditiveTerms, 'lower' | 'upper' | 'slack'> {
    const { origin } = domain;
    const lower = new Float64Array(this.count).fill(Number.NEGATIVE_INFINITY);
    const upper = new Float64Array(this.count).fill(Infinity);
    const slack = new Float64Array(this.count);
    const set = (i: number, row: LinearRow, activity: number, doubt: number) => {
      lower[i] = row.lower - activity - doubt;
      upper[i] = row.upper - activity + doubt;
      slack[i] = doubt;
    };
    for (const [i, form] of this.forms.entries()) upper[i] = 2 * DOUBT * form.rounding(origin) - form.value(origin);
    for (const [s, sum] of this.sums.entries()) set(this.forms.length + s, sum.row, ...this.sumAt(sum, origin));
    for (const [r, row] of this.rows.entries())
      set(this.firstRow + r, row, dot(row.a, origin), linkSlack(row, origin) + 2 * roundingAt(row, origin));
    if (this.changes >= 0) upper[this.changes] = this.problem.maxChanges;
    return { lower, upper, slack };
  }

  /** The value of a sum of functions at the row, and its largest rounding error, in the model or here. */
  private sumAt({ row, curves }: AdditiveAtom, origin: Float64Array): [activity: number, doubt: number] {
    const { terms, constant } = arithmeticOf(row);
    const ends = [row.lower, row.upper].filter(Number.isFinite).map(Math.abs);
    let [activity, doubt] = [0, this.share * (constant + Math.max(0, ...ends))];
    for (let c = 0; c < origin.length; c++) {
      const value = referenceOf(curves.of(c), origin[c]);
      activity += row.a[c] * value;
      doubt += this.noise(curves.of(c), terms[c], origin[c]);
    }
    return [activity, doubt];
  }

  /** The largest rounding error of a model's term  t f(x). */
  private noise(curve: Curve, term: number, x: number): number {
    return term === 0 || !(x > curve.above)
      ? 0
      : term * (this.share * Math.abs(curve.value(x)) + 2 * curve.rounding(x));
  }

  /** Bend and slope of every constraint in every column, constraint by constraint. */
  private columnTerms({ origin }: Domain): ColumnTerms {
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
    for (const [s, { row, curves }] of this.sums.entries()) {
      const first = (this.forms.length + s) * d;
      for (let c = 0; c < d; c++) if (curves.of(c) === IDENTITY) slopes[first + c] = row.a[c];
    }
    for (const [r, { a }] of this.rows.entries()) slopes.set(a, (this.firstRow + r) * d);
    return { bends, slopes };
  }

  private featureTerms(domain: Domain, feature: Feature, columns: ColumnTerms): AdditiveFeature {
    const { column, kind } = feature;
    const { upper, origin } = domain;
    const isListed = kind === 'choice' || countValues(domain, feature) <= MOST_LISTED;
    if (isListed) return this.listed(domain, feature, columns);
    const d = origin.length;
    const of = (all: Float64Array) => Float64Array.from({ length: this.count }, (_, i) => all[i * d + column]);
    return {
      kind: 'curve',
      feature,
      parts: costParts(this.problem.cost, feature, origin[column]),
      low: this.lowest(domain, feature) - origin[column],
      high: upper[column] - origin[column],
      bends: of(columns.bends),
      slopes: of(columns.slopes),
      bent: this.bentTerm(column, origin[column]),
      noises: this.bySum(({ row, curves }) =>
        curves.of(column) === IDENTITY ? this.share * arithmeticOf(row).terms[column] : 0,
      ),
    };
  }

  /** A number for every constraint that is a sum of functions; 0 for the others. */
  private bySum(of: (sum: AdditiveAtom) => number): Float64Array {
    const numbers = new Float64Array(this.count);
    for (const [s, sum] of this.sums.entries()) numbers[this.forms.length + s] = of(sum);
    return numbers;
  }

  /** The first value within the domain of the column's function. */
  private lowest(domain: Domain, feature: Feature): number {
    const { column } = feature;
    const above = this.sums.length ? this.sums[0].curves.of(column).above : Number.NEGATIVE_INFINITY;
    if (domain.lower[column] > above || above === Number.NEGATIVE_INFINITY) return domain.lower[column];
    const next = nextValue(domain, feature, above, 1);
    return Number.isNaN(next) ? Infinity : next;
  }

  /** All sums of a problem stand behind the same functions. */
  private bentTerm(column: number, here: number): BentTerm | null {
    const curve = this.sums[0]?.curves.of(column) ?? IDENTITY;
    if (curve === IDENTITY) return null;
    const gains = this.bySum(({ row }) => row.a[column]);
    const sizes = this.bySum(({ row }) => arithmeticOf(row).terms[column]);
    return { curve, here, reference: referenceOf(curve, here), gains, sizes, share: this.share };
  }

  private listed(domain: Domain, feature: Feature, columns: ColumnTerms): ListedFeature {
    const { origin } = domain;
    const { column, width, index, kind } = feature;
    const values = this.optionsOf(domain, feature).filter((value) => this.isDefined(feature, value));
    const targets = values.map((value) =>
      Float64Array.from({ length: width }, (_, k) => {
        if (Number.isNaN(value)) return origin[column + k];
        return kind === 'choice' ? +(k === value) : value;
      }),
    );
    const moved = Uint8Array.from(targets, (target) => +target.some((value, k) => value !== origin[column + k]));
    const terms = new Float64Array(values.length * this.count);
    const noises = this.sums.length ? new Float64Array(values.length * this.count) : null;
    for (const [k, target] of targets.entries()) {
      for (let j = 0; j < width; j++) this.addTerms(terms, k * this.count, origin, column + j, target[j], columns);
      if (noises && moved[k]) this.addNoises(noises, k * this.count, column, target);
      if (this.changes >= 0) terms[k * this.count + this.changes] = moved[k];
    }
    const weight = this.problem.cost.weight[index];
    const price = (value: number) =>
      kind === 'choice' ? weight : changeCost(this.problem.cost, feature, origin[column], value);
    const costs = Float64Array.from(values, (value, k) => (moved[k] ? price(value) : 0));
    return { kind: 'list', feature, values, costs, moved, terms, noises };
  }

  /** Whether the functions of the sums are defined at an option. */
  private isDefined({ kind, column, width }: Feature, value: number): boolean {
    if (!this.sums.length) return true;
    const { curves } = this.sums[0];
    if (kind !== 'choice') return value > curves.of(column).above;
    for (let c = column; c < column + width; c++) if (curves.of(c).above >= +(c - column === value)) return false;
    return true;
  }

  /** Adds the terms of all constraints for a column that moves to a number. */
  private addTerms(
    terms: Float64Array,
    first: number,
    origin: Float64Array,
    c: number,
    to: number,
    { bends, slopes }: ColumnTerms,
  ): void {
    const move = to - origin[c];
    for (let i = 0; i < this.count; i++) {
      const at = i * origin.length + c;
      if (move !== 0) terms[first + i] += move * (slopes[at] + bends[at] * move);
    }
    for (const [s, { row, curves }] of this.sums.entries()) {
      const curve = curves.of(c);
      if (curve === IDENTITY) continue;
      terms[first + this.forms.length + s] += row.a[c] * (curve.value(to) - referenceOf(curve, origin[c]));
    }
  }

  private addNoises(noises: Float64Array, first: number, column: number, target: Float64Array): void {
    for (const [s, { row, curves }] of this.sums.entries())
      for (const [j, value] of target.entries())
        noises[first + this.forms.length + s] += this.noise(
          curves.of(column + j),
          arithmeticOf(row).terms[column + j],
          value,
        );
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

/** Bend and slope by constraint and column. */
interface ColumnTerms {
  readonly bends: Float64Array;
  readonly slopes: Float64Array;
}

/** f(x), or 0 below the domain of f. */
const referenceOf = (curve: Curve, x: number): number => (x > curve.above ? curve.value(x) : 0);
