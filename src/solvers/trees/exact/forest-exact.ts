/**
 * Branch and bound over boxes of segments, for one tree or many: exact, anytime, any separable cost, lattices, categories, at
 * most K changes, several classes, intervals, missing values.
 *
 *   min Σ_f cost_f(x_f)   s.t.   Σ_t gain_m(leaf_t(x)) >= need_m   for every margin m
 *
 * The first incumbents come from the heuristics (forest-incumbents.ts). Dearer parts are cut out of the forest before the search
 * (reachable-forest.ts). The bound of a box is the dual of its linear relaxation (forest-dual.ts), started from the prices of its
 * parent; the dual narrows the box as well. Branching takes the cut at which trees and features disagreed most while the prices
 * rose. The search dives to the side that the prices favour, then continues from the least bound.
 *
 * Where the policy couples features, the cheapest point of a box within the policy comes from within-domain.ts. Its cost is a bound as
 * well. In a box of one segment per feature the model gives the same decision for all points.
 */
import { copyDomain, createDomain, type Domain } from '../../../policy/domain.js';
import { narrowTo } from '../../../policy/values.js';
import type { Budget } from '../../../problems/budget.js';
import type { Problem } from '../../../problems/problem.js';
import { prepareWithin } from '../../reductions/within-domain.js';
import { isAnswer } from '../../shared/answer-check.js';
import { BestAnswer } from '../../shared/best-answer.js';
import {
  INFEASIBLE,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
  solved,
} from '../../solver.js';
import { Cells, closeCells, hasCells, PersonCells, treesOf } from '../cells/cells.js';
import { CostLattice } from './cost-lattice.js';
import { ForestDual } from './forest-dual.js';
import { Incumbents } from './forest-incumbents.js';
import type { SegmentBox } from './node-forest.js';
import { OpenBoxes } from './open-boxes.js';
import { type CellBox, ReachableForest } from './reachable-forest.js';

const WORTH = 5e-7;
const ROOT_STEPS = 20;
const ROOT_ROUNDS = 3;
const BOX_STEPS = 10;
/** The first price of a margin: this share of `below`, divided by the margin's shortfall. */
const FIRST_PRICE = 0.3;
/** The heuristics start from the segments that the prices favour in one of this many boxes. */
const LOOK_EVERY = 8;
const MEMORY_MB = 256;

interface PricedBox extends SegmentBox {
  bound: number;
}

class PreparedForest implements Prepared {
  private readonly cells: Cells;
  private readonly person: PersonCells;
  private readonly incumbents: Incumbents;
  private readonly forest: ReachableForest;
  private readonly dual: ForestDual;
  private readonly x: Float64Array;
  private readonly best: BestAnswer;
  private readonly cellsAt: Int32Array;
  private readonly wholePrices: Float64Array;
  private readonly unordered: Uint8Array;
  /** A number above the cost of any answer. */
  private most = 0;
  private lattice: CostLattice | null = null;
  private domain!: Domain;
  private limits!: Limits;
  /** For coupled features. Null: no features are coupled. */
  private readonly tied: Prepared | null;
  private readonly narrowed: Domain;
  /** The least bound of boxes that could neither be split nor settled. */
  private unsettled = Infinity;

