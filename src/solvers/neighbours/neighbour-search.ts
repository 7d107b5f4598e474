/**
 * Best-first search of one person over sets of neighbours.
 *
 *   chosen    A, samples that must be among the k nearest: as many of each class as a way needs (votes.ts)
 *   beyond    samples that must not be nearer than any sample of A
 *   excused   samples that may be nearer than A: together with A at most `most_j` of class j, and at most as many as the way leaves open
 *
 * A node has rows for A against `beyond`. The optimum of the rows is a lower bound for all answers of the node. If more samples are nearer than A at the
 * optimum than may be excused, at least one of the first of them must be beyond. The node gets one child for each of these. With k = 1 there is one child,
 * and the node is a Voronoi cell.
 *
 * If a way leaves neighbours open that matter, or if the goal is a mean, the nearest samples are decided one by one: `inside` or `outside` the set of
 * neighbours. The rows then compare all of `inside` with all of `outside`.
 *
 * With the Manhattan metric and with votes by distance a node also has a box of the model's inputs. Its rows are valid within the box only. The box is
 * divided if a point keeps the rows and violates a condition that the rows relax.
 */
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import { Clearance } from '../shared/clearance.js';
import { withinCost } from '../shared/cost-box.js';
import { NodeHeap } from '../shared/node-heap.js';
import { isBeyond, type Limits, limit, type Outcome } from '../solver.js';
import { type BoxSplit, halve, type InputBox, imageOf, isEmpty, meet } from './input-box.js';
import { emptyGroup, type Group, isOutside, joined, type Pair, rowsOf, withCuts } from './neighbour-group.js';
import { DEEPER, type NeighbourParts, SHARE, START } from './neighbour-parts.js';
import { relaxationWork, wordFor } from './neighbour-relaxation.js';
import { SampleOrder } from './sample-order.js';
import type { Way } from './votes.js';

const CLOSED = 5e-7;
/** The number of samples that are added at once if the node need not be divided. */
const JOINING = 4;
/** Operations for a node, without distances. */
const NODE_FLOPS = 3000;
/** Effort for choosing a sample. */
const CHILD_WORK = 1;
/** Operations for each input of a row, or of a range of distances, in a box. */
const INPUT_FLOPS = 30;

export class NeighbourSearch {
  private readonly heap = new NodeHeap<Group>();
  private readonly squares: Float64Array;
  private readonly rows = new Map<number, Pair>();
  private readonly order: SampleOrder;
  private readonly clearance: Clearance;
  /** The distances of the samples from the person. */
  private readonly first: Float64Array;
  /** The smallest bound of closed nodes: nodes with an answer, and nodes that ended without a proof. */
  private floor = Infinity;
  /** The box of inputs that is reachable below the cost of the best answer. */
  private box: { cost: number; domain: Domain | null };
  private isRescued = false;
  private image: { domain: Domain; box: InputBox } | null = null;

  constructor(
    private readonly parts: NeighbourParts,
    private readonly domain: Domain,
    private readonly limits: Limits,
  ) {
    this.squares = new Float64Array(parts.comparisons.count);
    this.first = new Float64Array(parts.comparisons.count);
    this.order = new SampleOrder(parts.atom, parts.comparisons, this.first, limits.budget);
    this.box = { cost: Infinity, domain };
    this.clearance = new Clearance(parts.problem, domain, parts.problem.holds);
  }

  run(): Outcome {
    const { votes, best, doubtful } = this.parts;
    if (!votes.ways.length) return best.conclude(Infinity);
    this.begin();
    while (this.heap.size) {
      const bound = Math.min(this.heap.least(), this.floor);
      if (isBeyond(bound, this.limits)) return limit(best.isFound ? best.x : null, Math.min(bound, best.cost));
      if (this.isClosed(this.heap.least()) || this.limits.budget.isSpent) break;
      if (this.limits.anyAnswer && best.isFound) break;
      if (this.isRescueDue()) this.rescue();
      else this.visit(this.heap.pop()!);
    }
    const bound = Math.min(this.heap.least(), this.floor);
    return best.isFound || !doubtful.isFound
      ? best.conclude(bound)
      : { ...limit(doubtful.x, Math.min(bound, doubtful.cost)), isDoubtful: true };
  }

  private begin(): void {
    this.look(this.domain.origin);
    this.first.set(this.squares);
    this.start();
    const box = this.needsBox() ? this.reachable() : null;
    for (const way of this.parts.votes.ways) this.push(emptyGroup(way, [], box));
  }

  private needsBox(): boolean {
    return this.parts.comparisons.needsBox || this.parts.votes.within !== null;
  }

