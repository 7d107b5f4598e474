/**
 * Answers of problems whose constraints are sums over features (additive-terms.ts), without quadratics, from any choice of moves:
 *
 *   fill     while a constraint is short of its end, one feature closes the shortage or as much of it as the feature can: the one that costs
 *            least for each unit closed
 *   relax    every changed feature, dearest first, goes back as far as all constraints allow
 *
 * A sum has one function for each feature, which increases: the move that closes a shortage is the inverse of the function. The model
 * confirms every answer. Where rounding undid an answer, the ends are approached less closely. Nothing is proved.
 */
import { changeCost } from '../../policy/cost.js';
import type { Domain } from '../../policy/domain.js';
import { lastWithin, nearestValue, type Side } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { isAnswer } from '../shared/answer-check.js';
import type { BestAnswer } from '../shared/best-answer.js';
import type { AdditiveFeature, AdditiveTerms, CurveFeature, ListedFeature } from './additive-terms.js';
import { riseOf } from './lagrangian.js';

/** The depths inside the ends, in their largest rounding errors. */
const DEPTHS = [0, 1, 16, 1024];
const SWEEPS = 3;

/** A move of one feature, the cost that it adds and the shortage that it closes. */
interface Fill {
  readonly feature: number;
  readonly at: number;
  readonly extra: number;
  readonly closed: number;
}

export class RowFilling {
  private readonly m: number;
  /** The constraints that always apply, without the limit of changes. */
  private readonly always: readonly number[];
  private readonly at: Float64Array;
  private readonly activity: Float64Array;
  private readonly x: Float64Array;
  private depth = 0;

  constructor(
    private readonly problem: Problem,
    private readonly domain: Domain,
    private readonly terms: AdditiveTerms,
    private readonly best: BestAnswer,
  ) {
    this.m = terms.upper.length;
    this.always = [...terms.upper.keys()].filter((i) => !terms.alternatives[i] && i !== terms.changes);
    this.at = new Float64Array(terms.features.length);
    this.activity = new Float64Array(this.m);
    this.x = domain.origin.slice();
  }

  /** The moves that change least. */
  private atHome(): Float64Array {
    return Float64Array.from(this.terms.features, (own) => {
      if (own.kind === 'curve') return Math.min(own.high, Math.max(own.low, 0));
      const still = own.moved.indexOf(0);
      return still >= 0 ? still : own.costs.indexOf(Math.min(...own.costs));
    });
  }

  /**
   * Offers the answers that change one feature, and one that fills from the row. Returns by feature the ends of moves that are not dearer
   * than an answer which changes this feature alone.
   */
  first(): { readonly low: Float64Array; readonly high: Float64Array } {
    const { features } = this.terms;
    const home = this.atHome();
    const low = new Float64Array(features.length).fill(Number.NEGATIVE_INFINITY);
    const high = new Float64Array(features.length).fill(Infinity);
    this.from(home);
    for (const f of features.keys()) {
      const move = this.alone(f, home);
      if (move > 0 && features[f].kind === 'curve') high[f] = move;
      if (move < 0 && features[f].kind === 'curve') low[f] = move;
    }
    this.improve(home);
    return { low, high };
  }

  /** The move of a feature that gives an answer by itself; 0: none is found. */
  private alone(f: number, home: Float64Array): number {
    if (this.terms.features[f].kind === 'list') return 0;
    for (const depth of DEPTHS) {
      this.depth = depth;
      this.from(home);
      const fill = this.fillOf(f, this.shortest());
      if (!fill) return 0;
      this.move(f, fill.at);
      if (this.isMet() && this.offer()) return this.at[f];
    }
    return 0;
  }

  /** Offers an answer near the given moves. */
  improve(start: Float64Array): void {
    for (const depth of DEPTHS) {
      this.depth = depth;
      this.from(start);
      if (!this.fill()) return;
      this.relax();
      if (this.offer()) return;
    }
  }

  private from(start: Float64Array): void {
    const { features } = this.terms;
    this.activity.fill(0);
    this.at.set(start);
    for (let f = 0; f < features.length; f++) {
      const own = features[f];
      if (own.kind === 'curve') this.at[f] = this.onValue(own, start[f]);
      for (const i of this.always) this.activity[i] += this.termOf(own, i, this.at[f]);
    }
  }

  /** The permitted move nearest to a move. */
  private onValue(own: CurveFeature, at: number): number {
    if (at === 0 && own.low <= 0 && own.high >= 0) return 0;
    const here = this.domain.origin[own.feature.column];
    const within = Math.min(own.high, Math.max(own.low, Number.isNaN(at) ? 0 : at));
    return Math.max(own.low, nearestValue(this.domain, own.feature, here + within) - here);
  }

