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
 * The least bound goes first; dives that make one efficient move after the other bring the answers that prune it.
 */
import type { Domain } from '../policy/domain.js';
import type { Problem } from '../problems/problem.js';
import { Cells, PersonCells } from './cells.js';
import { LeafReach } from './leaf-reach.js';
import { NodeHeap } from './node-heap.js';
import { INFEASIBLE, type Limits, limit, type Outcome, type Prepared, type Solver, solved } from './solver.js';

const SEPARABLE = new Set(['l0', 'l1', 'l2', 'percentile']);
const WORTH = 1e-7;
/** How many moves are compared at each step of a dive. */
const DIVE_CANDIDATES = 12;
/** A dive every so many boxes looks for a better answer. */
const DIVE_EVERY = 16;

/** Trees behind a step that mixes columns have no boxes in them. */
function accepts({ piece, traits }: Problem): 'no' | 'exact' {
  if (piece.kind !== 'additive-trees' || (piece.map && !piece.map.diagonal)) return 'no';
  return SEPARABLE.has(traits.norm) && !traits.linked && !traits.disjunctive ? 'exact' : 'no';
}

/** A box: an interval of cells for ordered features, a set for unordered ones (1: still possible). */
interface Box {
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  readonly sets: readonly (Uint8Array | null)[];
  readonly bound: number;
}

/** A feature goes to cells from..to, or into a set. */
interface Move {
  readonly f: number;
  readonly from: number;
  readonly to: number;
  readonly set: Uint8Array | null;
}

interface Bound {
  readonly extra: number;
  /** The margin that counts. */
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
  private readonly reach: LeafReach;

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
    this.reach = new LeafReach(problem.piece.forest);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.person.fill(domain);
    this.bestCost = Infinity;
    const open = new NodeHeap<Box>();
    open.push(this.root(), 0);
    for (let visited = 0; open.size; visited++) {
      const box = open.pop()!;
      if (visited % DIVE_EVERY === 0) this.dive(box, domain);
      if (!this.worthwhile(box.bound)) continue;
      if (limits.anyAnswer && this.bestCost < Infinity) return limit(this.best, 0);
      if (limits.now() > limits.deadline)
        return limit(this.bestCost < Infinity ? this.best : null, Math.min(box.bound, open.least()));
      const base = this.enter(box);
      if (!this.worthwhile(base) || this.tooManyChanges()) continue;
      if (this.isAnswer(domain)) {
        this.take(base, domain);
        continue;
      }
      const bound = this.bound(base);
      if (!bound || !this.worthwhile(base + bound.extra)) continue;
      for (const child of this.branch(box, base + bound.extra, bound)) open.push(child, child.bound);
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
    this.sets = box.sets.map((set) => set?.slice() ?? null);
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
      for (let cell = 0; cell < cost.length; cell++)
        if (set[cell] && cost[cell] < Infinity && (best < 0 || cost[cell] < cost[best])) best = cell;
      return best;
    }
    const present = Math.min(this.hi[f], Math.max(this.lo[f], this.person.present[f]));
    // Costs grow away from the present cell: the nearest possible one on either side.
    for (let up = present; up <= this.hi[f]; up++)
      if (cost[up] < Infinity) {
        best = up;
        break;
      }
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

  /** Takes the box's cheapest point, then pulls it towards the present cells for as long as it stays an answer. */
  private take(cost: number, domain: Domain): void {
    const at = this.at.slice();
    const { present, cost: costs } = this.person;
    const holds = () => {
      this.person.toColumns(at, domain, this.x);
      return this.problem.holds(this.x);
    };
    const moved = [...at.keys()].filter((f) => at[f] !== present[f]).sort((f, g) => costs[g][at[g]] - costs[f][at[f]]);
    for (const f of moved) {
      for (const cell of this.nearerCells(f, at[f])) {
        const old = at[f];
        at[f] = cell;
        if (costs[f][cell] < costs[f][old] && holds()) break;
        at[f] = old;
      }
    }
    const total = at.reduce((sum, cell, f) => sum + costs[f][cell], 0);
    if (!(total < Math.min(cost, this.bestCost) || cost < this.bestCost)) return;
    this.bestCost = total;
    this.person.toColumns(at, domain, this.best);
  }

