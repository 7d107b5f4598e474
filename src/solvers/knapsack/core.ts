/**
 * The options that matter: with the price λ of a bound h, an option whose class would raise the bound by δ or more is in no answer that costs
 * less than h + δ.
 *
 *   penalty of option o of class j = others_j(changes_o) + φ_o - φ,       φ = c - λ g
 *
 * Almost all options go. A class with one option left is fixed. Without a limit of changes a continuous feature whose cost is convex in its
 * gain is left out: the completion finds its move.
 */
import { Completion, isConvex } from './completion.js';
import { grown, INTERVAL, LATTICE, type Menu } from './menu.js';
import type { Pricing } from './pricing.js';

const MOST_OPTIONS = 50_000;

export class Core {
  /** Classes with several options. */
  classes = 0;
  /** By class of the core: its first option. */
  first = new Int32Array(64);
  count = 0;
  gain = new Float64Array(64);
  cost = new Float64Array(64);
  value = new Float64Array(64);
  changes = new Uint8Array(64);
  item = new Int32Array(64);
  move = new Float64Array(64);
  /** By option: 1 if its move is free between two ends. Gain and value are then the best ones, and the cost is that of the completion. */
  free = new Uint8Array(64);
  from = new Float64Array(64);
  to = new Float64Array(64);
  /** Of a free move: its least cost. */
  leastCost = new Float64Array(64);
  /** The options of the fixed classes. */
  fixed = 0;
  fixedItem = new Int32Array(64);
  fixedMove = new Float64Array(64);
  fixedGain = 0;
  fixedCost = 0;
  fixedValue = 0;
  fixedChanges = 0;
  /** The largest gain of the moves that the completion finds. */
  openGain = 0;
  readonly open = new Completion();
  operations = 0;

  constructor(
    private readonly menu: Menu,
    private readonly pricing: Pricing,
  ) {}

  /** More options than are searched: the rest was left out. */
  get isFull(): boolean {
    return this.count >= MOST_OPTIONS;
  }

  /** Keeps the options with a penalty up to `delta`. */
  reduce(delta: number): void {
    const { menu, pricing } = this;
    this.classes = this.count = this.fixed = 0;
    this.fixedGain = this.fixedCost = this.fixedValue = this.fixedChanges = this.openGain = 0;
    this.open.begin(menu);
    this.first[0] = 0;
    const most = pricing.after[pricing.cap] + delta + pricing.doubt;
    for (let j = 0; j < menu.classes; j++) {
      if (pricing.cap === 0 && this.isOpen(j)) this.leaveOpen(j);
      else this.keep(j, most);
    }
  }

  /** A continuous feature with one interval, and its present value. */
  private isOpen(j: number): boolean {
    const { menu } = this;
    const i = menu.first[j];
    const isPair = menu.first[j + 1] - i === 2 && menu.kind[i] === INTERVAL && menu.from[i] === 0;
    return isPair && menu.c0[i] === 0 && menu.g0[i] === 0 && menu.from[i] < menu.to[i] && isConvex(menu, i);
  }

  private leaveOpen(j: number): void {
    const { menu, pricing } = this;
    const i = menu.first[j];
    this.open.add(i, menu.from[i], menu.to[i]);
    this.openGain += menu.gainAt(i, menu.to[i]);
    this.fixedValue += pricing.least[j];
  }

  private keep(j: number, most: number): void {
    const { menu, pricing } = this;
    const start = this.count;
    let [q, others] = [-1, 0];
    for (let i = menu.first[j]; i < menu.first[j + 1]; i++) {
      const changes = pricing.cap ? menu.changes[i] : 0;
      if (changes > pricing.cap) continue;
      if (changes !== q) {
        q = changes;
        others = pricing.others(j, q);
      }
      if (others < Infinity) this.keepItem(i, q, most - others);
    }
    this.operations += 10 * (menu.first[j + 1] - menu.first[j]) + 8 * (this.count - start);
    if (this.count === start + 1 && !this.free[start]) this.fix(start);
    else {
      this.classes++;
      if (this.classes >= this.first.length) this.first = grown(this.first);
      this.first[this.classes] = this.count;
    }
  }

  private fix(o: number): void {
    if (this.fixed === this.fixedItem.length) {
      this.fixedItem = grown(this.fixedItem);
      this.fixedMove = grown(this.fixedMove);
    }
    this.fixedItem[this.fixed] = this.item[o];
    this.fixedMove[this.fixed++] = this.move[o];
    this.fixedGain += this.gain[o];
    this.fixedCost += this.cost[o];
    this.fixedValue += this.value[o];
    this.fixedChanges += this.changes[o];
    this.count = o;
  }

