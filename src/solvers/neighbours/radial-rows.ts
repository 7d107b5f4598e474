/**
 * An upper bound, linear within a box  l <= u <= h,  on a sum over centres of a convex, decreasing function of the distance:
 *
 *   Σ_i c_i φ(t_i(u)) <= constant + g·u,     t_i(u) = ‖u - s_i‖²  or  ‖u - s_i‖₁
 *
 *   c_i > 0    φ lies below its chord over [t_i⁻, t_i⁺], the range of t_i in the box; the chord falls with t_i, and t_i lies above its
 *              tangent at the point u° of interest
 *   c_i < 0    φ lies above its tangent at t_i(u°), which falls with t_i; and t_i lies below its chords over the box, input by input
 *
 * Both errors shrink with the square of the box width. The rounding error is added, relative to the summed terms.
 */
import type { BoxSplit, InputBox } from './input-box.js';

export interface RadialFunction {
  value(t: number): number;
  slope(t: number): number;
}

export type RadialMetric = 'euclidean' | 'manhattan';

export interface RadialTerm {
  readonly centre: Float64Array;
  readonly coefficient: number;
}

/** constant + g·u */
export interface LinearBound {
  readonly constant: number;
  readonly g: Float64Array;
  /** The sum of the sizes of all terms. */
  readonly size: number;
}

/** The rounding error, relative to the summed terms. */
const ROUNDING = 1e-13;
/** The place of a division between the middle of the box and the point. A division at the point itself would leave parts that touch the row in one point only. */
const NEAR_POINT = 0.6;
/** Tangents at distance 0 can be vertical. A tangent is taken no nearer than this fraction of the largest distance. */
const LEAST_SHARE = 1e-3;
/** A value above every finite term. */
const UNBOUNDED = 1e200;

const part = (metric: RadialMetric, d: number): number => (metric === 'euclidean' ? d * d : Math.abs(d));

const partSlope = (metric: RadialMetric, d: number): number => (metric === 'euclidean' ? 2 * d : Math.sign(d));

export class RadialSum {
  constructor(
    private readonly metric: RadialMetric,
    private readonly phi: RadialFunction,
  ) {}

  /** The range of t in a box. */
  range(centre: Float64Array, { lo, hi }: InputBox): readonly [number, number] {
    let [least, most] = [0, 0];
    for (let j = 0; j < lo.length; j++) {
      const [low, high] = this.partRange(lo[j] - centre[j], hi[j] - centre[j]);
      least += low;
      most += high;
    }
    return [least * (1 - ROUNDING), most * (1 + ROUNDING)];
  }

  /** The range of the part of one input. */
  private partRange(below: number, above: number): readonly [number, number] {
    const nearest = below > 0 ? below : Math.min(above, 0);
    return [part(this.metric, nearest), part(this.metric, Math.max(-below, above))];
  }

  /** The largest value of one term in a box. */
  most({ centre, coefficient }: RadialTerm, box: InputBox): number {
    const [least, most] = this.range(centre, box);
    return coefficient === 0 ? 0 : coefficient * this.phi.value(coefficient > 0 ? least : most);
  }

  /** Null: the sum is unbounded in the box. */
  above(terms: readonly RadialTerm[], box: InputBox, at: Float64Array): LinearBound | null {
    const g = new Float64Array(at.length);
    const bound = { constant: 0, g, size: 0 };
    for (const term of terms) {
      if (term.coefficient > 0) this.addChord(term, box, at, bound);
      else if (term.coefficient < 0) this.addTangent(term, box, at, bound);
    }
    if (!Number.isFinite(bound.size)) return null;
    return { ...bound, constant: bound.constant + ROUNDING * bound.size };
  }

  /** c [φ(t⁻) + β (t⁻ - t)],  β the fall of the chord,  t from below by its tangent at the point. */
  private addChord({ centre, coefficient }: RadialTerm, box: InputBox, at: Float64Array, bound: MutableBound): void {
    const [least, most] = this.range(centre, box);
    const top = this.phi.value(least);
    const fall = most > least && most < Infinity ? (top - this.phi.value(most)) / (most - least) : 0;
    let constant = top + fall * least;
    let size = Math.abs(top) + fall * least;
    for (let j = 0; j < at.length && fall > 0; j++) {
      const d = at[j] - centre[j];
      const slope = fall * partSlope(this.metric, d);
      const value = fall * part(this.metric, d) - slope * at[j];
      bound.g[j] -= coefficient * slope;
      constant -= value;
      size += Math.abs(value) + Math.abs(slope * at[j]);
    }
    bound.constant += coefficient * constant;
    bound.size += coefficient * size;
  }

