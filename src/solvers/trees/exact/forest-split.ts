/**
 * Sums over trees where a box of inputs has no separable cost: under mahalanobis, or behind a step that mixes columns.
 *
 *   min cost(x' - x)   s.t.   Σ_t gain_m(leaf_t(M x' + o)) >= need_m  for every margin m,   x' in the policy
 *
 * Branch and bound over boxes of the inputs, the least bound first. The bound of a box is the cost of the cheapest point that the policy
 * has in it (within-domain.ts), with the sides of the box as rows behind a map and as a narrower domain without one. A box whose best
 * leaves do not suffice contains no answer. A point that the model accepts is the best of its box. Otherwise the box is cut at a split on
 * the point's paths through the trees. Where all these splits are decided, every point of the box has the same leaves.
 *
 * Sets of categories are chains of thresholds (set-thresholds.ts). Limit: an engine runs for each box, and with many trees the search ends
 * with a gap.
 */
import { applyMap } from '../../../linalg/affine.js';
import { nextUp } from '../../../linalg/floats.js';
import type { LinearRow, TreesAtom } from '../../../models/region.js';
import { hasSets } from '../../../models/trees/category-sets.js';
import { withoutSets } from '../../../models/trees/set-thresholds.js';
import { goesLeft, lastLeft } from '../../../models/trees/tree.js';
import { copyDomain, createDomain, type Domain } from '../../../policy/domain.js';
import { narrowTo } from '../../../policy/values.js';
import { FLOPS_PER_UNIT } from '../../../problems/budget.js';
import type { Problem } from '../../../problems/problem.js';
import { prepareWithin } from '../../reductions/within-domain.js';
import { isAnswer } from '../../shared/answer-check.js';
import { BestAnswer } from '../../shared/best-answer.js';
import { NodeHeap } from '../../shared/node-heap.js';
import {
  type Acceptance,
  INFEASIBLE,
  type Limits,
  limit,
  numerical,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
  solved,
} from '../../solver.js';
import { hasCells, soleTrees, treesOf } from '../cells/cells.js';

/** Relative saving below which a better answer is not searched: the engines are no more exact. */
const WORTH = 1e-7;
const FLOPS_PER_NODE = 14;

/** Factors of the nudge for further attempts inside a box after rounding put its point outside. */
const DEEPER = [1e1, 1e2, 1e4, 1e6];

/** A box of inputs with its cheapest point, or with its parent's point where the engine returned none. */
interface InputBox {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  readonly bound: number;
  readonly x: Float64Array;
  readonly isOwn: boolean;
}

/** Work to prepare an engine for one box, in units of effort. */
const PREPARE_WORK = 60;

class PreparedSplits implements Prepared {
  private readonly atom: TreesAtom;
  private readonly end: Float64Array;
  private readonly best: BestAnswer;
  private readonly narrowed: Domain;
  private readonly inputs: Float64Array;
  private readonly within: Prepared | null;
  private domain!: Domain;
  private limits!: Limits;
  /** The least bound of boxes that ended with an answer, and of boxes that could neither be cut nor settled. */
  private closed = Infinity;
  private unsettled = Infinity;

  constructor(
    private readonly problem: Problem,
    private readonly table: SolverTable,
  ) {
    this.atom = withoutSets(treesOf(problem));
    const { forest, map } = this.atom;
    this.end = Float64Array.from(forest.left, (left, n) => (left < 0 ? Number.NaN : lastLeft(forest, n)));
    this.best = new BestAnswer(problem);
    this.narrowed = createDomain(problem.space);
    this.inputs = new Float64Array(map ? map.offset.length : problem.space.columns);
    this.within = map ? null : prepareWithin(problem, table)!;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    if (this.atom.map && domain.origin.some(Number.isNaN))
      return numerical('a missing value is mixed into every input');
    this.domain = domain;
    this.limits = limits;
    this.closed = this.unsettled = Infinity;
    this.best.begin(domain);
    const open = new NodeHeap<InputBox>();
    const hi = new Float64Array(this.inputs.length).fill(Infinity);
    const everything: InputBox = { lo: hi.map((end) => -end), hi, bound: 0, x: domain.origin, isOwn: false };
    this.add(open, everything, everything);
    for (let box = open.pop(); box && box.bound < this.below(); box = open.pop()) {
      if (limits.budget.isSpent) return this.conclude(box.bound);
      if (limits.anyAnswer && this.best.isFound) return limit(this.best.x, 0);
      this.cut(open, box);
    }
    return this.conclude(Infinity);
  }

