/**
 * Branch and bound over boxes of cells, for one tree or many: exact, anytime, any separable cost, lattices, categories, at
 * most K changes, several classes, intervals.
 *
 *   min Σ_f cost_f(cell_f)   s.t.   Σ_t gain_m(leaf_t(cells)) >= need_m   for every margin m
 *
 * The bound of a box: its cheapest point costs b. For each tree, the best gain among the leaves that the box can reach is a
 * step function of the extra cost of going there. Let every tree spend the same extra cost c on its own: the least c at which
 * the sum of the best gains meets the need is a lower bound on what any point of the box must spend beyond b; the worst
 * margin counts. Leaves that cost more than the best answer are not looked at.
 * Branching: of the moves that the chosen leaves ask for, the one with the most gain behind it: made | not made.
 * The first dive makes every move and gives the first answer; then the least bound goes first.
 */
import type { Domain } from '../policy/domain.js';
import type { Problem } from '../problems/problem.js';
import { Cells, PersonCells } from './cells.js';
import { NodeHeap } from './node-heap.js';
import { INFEASIBLE, type Limits, limit, type Outcome, type Prepared, type Solver, solved } from './solver.js';

const SEPARABLE = new Set(['l0', 'l1', 'l2', 'percentile']);
const WORTH = 1e-7;

function accepts({ piece, traits }: Problem): 'no' | 'exact' {
  return piece.kind === 'additive-trees' && SEPARABLE.has(traits.norm) && !traits.linked && !traits.disjunctive ? 'exact' : 'no';
}

/** A box: an interval of cells for ordered features, a set for unordered ones (1: still possible). */
interface Box {
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  readonly sets: readonly (Uint8Array | null)[];
  readonly bound: number;
}

/** A leaf on the way up of a tree's step function. */
interface Step {
  readonly extra: number;
  readonly gain: number;
  readonly leaf: number;
}

interface Bound {
  readonly extra: number;
  /** By tree: the leaf chosen at that extra cost, for the margin that counts. */
  readonly chosen: readonly Step[];
  readonly margin: number;
}

class PreparedForest implements Prepared {
  private readonly cells: Cells;
  private readonly person: PersonCells;
  private readonly x: Float64Array;
  private readonly best: Float64Array;
  private bestCost = Infinity;
  // The box in work and the cheapest cell, its cost and the changes in it, by feature.
  private lo: Int32Array;
  private hi: Int32Array;
  private sets: (Uint8Array | null)[] = [];
  private readonly at: Int32Array;
  private readonly spent: Float64Array;
  private readonly scale: readonly number[];

  constructor(private readonly problem: Problem) {
    if (problem.piece.kind !== 'additive-trees') throw new TypeError('not a forest');
    this.cells = new Cells(problem, problem.piece);
    this.person = new PersonCells(this.cells);
    const features = this.cells.features.length;
    this.x = new Float64Array(problem.space.columns);
    this.best = new Float64Array(problem.space.columns);
    this.lo = new Int32Array(features);
    this.hi = new Int32Array(features);
    this.at = new Int32Array(features);
    this.spent = new Float64Array(features);
    this.scale = problem.piece.margins.map(({ gain, need }) => gain.reduce((most, value) => Math.max(most, Math.abs(value)), Math.abs(need)));
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.person.fill(domain);
    this.bestCost = Infinity;
    const open = new NodeHeap<Box>();
    let next: Box | undefined = this.root();
    while (next || open.size) {
      const box: Box = next ?? open.pop()!;
      next = undefined;
      if (!this.worthwhile(box.bound)) continue;
      if (limits.anyAnswer && this.bestCost < Infinity) return limit(this.best, 0);
      if (limits.now() > limits.deadline) return limit(this.bestCost < Infinity ? this.best : null, Math.min(box.bound, open.least()));
      const base = this.enter(box);
      if (!this.worthwhile(base) || this.tooManyChanges()) continue;
      if (this.isAnswer(domain)) {
        this.bestCost = base;
        this.best.set(this.x);
        continue;
      }
      const bound = this.bound(base);
      if (!bound || !this.worthwhile(base + bound.extra)) continue;
      const [first, second] = this.branch(box, base + bound.extra, bound);
      if (!first) continue;
      if (this.bestCost === Infinity) {
        next = first;
        open.push(second, second.bound);
      } else for (const child of [first, second]) open.push(child, child.bound);
    }
    return this.bestCost < Infinity ? solved(this.best, this.bestCost * (1 - WORTH)) : INFEASIBLE;
  }