  /** Cells between the present one and another, nearest to the present one first. */
  private nearerCells(f: number, cell: number): number[] {
    const { present, cost } = this.person;
    if (this.cells.features[f].unordered) return [present[f]].filter((c) => cost[f][c] < Infinity);
    const side = cell > present[f] ? 1 : -1;
    const between = Array.from({ length: Math.abs(cell - present[f]) }, (_, k) => present[f] + side * k);
    return between.filter((c) => cost[f][c] < Infinity);
  }

  /** The bound of the box in work; undefined when some need cannot be met for less than the best answer. */
  private bound(base: number): Bound | undefined {
    const { forest, margins, slack } = this.cells.piece;
    this.reach.clear();
    for (let t = 0; t < forest.root.length; t++) {
      this.climb(forest.root[t], 0, base);
      if (!this.reach.closeTree(t)) return undefined;
    }
    let worst: Bound | undefined;
    for (let m = 0; m < margins.length; m++) {
      const extra = this.reach.leastExtra(margins[m].gain, margins[m].need - slack);
      if (extra === Infinity) return undefined;
      if (!worst || extra > worst.extra) worst = { extra, margin: m };
    }
    return worst;
  }

  /** Visits the leaves below a node that the box can reach, with the extra cost of going there. */
  private climb(node: number, extra: number, base: number): void {
    if (!this.worthwhile(base + extra)) return;
    const { forest } = this.cells.piece;
    if (forest.left[node] < 0) {
      if (!this.tooManyChanges()) this.reach.add(node, extra);
      return;
    }
    const f = this.cells.feature[node];
    const set = this.cells.sets[node];
    if (set) {
      this.descendSet(f, set, 1, forest.left[node], extra, base);
      this.descendSet(f, set, 0, forest.right[node], extra, base);
      return;
    }
    const cut = this.cells.cut[node];
    const flipped = this.cells.flipped[node] === 1;
    const below = flipped ? forest.right[node] : forest.left[node];
    const above = flipped ? forest.left[node] : forest.right[node];
    if (this.hi[f] <= cut) this.climb(below, extra, base);
    else if (this.lo[f] > cut) this.climb(above, extra, base);
    else {
      this.descendInterval(f, this.lo[f], cut, below, extra, base);
      this.descendInterval(f, cut + 1, this.hi[f], above, extra, base);
    }
  }

  private descendInterval(f: number, lo: number, hi: number, node: number, extra: number, base: number): void {
    const oldLo = this.lo[f];
    const oldHi = this.hi[f];
    const oldSpent = this.spent[f];
    this.lo[f] = lo;
    this.hi[f] = hi;
    const cell = lo <= this.at[f] && this.at[f] <= hi ? this.at[f] : this.cheapest(f);
    if (cell >= 0) {
      this.spent[f] = this.person.cost[f][cell];
      this.climb(node, extra + this.spent[f] - oldSpent, base);
    }
    this.lo[f] = oldLo;
    this.hi[f] = oldHi;
    this.spent[f] = oldSpent;
  }

  private descendSet(f: number, set: Uint8Array, side: number, node: number, extra: number, base: number): void {
    const old = this.sets[f]!;
    const oldSpent = this.spent[f];
    this.sets[f] = old.map((possible, cell) => possible & +(set[cell] === side));
    const cell = this.cheapest(f);
    if (cell >= 0) {
      this.spent[f] = this.person.cost[f][cell];
      this.climb(node, extra + this.spent[f] - oldSpent, base);
    }
    this.sets[f] = old;
    this.spent[f] = oldSpent;
  }

  /** made | not made, for the move with the most gain behind it. */
  private branch(box: Box, bound: number, found: Bound): Box[] {
    const [move] = this.weighMoves(found);
    return move ? this.split(box, bound, this.at[move.f], move) : this.splitAnywhere(box, bound);
  }

  /** Makes one efficient move after the other until there is an answer: a guess, not a part of the proof. */
  private dive(from: Box, domain: Domain): void {
    let box: Box | undefined = from;
    while (box) {
      const base = this.enter(box);
      if (!this.worthwhile(base) || this.tooManyChanges()) return;
      if (this.isAnswer(domain)) {
        this.take(base, domain);
        return;
      }
      const found = this.bound(base);
      const moves = found ? this.weighMoves(found).slice(0, DIVE_CANDIDATES) : [];
      if (!found || !moves.length) return;
      const move = this.mostEfficient(moves, found.margin, domain);
      box = this.split(box, 0, this.at[move.f], move)[0];
    }
  }

