/**
 * The list dynamic programme over the classes of a core: all sums of gain and cost that may still lead to an answer.
 *
 *   state     the options of the classes so far: their gain, cost, value φ and number of changes, and the set of their free moves
 *   pruned    φ + the least φ of the remaining classes is beyond the limit, or the largest remaining gain does not reach the need
 *   dominated another state with the same free moves gains at least as much, costs no more and changes no more
 *
 * A list is sorted by gain, largest first: the lists of a class's options are merged. Where rounding decides about an answer, a state counts as
 * dominated only if the other one gains more by a margin (`tie`).
 */
import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';
import { isCurved } from './completion.js';
import type { Core } from './core.js';
import { grown, type Menu } from './menu.js';
import { RestBounds } from './rest-bounds.js';

const MOST_STATES = 400_000;
/** After so many states the bounds of what is left are worth their making. */
const MANY_STATES = 200;
const FLOPS_PER_STATE = 40;
const FLOPS_PER_LEVEL = 16;

export interface ListLimits {
  /** The largest φ of an answer. */
  readonly most: number;
  readonly need: number;
  /** The largest cost of an answer. */
  readonly mostCost: number;
  /** Gains must differ by this amount for one state to dominate another. */
  readonly tie: number;
  readonly cap: number;
}

export class OptionLists {
  gain = new Float64Array(128);
  cost = new Float64Array(128);
  value = new Float64Array(128);
  changes = new Uint8Array(128);
  parent = new Int32Array(128);
  option = new Int32Array(128);
  /** The set of free moves; 0: none. */
  tag = new Int32Array(128);
  size = 0;
  /** The first state of the last list. */
  start = 0;
  /** The combinations of all classes: a state and the option of the last class; -1: there is no class. */
  pairs = 0;
  states = new Int32Array(64);
  options = new Int32Array(64);
  /** By tag: the smaller set, and the option that was added. */
  tagParent: number[] = [0];
  tagOption: number[] = [-1];
  private tagLines: number[] = [0];
  /** By tag: the least cost of its free moves. */
  private tagCost: number[] = [0];
  private tagOf = new Map<number, number>();
  private readonly rests = new RestBounds();
  private hasRests = false;
  private least = new Float64Array(64);
  private after = new Float64Array(64);
  private room = new Float64Array(64);
  private order = new Int32Array(64);
  private weight = new Float64Array(64);
  /** The states of a level before they are sorted: gain, state and option. */
  private sums = new Float64Array(64);
  private places = new Int32Array(64);
  private merged = new Int32Array(64);
  /** By option: its first state. */
  private runs = new Int32Array(64);

  constructor(
    private readonly menu: Menu,
    private readonly core: Core,
  ) {}

  /** Fills the list of pairs. False: too many states, or the budget is spent. */
  run(limits: ListLimits, budget: Budget): boolean {
    this.hasRests = this.size > MANY_STATES && this.core.open.count === 0;
    this.begin(limits);
    const { classes } = this.core;
    for (let level = 0; level < classes; level++) {
      const before = this.size;
      if (level === classes - 1) this.pairUp(level, limits);
      else if (!this.expand(level, limits)) return false;
      const states = this.size - before + this.pairs;
      budget.spend((FLOPS_PER_STATE * states + FLOPS_PER_LEVEL) / FLOPS_PER_UNIT);
      if (states === 0) return true;
      if (this.size > MOST_STATES || budget.isSpent) return false;
    }
    return true;
  }

  /** The states of the last class are pairs of a state before and an option: neither sorted nor dominated. */
  private pairUp(level: number, limits: ListLimits): void {
    const j = this.order[level];
    this.pairs = this.collect(level, this.core.first[j], this.core.first[j + 1], limits);
  }

  /** The free moves with one more option; -1: no answer has both. */
  tagAfter(s: number, o: number): number {
    return o >= 0 && this.core.free[o] ? this.tagWith(this.tag[s], o, 1) : this.tag[s];
  }