  private worthwhile(bound: number): boolean {
    return bound < this.bestCost * (1 - WORTH);
  }

  private root(): Box {
    const { features } = this.cells;
    return {
      lo: new Int32Array(features.length),
      hi: Int32Array.from(features, ({ count }) => count - 1),
      sets: features.map(({ unordered, count }) => (unordered ? new Uint8Array(count).fill(1) : null)),
      bound: 0,
    };
  }

  /** Makes a box the one in work; returns the cost of its cheapest point. */
  private enter(box: Box): number {
    this.lo = box.lo.slice();
    this.hi = box.hi.slice();
    this.sets = box.sets.map((set) => set && set.slice());
    let total = 0;
    for (let f = 0; f < this.at.length; f++) {
      this.at[f] = this.cheapest(f);
      this.spent[f] = this.at[f] < 0 ? Infinity : this.person.cost[f][this.at[f]];
      total += this.spent[f];
    }
    return total;
  }

  /** The cheapest cell that the box in work leaves a feature; -1 when none is left. */
  private cheapest(f: number): number {
    const cost = this.person.cost[f];
    const set = this.sets[f];
    let best = -1;
    if (set) {
      for (let cell = 0; cell < cost.length; cell++) if (set[cell] && cost[cell] < Infinity && (best < 0 || cost[cell] < cost[best])) best = cell;
      return best;
    }
    const present = Math.min(this.hi[f], Math.max(this.lo[f], this.person.present[f]));
    // Costs grow away from the present cell: the nearest possible one on either side.
    for (let up = present; up <= this.hi[f]; up++) if (cost[up] < Infinity) { best = up; break; }
    for (let down = present - 1; down >= this.lo[f]; down--) {
      if (cost[down] === Infinity) continue;
      return best < 0 || cost[down] < cost[best] ? down : best;
    }
    return best;
  }

  private changes(): number {
    let count = 0;
    for (let f = 0; f < this.spent.length; f++) count += +(this.spent[f] > 0);
    return count;
  }

  private tooManyChanges(): boolean {
    return this.problem.maxChanges < Infinity && this.changes() > this.problem.maxChanges;
  }

  private isAnswer(domain: Domain): boolean {
    this.person.toColumns(this.at, domain, this.x);
    return this.problem.holds(this.x);
  }

  /** The bound of the box in work; undefined when some need cannot be met for less than the best answer. */
  private bound(base: number): Bound | undefined {
    const { forest, margins } = this.cells.piece;
    const steps = margins.map((): Step[][] => []);
    for (let t = 0; t < forest.root.length; t++) {
      for (const list of steps) list.push([]);
      this.climb(forest.root[t], 0, base, steps, t);
    }
    let worst: Bound | undefined;
    for (const [m, { need }] of margins.entries()) {
      const bound = meetNeed(steps[m], need - 1e-9 * this.scale[m]);
      if (!bound) return undefined;
      if (!worst || bound.extra > worst.extra) worst = { ...bound, margin: m };
    }
    return worst ?? { extra: 0, chosen: [], margin: 0 };
  }

