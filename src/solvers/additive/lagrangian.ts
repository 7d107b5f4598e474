/**
 * The Lagrangian of a problem that is a sum over features (additive-terms.ts), over a part of the person's domain:
 *
 *   L(λ) = Σ_f min over f's part of (cost_f(x_f) + Σ_i λ_i h_if(x_f))  -  Σ_i (λ_i upper_i for λ_i > 0, λ_i lower_i for λ_i < 0)
 *
 * bounds the cost of every answer in the part for every λ. Each feature's minimum has a closed form: the ends and the vertex of each of its
 * cost's parts, or the best option of a list; where a sum prices a function of the feature, see bent-minimum.ts. `prove` takes every sum for
 * the worst case of rounding.
 */
import { HALF_ULP } from '../shared/linear-rows.js';
import type { AdditiveFeature, AdditiveTerms, BentTerm, CurveFeature, ListedFeature } from './additive-terms.js';
import { BentMinimum } from './bent-minimum.js';

/** A part of a domain: an interval for each curve, open options for each list, features that count as changed, alternatives. */
export interface Part {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly changed: Uint8Array;
  readonly open: readonly (Uint8Array | null)[];
  /** By clause: the alternative that the part has chosen, or -1. */
  readonly chosen: Int8Array;
}

/** A local minimum of a feature: the move of a curve, or the option of a list. */
export interface Choice {
  readonly at: number;
  readonly value: number;
}

const CURVE_ROUNDINGS = 16;
/** Multiply-adds that take as long as the powers of a function's minimum. */
const BENT_FLOPS = 200;

export class Lagrangian {
  readonly m: number;
  /** The minimiser of the last evaluation: moves of curves, options of lists. */
  readonly at: Float64Array;
  /** Σ_f h_if at the minimiser, by constraint. */
  readonly activity: Float64Array;
  /** The slope of L at the last λ. */
  readonly slope: Float64Array;
  /** By feature: the least value in the last proof, for any rounding. */
  readonly proved: Float64Array;
  private readonly ofCost: number;
  private bend = 0;
  private tilt = 0;
  /** Σ λ_i a_i, the price of a unit of the feature's function. */
  private gain = 0;
  private readonly bent = new BentMinimum();
  private least = 0;
  private where = 0;

  /** `priced` is false for the question whether the part is empty. Costs are then left out. */
  constructor(
    readonly terms: AdditiveTerms,
    priced = true,
  ) {
    this.m = terms.upper.length;
    this.at = new Float64Array(terms.features.length);
    this.proved = new Float64Array(terms.features.length);
    this.activity = new Float64Array(this.m);
    this.slope = new Float64Array(this.m);
    this.ofCost = priced ? 1 : 0;
  }

  /** The approximate number of multiply-adds of one evaluation. */
  get flops(): number {
    const size = (feature: AdditiveFeature) =>
      feature.kind === 'curve'
        ? 4 * this.m + 12 * feature.parts.length + (feature.bent ? BENT_FLOPS : 0)
        : 2 * this.m * feature.values.length;
    return this.terms.features.reduce((sum, feature) => sum + size(feature), 0);
  }

  /** Whether a multiplier may have this sign: its constraint has an end on that side and applies in the part. */
  mayBe(i: number, sign: 1 | -1, { chosen }: Part): boolean {
    const { alternatives, lower, upper } = this.terms;
    const own = alternatives[i];
    if (own && chosen[own.clause] !== own.row) return false;
    return Number.isFinite(sign > 0 ? upper[i] : lower[i]);
  }

  /** Computes L, its minimiser and its slope. */
  evaluate(lambda: Float64Array, part: Part): number {
    const { features, lower, upper } = this.terms;
    this.activity.fill(0);
    let total = 0;
    for (let f = 0; f < features.length; f++) {
      const feature = features[f];
      if (feature.kind === 'curve') this.onCurve(feature, lambda, part.low[f], part.high[f], part.changed[f], 0);
      else this.onList(feature, f, lambda, part);
      total += this.least;
      this.at[f] = this.where;
      this.addActivity(feature, f, part);
    }
    for (let i = 0; i < this.m; i++) {
      const [low, high] = [lower[i], upper[i]];
      const value = this.activity[i];
      if (lambda[i] !== 0) total -= lambda[i] * (lambda[i] > 0 ? high : low);
      if (lambda[i] !== 0) this.slope[i] = value - (lambda[i] > 0 ? high : low);
      else this.slope[i] = value > high ? value - high : value < low ? value - low : 0;
    }
    return total;
  }