  /** Among moves, the one whose point gains most of the margin per cost. */
  private mostEfficient(moves: readonly Move[], margin: number, domain: Domain): Move {
    const gainAt = () => {
      this.person.toColumns(this.at, domain, this.x);
      return this.cells.gainOf(this.x, margin);
    };
    const start = gainAt();
    let best = moves[0];
    let most = Number.NEGATIVE_INFINITY;
    for (const move of moves) {
      const cell = this.cellOf(move);
      if (cell < 0) continue;
      const old = this.at[move.f];
      const price = this.person.cost[move.f][cell] - this.person.cost[move.f][old];
      this.at[move.f] = cell;
      const efficiency = (gainAt() - start) / (price + 1e-12);
      this.at[move.f] = old;
      if (efficiency > most) {
        most = efficiency;
        best = move;
      }
    }
    return best;
  }

  /** The cheapest cell that a move leads to; -1: none. */
  private cellOf({ f, from, to, set }: Move): number {
    const cost = this.person.cost[f];
    let best = -1;
    for (let cell = 0; cell < cost.length; cell++) {
      const inside = set ? set[cell] === 1 : cell >= from && cell <= to;
      if (inside && cost[cell] < Infinity && (best < 0 || cost[cell] < cost[best])) best = cell;
    }
    return best;
  }

  /** The moves that the leaves behind the bound ask for, most gain first. */
  private weighMoves({ extra, margin }: Bound): Move[] {
    const { gain } = this.cells.piece.margins[margin];
    const weights = new Map<number, { move: Move; weight: number }>();
    for (const { leaf, rise } of this.reach.chosen(gain, extra)) {
      for (const move of this.movesTo(leaf)) {
        const key =
          (move.f * 4096 + (move.set ? this.cellOf(move) : move.from > this.at[move.f] ? move.from : move.to)) * 2 +
          +(move.from > this.at[move.f]);
        const known = weights.get(key) ?? { move, weight: 0 };
        known.weight += rise;
        weights.set(key, known);
      }
    }
    return [...weights.values()].sort((a, b) => b.weight - a.weight).map(({ move }) => move);
  }

  /** The moves away from the cheapest point that a leaf asks for: for each feature, the side of the box that it needs. */
  private movesTo(leaf: number): Move[] {
    const moves = new Map<number, Move>();
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
      if (below && this.at[f] > cut)
        moves.set(f, { f, from: this.lo[f], to: Math.min(cut, moves.get(f)?.to ?? cut), set: null });
      if (!below && this.at[f] <= cut)
        moves.set(f, { f, from: Math.max(cut + 1, moves.get(f)?.from ?? 0), to: this.hi[f], set: null });
    }
    return [...moves.values()];
  }

  private split(box: Box, bound: number, at: number, { f, from, to, set }: Move): Box[] {
    if (set) {
      const made = box.sets[f]!.map((possible, cell) => possible & set[cell]);
      const left = box.sets[f]!.map((possible, cell) => possible & +!set[cell]);
      return [
        { ...box, bound, sets: box.sets.with(f, made) },
        { ...box, bound, sets: box.sets.with(f, left) },
      ];
    }
    const up = from > at;
    const made = up ? { ...box, bound, lo: box.lo.with(f, from) } : { ...box, bound, hi: box.hi.with(f, to) };
    const left = up ? { ...box, bound, hi: box.hi.with(f, from - 1) } : { ...box, bound, lo: box.lo.with(f, to + 1) };
    return [made, left];
  }

  /** Rounding kept an answer from being one, and no leaf asks for a move: split the first feature that can be. */
  private splitAnywhere(box: Box, bound: number): Box[] {
    for (const { feature } of this.cells.features) {
      const f = feature.index;
      const at = this.at[f];
      const set = box.sets[f];
      if (set && set.reduce((sum, possible) => sum + possible, 0) > 1) {
        return this.split(box, bound, at, {
          f,
          from: 0,
          to: 0,
          set: set.map((possible, cell) => possible & +(cell !== at)),
        });
      }
      if (set || box.lo[f] === box.hi[f]) continue;
      return this.split(
        box,
        bound,
        at,
        at < box.hi[f] ? { f, from: at + 1, to: box.hi[f], set: null } : { f, from: box.lo[f], to: at - 1, set: null },
      );
    }
    return [];
  }
}

export const forestExact: Solver = { name: 'forest-exact', accepts, prepare: (problem) => new PreparedForest(problem) };