  /** An answer is worth finding only if it costs less than this. */
  private below(): number {
    const { cutoff, gap } = this.limits;
    return Math.min(cutoff, this.best.cost * (1 - Math.max(gap, WORTH)));
  }

  private conclude(open: number): Outcome {
    const bound = Math.min(open, this.unsettled, this.closed, this.below());
    if (this.best.isFound) {
      const isDone = Math.min(open, this.unsettled) >= this.best.cost * (1 - WORTH);
      return isDone ? solved(this.best.x, bound) : limit(this.best.x, bound);
    }
    return bound === Infinity ? INFEASIBLE : limit(null, bound);
  }

  /** Bounds a box by its cheapest point. A box without a better answer is not added. */
  private add(open: NodeHeap<InputBox>, parent: InputBox, { lo, hi }: Pick<InputBox, 'lo' | 'hi'>): void {
    if (!this.mayReach(lo, hi)) return;
    const outcome = this.cheapest(lo, hi);
    if (outcome.status === 'infeasible') return;
    const bound = Math.max(parent.bound, outcome.lowerBound);
    if (!(bound < this.below())) return;
    if (!outcome.x) open.push({ lo, hi, bound, x: parent.x, isOwn: false }, bound);
    else if (isAnswer(this.problem, this.domain, outcome.x)) {
      this.best.offer(outcome.x);
      this.closed = Math.min(this.closed, bound);
    } else open.push({ lo, hi, bound, x: outcome.x.slice(), isOwn: true }, bound);
  }

  private cheapest(lo: Float64Array, hi: Float64Array, nudge = this.limits.nudge): Outcome {
    const limits = { ...this.limits, nudge };
    if (this.within) return this.narrow(lo, hi) ? this.within.solve(this.narrowed, limits) : INFEASIBLE;
    const { matrix, diagonal, offset } = this.atom.map!;
    const rows: LinearRow[] = [];
    for (let i = 0; i < lo.length; i++) {
      if (lo[i] === -Infinity && hi[i] === Infinity) continue;
      const a = matrix ? matrix[i] : offset.map((_, c) => (c === i ? diagonal![i] : 0));
      rows.push({ a, lower: lo[i] - offset[i], upper: hi[i] - offset[i] });
    }
    this.limits.budget.spend(PREPARE_WORK);
    const isInside = (x: Float64Array) => this.isInside(x, lo, hi);
    return prepareWithin(this.problem, this.table, rows, isInside)!.solve(this.domain, limits);
  }

  /** Whether the inputs, summed as the model sums them, are within a box. */
  private isInside(x: Float64Array, lo: Float64Array, hi: Float64Array): boolean {
    applyMap(this.atom.map!, x, this.inputs);
    return this.inputs.every((input, i) => input >= lo[i] && input <= hi[i]);
  }

  /** The person's domain within a box of columns. False: the domain is empty. */
  private narrow(lo: Float64Array, hi: Float64Array): boolean {
    const { narrowed } = this;
    copyDomain(this.domain, narrowed);
    for (const feature of this.problem.space.features) {
      const { column, width, kind } = feature;
      if (Number.isNaN(narrowed.origin[column])) continue;
      if (kind !== 'choice') {
        if (!narrowTo(narrowed, feature, lo[column], hi[column])) return false;
        continue;
      }
      for (let c = column; c < column + width; c++) {
        if (hi[c] < 1) narrowed.upper[c] = 0;
        if (lo[c] > 0)
          for (let other = column; other < column + width; other++) if (other !== c) narrowed.upper[other] = 0;
      }
      if (!narrowed.upper.subarray(column, column + width).some((upper) => upper > 0)) return false;
    }
    return true;
  }