  private keepItem(i: number, q: number, most: number): void {
    const { menu, pricing } = this;
    const best = menu.bestMove(i, 1, pricing.price);
    if (this.valueAt(i, best) > most) return;
    if (menu.kind[i] === LATTICE) this.keepSteps(i, q, best, most);
    else if (menu.from[i] === menu.to[i]) this.push(i, menu.from[i], q, 0);
    else this.keepInterval(i, q, best, most);
  }

  private keepInterval(i: number, q: number, best: number, most: number): void {
    const { menu } = this;
    for (const end of [menu.from[i], menu.to[i]]) if (end > 0 && this.valueAt(i, end) <= most) this.push(i, end, q, 0);
    this.push(i, best, q, 1);
    const o = this.count - 1;
    this.setWindow(o, i, best, most - this.value[o]);
    this.gain[o] = Math.max(menu.gainAt(i, this.from[o]), menu.gainAt(i, this.to[o]));
    this.leastCost[o] = menu.costAt(i, this.from[o]);
    this.cost[o] = 0;
  }

  /** The moves whose φ exceeds the best one by at most `spare`. */
  private setWindow(o: number, i: number, best: number, spare: number): void {
    const { menu, pricing } = this;
    const bend = menu.c2[i] - pricing.price * menu.g2[i];
    const slope = Math.abs(menu.c1[i] - pricing.price * menu.g1[i] + 2 * bend * best);
    const width = (2 * spare) / (slope + Math.sqrt(slope * slope + 4 * bend * spare));
    const isKnown = width >= 0 && bend >= 0;
    this.from[o] = isKnown ? Math.max(menu.from[i], best - width) : menu.from[i];
    this.to[o] = isKnown ? Math.min(menu.to[i], best + width) : menu.to[i];
  }

  /** Of the line that was asked about last. */
  fromGain = 0;
  toCost = 0;

  /** Whether a free move has a line as its cost over its gain. Notes the ends of the line. */
  ends(o: number): boolean {
    const { menu } = this;
    const i = this.item[o];
    if (menu.c2[i] !== 0 || menu.g2[i] !== 0) return false;
    this.fromGain = menu.gainAt(i, this.from[o]);
    this.toCost = menu.costAt(i, this.to[o]);
    return true;
  }

  /** The steps around the best one. Where the value is concave they are at both ends. */
  private keepSteps(i: number, q: number, best: number, most: number): void {
    const { menu } = this;
    const step = menu.step[i];
    const last = Math.round((menu.to[i] - menu.from[i]) / step);
    const at = Math.round((best - menu.from[i]) / step);
    let high = at;
    for (; high <= last && this.pushStep(i, q, high, most); high++);
    let low = at - 1;
    for (; low >= 0 && this.pushStep(i, q, low, most); low--);
    if (at === 0) for (let k = last; k > high && this.pushStep(i, q, k, most); k--);
    if (at === last) for (let k = 0; k < low && this.pushStep(i, q, k, most); k++);
  }

  private pushStep(i: number, q: number, k: number, most: number): boolean {
    const { menu } = this;
    if (this.isFull) return false;
    const last = Math.round((menu.to[i] - menu.from[i]) / menu.step[i]);
    const t = k === last ? menu.to[i] : menu.from[i] + k * menu.step[i];
    if (this.valueAt(i, t) > most) return false;
    this.push(i, t, q, 0);
    return true;
  }

  private valueAt(i: number, t: number): number {
    return this.menu.costAt(i, t) - this.pricing.price * this.menu.gainAt(i, t);
  }

  private push(i: number, t: number, q: number, free: number): void {
    if (this.count === this.gain.length) this.growOptions();
    const o = this.count++;
    this.gain[o] = this.menu.gainAt(i, t);
    this.cost[o] = this.menu.costAt(i, t);
    this.value[o] = this.valueAt(i, t);
    this.changes[o] = q;
    this.item[o] = i;
    this.move[o] = t;
    this.free[o] = free;
  }

  private growOptions(): void {
    for (const name of ['gain', 'cost', 'value', 'move', 'from', 'to', 'leastCost'] as const)
      this[name] = grown(this[name]);
    this.changes = grown(this.changes);
    this.free = grown(this.free);
    this.item = grown(this.item);
  }
}