  private addActivity(feature: AdditiveFeature, f: number, part: Part): void {
    const { m, activity } = this;
    const at = this.at[f];
    if (feature.kind === 'list') {
      if (at < 0) return;
      for (let i = 0; i < m; i++) activity[i] += feature.terms[at * m + i];
      return;
    }
    for (let i = 0; i < m; i++) activity[i] += at === 0 ? 0 : at * (feature.slopes[i] + feature.bends[i] * at);
    if (feature.bent && at !== 0) {
      const rise = riseOf(feature.bent, at);
      for (let i = 0; i < m; i++) if (feature.bent.gains[i] !== 0) activity[i] += feature.bent.gains[i] * rise;
    }
    if (this.terms.changes >= 0 && (at !== 0 || part.changed[f])) activity[this.terms.changes] += 1;
  }

  /** The best option; -1 and Infinity when no option is open. */
  private onList(feature: ListedFeature, f: number, lambda: Float64Array, { open }: Part): void {
    const { m } = this;
    const { costs, terms } = feature;
    this.least = Infinity;
    this.where = -1;
    for (let k = 0; k < costs.length; k++) {
      if (open[f] && !open[f]![k]) continue;
      let value = this.ofCost * costs[k];
      for (let i = 0; i < m; i++) if (lambda[i] !== 0) value += lambda[i] * terms[k * m + i];
      if (value >= this.least) continue;
      this.least = value;
      this.where = k;
    }
  }

  /** The best move of a curve. `doubt` 1: coefficients are taken for the worst case of rounding. */
  private onCurve(
    feature: CurveFeature,
    lambda: Float64Array,
    low: number,
    high: number,
    isChanged: number,
    doubt: 0 | 1,
  ): void {
    const { parts } = feature;
    const jump = this.combine(feature, lambda);
    const [bendDoubt, tiltDoubt] = doubt ? this.doubts(feature, lambda) : [0, 0];
    const isFree = !isChanged && low <= 0 && high >= 0;
    this.least = isFree ? 0 : Infinity;
    this.where = isFree ? 0 : Number.NaN;
    const { bent } = feature;
    const isBent = bent !== null && this.gain !== 0;
    if (isBent) this.bent.begin(bent.curve, bent.here, bent.reference);
    for (let k = 0; k < parts.length; k++) {
      const own = parts[k];
      const from = Math.max(own.low, low);
      const to = Math.min(own.high, high);
      if (!(from <= to)) continue;
      const side = own.low >= 0 ? 1 : -1;
      const a = this.ofCost * own.c2 + this.bend - bendDoubt;
      const b = this.ofCost * own.c1 + this.tilt - side * tiltDoubt;
      const c = this.ofCost * (own.c0 - doubt * own.doubt) + jump;
      if (isBent) this.settleBent(Math.max(0, a), b, c, from, to, doubt);
      else this.settle(a, b, c, from, to);
    }
    if (isBent && doubt && this.least < Infinity) this.least -= this.noise(bent, lambda, low, high);
  }

  private settleBent(a: number, b: number, c: number, from: number, to: number, doubt: 0 | 1): void {
    const { bent } = this;
    bent.price(a, b, this.gain);
    if (doubt) {
      this.take(c + bent.bound(from, to), Number.NaN);
      return;
    }
    bent.search(from, to);
    this.take(c + bent.least, bent.where);
  }