  private termOf(own: AdditiveFeature, i: number, at: number): number {
    if (own.kind === 'list') return at < 0 ? 0 : own.terms[at * this.m + i];
    if (at === 0) return 0;
    const gain = own.bent?.gains[i] ?? 0;
    return at * own.slopes[i] + (gain === 0 ? 0 : gain * riseOf(own.bent!, at));
  }

  /** The amount by which a constraint is short of an end: above 0 if it has to rise, below 0 if it has to fall. */
  private shortage(i: number): number {
    const { lower, upper, slack } = this.terms;
    const depth = Math.min((1 + this.depth) * slack[i], 0.25 * (upper[i] - lower[i]));
    if (this.activity[i] < lower[i] + depth) return lower[i] + depth - this.activity[i];
    return this.activity[i] > upper[i] - depth ? upper[i] - depth - this.activity[i] : 0;
  }

  private isMet(): boolean {
    return this.always.every((i) => this.shortage(i) === 0);
  }

  /** The constraint with the largest shortage, measured by its rounding error; -1: all are met. */
  private shortest(): number {
    let [worst, most] = [-1, 0];
    for (const i of this.always) {
      const size = Math.abs(this.shortage(i)) / this.terms.slack[i];
      if (size > most) [worst, most] = [i, size];
    }
    return worst;
  }

  /** Closes the shortages. False: no feature closes more. */
  private fill(): boolean {
    for (let step = 2 * this.at.length; step >= 0; step--) {
      const i = this.shortest();
      if (i < 0) return true;
      const fill = this.cheapestFill(i);
      if (!fill) return false;
      this.move(fill.feature, fill.at);
    }
    return false;
  }

  private cheapestFill(i: number): Fill | null {
    const isFull = this.terms.changes >= 0 && this.changes() >= this.problem.maxChanges;
    let best: Fill | null = null;
    for (let f = 0; f < this.at.length; f++) {
      if (isFull && !this.isMoved(f)) continue;
      const fill = this.fillOf(f, i);
      if (fill && (!best || fill.extra * best.closed < best.extra * fill.closed)) best = fill;
    }
    return best;
  }

  private changes(): number {
    let count = 0;
    for (let f = 0; f < this.at.length; f++) if (this.isMoved(f)) count++;
    return count;
  }

  private isMoved(f: number): boolean {
    const own = this.terms.features[f];
    return own.kind === 'list' ? own.moved[this.at[f]] === 1 : this.at[f] !== 0;
  }

  /** The cheapest move of a feature that closes a constraint's shortage, or the one that closes most. Null: the feature closes nothing. */
  private fillOf(f: number, i: number): Fill | null {
    const short = this.shortage(i);
    if (i < 0 || short === 0) return null;
    const own = this.terms.features[f];
    const at =
      own.kind === 'list' ? this.optionFor(own, i, this.at[f], short) : this.moveFor(own, i, this.at[f], short);
    const gained = (this.termOf(own, i, at) - this.termOf(own, i, this.at[f])) * Math.sign(short);
    if (!(gained > 0)) return null;
    const extra = this.costOf(own, at) - this.costOf(own, this.at[f]);
    return { feature: f, at, extra, closed: Math.min(gained, Math.abs(short)) };
  }

  /** The cheapest option for each unit closed. */
  private optionFor(own: ListedFeature, i: number, from: number, short: number): number {
    const side = Math.sign(short);
    let [best, price] = [from, Infinity];
    for (let k = 0; k < own.costs.length; k++) {
      const closed = Math.min(side * (own.terms[k * this.m + i] - own.terms[from * this.m + i]), Math.abs(short));
      const ratio = (own.costs[k] - own.costs[from]) / closed;
      if (closed > 0 && ratio < price) [best, price] = [k, ratio];
    }
    return best;
  }

  /** The nearest permitted move that changes a term by an amount, or the last one in that direction. */
  private moveFor(own: CurveFeature, i: number, from: number, amount: number): number {
    const gain = own.bent?.gains[i] ?? 0;
    const slope = gain || own.slopes[i];
    if (slope === 0) return from;
    const side = Math.sign(amount * slope) as Side;
    return this.outward(own, this.solved(own, i, this.termOf(own, i, from) + amount, side), side);
  }

