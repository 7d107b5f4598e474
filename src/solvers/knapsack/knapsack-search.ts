/**
 * The search of a knapsack: answers within a distance δ of the bound, for growing δ (knapsack.ts).
 *
 *   the cheapest combination costs at most h + δ          it is the optimum of the relaxation by the slack
 *   the model confirms the combination                    the optimum is proved
 *   the model refuses the combination                     rounding decides: combinations within the slack no longer dominate one another
 */
import type { Domain } from '../../policy/domain.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { Problem } from '../../problems/problem.js';
import { isAnswer } from '../shared/answer-check.js';
import type { BestAnswer } from '../shared/best-answer.js';
import type { Limits } from '../solver.js';
import { ChosenPoint } from './chosen-point.js';
import { Completion } from './completion.js';
import { Core } from './core.js';
import type { Menu } from './menu.js';
import { OptionLists } from './option-lists.js';
import { Pricing } from './pricing.js';
import type { Lack } from './sums.js';

/** The first distance, as a share of the gap between the bound and a known selection, and the factor by which it grows. */
const FIRST_SHARE = 0.2;
const GROWTH = 3;
/** The least first distance, as a share of the bound and of all distances. */
const LEAST_SHARE = 1e-6;
const WORTH = 1e-7;
const ROUNDING = 1e-9;
/** The factor from operations to their work. */
const WORK_SHARE = 0.4;
/** Depths beyond the slack for moves of continuous features, in slacks. */
const DEPTHS = [1, 16, 1024];

/** A combination: a place in the list of pairs. */
interface Finished {
  readonly pair: number;
  readonly cost: number;
}

export class KnapsackSearch {
  private readonly pricing = new Pricing();
  private readonly core: Core;
  private readonly lists: OptionLists;
  private readonly point: ChosenPoint;
  private readonly moves = new Completion();
  private domain!: Domain;
  private lack!: Lack;
  private limits!: Limits;
  private need = 0;
  /** Rounding decides: combinations within the slack do not dominate one another. */
  private isCareful = false;
  /** The cost of a combination that reaches the need. */
  private known = Infinity;
  /** A lower bound on the cost of all answers that were not found. */
  private proved = 0;
  /** The cost of combinations that the model refused although they reach the need. */
  private unsettled = Infinity;

  constructor(
    private readonly problem: Problem,
    private readonly menu: Menu,
    private readonly best: BestAnswer,
  ) {
    this.core = new Core(menu, this.pricing);
    this.lists = new OptionLists(menu, this.core);
    this.point = new ChosenPoint(problem, menu);
  }

  /** False: no combination reaches the need. */
  begin(domain: Domain, lack: Lack, limits: Limits): boolean {
    const { pricing, menu, problem } = this;
    this.domain = domain;
    this.lack = lack;
    this.limits = limits;
    this.need = lack.need - lack.slack;
    pricing.begin(menu.classes, menu.mostChanges() > problem.maxChanges ? problem.maxChanges : 0);
    const isReached = pricing.search(menu, this.need, lack.need + lack.slack + lack.depth);
    this.spend();
    if (isReached && limits.anyAnswer) this.offerEnough();
    return isReached;
  }

  /** Whether `begin` proved that no combination reaches the need: its numbers did not overflow. */
  get isSure(): boolean {
    return Number.isFinite(this.pricing.gain) || this.pricing.after[this.pricing.cap] === Infinity;
  }

  /** Returns a lower bound on the cost of every answer; Infinity: none exists. */
  run(): number {
    const { pricing, limits } = this;
    const { bound, doubt } = pricing;
    const whole = this.largestDistance();
    this.isCareful = false;
    this.unsettled = Infinity;
    this.proved = bound - doubt > 0 && bound < Infinity ? bound - doubt : 0;
    if (!Number.isFinite(bound + whole)) return this.cut();
    if (pricing.enoughCost <= bound * (1 + WORTH) && this.offerEnough()) return this.claimed(this.proved);
    pricing.sumBefore(this.menu.classes);
    this.known = pricing.enoughCost;
    let delta = Math.max(FIRST_SHARE * (this.known - bound), LEAST_SHARE * Math.max(Math.abs(bound), whole), 2 * doubt);
    for (;;) {
      if (this.proved >= this.cutoff * (1 - Math.max(WORTH, limits.gap))) return this.claimed(this.proved);
      const step = this.within(delta);
      if (step === 'cut') return this.cut();
      if (step === 'confirmed') return this.claimed(this.proved);
      if (step === 'refused' && !this.isCareful) {
        this.isCareful = true;
        continue;
      }
      if (delta >= whole + doubt) return this.claimed(Infinity);
      this.proved = Math.max(this.proved, bound + delta - doubt);
      if (limits.budget.isSpent) return this.cut();
      delta = this.known > bound + delta ? Math.min(GROWTH * delta, this.known - bound + 2 * doubt) : GROWTH * delta;
    }
  }