  /** The largest rounding error of the model's terms for a function, over an interval of moves. Both ends together cover it. */
  private noise({ curve, here, sizes, share }: BentTerm, lambda: Float64Array, low: number, high: number): number {
    const error = (x: number) => share * Math.abs(curve.value(x)) + 2 * curve.rounding(x);
    let size = 0;
    for (let i = 0; i < this.m; i++) size += Math.abs(lambda[i]) * sizes[i];
    return size * Math.max(error(here + low), error(here + high));
  }

  /** Sets A = Σ λ_i bend_i, S = Σ λ_i slope_i and the price of a curve's function. Returns the fixed cost of any change. */
  private combine({ bends, slopes, bent }: CurveFeature, lambda: Float64Array): number {
    let [bend, tilt, gain] = [0, 0, 0];
    for (let i = 0; i < this.m; i++) {
      if (lambda[i] === 0) continue;
      bend += lambda[i] * bends[i];
      tilt += lambda[i] * slopes[i];
      if (bent) gain += lambda[i] * bent.gains[i];
    }
    this.bend = bend;
    this.tilt = tilt;
    this.gain = gain;
    return this.terms.changes >= 0 ? lambda[this.terms.changes] : 0;
  }

  private doubts({ bends, slopes, noises }: CurveFeature, lambda: Float64Array): [number, number] {
    let [bend, tilt, noise] = [0, 0, 0];
    for (let i = 0; i < this.m; i++) {
      bend += Math.abs(lambda[i] * bends[i]);
      tilt += Math.abs(lambda[i] * slopes[i]);
      noise += Math.abs(lambda[i]) * noises[i];
    }
    const share = (this.m + CURVE_ROUNDINGS) * HALF_ULP;
    return [share * bend, share * tilt + noise];
  }

  /** Takes the minimum of a t² + b t + c on [from, to] if it is less than the best so far. */
  private settle(a: number, b: number, c: number, from: number, to: number): void {
    if (a > 0) {
      const vertex = Math.min(to, Math.max(from, -b / (2 * a)));
      this.take(c + vertex * (b + a * vertex), vertex);
      return;
    }
    for (const end of [from, to]) {
      if (Number.isFinite(end)) this.take(c + end * (b + a * end), end);
      else if (a < 0 || b * end < 0) this.take(Number.NEGATIVE_INFINITY, end);
      else if (b === 0) this.take(c, Number.isFinite(from) ? from : Number.isFinite(to) ? to : 0);
    }
  }

  private take(value: number, where: number): void {
    if (!(value < this.least)) return;
    this.least = value;
    this.where = where;
  }

  /** A lower bound of L(λ) for any rounding. */
  prove(lambda: Float64Array, part: Part): number {
    const { features, lower, upper } = this.terms;
    let [total, size] = [0, 0];
    for (let f = 0; f < features.length; f++) {
      const feature = features[f];
      if (feature.kind === 'curve') this.onCurve(feature, lambda, part.low[f], part.high[f], part.changed[f], 1);
      else this.onList(feature, f, lambda, part);
      if (feature.kind === 'list') this.least -= this.listNoise(feature, lambda, part.open[f]);
      this.proved[f] = this.least;
      total += this.least;
      size += feature.kind === 'curve' ? Math.abs(this.least) : this.listSize(feature, lambda, part.open[f]);
    }
    for (let i = 0; i < this.m; i++) {
      if (lambda[i] === 0) continue;
      const term = lambda[i] * (lambda[i] > 0 ? upper[i] : lower[i]);
      total -= term;
      size += Math.abs(term);
    }
    const proved = total - (features.length + this.m + CURVE_ROUNDINGS) * HALF_ULP * size;
    return Number.isNaN(proved) ? Number.NEGATIVE_INFINITY : proved;
  }

  /** The least value of a curve over an interval of moves, for any rounding. */
  proveWithin(feature: CurveFeature, lambda: Float64Array, low: number, high: number, isChanged: number): number {
    this.onCurve(feature, lambda, low, high, isChanged, 1);
    return this.least;
  }

