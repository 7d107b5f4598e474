/**
 * The bound of a knapsack: for a price λ >= 0 of a unit of gain every class takes its cheapest option, within the limit of changes.
 *
 *   h(λ) = λ need + min { Σ_j (c_j - λ g_j) : Σ_j changes_j <= K }          <=  the least cost of any answer
 *
 * The minimum over the number of changes is a recurrence over classes: the bound is exact in the changes and relaxed in the gain only. h is
 * concave. λ is found by tangents: two selections, one short of the need and one beyond, determine the next price.
 *
 *   before_j(k), after_j(k)    the least sum of the classes before j, from j on, with at most k changes
 */

import { Exchange } from './exchange.js';
import { type Menu, POINT } from './menu.js';

const STEPS = 40;
/** Two bounds this close are equal. */
const CLOSE = 1e-9;
/** A rounding error of a sum, as a share of its terms. */
const ROUNDING = 2 ** -46;

export class Pricing {
  /** Changes are counted up to this number; 0: they are not counted. */
  cap = 0;
  width = 1;
  price = 0;
  bound = 0;
  /** The largest rounding error of the bound and of its parts. */
  doubt = 0;
  /** Cost and gain of the last selection. */
  cost = 0;
  gain = 0;
  /** By class and number of changes: the least unit · cost - price · gain, its item and its move. */
  least = new Float64Array(64);
  item = new Int32Array(64);
  move = new Float64Array(64);
  after = new Float64Array(64);
  before = new Float64Array(64);
  /** By class: the number of changes of the last selection. */
  taken = new Int32Array(64);
  /** The cheapest selection known that reaches the need: by class its item and its move. */
  enoughCost = Infinity;
  enoughItem = new Int32Array(64);
  enoughMove = new Float64Array(64);
  /** Operations since the last count. */
  operations = 0;

  begin(classes: number, cap: number): void {
    this.cap = cap;
    this.width = cap + 1;
    const size = (classes + 1) * this.width;
    if (this.least.length >= size) return;
    this.least = new Float64Array(size);
    this.item = new Int32Array(size);
    this.move = new Float64Array(size);
    this.after = new Float64Array(size);
    this.before = new Float64Array(size);
    this.taken = new Int32Array(size);
    this.enoughItem = new Int32Array(size);
    this.enoughMove = new Float64Array(size);
  }

  /** Finds the price with the best bound. `sure`: a gain that is enough. False: no selection reaches the need. */
  search(menu: Menu, need: number, sure: number): boolean {
    this.enoughCost = Infinity;
    if (this.select(menu, 0, 1) === Infinity || !(this.gain >= need)) return false;
    this.noteEnough(need);
    let [highCost, highGain] = [this.cost, this.gain];
    this.select(menu, 1, 0);
    this.note(0, need, this.after[this.cap]);
    this.noteEnough(need);
    if (this.gain >= need) return true;
    this.noteExchange(menu, sure);
    let [lowCost, lowGain] = [this.cost, this.gain];
    let best = 0;
    for (let step = 0; step < STEPS; step++) {
      const price = (highCost - lowCost) / (highGain - lowGain);
      const line = lowCost + price * (need - lowGain);
      const bound = this.select(menu, 1, price) + price * need;
      if (bound > this.bound || step === 0) {
        best = price;
        this.note(price, need, bound);
      }
      this.noteEnough(need);
      if (step >= 2) this.noteExchange(menu, sure);
      if (!(bound < line - CLOSE * Math.abs(line))) break;
      if (this.gain >= need) [highCost, highGain] = [this.cost, this.gain];
      else [lowCost, lowGain] = [this.cost, this.gain];
    }
    if (best !== this.selected) this.select(menu, 1, best);
    return true;
  }

  private classes = 0;
  /** The price of the last selection. */
  private selected = 0;
  private readonly exchange = new Exchange();

  private note(price: number, need: number, bound: number): void {
    let size = Math.abs(price * need) + Math.abs(bound);
    for (let j = 0; j < this.classes; j++) size += Math.abs(this.least[j * this.width + this.taken[j]]);
    this.price = price;
    this.doubt = ROUNDING * size;
    this.bound = bound;
  }

  private noteEnough(need: number): void {
    if (!(this.gain >= need) || !(this.cost < this.enoughCost)) return;
    this.enoughCost = this.cost;
    this.keepSelection();
  }