  constructor(
    private readonly problem: Problem,
    table: SolverTable,
  ) {
    const atom = treesOf(problem);
    const { margins, slack } = atom;
    this.cells = new Cells(problem, atom);
    this.person = new PersonCells(this.cells);
    this.incumbents = new Incumbents(this.cells);
    this.forest = new ReachableForest(this.cells, this.person);
    const features = this.cells.features.length;
    this.unordered = Uint8Array.from(this.cells.features, ({ unordered }) => +unordered);
    const needs = margins.map(({ gain, need }) => ({ gain, need: need - slack }));
    this.dual = new ForestDual(needs, atom.forest.root.length, features, problem.maxChanges);
    this.x = new Float64Array(problem.space.columns);
    this.best = new BestAnswer(problem);
    this.cellsAt = new Int32Array(features);
    this.wholePrices = new Float64Array(this.cells.feature.length);
    this.narrowed = createDomain(problem.space);
    this.tied = problem.traits.linked || problem.traits.disjunctive ? prepareWithin(problem, table)! : null;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.domain = domain;
    this.limits = limits;
    const isWhole = this.person.fill(domain);
    this.best.begin(domain);
    this.unsettled = Infinity;
    this.most = this.tied
      ? Infinity
      : 1 + 2 * this.person.cost.reduce((sum, costs) => sum + costs.reduce(largestFinite, 0), 0);
    this.offer(this.incumbents.best(this.person, domain, limits.budget));
    if (limits.anyAnswer && this.best.isFound) return limit(this.best.x, 0);
    const root = this.root(limits);
    const outcome = root ? this.search(root, limits) : this.conclude();
    return isWhole ? outcome : limit(outcome.x, 0);
  }

  /** No box is open: an answer that was not found costs at least `below`. */
  private conclude(): Outcome {
    const bound = Math.min(this.unsettled, this.below());
    if (!this.best.isFound) return bound < this.most ? limit(null, bound) : INFEASIBLE;
    return bound < this.best.cost * (1 - this.worth()) ? limit(this.best.x, bound) : solved(this.best.x, bound);
  }

  private cut(bound: number): Outcome {
    return limit(this.best.isFound ? this.best.x : null, Math.min(bound, this.unsettled));
  }

  /** An answer is worth finding only if it costs less than this. */
  private below(): number {
    return Math.min(this.limits.cutoff, this.best.isFound ? this.best.cost * (1 - this.worth()) : this.most);
  }

  private worth(): number {
    return Math.max(WORTH, this.limits.gap);
  }

  /** A bound that proves `below`. It is less than `below` where costs are multiples of a quantum. */
  private target(): number {
    return this.lattice ? this.lattice.target(this.below()) : this.below();
  }

  private offer(found: { at: Int32Array; cost: number } | null): void {
    if (!found || !(found.cost < this.best.cost)) return;
    this.person.toColumns(found.at, this.domain, this.x);
    this.best.offer(this.x, found.cost);
  }

  /** The box of all segments, narrowed, with its bound. Undefined: the box contains no better answer. */
  private root({ budget }: Limits): PricedBox | undefined {
    const { forest, dual } = this;
    const look = () => this.look();
    let within: CellBox | undefined;
    let bound = Number.NEGATIVE_INFINITY;
    if (!forest.build(this.below())) return undefined;
    const shortfall = this.incumbents.shortfall();
    const price = FIRST_PRICE * (this.below() < Infinity ? this.below() : 1);
    dual.lambda.set(shortfall.map((short) => (short > 0 ? price / short : 0)));
    for (let round = 1; ; round++) {
      const before = this.best.cost;
      if (round > 1 && !forest.build(this.below(), within)) return undefined;
      // With coupled features a point need not have the cheapest value of its cell.
      this.lattice = this.tied ? null : CostLattice.of(forest.cost, forest.segments, this.below());
      const box = this.wholeBox(within);
      dual.begin(forest, shortfall);
      if (round > 1) for (let n = 0; n < forest.size; n++) dual.prices[n] = this.wholePrices[forest.origin[n]];
      bound = Math.max(bound, dual.climb(box, this.target(), ROOT_STEPS, budget, look));
      if (bound >= this.target()) return undefined;
      const smaller = this.best.cost < before * 0.999 || this.countSegments(box) < 0.8 * forest.segments;
      if (round === ROOT_ROUNDS || !smaller || budget.isSpent) return { ...box, bound };
      within = this.toCells(box);
      this.wholePrices.fill(0);
      for (let n = 0; n < forest.size; n++) this.wholePrices[forest.origin[n]] = dual.prices[n];
    }
  }