  /** The value of an option, for any rounding. */
  proveOption({ costs, terms, noises }: ListedFeature, k: number, lambda: Float64Array): number {
    const { m } = this;
    let [value, size, noise] = [this.ofCost * costs[k], costs[k], 0];
    for (let i = 0; i < m; i++) {
      const term = lambda[i] * terms[k * m + i];
      value += term;
      size += Math.abs(term);
      if (noises) noise += Math.abs(lambda[i]) * noises[k * m + i];
    }
    return value - noise - (m + CURVE_ROUNDINGS) * HALF_ULP * size;
  }

  private listSize({ costs, terms }: ListedFeature, lambda: Float64Array, open: Uint8Array | null): number {
    const { m } = this;
    let most = 0;
    for (let k = 0; k < costs.length; k++) {
      if (open && !open[k]) continue;
      let size = costs[k];
      for (let i = 0; i < m; i++) size += Math.abs(lambda[i] * terms[k * m + i]);
      most = Math.max(most, size);
    }
    return most;
  }

  /** The largest rounding error of the model's terms for an open option. */
  private listNoise({ costs, noises }: ListedFeature, lambda: Float64Array, open: Uint8Array | null): number {
    const { m } = this;
    let most = 0;
    for (let k = 0; noises && k < costs.length; k++) {
      if (open && !open[k]) continue;
      let noise = 0;
      for (let i = 0; i < m; i++) noise += Math.abs(lambda[i]) * noises[k * m + i];
      most = Math.max(most, noise);
    }
    return most;
  }

  /** The value of a curve at a move, or of a list at an option, for the given multipliers. */
  valueAt(f: number, at: number, lambda: Float64Array, part: Part): number {
    const feature = this.terms.features[f];
    const { m } = this;
    if (feature.kind === 'list') {
      let value = this.ofCost * feature.costs[at];
      for (let i = 0; i < m; i++) if (lambda[i] !== 0) value += lambda[i] * feature.terms[at * m + i];
      return value;
    }
    const jump = this.combine(feature, lambda);
    if (at === 0 && !part.changed[f]) return 0;
    const own = feature.parts.find(({ low, high }) => at >= low && at <= high)!;
    const rise = feature.bent && this.gain !== 0 ? this.gain * riseOf(feature.bent, at) : 0;
    return own.c0 + jump + at * (own.c1 + this.tilt + at * (own.c2 + this.bend)) + rise;
  }

  /** The local minima of a feature: of each part of a curve, of each option of a list; best first. */
  minima(f: number, lambda: Float64Array, part: Part): Choice[] {
    const feature = this.terms.features[f];
    const found: Choice[] = [];
    if (feature.kind === 'list') {
      for (const k of feature.values.keys())
        if (!part.open[f] || part.open[f]![k]) found.push({ at: k, value: this.valueAt(f, k, lambda, part) });
    } else {
      const jump = this.combine(feature, lambda);
      const [low, high] = [part.low[f], part.high[f]];
      if (!part.changed[f] && low <= 0 && high >= 0) found.push({ at: 0, value: 0 });
      for (const own of feature.parts) {
        const [from, to] = [Math.max(own.low, low), Math.min(own.high, high)];
        if (!(from <= to)) continue;
        const [a, b] = [own.c2 + this.bend, own.c1 + this.tilt];
        if (feature.bent && this.gain !== 0) {
          found.push(...this.bentMinima(feature.bent, a, b, own.c0 + jump, from, to));
          continue;
        }
        const points = a > 0 ? [Math.min(to, Math.max(from, -b / (2 * a)))] : [from, to].filter(Number.isFinite);
        for (const at of points) found.push({ at, value: own.c0 + jump + at * (b + a * at) });
      }
    }
    return found.sort((x, y) => x.value - y.value);
  }

  private bentMinima(
    { curve, here, reference }: BentTerm,
    a: number,
    b: number,
    c: number,
    from: number,
    to: number,
  ): Choice[] {
    const { bent } = this;
    bent.begin(curve, here, reference);
    bent.price(a, b, this.gain);
    bent.search(from, to);
    return bent.found.map((at) => ({ at, value: c + bent.valueAt(at) }));
  }
}

/** The rise of a feature's function by a move. */
export const riseOf = ({ curve, here, reference }: BentTerm, move: number): number =>
  curve.value(here + move) - reference;
