/**
 * The least value of one feature's share of the Lagrangian, where an increasing function f of the feature is priced:
 *
 *   φ(t) = a t² + b t + g (f(h + t) - r)   over [from, to],   a >= 0
 *
 * f is convex or concave (curve-shapes.ts). Where g f is convex, φ is: its minimum is where φ' is 0, in closed form for a = 0, by Newton's
 * steps within a bracket else. Where g f is concave and a = 0 the minimum is at an end. Else f'' is monotone on a side: φ is split where φ''
 * changes its sign, into convex and concave segments.
 *
 * `bound` is at most the least value for any rounding: a convex segment lies above its tangent at the point found, a concave one above its
 * ends.
 */
import type { Curve } from '../../models/curves/monotone.js';

const NEWTON_STEPS = 60;
const NARROW = 2 ** -50;
/** Roundings of the terms of φ, of φ' and of the point h + t. */
const ROUNDING = 2 ** -49;
/** The share by which the point of a tangent is moved outwards where the interval is endless, so that the tangent rises there. */
const OUTWARDS = 2 ** -40;

export class BentMinimum {
  /** The least value found, and where. NaN: no point. */
  least = Infinity;
  where = Number.NaN;
  /** The local minima of the last search. */
  readonly found: number[] = [];
  private a = 0;
  private b = 0;
  private g = 0;
  private here = 0;
  private reference = 0;
  private curve!: Curve;
  /** The rounding of r. */
  private doubt = 0;

  /** Takes f, h and r. */
  begin(curve: Curve, here: number, reference: number): void {
    this.curve = curve;
    this.here = here;
    this.reference = reference;
    this.doubt = here > curve.above ? curve.rounding(here) : 0;
  }

  price(a: number, b: number, g: number): void {
    this.a = a;
    this.b = b;
    this.g = g;
  }

  valueAt(t: number): number {
    return this.costAt(t) + this.g * (this.curve.value(this.here + t) - this.reference);
  }

  private costAt(t: number): number {
    return this.a === 0 && this.b === 0 ? 0 : t * (this.b + this.a * t);
  }

  /** Finds the least value, where it is, and all local minima. */
  search(from: number, to: number): void {
    this.least = Infinity;
    this.where = Number.NaN;
    this.found.length = 0;
    this.eachSegment(from, to, this.searchSegment);
  }

  /** A lower bound of the least value. */
  bound(from: number, to: number): number {
    this.least = Infinity;
    this.eachSegment(from, to, this.boundSegment);
    return this.least;
  }

  private eachSegment(from: number, to: number, visit: (from: number, to: number, isConvex: boolean) => void): void {
    const { a, g, here, curve } = this;
    const turn = g * curve.turn;
    if (turn >= 0 || a === 0) {
      visit.call(this, from, to, turn >= 0);
      return;
    }
    const inside = (t: number) => t > from && t < to;
    const cuts = curve.atBend((-2 * a) / g).map((x) => x - here);
    const ends = [from, ...cuts.filter(inside).sort((s, t) => s - t), to];
    for (let k = 0; k + 1 < ends.length; k++) {
      const middle = here + between(ends[k], ends[k + 1]);
      visit.call(this, ends[k], ends[k + 1], 2 * a + g * curve.bend(middle) >= 0);
    }
  }

  private searchSegment(from: number, to: number, isConvex: boolean): void {
    if (isConvex) this.take(this.lowest(from, to));
    else {
      this.take(from);
      this.take(to);
    }
  }

  /** A value without a number, at an endless end, counts as endless. */
  private take(t: number): void {
    const value = this.valueAt(t);
    const known = Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    if (Number.isFinite(t)) this.found.push(t);
    if (!(known < this.least)) return;
    this.least = known;
    this.where = t;
  }

  private boundSegment(from: number, to: number, isConvex: boolean): void {
    const value = isConvex ? this.tangentBound(from, to) : Math.min(this.sureAt(from), this.sureAt(to));
    if (!(value >= this.least)) this.least = Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
  }