  /** The move at which a constraint's term of a feature has a value. */
  private solved(own: CurveFeature, i: number, term: number, side: Side): number {
    const gain = own.bent?.gains[i] ?? 0;
    if (gain === 0) return term / own.slopes[i];
    const { curve, here, reference } = own.bent!;
    const x = curve.inverse(reference + term / gain);
    return Number.isNaN(x) ? side * Infinity : x - here;
  }

  /** The first permitted move at or beyond a move, going to a side; the last one of the feature where there is none. */
  private outward(own: CurveFeature, move: number, side: Side): number {
    const here = this.domain.origin[own.feature.column];
    const within = Math.min(own.high, Math.max(own.low, move));
    if (!Number.isFinite(within)) return this.far(own, side);
    const value = lastWithin(this.domain, own.feature, here + within, -side as Side);
    const permitted = Number.isFinite(value) ? value - here : within;
    return Math.min(own.high, Math.max(own.low, permitted));
  }

  /** A far move to a side without an end. */
  private far(own: CurveFeature, side: Side): number {
    const here = this.domain.origin[own.feature.column];
    return this.onValue(own, side * FAR * (1 + Math.abs(here)));
  }

  private costOf(own: AdditiveFeature, at: number): number {
    if (own.kind === 'list') return own.costs[at];
    if (at === 0) return 0;
    const here = this.domain.origin[own.feature.column];
    return changeCost(this.problem.cost, own.feature, here, here + at);
  }

  private move(f: number, to: number): void {
    const own = this.terms.features[f];
    for (const i of this.always) this.activity[i] += this.termOf(own, i, to) - this.termOf(own, i, this.at[f]);
    this.at[f] = to;
  }

  /** Takes changes back as far as all constraints allow. */
  private relax(): void {
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const moved = [...this.at.keys()].filter((f) => this.isMoved(f));
      const price = (f: number) => this.costOf(this.terms.features[f], this.at[f]);
      let isChanged = false;
      for (const f of moved.sort((a, b) => price(b) - price(a))) {
        const before = this.at[f];
        this.relaxFeature(f);
        if (this.at[f] !== before) isChanged = true;
      }
      if (!isChanged) return;
    }
  }

  private relaxFeature(f: number): void {
    const own = this.terms.features[f];
    if (own.kind === 'list') {
      const order = [...own.costs.keys()].filter((k) => own.costs[k] < own.costs[this.at[f]]);
      const cheaper = order.sort((a, b) => own.costs[a] - own.costs[b]).find((k) => this.allows(f, k));
      if (cheaper !== undefined) this.move(f, cheaper);
      return;
    }
    const back = this.nearestAllowed(own, f);
    if (Math.abs(back) < Math.abs(this.at[f]) && this.allows(f, back)) this.move(f, back);
  }

  /** Whether all constraints are met with a feature at another place. */
  private allows(f: number, at: number): boolean {
    const before = this.at[f];
    this.move(f, at);
    const isMet = this.isMet();
    this.move(f, before);
    return isMet;
  }

  /** The permitted move nearest to the row that no constraint forbids. */
  private nearestAllowed(own: CurveFeature, f: number): number {
    const home = Math.min(own.high, Math.max(own.low, 0));
    if (this.allows(f, home)) return home;
    const side = Math.sign(this.at[f]) as Side;
    const before = this.at[f];
    this.move(f, home);
    let back = home;
    for (const i of this.always) {
      const short = this.shortage(i);
      if (short === 0) continue;
      const move = this.moveFor(own, i, home, short);
      if (Math.sign(move) === side && Math.abs(move) > Math.abs(back)) back = move;
    }
    this.move(f, before);
    return back;
  }

  private offer(): boolean {
    const { x, domain } = this;
    x.set(domain.origin);
    for (const [f, own] of this.terms.features.entries()) setColumns(x, domain, own, this.at[f]);
    const isFound = isAnswer(this.problem, domain, x);
    if (isFound) this.best.offer(x);
    return isFound;
  }
}

/** The size of a move where nothing limits it, as a multiple of the row's value. */
const FAR = 1e6;

/** Writes a feature's option, or the value nearest to its move, into columns. */
export function setColumns(x: Float64Array, domain: Domain, own: AdditiveFeature, at: number): void {
  const { column, width, kind } = own.feature;
  if (own.kind === 'curve') x[column] = nearestValue(domain, own.feature, domain.origin[column] + at);
  else if (at >= 0 && kind !== 'choice') x[column] = own.values[at];
  else if (at >= 0 && !Number.isNaN(own.values[at])) x.fill(0, column, column + width)[column + own.values[at]] = 1;
}