  private countSegments({ lo, hi, sets }: SegmentBox): number {
    return lo.reduce((sum, from, f) => sum + (sets[f] ? sets[f]!.reduce((a, b) => a + b, 0) : hi[f] - from + 1), 0);
  }

  private wholeBox(within: CellBox | undefined): SegmentBox {
    const { first } = this.forest;
    return {
      lo: first.slice(0, -1),
      hi: first.slice(1).map((next) => next - 1),
      sets: this.cells.features.map(({ unordered }, f) =>
        unordered
          ? this.person.cost[f]
              .reduce(markFinite, new Uint8Array(this.person.cost[f].length))
              .map((open, cell) => open & (within?.sets[f]?.[cell] ?? 1))
          : null,
      ),
    };
  }

  private toCells({ lo, hi, sets }: SegmentBox): CellBox {
    return {
      lo: lo.map((s, f) => (this.unordered[f] ? 0 : this.forest.from[s])),
      hi: hi.map((s, f) => (this.unordered[f] ? this.cells.features[f].count : this.forest.to[s])),
      sets,
    };
  }

  /** Starts the heuristics from the segments that the features chose. Returns the new target. */
  private look(): number {
    const { at } = this.dual;
    for (let f = 0; f < at.length; f++) this.cellsAt[f] = this.forest.cell[at[f]];
    this.offer(this.incumbents.from(this.cellsAt));
    return this.target();
  }

  private search(root: PricedBox, limits: Limits): Outcome {
    const open = new OpenBoxes((limits.memoryMb ?? MEMORY_MB) * 2 ** 20);
    let box: PricedBox | undefined = root;
    for (let visited = 0; box; visited++) {
      if (limits.budget.isSpent) return this.cut(Math.min(box.bound, open.least()));
      if (limits.anyAnswer && this.best.isFound) return limit(this.best.x, 0);
      const children: [SegmentBox, SegmentBox] | undefined =
        visited === 0 || this.isOpen(box, limits.budget) ? this.branch(box, limits) : undefined;
      if (visited % LOOK_EVERY === LOOK_EVERY - 1) this.look();
      const bound: number = box.bound;
      if (children) open.push(children[1], bound, () => this.dual.copyPrices());
      box = children ? { ...children[0], bound } : this.next(open);
    }
    return this.conclude();
  }

  /** The next box that may contain a better answer, with its prices. */
  private next(open: OpenBoxes): PricedBox | undefined {
    for (let box = open.pop(); box; box = open.pop()) {
      if (box.bound >= this.target()) continue;
      if (box.prices) this.dual.takePrices(box.prices);
      return box;
    }
    return undefined;
  }

  /** Bounds a box. False: the box is closed. */
  private isOpen(box: PricedBox, budget: Budget): boolean {
    const bound = this.dual.climb(box, this.target(), BOX_STEPS, budget);
    box.bound = Math.max(box.bound, bound);
    return box.bound < this.target();
  }

  /** Takes the cheapest point of a box if it is an answer. The box is then closed. */
  private takeCheapest(box: PricedBox): boolean {
    const { first, cost, cell } = this.forest;
    let total = 0;
    let changes = 0;
    for (let f = 0; f < this.cellsAt.length; f++) {
      const set = box.sets[f];
      let best = -1;
      for (let s = set ? first[f] : box.lo[f]; s <= (set ? first[f + 1] - 1 : box.hi[f]); s++)
        if ((!set || set[s - first[f]]) && (best < 0 || cost[s] < cost[best])) best = s;
      if (best < 0 || cost[best] === Infinity) return true;
      this.cellsAt[f] = cell[best];
      total += cost[best];
      changes += +(cost[best] > 0);
    }
    if (total >= this.target() || changes > this.problem.maxChanges) return true;
    this.person.toColumns(this.cellsAt, this.domain, this.x);
    if (!isAnswer(this.problem, this.domain, this.x)) return false;
    this.offer({ at: this.cellsAt, cost: total });
    return true;
  }