  /** The box of inputs that the person can reach below the cost of the best answer. */
  private reachable(): InputBox {
    const { map, nearest } = this.parts.atom;
    const domain = this.within(this.cutoff()) ?? this.domain;
    if (this.image?.domain !== domain) this.image = { domain, box: imageOf(domain, map, nearest.inputs) };
    return this.image.box;
  }

  private cutoff(): number {
    return Math.min(this.limits.cutoff, this.parts.best.cost);
  }

  private isTarget(sample: number): boolean {
    return this.parts.atom.labels[sample] === this.parts.votes.target;
  }

  /** The distances of all samples from a point. */
  private look(x: Float64Array): void {
    this.parts.comparisons.measure(x, this.squares);
    this.limits.budget.spend((2 * this.parts.atom.nearest.samples.length + NODE_FLOPS) / FLOPS_PER_UNIT);
  }

  /** Whether the model counts one sample as nearer than another, at the point that was measured last. */
  private precedes(a: number, b: number): boolean {
    return this.squares[a] < this.squares[b] || (this.squares[a] === this.squares[b] && a < b);
  }

  private byDistance(samples: number[]): number[] {
    return samples.sort((a, b) => this.squares[a] - this.squares[b] || a - b);
  }

  private samples(fits: (sample: number) => boolean): number[] {
    const found: number[] = [];
    for (let s = 0; s < this.squares.length; s++) if (fits(s)) found.push(s);
    return found;
  }

  private push(group: Group): void {
    if (this.isClosed(group.bound)) this.close(group.bound);
    else if (group.bound < Infinity) this.heap.push(group, group.bound);
  }

  private isClosed(bound: number): boolean {
    return bound >= this.parts.best.cost * (1 - Math.max(CLOSED, this.limits.gap));
  }

  /** Records that a node ended with this bound. */
  private close(bound: number): void {
    this.floor = Math.min(this.floor, bound);
  }

  private visit(group: Group): void {
    if (group.choosing !== null) {
      this.chooseFrom(group, group.choosing);
      return;
    }
    const solved = group.x ? group : this.solved(group, this.limits.nudge);
    if (!solved) return;
    if (this.isClosed(solved.bound) || (!group.x && this.offer(solved.x!))) {
      this.close(solved.bound);
      return;
    }
    this.look(solved.x!);
    if (this.tighten(solved)) return;
    if (solved.decided) this.decide(solved, solved.decided);
    else this.gather(solved);
  }

  /** Whether the point is an answer. An answer at the optimum of the rows is the optimum of the node. */
  private offer(x: Float64Array): boolean {
    const { problem, best, doubtful } = this.parts;
    if (!problem.holds(x)) return false;
    const isClear = !this.needsBox() || this.clearance.isClear(x);
    (isClear ? best : doubtful).offer(x);
    return isClear;
  }

  /** The optimum of a group's rows. Null: there is none below the cutoff, or the solver ended early. */
  private solved(group: Group, nudge: number): Group | null {
    const cutoff = this.cutoff();
    const domain = this.within(cutoff);
    const rows = rowsOf(group);
    if (!domain || !rows) return null;
    const budget = this.limits.budget.shareEffort(SHARE.node);
    const limits = { ...this.limits, nudge, cutoff, budget, anyAnswer: false };
    budget.spend(relaxationWork(this.parts.problem, rows.length));
    const word = wordFor(this.parts.comparisons, group);
    const outcome = this.parts.relaxed.solve([{ rows, atoms: [] }], domain, limits, word);
    if (outcome.status === 'infeasible') return null;
    const bound = Math.max(group.bound, outcome.lowerBound);
    const isSure = outcome.status === 'solved';
    if (!isSure) this.close(bound);
    return outcome.x ? { ...group, bound, x: outcome.x.slice() } : null;
  }

  private within(cost: number): Domain | null {
    if (cost !== this.box.cost) this.box = { cost, domain: withinCost(this.parts.problem, this.domain, cost) };
    return this.box.domain;
  }

  // ------------------------------------------------------------------------------------------ rows within boxes

  /** The point violates a pair and keeps the row of the pair: adds a tighter row, or divides the box. False: the rows cannot get tighter. */
  private tighten(group: Group): boolean {
    const { box, pairs } = group;
    const { comparisons } = this.parts;
    const broken = box && comparisons.needsBox ? pairs.filter(({ near, far }) => this.precedes(far, near)) : [];
    if (!box || !broken.length) return false;
    this.spendOnInputs(2 * broken.length);
    const rows = broken.map(({ near, far }) => comparisons.row(near, far, box));
    return this.cutOff(group, rows) || this.divideBox(group, comparisons.split(broken, box));
  }

