/**
 * The moves of continuous features beside a choice of points:
 *
 *   min Σ_e c_e(t_e)   s.t.   Σ_e g_e(t_e) >= need,   from_e <= t_e <= to_e,     c and g quadratic, g increasing
 *
 * For a price λ every move is a closed form, and λ is found by tangents as in pricing.ts. The cost as a function of the gain is convex where
 * c2 g1 >= g2 c1: with convex functions only, the tangents meet the optimum. A concave function is split at its move until bound and moves
 * meet. Of several concave functions or lines at most one has a move between its ends.
 */
import { grown, type Menu } from './menu.js';

const STEPS = 60;
const SPLITS = 60;
const CLOSE = 1e-10;

/** Whether the cost of an interval is a convex function of its gain. */
export const isConvex = ({ c1, c2, g1, g2 }: Menu, i: number): boolean => c2[i] * g1[i] >= g2[i] * c1[i];

/** Whether the cost is convex and no line. */
export const isCurved = ({ c1, c2, g1, g2 }: Menu, i: number): boolean => c2[i] * g1[i] > g2[i] * c1[i];

export class Completion {
  /** By element: its item. */
  element = new Int32Array(64);
  count = 0;
  /** The moves of the last solution. */
  move = new Float64Array(64);
  /** A proved lower bound of the last solution's cost. */
  bound = 0;
  operations = 0;
  /** By element: the ends of its moves. */
  from = new Float64Array(64);
  to = new Float64Array(64);
  private low = new Float64Array(64);
  private high = new Float64Array(64);
  private below = new Float64Array(64);
  private above = new Float64Array(64);
  private trial = new Float64Array(64);
  private best = Infinity;
  /** Of the last sum. */
  private cost = 0;
  private gain = 0;
  private menu!: Menu;
  private need = 0;
  private hint = 0;

  begin(menu: Menu): void {
    this.menu = menu;
    this.count = 0;
  }

  add(item: number, from: number, to: number): void {
    if (this.count === this.element.length) this.grow();
    this.from[this.count] = from;
    this.to[this.count] = to;
    this.element[this.count++] = item;
  }

  /** Lets every element move over its whole interval. */
  widen(): void {
    for (let e = 0; e < this.count; e++) {
      this.from[e] = this.menu.from[this.element[e]];
      this.to[e] = this.menu.to[this.element[e]];
    }
  }

  /** The least cost below `cutoff`; Infinity: none. */
  solve(need: number, cutoff: number, hint: number): number {
    if (this.count === 1) return this.solveOne(need, cutoff);
    this.low.set(this.from);
    this.high.set(this.to);
    this.need = need;
    this.hint = hint;
    this.best = cutoff;
    this.bound = Math.min(this.descend(0), cutoff);
    return this.best < cutoff ? this.best : Infinity;
  }

  private solveOne(need: number, cutoff: number): number {
    const { menu, move, from, to } = this;
    const [i] = this.element;
    this.operations += 20;
    move[0] = Math.max(from[0], moveWithGain(menu, i, need));
    const cost = move[0] <= to[0] ? menu.costAt(i, move[0]) : Infinity;
    this.bound = Math.min(cost, cutoff);
    return cost < cutoff ? cost : Infinity;
  }

  /** Searches the moves between `low` and `high`. Returns a lower bound on the answers there that are not worse than the best. */
  private descend(depth: number): number {
    const bound = this.relax();
    if (!(bound < this.best * (1 - CLOSE))) return bound;
    const cost = this.fill();
    if (cost < this.best) {
      this.best = cost;
      this.move.set(this.trial);
    }
    if (bound >= cost * (1 - CLOSE) || depth >= SPLITS) return bound;
    const e = this.concave();
    if (e < 0) return bound;
    return this.split(e, this.cutOf(e), depth);
  }

  private split(e: number, cut: number, depth: number): number {
    const { low, high } = this;
    const [from, to] = [low[e], high[e]];
    if (!(cut > from && cut < to)) return this.best;
    high[e] = cut;
    const first = this.descend(depth + 1);
    high[e] = to;
    low[e] = cut;
    const second = this.descend(depth + 1);
    low[e] = from;
    return Math.min(first, second);
  }