  /** -m [φ(s) + φ'(s) (t - s)],  t from above by its chords over the box. */
  private addTangent({ centre, coefficient }: RadialTerm, box: InputBox, at: Float64Array, bound: MutableBound): void {
    const [least, most] = this.range(centre, box);
    const m = -coefficient;
    if (most === Infinity) return;
    const s = Math.min(most, Math.max(least, this.distance(centre, at), LEAST_SHARE * most));
    const rise = -this.phi.slope(s);
    let constant = -this.phi.value(s) - rise * s;
    let size = this.phi.value(s) + rise * s;
    for (let j = 0; j < at.length; j++) {
      const chord = this.chord(box.lo[j] - centre[j], box.hi[j] - centre[j]);
      const value = rise * (chord.value - chord.slope * box.lo[j]);
      bound.g[j] += m * rise * chord.slope;
      constant += value;
      size += Math.abs(value) + Math.abs(rise * chord.slope * at[j]);
    }
    bound.constant += m * constant;
    bound.size += m * size;
  }

  private chord(below: number, above: number): { value: number; slope: number } {
    const value = part(this.metric, below);
    return { value, slope: above > below ? (part(this.metric, above) - value) / (above - below) : 0 };
  }

  distance(centre: Float64Array, at: Float64Array): number {
    let sum = 0;
    for (let j = 0; j < at.length; j++) sum += part(this.metric, at[j] - centre[j]);
    return sum;
  }

  /** The input that contributes most to the difference between the sum and its bound at the point, and where to divide. Null: none. */
  split(terms: readonly RadialTerm[], box: InputBox, at: Float64Array): BoxSplit | null {
    const due = new Float64Array(at.length);
    for (const term of terms) this.addDue(term, box, at, due);
    const { lo, hi } = box;
    let [input, most] = [-1, 0];
    for (let j = 0; j < due.length; j++)
      if (due[j] > most && hi[j] - lo[j] < Infinity && hi[j] > lo[j]) [input, most] = [j, due[j]];
    if (input < 0) return null;
    const middle = lo[input] + 0.5 * (hi[input] - lo[input]);
    return { input, at: middle + NEAR_POINT * (at[input] - middle) };
  }

  private addDue({ centre, coefficient }: RadialTerm, box: InputBox, at: Float64Array, due: Float64Array): void {
    const [least, most] = this.range(centre, box);
    if (!(most > least) || most === Infinity || coefficient === 0) return;
    const t = Math.min(most, Math.max(least, this.distance(centre, at)));
    const [lost, rise] = [this.lostBy(coefficient, least, most, t), this.riseBy(coefficient, t, most)];
    for (let j = 0; j < at.length; j++) {
      const [below, above, d] = [box.lo[j] - centre[j], box.hi[j] - centre[j], at[j] - centre[j]];
      const chord = this.chord(below, above);
      const [low, high] = this.partRange(below, above);
      due[j] += rise * (chord.value + chord.slope * (d - below) - part(this.metric, d));
      due[j] += lost * ((high - low) / (most - least));
    }
  }

  /** The error of the chord of a positive term. */
  private lostBy(coefficient: number, least: number, most: number, t: number): number {
    if (coefficient < 0) return 0;
    const top = this.phi.value(least);
    if (top === Infinity) return UNBOUNDED;
    const fall = (top - this.phi.value(most)) / (most - least);
    return Math.max(0, coefficient * (top - fall * (t - least) - this.phi.value(t)));
  }

  private riseBy(coefficient: number, t: number, most: number): number {
    return coefficient > 0 ? 0 : coefficient * this.phi.slope(Math.max(t, LEAST_SHARE * most));
  }
}

interface MutableBound {
  constant: number;
  g: Float64Array;
  size: number;
}