  /** Adds the rows that the point violates. False: the point keeps all rows. */
  private cutOff(group: Group, rows: readonly LinearRow[]): boolean {
    const broken = rows.filter((row) => isOutside(row, group.x!));
    if (broken.length) this.push(withCuts(group, broken));
    return broken.length > 0;
  }

  /** Counts the work for each input of a number of samples, pairs or rows. */
  private spendOnInputs(times: number): void {
    this.limits.budget.spend((times * this.parts.atom.nearest.inputs * INPUT_FLOPS) / FLOPS_PER_UNIT);
  }

  private divideBox(group: Group, split: BoxSplit | null): boolean {
    if (!split) return false;
    const reachable = this.reachable();
    for (const half of halve(group.box!, split, this.parts.atom.map)) {
      const box = meet(half, reachable);
      if (!isEmpty(box)) this.push(this.withinBox(group, box));
    }
    return true;
  }

  /** The rows of pairs are also valid in a smaller box. Rows that are made for the smaller box are tighter. */
  private withinBox(group: Group, box: InputBox): Group {
    const { comparisons } = this.parts;
    const anew = (pair: Pair) => ({ ...pair, row: comparisons.row(pair.near, pair.far, box) });
    this.spendOnInputs(group.pairs.length);
    const pairs = comparisons.needsBox ? group.pairs.map(anew) : group.pairs;
    return { ...group, pairs, box, cuts: [], x: null };
  }

  // ------------------------------------------------------------------------------- samples of the class come near

  private gather(group: Group): void {
    const { chosen, beyond, way } = group;
    const broken = this.pairsBetween(group, chosen, beyond);
    const crowd = broken.length ? null : this.crowd(group);
    if (broken.length) this.push(joined(group, broken));
    else if (crowd) this.divide(group, crowd.before, crowd.room);
    else if (chosen.length < way.needed) this.choose(group);
    else if (way.suffices || way.needed === this.parts.atom.nearest.k) this.deeper(group);
    else this.push({ ...group, decided: { inside: chosen, outside: [] } });
  }

  /** The samples that are nearer than the chosen samples, if they are more than may be excused: of one class, or of all classes that need no more. Null: all may be excused. */
  private crowd(group: Group): { before: number[]; room: number } | null {
    const { way, excused, chosen } = group;
    const before = this.before(group);
    if (!before.length) return null;
    const [chosenIn, excusedIn, inClass] = [chosen, excused, before].map((samples) => this.order.byClass(samples));
    for (const [j, own] of inClass.entries()) {
      const left = way.most[j] - chosenIn[j].length - excusedIn[j].length;
      if (own.length > left) return { before: own, room: left };
    }
    const room = this.parts.atom.nearest.k - way.needed - this.spentOn(way, chosenIn, excusedIn);
    const { labels } = this.parts.atom;
    const surplus = before.filter((s) => chosenIn[labels[s]].length >= way.need[labels[s]]);
    return surplus.length > room ? { before: surplus, room } : null;
  }

  /** The samples that are nearer than a chosen sample, the largest violation first. Further samples of the target's class are left out if that class suffices. */
  private before({ chosen, beyond, excused, way }: Group): number[] {
    if (!chosen.length) return [];
    const last = chosen.reduce((a, b) => (this.precedes(a, b) ? b : a));
    const isOpen = (s: number) => !chosen.includes(s) && !excused.includes(s) && !beyond.includes(s);
    const counts = (s: number) => !(way.suffices && this.isTarget(s));
    const before = this.samples((s) => this.precedes(s, last) && counts(s) && isOpen(s));
    const depth = new Map(before.map((s) => [s, (this.squares[last] - this.squares[s]) / this.gapOf(last, s)]));
    return before.sort((a, b) => depth.get(b)! - depth.get(a)! || a - b);
  }

  private gapOf(a: number, q: number): number {
    return Math.sqrt(this.parts.comparisons.between(a, q)) || Number.MIN_VALUE;
  }

  /** One child for each of the first samples: this sample is beyond all chosen samples, and the samples before it are excused. */
  private divide(group: Group, before: readonly number[], room: number): void {
    if (room === 0) {
      this.push(this.withBeyond(group, before.slice(0, JOINING), []));
      return;
    }
    for (let i = 0; i <= room; i++) {
      const child = this.withBeyond(group, [before[i]], before.slice(0, i));
      if (this.hasRoom(child)) this.push(child);
    }
  }