  /** The search within a distance of the bound. */
  private within(delta: number): 'confirmed' | 'refused' | 'none' | 'cut' {
    const { pricing, core, lists, need, lack, limits } = this;
    const { bound, doubt, cap } = pricing;
    core.reduce(delta);
    if (core.isFull) return 'cut';
    const most = pricing.after[cap] + delta + doubt;
    const tie = this.isCareful ? 2 * lack.slack : 0;
    const isDone = lists.run({ most, mostCost: bound + delta + doubt, need, tie, cap }, limits.budget);
    this.spend();
    if (!isDone) return 'cut';
    const finished = this.finish(bound + delta);
    if (!finished.length) return 'none';
    for (const one of finished) {
      this.proved = Math.max(this.proved, one.cost);
      if (this.confirm(one.pair)) return 'confirmed';
      if (lack.isSlab) return 'cut';
      if (!this.isCareful) return 'refused';
      if (limits.budget.isSpent) return 'cut';
    }
    return 'refused';
  }

  private get cutoff(): number {
    return Math.min(this.best.cost, this.limits.cutoff);
  }

  private claimed(bound: number): number {
    const least = Math.min(bound, this.unsettled);
    return least === Infinity ? Infinity : Math.max(0, least * (1 - ROUNDING));
  }

  private cut(): number {
    if (!this.best.isFound) this.offerEnough();
    return this.claimed(this.proved);
  }

  /** No combination is further from the bound, in φ or in cost. */
  private largestDistance(): number {
    const { menu, pricing } = this;
    let [value, cost] = [0, 0];
    for (let j = 0; j < menu.classes; j++) {
      let [mostValue, mostCost] = [Number.NEGATIVE_INFINITY, 0];
      for (let i = menu.first[j]; i < menu.first[j + 1]; i++) {
        mostValue = Math.max(mostValue, largest(menu, i, pricing.price));
        mostCost = Math.max(mostCost, menu.costAt(i, menu.to[i]));
      }
      value += mostValue;
      cost += mostCost;
    }
    return Math.max(value - pricing.after[pricing.cap], cost - pricing.bound);
  }

  /** The combinations of the last list that cost at most `most`: the cheapest one, or all in the order of their cost. */
  private finish(most: number): Finished[] {
    const { lists } = this;
    const all: Finished[] = [];
    if (!this.isCareful) {
      const [pair, cost] = this.cheapest();
      if (cost <= most) all.push({ pair, cost });
      return all;
    }
    for (let p = 0; p < lists.pairs; p++) {
      const cost = this.costOf(p, most);
      if (cost <= most) all.push({ pair: p, cost });
    }
    return all.sort((a, b) => a.cost - b.cost);
  }

  private cheapest(): [pair: number, cost: number] {
    const { lists, core, pricing, need } = this;
    const { states, options, value } = lists;
    const base = pricing.price * need - pricing.doubt;
    let best = -1;
    let least = Infinity;
    for (let p = 0; p < lists.pairs; p++) {
      const o = options[p];
      if (base + value[states[p]] + (o < 0 ? 0 : core.value[o]) >= least) continue;
      const cost = this.costOf(p, least);
      if (!(cost < least)) continue;
      best = p;
      least = cost;
    }
    this.known = Math.min(this.known, least);
    return [best, least];
  }

  /** The cost of a combination with its free moves; Infinity: above `most`, or short of the need. */
  private costOf(p: number, most: number): number {
    const { lists, core, need, pricing, moves } = this;
    const s = lists.states[p];
    const o = lists.options[p];
    const points = lists.cost[s] + (o < 0 ? 0 : core.cost[o]);
    const tag = lists.tagAfter(s, o);
    if (tag < 0 || points > most) return Infinity;
    const gain = lists.gain[s] + (o < 0 ? 0 : core.gain[o]);
    if (tag === 0 && core.open.count === 0) return gain >= need ? points : Infinity;
    const lacking = need - gain + this.placeMoves(tag);
    const cutoff = Math.max(0, most - points) * (1 + ROUNDING) + Number.MIN_VALUE;
    const cost = moves.solve(lacking, cutoff, pricing.price);
    if (cost === Infinity && moves.bound < cutoff * (1 - ROUNDING))
      this.unsettled = Math.min(this.unsettled, points + moves.bound);
    return points + (cost === Infinity ? Infinity : Math.min(cost, moves.bound));
  }