  private noteExchange(menu: Menu, sure: number): void {
    const { exchange } = this;
    this.operations += 10 * menu.items;
    if (!exchange.find(menu, this, sure, this.enoughCost)) return;
    this.keepSelection();
    this.enoughCost = exchange.cost;
    this.enoughItem[exchange.class] = exchange.item;
    this.enoughMove[exchange.class] = exchange.move;
  }

  private keepSelection(): void {
    for (let j = 0; j < this.classes; j++) {
      this.enoughItem[j] = this.item[j * this.width + this.taken[j]];
      this.enoughMove[j] = this.move[j * this.width + this.taken[j]];
    }
  }

  /** Lets every class choose. Returns the least sum; Infinity: too few changes are permitted. */
  select(menu: Menu, unit: number, price: number): number {
    this.classes = menu.classes;
    this.selected = price;
    for (let j = 0; j < menu.classes; j++) this.choose(menu, j, unit, price);
    this.sumAfter(menu.classes);
    const { least, item, move, after, width, taken } = this;
    let k = this.cap;
    if (after[k] === Infinity) return Infinity;
    if (k === 0) return this.sumUp(menu);
    this.cost = this.gain = 0;
    for (let j = 0; j < menu.classes; j++) {
      let q = 0;
      while (q < k && !(least[j * width + q] + after[(j + 1) * width + k - q] <= after[j * width + k])) q++;
      taken[j] = q;
      k -= q;
      const i = item[j * width + q];
      const t = move[j * width + q];
      this.cost += menu.costAt(i, t);
      this.gain += menu.gainAt(i, t);
    }
    return after[this.cap];
  }

  /** Without a limit of changes. */
  private sumUp(menu: Menu): number {
    let cost = 0;
    let gain = 0;
    for (let j = 0; j < menu.classes; j++) {
      const i = this.item[j];
      const t = this.move[j];
      this.taken[j] = 0;
      cost += menu.costAt(i, t);
      gain += menu.gainAt(i, t);
    }
    this.cost = cost;
    this.gain = gain;
    return this.after[0];
  }

  private choose(menu: Menu, j: number, unit: number, price: number): void {
    const { least, item, move, width, cap } = this;
    const { kind, changes, corner, c0, g0, first } = menu;
    const row = j * width;
    for (let k = 0; k < width; k++) least[row + k] = Infinity;
    for (let i = first[j]; i < first[j + 1]; i++) {
      const q = cap ? changes[i] : 0;
      if (corner[i] === 0 || q > cap) continue;
      let t = 0;
      let value = unit * c0[i] - price * g0[i];
      if (kind[i] !== POINT) {
        t = menu.bestMove(i, unit, price);
        value = unit * menu.costAt(i, t) - price * menu.gainAt(i, t);
      }
      if (!(value < least[row + q])) continue;
      least[row + q] = value;
      item[row + q] = i;
      move[row + q] = t;
    }
    this.operations += 12 * (first[j + 1] - first[j]) + 4 * width;
  }

  private sumAfter(classes: number): void {
    const { least, after, width } = this;
    if (width === 1) {
      let sum = 0;
      for (let j = 0; j < classes; j++) sum += least[j];
      after[0] = sum;
      return;
    }
    after.fill(0, classes * width, (classes + 1) * width);
    for (let j = classes - 1; j >= 0; j--) {
      for (let k = 0; k < width; k++) {
        let best = Infinity;
        for (let q = 0; q <= k; q++) {
          const value = least[j * width + q] + after[(j + 1) * width + k - q];
          if (value < best) best = value;
        }
        after[j * width + k] = best;
      }
    }
    this.operations += 4 * classes * width * width;
  }

  /** For the last selection: the sums before each class. */
  sumBefore(classes: number): void {
    const { least, before, width } = this;
    if (width === 1) return;
    before.fill(0, 0, width);
    for (let j = 0; j < classes; j++) {
      for (let k = 0; k < width; k++) {
        let best = Infinity;
        for (let q = 0; q <= k; q++) {
          const value = least[j * width + q] + before[j * width + k - q];
          if (value < best) best = value;
        }
        before[(j + 1) * width + k] = best;
      }
    }
  }

  /** The least sum of all other classes if a class makes q changes. */
  others(j: number, q: number): number {
    const { before, after, least, width, cap } = this;
    if (cap === 0) return after[0] - least[j];
    let best = Infinity;
    for (let a = 0; a <= cap - q; a++) {
      const value = before[j * width + a] + after[(j + 1) * width + cap - q - a];
      if (value < best) best = value;
    }
    return best;
  }
}