  private begin({ cap }: ListLimits): void {
    const { core } = this;
    this.tagParent.length = this.tagOption.length = this.tagLines.length = this.tagCost.length = 1;
    this.tagOf.clear();
    this.sortClasses();
    this.sumAfter(cap);
    if (this.hasRests) this.rests.fill(core, this.order);
    this.size = 1;
    this.start = 0;
    this.pairs = core.classes ? 0 : 1;
    this.states[0] = 0;
    this.options[0] = -1;
    this.gain[0] = core.fixedGain;
    this.cost[0] = core.fixedCost;
    this.value[0] = core.fixedValue;
    this.changes[0] = core.fixedChanges;
    this.parent[0] = this.option[0] = -1;
    this.tag[0] = 0;
  }

  /** Classes with few options first. Free moves make sets, therefore their classes are last. */
  private sortClasses(): void {
    const { classes } = this.core;
    if (this.order.length < classes + 1) {
      this.order = new Int32Array(2 * classes);
      this.weight = new Float64Array(2 * classes);
    }
    const { order, weight } = this;
    for (let j = 0; j < classes; j++) {
      const own = this.weightOf(j);
      let at = j;
      for (; at > 0 && weight[at - 1] > own; at--) {
        order[at] = order[at - 1];
        weight[at] = weight[at - 1];
      }
      order[at] = j;
      weight[at] = own;
    }
  }

  private weightOf(j: number): number {
    const { first, free } = this.core;
    let weight = 0;
    for (let o = first[j]; o < first[j + 1]; o++) weight += free[o] ? 1024 : 1;
    return weight;
  }

  /** By level and number of changes: the least φ of the remaining classes; by level: their largest gain. */
  private sumAfter(cap: number): void {
    const { core, order } = this;
    const { classes, first, value, gain, changes } = core;
    const width = cap + 1;
    if (this.after.length < (classes + 1) * width) this.after = new Float64Array(2 * (classes + 1) * width);
    if (this.room.length < classes + 1) this.room = new Float64Array(2 * (classes + 1));
    const { after, room } = this;
    after.fill(0, classes * width, (classes + 1) * width);
    room[classes] = core.openGain;
    for (let level = classes - 1; level >= 0; level--) {
      const j = order[level];
      let most = Number.NEGATIVE_INFINITY;
      for (let o = first[j]; o < first[j + 1]; o++) if (gain[o] > most) most = gain[o];
      room[level] = room[level + 1] + most;
      for (let k = 0; k < width; k++) {
        let best = Infinity;
        for (let o = first[j]; o < first[j + 1]; o++) {
          if (changes[o] > k) continue;
          const sum = value[o] + after[(level + 1) * width + k - changes[o]];
          if (sum < best) best = sum;
        }
        after[level * width + k] = best;
      }
    }
  }

  private expand(level: number, limits: ListLimits): boolean {
    const { core } = this;
    const { need, tie, cap } = limits;
    const from = core.first[this.order[level]];
    const end = core.first[this.order[level] + 1];
    const count = this.collect(level, from, end, limits);
    const sorted = this.sort(count, end - from);
    const width = cap + 1;
    this.least.fill(Infinity, 0, this.tagParent.length * width);
    this.start = this.size;
    let settled = this.size;
    const room = this.room[level + 1];
    for (let c = 0; c < count; c++) {
      const at = sorted[c];
      const gain = this.sums[at];
      if (gain + room < need) break;
      const s = this.states[at];
      const o = this.options[at];
      const changes = this.changes[s] + core.changes[o];
      const tag = core.free[o] ? this.tagWith(this.tag[s], o, width) : this.tag[s];
      if (tag < 0) continue;
      const cost = this.cost[s] + core.cost[o];
      for (; settled < this.size && this.gain[settled] >= gain + tie; settled++) this.settle(settled, cap);
      if (this.least[tag * width + changes] <= cost) continue;
      if (tag > 0 && this.least[changes] <= cost + this.tagCost[tag]) continue;
      this.push(s, o, gain, cost, this.value[s] + core.value[o], changes, tag);
      if (this.size > MOST_STATES) return false;
    }
    return true;
  }