  private withBeyond(group: Group, added: readonly number[], excused: readonly number[]): Group {
    const grown = { ...group, beyond: [...group.beyond, ...added], excused: [...group.excused, ...excused] };
    return joined(grown, this.pairsBetween(grown, group.chosen, added));
  }

  /** Chooses the next sample of the target's class, then of other classes that are needed, in the order of their bounds. */
  private choose(group: Group): void {
    const k = this.neededClass(group);
    this.chooseFrom(group, this.order.byClass(group.chosen)[k].length ? group.from : 0);
  }

  private neededClass({ way, chosen }: Group): number {
    const { target } = this.parts.votes;
    const inClass = this.order.byClass(chosen);
    const isOpen = (j: number) => inClass[j].length < way.need[j];
    return isOpen(target) ? target : inClass.findIndex((_, j) => isOpen(j));
  }

  /** One child for the next sample of the order that may be chosen. The rest of the order becomes a node with the bound of the following sample. */
  private chooseFrom(group: Group, from: number): void {
    const order = this.order.of(group.way, this.neededClass(group));
    for (let at = from; at < order.length; at++) {
      const { sample, bound } = order[at];
      if (this.isClosed(bound) || isBeyond(bound, this.limits)) {
        this.close(Math.max(bound, group.bound));
        return;
      }
      this.limits.budget.spend(CHILD_WORK);
      const excused = group.excused.filter((s) => s !== sample);
      const chosen = [...group.chosen, sample];
      const grown = { ...group, chosen, excused, from: at + 1, beyond: [], choosing: null };
      if (!this.hasRoom(grown)) continue;
      this.push({ ...grown, bound: Math.max(group.bound, bound) });
      const next = order[at + 1]?.bound ?? Infinity;
      this.push({ ...group, choosing: at + 1, bound: Math.max(group.bound, next) });
      return;
    }
  }

  /** Excused samples are nearer than the chosen samples, so they are neighbours too. */
  private hasRoom({ way, chosen, excused }: Group): boolean {
    const [chosenIn, excusedIn] = [chosen, excused].map((samples) => this.order.byClass(samples));
    const fits = chosenIn.every((own, j) => own.length + excusedIn[j].length <= way.most[j]);
    return fits && this.spentOn(way, chosenIn, excusedIn) <= this.parts.atom.nearest.k - way.needed;
  }

  /** The number of excused neighbours that are not needed. An excused sample of a class that needs more can be a needed sample. */
  private spentOn(way: Way, chosenIn: readonly number[][], excusedIn: readonly number[][]): number {
    return excusedIn.reduce((sum, own, j) => sum + Math.max(0, own.length - (way.need[j] - chosenIn[j].length)), 0);
  }

  // ------------------------------------------------------------------------------ neighbours are decided one by one

  private decide(group: Group, { inside, outside }: NonNullable<Group['decided']>): void {
    const { k } = this.parts.atom.nearest;
    const broken = this.pairsBetween(group, inside, outside);
    const nearest = this.byDistance(this.samples((s) => !outside.includes(s))).slice(0, k);
    const next = this.undecided(nearest, inside);
    if (broken.length) this.push(joined(group, broken));
    else if (next !== undefined) {
      this.decideOn(group, [...inside, next], outside);
      if (nearest.length === k) this.decideOn(group, inside, [...outside, next]);
    } else if (nearest.length === k && this.mayReach(group, inside, outside) && !this.outvote(group, inside))
      this.deeper(group);
  }

  private mayReach({ box }: Group, inside: readonly number[], outside: readonly number[]): boolean {
    if (box) this.spendOnInputs(this.parts.comparisons.count);
    return this.parts.votes.mayReach(inside, outside, box && meet(box, this.reachable()));
  }

  /** The neighbours are decided, and their votes by distance are not enough: adds rows for the votes, or divides the box. */
  private outvote(group: Group, inside: readonly number[]): boolean {
    const { votes, comparisons } = this.parts;
    if (!votes.within) return false;
    const box = group.box!;
    this.spendOnInputs(2 * inside.length);
    const rows = votes.within.rows(inside, box, comparisons.inputs);
    return this.cutOff(group, rows) || this.divideBox(group, votes.within.split(inside, box, comparisons.inputs));
  }

  /** The next sample to decide. Samples of other classes come first. */
  private undecided(nearest: readonly number[], inside: readonly number[]): number | undefined {
    const open = nearest.filter((s) => !inside.includes(s));
    return open.find((s) => !this.isTarget(s)) ?? open[0];
  }