  /** Lists the free moves of a set. Returns what the set counts for in the gain of a state. */
  private placeMoves(set: number): number {
    const { lists, core, moves, menu } = this;
    let counted = 0;
    moves.begin(menu);
    for (let e = 0; e < core.open.count; e++) moves.add(core.open.element[e], core.open.from[e], core.open.to[e]);
    for (let tag = set; tag > 0; tag = lists.tagParent[tag]) {
      const o = lists.tagOption[tag];
      counted += core.gain[o];
      moves.add(core.item[o], core.from[o], core.to[o]);
    }
    return counted;
  }

  /** Offers the point of a combination. False: the model refuses it. */
  private confirm(p: number): boolean {
    const { moves, point, lack, need, lists, core } = this;
    const s = lists.states[p];
    const o = lists.options[p];
    const gain = lists.gain[s] + (o < 0 ? 0 : core.gain[o]);
    const counted = this.placeMoves(lists.tagAfter(s, o));
    this.choose(s, o);
    if (!moves.count) return this.offerTrimmed(gain);
    moves.widen();
    for (const depth of DEPTHS) {
      const wanted = need + (1 + depth) * lack.slack + depth * lack.depth - gain + counted;
      if (moves.solve(wanted, Infinity, this.pricing.price) === Infinity) break;
      this.choose(s, o);
      for (let e = 0; e < moves.count; e++) point.take(moves.element[e], moves.move[e]);
      if (this.offer(point.write(0))) return true;
    }
    this.unsettled = Math.min(this.unsettled, this.proved);
    return false;
  }

  /** What a choice gains beyond the need, where its moves cost nothing by their size. */
  private excess(gain: number): number {
    const { lack } = this;
    return this.problem.cost.norm === 'l0' ? gain - lack.need - 2 * lack.slack - lack.depth : 0;
  }

  private choose(s: number, last: number): void {
    const { core, lists, point, domain } = this;
    point.begin(domain);
    for (let k = 0; k < core.fixed; k++) point.take(core.fixedItem[k], core.fixedMove[k]);
    if (last >= 0 && !core.free[last]) point.take(core.item[last], core.move[last]);
    for (let at = s; lists.parent[at] >= 0; at = lists.parent[at]) {
      const o = lists.option[at];
      if (!core.free[o]) point.take(core.item[o], core.move[o]);
    }
  }

  private offerEnough(): boolean {
    const { pricing, point, menu, domain } = this;
    let gain = 0;
    point.begin(domain);
    for (let j = 0; j < menu.classes; j++) {
      point.take(pricing.enoughItem[j], pricing.enoughMove[j]);
      gain += menu.gainAt(pricing.enoughItem[j], pricing.enoughMove[j]);
    }
    return this.offerTrimmed(gain);
  }

  /** Offers the chosen point: first with moves as small as the need permits. */
  private offerTrimmed(gain: number): boolean {
    const excess = this.excess(gain);
    return (excess > 0 && this.offer(this.point.write(excess))) || this.offer(this.point.write(0));
  }

  private offer(x: Float64Array): boolean {
    const isFound = isAnswer(this.problem, this.domain, x);
    if (isFound) this.best.offer(x);
    return isFound;
  }

  private spend(): void {
    const { pricing, core, moves, limits } = this;
    const operations = pricing.operations + core.operations + moves.operations;
    limits.budget.spend((WORK_SHARE * operations) / FLOPS_PER_UNIT);
    pricing.operations = core.operations = moves.operations = 0;
  }
}

/** An upper bound of φ over an item's moves. */
function largest(menu: Menu, i: number, price: number): number {
  const { from, to, g1, g2 } = menu;
  const dip = g2[i] > 0 ? (g1[i] * g1[i]) / (4 * g2[i]) : 0;
  const gain = Math.min(menu.gainAt(i, from[i]), menu.gainAt(i, to[i]), g1[i] < 0 ? -dip : Infinity);
  return Math.max(menu.costAt(i, from[i]), menu.costAt(i, to[i])) - price * gain;
}