  /** Visits the leaves below a node that the box can reach, with the extra cost of going there. */
  private climb(node: number, extra: number, base: number, steps: Step[][][], tree: number): void {
    if (!this.worthwhile(base + extra)) return;
    const { forest, margins } = this.cells.piece;
    if (forest.left[node] < 0) {
      if (this.tooManyChanges()) return;
      for (let m = 0; m < margins.length; m++) insertStep(steps[m][tree], { extra, gain: margins[m].gain[node], leaf: node });
      return;
    }
    const f = this.cells.feature[node];
    const set = this.cells.sets[node];
    if (set) {
      this.descendSet(f, set, 1, forest.left[node], extra, base, steps, tree);
      this.descendSet(f, set, 0, forest.right[node], extra, base, steps, tree);
      return;
    }
    const cut = this.cells.cut[node];
    const [below, above] = this.cells.flipped[node] ? [forest.right[node], forest.left[node]] : [forest.left[node], forest.right[node]];
    this.descendInterval(f, this.lo[f], Math.min(this.hi[f], cut), below, extra, base, steps, tree);
    this.descendInterval(f, Math.max(this.lo[f], cut + 1), this.hi[f], above, extra, base, steps, tree);
  }

  private descendInterval(f: number, lo: number, hi: number, node: number, extra: number, base: number, steps: Step[][][], tree: number): void {
    if (lo > hi) return;
    const [oldLo, oldHi, oldSpent] = [this.lo[f], this.hi[f], this.spent[f]];
    this.lo[f] = lo;
    this.hi[f] = hi;
    const cell = lo <= this.at[f] && this.at[f] <= hi ? this.at[f] : this.cheapest(f);
    if (cell >= 0) {
      this.spent[f] = this.person.cost[f][cell];
      this.climb(node, extra + this.spent[f] - oldSpent, base, steps, tree);
    }
    this.lo[f] = oldLo;
    this.hi[f] = oldHi;
    this.spent[f] = oldSpent;
  }

  private descendSet(f: number, set: Uint8Array, side: number, node: number, extra: number, base: number, steps: Step[][][], tree: number): void {
    const old = this.sets[f]!;
    const oldSpent = this.spent[f];
    this.sets[f] = old.map((possible, cell) => possible & +(set[cell] === side));
    const cell = this.cheapest(f);
    if (cell >= 0) {
      this.spent[f] = this.person.cost[f][cell];
      this.climb(node, extra + this.spent[f] - oldSpent, base, steps, tree);
    }
    this.sets[f] = old;
    this.spent[f] = oldSpent;
  }

  /** made | not made, for the move with the most gain behind it among those that the chosen leaves ask for. */
  private branch(box: Box, bound: number, { chosen, margin }: Bound): [Box, Box] | [] {
    const weight = new Map<string, { f: number; from: number; to: number; set: Uint8Array | null; gain: number }>();
    const { gain } = this.cells.piece.margins[margin];
    for (const step of chosen) {
      if (step.extra <= 0) continue;
      for (const move of this.movesTo(step.leaf)) {
        const key = `${move.f} ${move.from} ${move.to} ${move.set ?? ''}`;
        const known = weight.get(key) ?? { ...move, gain: 0 };
        known.gain += Math.abs(gain[step.leaf]) + 1e-12;
        weight.set(key, known);
      }
    }
    const best = [...weight.values()].reduce<{ f: number; from: number; to: number; set: Uint8Array | null; gain: number } | null>((a, b) => (!a || b.gain > a.gain ? b : a), null);
    return best ? this.split(box, bound, best.f, best.from, best.to, best.set) : this.splitAnywhere(box, bound);
  }