  /** The value at a point, taken for the worst case of rounding. */
  private sureAt(t: number): number {
    const { a, b, g, here, curve, reference } = this;
    const x = here + t;
    const f = curve.value(x);
    const value = this.costAt(t) + g * (f - reference);
    if (!Number.isFinite(value)) return value;
    const moved = Number.isFinite(x) ? Math.abs(x) * curve.slope(x) : 0;
    const size =
      Math.abs(t) * (Math.abs(b) + a * Math.abs(t)) + Math.abs(g) * (Math.abs(f) + Math.abs(reference) + moved);
    return value - ROUNDING * size - Math.abs(g) * (curve.rounding(x) + this.doubt);
  }

  private tangentBound(from: number, to: number): number {
    let at = this.lowest(from, to);
    if (!Number.isFinite(at)) return this.sureAt(at);
    if (to === Infinity && at > from) at += OUTWARDS * (Math.abs(at) + 1);
    if (from === Number.NEGATIVE_INFINITY && at < to) at -= OUTWARDS * (Math.abs(at) + 1);
    const slope = this.slopeAt(at);
    const doubt =
      ROUNDING * (Math.abs(this.b) + 2 * this.a * Math.abs(at) + Math.abs(this.g) * this.curve.slope(this.here + at));
    const down = rise(doubt - slope, to - at);
    const up = rise(doubt + slope, at - from);
    return this.sureAt(at) - Math.max(0, down, up);
  }

  private slopeAt(t: number): number {
    return this.b + 2 * this.a * t + this.g * this.curve.slope(this.here + t);
  }

  /** Where φ is least on a convex segment. */
  private lowest(from: number, to: number): number {
    const { a, b, g, curve, here } = this;
    if (a === 0) {
      if (curve.turn === 0) return endOf(b + g, from, to);
      const slope = -b / g;
      if (!(slope > 0)) return g > 0 ? from : to;
      return Math.min(to, Math.max(from, curve.atSlope(slope) - here));
    }
    return this.newton(from, to);
  }

  private newton(from: number, to: number): number {
    if (Number.isFinite(from) && this.slopeAt(from) >= 0) return from;
    if (Number.isFinite(to) && this.slopeAt(to) <= 0) return to;
    let low = this.bracket(from, to, -1);
    let high = this.bracket(to, from, 1);
    let t = low + (high - low) / 2;
    for (let k = 0; k < NEWTON_STEPS && high - low > NARROW * Math.abs(t); k++) {
      const slope = this.slopeAt(t);
      if (slope > 0) high = t;
      else low = t;
      const next = t - slope / (2 * this.a + this.g * this.curve.bend(this.here + t));
      if (next === t) break;
      t = next > low && next < high ? next : low + (high - low) / 2;
    }
    return t;
  }

  /** A finite number on the way to an endless end where φ rises outwards. */
  private bracket(end: number, other: number, side: 1 | -1): number {
    if (Number.isFinite(end)) return end;
    const start = Number.isFinite(other) ? other : 0;
    let step = 1 + Math.abs(this.here);
    while (step < Number.MAX_VALUE && this.slopeAt(start + side * step) * side < 0) step *= 4;
    return start + side * step;
  }
}

/** Where a line is least. */
const endOf = (slope: number, from: number, to: number): number =>
  slope === 0 ? Math.min(to, Math.max(from, 0)) : slope > 0 ? from : to;

/** The most that a slope may fall over a length. A slope of 0 or less falls by nothing, however long. */
const rise = (slope: number, length: number): number => (slope > 0 ? slope * length : 0);

function between(low: number, high: number): number {
  if (low === Number.NEGATIVE_INFINITY) return high === Infinity ? 0 : high - 1;
  return high === Infinity ? low + 1 : low + (high - low) / 2;
}