  /** Whether the best leaves that a box can reach meet the needs. */
  private mayReach(lo: Float64Array, hi: Float64Array): boolean {
    const { forest, margins, slack } = this.atom;
    this.limits.budget.spend((FLOPS_PER_NODE * margins.length * forest.left.length) / FLOPS_PER_UNIT);
    return margins.every(({ gain, need }) => {
      let total = 0;
      for (const root of forest.root) total += this.most(root, gain, lo, hi);
      return total >= need - slack;
    });
  }

  private most(root: number, gain: Float64Array, lo: Float64Array, hi: Float64Array): number {
    const { left, right } = this.atom.forest;
    let most = Number.NEGATIVE_INFINITY;
    const stack = [root];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (left[node] < 0) most = Math.max(most, gain[node]);
      else {
        const way = this.decided(node, lo, hi);
        if (way >= 0) stack.push(left[node]);
        if (way <= 0) stack.push(right[node]);
      }
    }
    return most;
  }

  /** 1: the whole box goes left; -1: right; 0: both. */
  private decided(node: number, lo: Float64Array, hi: Float64Array): number {
    const { forest, map } = this.atom;
    const input = forest.feature[node];
    if (!map && Number.isNaN(this.domain.origin[input])) return goesLeft(forest, node, Number.NaN) ? 1 : -1;
    if (hi[input] <= this.end[node]) return 1;
    return lo[input] > this.end[node] ? -1 : 0;
  }

  /** Cuts a box at the split on the point's paths that most trees share. All splits decided: the box is settled. */
  private cut(open: NodeHeap<InputBox>, box: InputBox): void {
    const { lo, hi } = box;
    const node = this.chooseSplit(lo, hi, box.x);
    if (node < 0) {
      // All points of the box have the leaves of its own point. Behind a map, rounding may have put the point on another side.
      if (this.atom.map || !box.isOwn) this.settle(box);
      return;
    }
    const input = this.atom.forest.feature[node];
    this.add(open, box, { lo, hi: hi.with(input, Math.min(hi[input], this.end[node])) });
    this.add(open, box, { lo: lo.with(input, Math.max(lo[input], nextUp(this.end[node]))), hi });
  }

  /** Searches further inside a box that lies within one leaf of every tree. */
  private settle({ lo, hi, bound }: InputBox): void {
    for (const factor of DEEPER) {
      const { x } = this.cheapest(lo, hi, factor * this.limits.nudge);
      if (!x || !isAnswer(this.problem, this.domain, x)) continue;
      this.best.offer(x);
      this.closed = Math.min(this.closed, bound);
      return;
    }
    this.unsettled = Math.min(this.unsettled, bound);
  }

  private chooseSplit(lo: Float64Array, hi: Float64Array, x: Float64Array): number {
    const { forest, map } = this.atom;
    if (map) applyMap(map, x, this.inputs);
    const seen = map ? this.inputs : x;
    const counts = new Map<string, number>();
    let [best, most] = [-1, 0];
    for (const root of forest.root) {
      for (let node = root; forest.left[node] >= 0; ) {
        const way = this.decided(node, lo, hi);
        if (way === 0) {
          const key = `${forest.feature[node]} ${this.end[node]}`;
          const count = (counts.get(key) ?? 0) + 1;
          counts.set(key, count);
          if (count > most) [best, most] = [node, count];
        }
        const isLeft = way === 0 ? goesLeft(forest, node, seen[forest.feature[node]]) : way > 0;
        node = isLeft ? forest.left[node] : forest.right[node];
      }
    }
    return best;
  }
}

/** A single tree is the union of its leaves and is left to single-tree.ts, unless it has sets behind a step that mixes columns. */
const isLeftToBoxes = ({ forest, map }: TreesAtom): boolean =>
  forest.root.length === 1 && !(map && map.diagonal === null && hasSets(forest));

function accepts(problem: Problem, table: SolverTable): Acceptance {
  const atom = soleTrees(problem);
  if (!atom || hasCells(problem) || isLeftToBoxes(atom)) return 'no';
  return prepareWithin(problem, table) ? 'exact' : 'no';
}

export const forestSplit: Solver = {
  name: 'forest-split',
  accepts,
  prepare: (problem, table) => new PreparedSplits(problem, table),
};