  private decideOn(group: Group, inside: readonly number[], outside: readonly number[]): void {
    if (!this.mayReach(group, inside, outside)) return;
    const decided = { ...group, decided: { inside, outside } };
    const broken = this.pairsBetween(decided, inside, outside);
    this.push(broken.length ? joined(decided, broken) : decided);
  }

  // ------------------------------------------------------------------------------------------------------ both

  /** The rows that the point violates and that the group does not have yet. */
  private pairsBetween({ pairs, box }: Group, near: readonly number[], far: readonly number[]): Pair[] {
    const broken: Pair[] = [];
    for (const a of near)
      for (const q of far)
        if (this.precedes(q, a) && !pairs.some((pair) => pair.near === a && pair.far === q))
          broken.push(this.pair(a, q, box));
    return broken;
  }

  private pair(near: number, far: number, box: InputBox | null): Pair {
    const key = near * this.squares.length + far;
    const { comparisons } = this.parts;
    const known = this.rows.get(key);
    if (known && !comparisons.needsBox) return known;
    const bound = known?.bound ?? comparisons.bound(near, far, this.first);
    const pair = { near, far, row: comparisons.row(near, far, box), bound };
    this.rows.set(key, pair);
    return pair;
  }

  /** The point keeps all rows and the model refuses the point because of rounding. Tries points further inside. Without success the bound stays open. */
  private deeper(group: Group): void {
    for (const factor of DEEPER) {
      const solved = this.solved(group, this.limits.nudge * factor);
      if (solved && this.offer(solved.x!)) break;
    }
    this.close(group.bound);
  }

  // ------------------------------------------------------------------------------------------------ first answers

  /** First answers from samples that have the target, the nearest first: with the neighbours of the sample, and nothing excused. */
  private start(): void {
    if (this.needsBox()) this.startFromSamples();
    else this.startFromCells();
    this.look(this.domain.origin);
  }

  /** True if half of the work found no answer and no proof. */
  private isRescueDue(): boolean {
    const { budget } = this.limits;
    return !this.isRescued && !this.parts.best.isFound && budget.left < SHARE.rescueAt * budget.effort;
  }

  /** Searches that only use the decisions of the model. */
  private rescue(): void {
    this.isRescued = true;
    for (const prepared of this.parts.rescues) {
      const budget = this.limits.budget.shareEffort(SHARE.rescue);
      const { x, isDoubtful } = prepared().solve(this.domain, { ...this.limits, budget });
      if (x && !isDoubtful) this.offer(x);
    }
  }

  private startFromSamples(): void {
    const budget = this.limits.budget.shareEffort(SHARE.start);
    const outcome = this.parts.starts().solve(this.domain, { ...this.limits, budget });
    if (outcome.x) this.offer(outcome.x);
  }

  private startFromCells(): void {
    const { atom } = this.parts;
    const near = this.byDistance(this.samples(() => true)).slice(0, START.lookedAt);
    const { inputs, samples } = atom.nearest;
    let made = 0;
    for (const sample of near) {
      if (made >= START.samples || this.limits.budget.isSpent) break;
      const at = samples.subarray(sample * inputs, (sample + 1) * inputs);
      this.limits.budget.spend((2 * samples.length) / FLOPS_PER_UNIT);
      if (!atom.meets(at)) continue;
      made++;
      this.enter(Array.from(atom.nearest.indices));
    }
  }

  /** The cheapest point whose neighbours are all or enough of the given samples. */
  private enter(neighbours: readonly number[]): void {
    const way = this.parts.votes.ways.at(-1)!;
    const own = neighbours.filter((s) => this.isTarget(s)).slice(0, way.needed);
    const isEnough = way.suffices && own.length === way.needed;
    const enough = isEnough ? own : neighbours;
    const isRival = (s: number) => (isEnough ? !this.isTarget(s) : !enough.includes(s));
    let group = emptyGroup(way, enough, null);
    this.look(this.domain.origin);
    for (let round = 0; round < START.rounds && !this.limits.budget.isSpent; round++) {
      const last = enough.reduce((a, b) => (this.precedes(a, b) ? b : a));
      const before = this.byDistance(this.samples((s) => isRival(s) && this.precedes(s, last))).slice(0, JOINING);
      const broken = this.pairsBetween(group, enough, before);
      if (!broken.length) return;
      const solved = this.solvedForStart(joined(group, broken));
      if (!solved || this.offer(solved.x!)) return;
      group = solved;
      this.look(solved.x!);
    }
  }

  /** A bound that a start leaves open does not count for the search. */
  private solvedForStart(group: Group): Group | null {
    const { floor } = this;
    const solved = this.solved({ ...group, bound: 0 }, this.limits.nudge);
    this.floor = floor;
    return solved;
  }
}