  /** The same for the cheapest point within the policy. */
  private takeTied(box: PricedBox, limits: Limits): boolean {
    const outcome = this.tied!.solve(this.narrow(box), limits);
    if (outcome.status === 'infeasible') return true;
    box.bound = Math.max(box.bound, outcome.lowerBound);
    if (box.bound >= this.target()) return true;
    if (outcome.x && isAnswer(this.problem, this.domain, outcome.x)) {
      this.best.offer(outcome.x);
      if (outcome.status === 'solved') return true;
    }
    if (outcome.status !== 'solved' && !this.chooseSplit(box)) this.unsettled = Math.min(this.unsettled, box.bound);
    return false;
  }

  /** The person's domain within a box. */
  private narrow(box: PricedBox): Domain {
    const { narrowed, forest } = this;
    copyDomain(this.domain, narrowed);
    for (const layout of this.cells.features) {
      const { feature, ends, starts, unordered } = layout;
      const f = feature.index;
      if (Number.isNaN(narrowed.origin[feature.column])) continue;
      if (unordered) closeCells(layout, box.sets[f]!.subarray(0, -1), narrowed);
      else {
        const [from, to] = [forest.from[box.lo[f]], forest.to[box.hi[f]]];
        const low = from === 0 ? -Infinity : starts[from - 1];
        narrowTo(narrowed, feature, low, to >= ends.length ? Infinity : ends[to]);
      }
    }
    return narrowed;
  }

  /** Two boxes, with the one that the prices favour first. Undefined: the box is closed. */
  private branch(box: PricedBox, limits: Limits): [SegmentBox, SegmentBox] | undefined {
    if (this.takeCheapest(box) || (this.tied && this.takeTied(box, limits))) return undefined;
    const split = this.chooseSplit(box);
    if (!split) return undefined;
    const { f, s } = split;
    const [near, far] = [copyBox(box), copyBox(box)];
    if (this.unordered[f]) {
      const cell = s - this.forest.first[f];
      near.sets[f]!.fill(0);
      near.sets[f]![cell] = 1;
      far.sets[f]![cell] = 0;
      return [near, far];
    }
    const high = this.dual.at[f] > s;
    (high ? near : far).lo[f] = s + 1;
    (high ? far : near).hi[f] = s;
    return [near, far];
  }

  /** The cut or category with the most conflict. Without conflict, any possible split. */
  private chooseSplit({ lo, hi, sets }: PricedBox): { f: number; s: number } | undefined {
    const { conflict, at } = this.dual;
    const { first } = this.forest;
    let best: { f: number; s: number } | undefined;
    let most = -1;
    for (let f = 0; f < lo.length; f++) {
      const set = sets[f];
      if (set) {
        let count = 0;
        for (let cell = 0; cell < set.length; cell++) count += set[cell];
        if (count < 2) continue;
        for (let cell = 0; cell < set.length; cell++) {
          const weight = conflict[first[f] + cell] + 1e-3 * +(at[f] === first[f] + cell);
          if (set[cell] && weight > most) {
            most = weight;
            best = { f, s: first[f] + cell };
          }
        }
        continue;
      }
      for (let s = lo[f]; s < hi[f]; s++) {
        if (conflict[s] <= most) continue;
        most = conflict[s];
        best = { f, s };
      }
    }
    return best;
  }
}

const copyBox = ({ lo, hi, sets }: SegmentBox): SegmentBox => ({
  lo: lo.slice(),
  hi: hi.slice(),
  sets: sets.map((set) => set?.slice() ?? null),
});

const largestFinite = (most: number, cost: number): number => (cost < Infinity && cost > most ? cost : most);

function markFinite(set: Uint8Array, cost: number, cell: number): Uint8Array {
  set[cell] = +(cost < Infinity);
  return set;
}

export const forestExact: Solver = {
  name: 'forest-exact',
  accepts: (problem) => (hasCells(problem) ? 'exact' : 'no'),
  prepare: (problem, table) => new PreparedForest(problem, table),
};