  /** The states of all options of a class that are not pruned, option by option. Returns their number. */
  private collect(level: number, from: number, end: number, { most, mostCost, need, cap }: ListLimits): number {
    const { core, after } = this;
    const [first, last] = [this.start, this.size];
    const row = (level + 1) * (cap + 1) + cap;
    const room = this.room[level + 1];
    let count = 0;
    this.ensureRuns(end - from);
    for (let o = from; o < end; o++) {
      this.runs[o - from] = count;
      if (count + last - first > this.sums.length) this.growSums(count + last - first);
      const { sums, states, options } = this;
      for (let s = first; s < last; s++) {
        const gain = this.gain[s] + core.gain[o];
        if (gain + room < need) break;
        const changes = this.changes[s] + core.changes[o];
        if (changes > cap || !(this.value[s] + core.value[o] + after[row - changes] <= most)) continue;
        if (this.hasRests && this.leastCost(s, o, level + 1, need - gain) > mostCost) continue;
        sums[count] = gain;
        states[count] = s;
        options[count++] = o;
      }
    }
    this.runs[end - from] = count;
    return count;
  }

  /** A lower bound on the cost of a state with an option and what is left. The largest gain of free moves has their least cost. */
  private leastCost(s: number, o: number, level: number, need: number): number {
    const { core, tagCost } = this;
    const moved = core.free[o] ? core.leastCost[o] : 0;
    return this.cost[s] + core.cost[o] + tagCost[this.tag[s]] + moved + this.rests.at(level, need);
  }

  /** Merges the runs of the options: places by gain, largest first. */
  private sort(count: number, options: number): Int32Array {
    const { sums, runs } = this;
    let [from, to] = [this.places, this.merged];
    for (let c = 0; c < count; c++) from[c] = c;
    for (let runCount = options; runCount > 1; runCount = (runCount + 1) >> 1) {
      let next = 0;
      for (let r = 0; r < runCount; r += 2) {
        const [start, middle] = [runs[r], runs[Math.min(r + 1, runCount)]];
        const end = runs[Math.min(r + 2, runCount)];
        let [a, b] = [start, middle];
        for (let at = start; at < end; at++) {
          const isFirst = b >= end || (a < middle && sums[from[a]] >= sums[from[b]]);
          to[at] = isFirst ? from[a++] : from[b++];
        }
        runs[next++] = start;
      }
      runs[next] = count;
      [from, to] = [to, from];
    }
    return from;
  }

  private ensureRuns(options: number): void {
    if (this.runs.length < options + 2) this.runs = new Int32Array(2 * options + 2);
  }

  private growSums(size: number): void {
    while (this.sums.length < size)
      for (const name of ['sums', 'states', 'options', 'places', 'merged'] as const)
        (this[name] as Float64Array | Int32Array) = grown(this[name]);
  }

  /** From here on a state dominates others. */
  private settle(s: number, cap: number): void {
    const row = this.tag[s] * (cap + 1);
    for (let k = this.changes[s]; k <= cap; k++)
      if (this.cost[s] < this.least[row + k]) this.least[row + k] = this.cost[s];
  }

  /** The set with one more free move; -1: no answer needs two of these moves between their ends. */
  private tagWith(tag: number, option: number, width: number): number {
    const line = isCurved(this.menu, this.core.item[option]) ? 0 : 1;
    if (line && this.tagLines[tag]) return -1;
    const key = tag * 65536 + option;
    const known = this.tagOf.get(key);
    if (known !== undefined) return known;
    const next = this.tagParent.length;
    this.tagParent.push(tag);
    this.tagOption.push(option);
    this.tagLines.push(this.tagLines[tag] + line);
    this.tagCost.push(this.tagCost[tag] + this.core.leastCost[option]);
    this.tagOf.set(key, next);
    while (this.least.length < (next + 1) * width) this.least = grown(this.least);
    this.least.fill(Infinity, next * width, (next + 1) * width);
    return next;
  }

  private push(
    parent: number,
    option: number,
    gain: number,
    cost: number,
    value: number,
    changes: number,
    tag: number,
  ): void {
    if (this.size === this.gain.length) this.growStates();
    const s = this.size++;
    this.gain[s] = gain;
    this.cost[s] = cost;
    this.value[s] = value;
    this.changes[s] = changes;
    this.parent[s] = parent;
    this.option[s] = option;
    this.tag[s] = tag;
  }

  private growStates(): void {
    for (const name of ['gain', 'cost', 'value'] as const) this[name] = grown(this[name]);
    this.changes = grown(this.changes);
    this.parent = grown(this.parent);
    this.option = grown(this.option);
    this.tag = grown(this.tag);
  }
}