  /** The moves away from the cheapest point that a leaf asks for: for each feature, the side of the box that it needs. */
  private movesTo(leaf: number): { f: number; from: number; to: number; set: Uint8Array | null }[] {
    const moves = new Map<number, { f: number; from: number; to: number; set: Uint8Array | null }>();
    for (let node = leaf, up = this.cells.parent[leaf]; up >= 0; node = up, up = this.cells.parent[up]) {
      const f = this.cells.feature[up];
      const left = this.cells.piece.forest.left[up] === node;
      const set = this.cells.sets[up];
      if (set) {
        if (set[this.at[f]] !== +left) moves.set(f, { f, from: 0, to: 0, set: set.map((inSet) => +(inSet === +left)) });
        continue;
      }
      const below = left !== (this.cells.flipped[up] === 1);
      const cut = this.cells.cut[up];
      if (below && this.at[f] > cut) moves.set(f, { f, from: this.lo[f], to: Math.min(cut, moves.get(f)?.to ?? cut), set: null });
      if (!below && this.at[f] <= cut) moves.set(f, { f, from: Math.max(cut + 1, moves.get(f)?.from ?? 0), to: this.hi[f], set: null });
    }
    return [...moves.values()];
  }

  private split(box: Box, bound: number, f: number, from: number, to: number, set: Uint8Array | null): [Box, Box] {
    if (set) {
      const made = box.sets[f]!.map((possible, cell) => possible & set[cell]);
      const left = box.sets[f]!.map((possible, cell) => possible & +!set[cell]);
      return [
        { ...box, bound, sets: box.sets.with(f, made) },
        { ...box, bound, sets: box.sets.with(f, left) },
      ];
    }
    const up = from > this.at[f];
    const made = up ? { ...box, bound, lo: box.lo.with(f, from) } : { ...box, bound, hi: box.hi.with(f, to) };
    const left = up ? { ...box, bound, hi: box.hi.with(f, from - 1) } : { ...box, bound, lo: box.lo.with(f, to + 1) };
    return [made, left];
  }

  /** Rounding kept an answer from being one, and no leaf asks for a move: split the widest feature. */
  private splitAnywhere(box: Box, bound: number): [Box, Box] | [] {
    for (const { feature, unordered } of this.cells.features) {
      const f = feature.index;
      if (!unordered && box.lo[f] < box.hi[f]) {
        const at = this.at[f];
        return at < box.hi[f] ? this.split(box, bound, f, at + 1, box.hi[f], null) : this.split(box, bound, f, box.lo[f], at - 1, null);
      }
      const set = box.sets[f];
      if (set && set.reduce((sum, possible) => sum + possible, 0) > 1) return this.split(box, bound, f, 0, 0, set.map((possible, cell) => possible & +(cell !== this.at[f])));
    }
    return [];
  }
}

/** Keeps a tree's steps ascending in cost and gain. */
function insertStep(steps: Step[], step: Step): void {
  let at = steps.length;
  while (at > 0 && steps[at - 1].extra > step.extra) at--;
  if (at > 0 && steps[at - 1].gain >= step.gain) return;
  let end = at;
  while (end < steps.length && steps[end].gain <= step.gain) end++;
  steps.splice(at, end - at, step);
}

/** The least extra cost at which the sum of every tree's best gain meets the need. */
function meetNeed(trees: readonly Step[][], need: number): Omit<Bound, 'margin'> | undefined {
  let sum = 0;
  const rises: { extra: number; rise: number }[] = [];
  let start = 0;
  for (const steps of trees) {
    if (!steps.length) return undefined;
    start = Math.max(start, steps[0].extra);
    sum += steps[0].gain;
    for (let k = 1; k < steps.length; k++) rises.push({ extra: steps[k].extra, rise: steps[k].gain - steps[k - 1].gain });
  }
  rises.sort((a, b) => a.extra - b.extra);
  let extra = start;
  for (let k = 0; sum < need && k < rises.length; k++) {
    sum += rises[k].rise;
    extra = Math.max(extra, rises[k].extra);
  }
  if (sum < need) return undefined;
  const chosen = trees.map((steps) => {
    let last = steps[0];
    for (const step of steps) if (step.extra <= extra) last = step;
    return last;
  });
  return { extra, chosen };
}

export const forestExact: Solver = { name: 'forest-exact', accepts, prepare: (problem) => new PreparedForest(problem) };