  /** The element whose cost is concave. */
  private concave(): number {
    const { menu, element, low, high, count } = this;
    for (let e = 0; e < count; e++) if (low[e] < high[e] && !isConvex(menu, element[e])) return e;
    return -1;
  }

  private cutOf(e: number): number {
    const { low, high, trial } = this;
    const width = high[e] - low[e];
    const inside = trial[e] > low[e] + 1e-3 * width && trial[e] < high[e] - 1e-3 * width;
    return inside ? trial[e] : low[e] + width / 2;
  }

  /** The best bound over prices. `below` and `above`: selections on both sides of the need. */
  private relax(): number {
    const { low, high, below, above, need } = this;
    below.set(low);
    above.set(high);
    this.sum(above);
    let highCost = this.cost;
    let highGain = this.gain;
    this.sum(below);
    let lowCost = this.cost;
    let lowGain = this.gain;
    if (lowGain >= need) {
      above.set(low);
      return lowCost;
    }
    if (!(highGain >= need)) return Infinity;
    let bound = Number.NEGATIVE_INFINITY;
    for (let step = 0; step < STEPS; step++) {
      const slope = (highCost - lowCost) / (highGain - lowGain);
      const price = step === 0 && this.hint > 0 ? this.hint : slope;
      const line = lowCost + slope * (need - lowGain);
      this.respond(price);
      this.sum(this.trial);
      const { cost, gain } = this;
      bound = Math.max(bound, cost + price * (need - gain));
      if (gain < need) {
        lowCost = cost;
        lowGain = gain;
        below.set(this.trial);
      } else {
        highCost = cost;
        highGain = gain;
        above.set(this.trial);
      }
      if (!(bound < line - CLOSE * Math.abs(line)) || !(highGain > lowGain)) break;
      if (bound >= this.best) break;
    }
    return bound;
  }

  private respond(price: number): void {
    const { menu, element, low, high, trial, count } = this;
    for (let e = 0; e < count; e++) {
      const i = element[e];
      const bend = menu.c2[i] - price * menu.g2[i];
      const slope = menu.c1[i] - price * menu.g1[i];
      const from = low[e];
      const to = high[e];
      if (bend > 0) trial[e] = Math.min(to, Math.max(from, -slope / (2 * bend)));
      else trial[e] = slope * (to - from) + bend * (to * to - from * from) < 0 ? to : from;
    }
    this.operations += 12 * count;
  }

  private sum(moves: Float64Array): void {
    const { menu, element, count } = this;
    let cost = 0;
    let gain = 0;
    for (let e = 0; e < count; e++) {
      cost += menu.costAt(element[e], moves[e]);
      gain += menu.gainAt(element[e], moves[e]);
    }
    this.cost = cost;
    this.gain = gain;
    this.operations += 8 * count;
  }

  /** Moves of `above`, taken back towards `below` until nothing is left over. Returns their cost. */
  private fill(): number {
    const { menu, element, below, above, trial, count, need } = this;
    trial.set(above);
    this.sum(above);
    let spare = this.gain - need;
    for (let e = 0; e < count && spare > 0; e++) {
      if (!(below[e] < above[e])) continue;
      const gain = menu.gainAt(element[e], above[e]);
      const back = Math.max(below[e], moveWithGain(menu, element[e], gain - spare));
      if (!(back < above[e])) continue;
      trial[e] = back;
      spare -= gain - menu.gainAt(element[e], back);
    }
    this.sum(trial);
    return this.cost;
  }

  private grow(): void {
    this.element = grown(this.element);
    for (const name of ['from', 'to'] as const) this[name] = grown(this[name]);
    for (const name of ['move', 'low', 'high', 'below', 'above', 'trial'] as const)
      this[name] = new Float64Array(this.element.length);
  }
}

/** The move at which an increasing gain has a value. */
export function moveWithGain({ g0, g1, g2 }: Menu, i: number, gain: number): number {
  const rest = gain - g0[i];
  if (g2[i] === 0) return rest / g1[i];
  const root = Math.sqrt(Math.max(0, g1[i] * g1[i] + 4 * g2[i] * rest));
  return g1[i] > 0 ? (2 * rest) / (g1[i] + root) : (root - g1[i]) / (2 * g2[i]);
}
