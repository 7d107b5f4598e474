/**
 * Plausible answers where the region is not made of trees: branch and bound over parts of the person's domain, around
 * an exact method for the problem without the condition. Exact and anytime.
 *
 *   min cost(x' - x)   s.t.   x' in the region, the domain, the policy,   Σ_t value(leaf_t(x')) >= need
 *
 * A node is a narrowed domain. Its relaxation is the problem without the condition. The optimum of the relaxation bounds the node, and a
 * plausible optimum is the node's answer. Otherwise the node is pruned when even the most normal leaves within reach of a cheaper
 * answer do not add up to the need. Otherwise the node is split at a threshold of the forest, first into the part
 * without x: a dive to more normal values. A domain within one leaf of every tree is no longer split.
 */
import type { Domain } from '../../policy/domain.js';
import { normality } from '../../policy/plausibility/compile-plausibility.js';
import { lastWithin } from '../../policy/values.js';
import { type Problem, searchingDecimals } from '../../problems/problem.js';
import { isAnswer } from '../shared/answer-check.js';
import { BestAnswer } from '../shared/best-answer.js';
import { NodeHeap } from '../shared/node-heap.js';
import { prepareLater } from '../shared/prepare-later.js';
import {
  exactForParts,
  INFEASIBLE,
  isRoundingUndone,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
  solved,
} from '../solver.js';
import { clip } from './domain-tree.js';
import { PlausibleBox } from './plausible-box.js';
import { conditionOf, type PlausibleCondition } from './plausible-condition.js';
import { chooseSplit, splitWithin } from './plausible-split.js';
import { latticeSplit, narrow, type ThresholdSide } from './split-domain.js';

const WORTH = 1e-7;
/** The largest rounding error of a sum of path lengths. */
const SLACK = 1e-9;
/** The largest relative distance by which rounding may put an inner answer outside its domain. */
const OUTSIDE = 1e-9;
/** Factors of the depth inside the region for further attempts when the model refuses an inner answer. */
const DEEPER = [1, 1e2, 1e4, 1e6];

/** One node must not spend the budget of all the others. */
const SHARE = 0.2;

interface PlausibleNode {
  readonly domain: Domain;
  readonly bound: number;
}

/** The result of a node's relaxation, without the condition. */
interface Relaxed {
  readonly x: Float64Array | null;
  readonly bound: number;
  /** x is the optimum of the relaxation. */
  readonly exact: boolean;
}

class PreparedPlausible implements Prepared {
  private readonly condition: PlausibleCondition;
  private readonly inner: readonly Prepared[];
  /** The engines that search decimals. Empty: the problem has no decimals. */
  private readonly onDecimals: readonly (() => Prepared)[];
  private engines: readonly Prepared[] = [];
  private readonly box: PlausibleBox;
  private readonly best: BestAnswer;
  /** The least bound of the nodes that ended with an answer, and of the nodes that ended without a proof. */
  private closed = Infinity;
  private unresolved = Infinity;

  constructor(
    private readonly problem: Problem,
    table: SolverTable,
  ) {
    const condition = conditionOf(problem);
    if (!condition) throw new TypeError('the problem has no such condition');
    this.condition = condition;
    this.inner = exactForParts(condition.rest, table).map((solver) => solver.prepare(condition.rest, table));
    const lattice = searchingDecimals(condition.rest);
    const takers = problem.traits.rounded ? exactForParts(lattice, table) : [];
    this.onDecimals = takers.map((solver) => prepareLater(solver, lattice, table));
    this.box = new PlausibleBox(this.condition);
    this.best = new BestAnswer(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.closed = this.unresolved = Infinity;
    const searched = isRoundingUndone(limits) ? this.onDecimals : [];
    this.engines = searched.length ? searched.map((engine) => engine()) : this.inner;
    this.best.begin(domain);
    const open = new NodeHeap<PlausibleNode>();
    let next: PlausibleNode | undefined = { domain, bound: 0 };
    while (next || open.size) {
      const node: PlausibleNode = next ?? open.pop()!;
      next = undefined;
      if (!this.worthwhile(node.bound)) continue;
      if (limits.anyAnswer && this.best.isFound) return limit(this.best.x, 0);
      if (limits.budget.isSpent) return this.cut(Math.min(node.bound, open.least()));
      const [first, ...others] = this.visit(node, limits);
      next = first;
      for (const child of others) open.push(child, child.bound);
    }
    return this.conclude();
  }

  private worthwhile(bound: number): boolean {
    return bound < this.best.cost * (1 - WORTH);
  }

  private cut(bound: number): Outcome {
    const lowest = Math.min(bound, this.unresolved, this.closed, this.best.cost);
    return limit(this.best.isFound ? this.best.x : null, lowest);
  }

  private conclude(): Outcome {
    if (this.worthwhile(this.unresolved)) return this.cut(Infinity);
    return this.best.isFound ? solved(this.best.x, Math.min(this.closed, this.best.cost * (1 - WORTH))) : INFEASIBLE;
  }

  /** Takes the node's answer if it has one. Returns the parts that may contain better answers. */
  private visit(node: PlausibleNode, limits: Limits): PlausibleNode[] {
    const relaxed = this.relax(node.domain, limits);
    if (!relaxed) return [];
    const bound = Math.max(node.bound, relaxed.bound);
    if (!this.worthwhile(bound)) return [];
    const x = relaxed.x ?? clip(node.domain);
    const rounding = roundingBox(node.domain, x);
    if (relaxed.x && this.isPlausible(x, rounding)) {
      this.best.offer(x);
      if (relaxed.exact) {
        this.closed = Math.min(this.closed, bound);
        return [];
      }
    } else if (this.box.most(node.domain, this.best.cost) < this.condition.need - SLACK) return [];
    const split = this.chooseSplit(node.domain, x, rounding);
    return split ? this.parts(node.domain, bound, split) : this.splitFurther(node.domain, bound, x);
  }

  /**
   * Splits a box within one leaf of every tree along its lattice. All points of the box are as plausible as x, so only the relaxation is
   * open.
   */
  private splitFurther(domain: Domain, bound: number, x: Float64Array): PlausibleNode[] {
    if (normality(this.condition.forest, x) < this.condition.need) return [];
    const split = latticeSplit(domain);
    if (split) return this.parts(domain, bound, split);
    if (!domain.lower.every((low, c) => low === domain.upper[c])) this.unresolved = Math.min(this.unresolved, bound);
    else if (isAnswer(this.problem, domain, x)) this.best.offer(x);
    return [];
  }

  /** Whether x is plausible for every rounding of its decimals. */
  private isPlausible(x: Float64Array, [lower, upper]: RoundingBox): boolean {
    const { forest, need } = this.condition;
    return normality(forest, x) >= need && this.box.least(lower, upper) >= need - SLACK && this.problem.holds(x);
  }

  private chooseSplit(domain: Domain, x: Float64Array, [lower, upper]: RoundingBox): ThresholdSide | undefined {
    const { forest, need } = this.condition;
    const within = normality(forest, x) >= need ? splitWithin(forest, lower, upper, x) : undefined;
    return within ?? chooseSplit(this.condition, domain, x);
  }

  /** The part without x comes first. */
  private parts(domain: Domain, bound: number, { column, threshold, below }: ThresholdSide): PlausibleNode[] {
    const sides = [narrow(domain, column, threshold, below), narrow(domain, column, threshold, !below)];
    return sides.flatMap((part) => (part ? [{ domain: part, bound }] : []));
  }

  /** The first exact outcome, or the best bound and point of all methods. Null: the part is proved empty. */
  private relax(domain: Domain, limits: Limits): Relaxed | null {
    let best: Relaxed = { x: null, bound: 0, exact: false };
    for (const inner of this.engines) {
      const relaxed = this.relaxBy(inner, domain, limits);
      if (!relaxed || relaxed.exact) return relaxed && { ...relaxed, bound: Math.max(best.bound, relaxed.bound) };
      best = { x: relaxed.x ?? best.x, bound: Math.max(best.bound, relaxed.bound), exact: false };
    }
    return best;
  }

  /** Repeats deeper inside the region while the model refuses the answer. The proved bound is that of the first attempt. */
  private relaxBy(inner: Prepared, domain: Domain, limits: Limits): Relaxed | null {
    let bound = 0;
    for (const factor of DEEPER) {
      const nudge = limits.nudge * factor;
      const outcome = inner.solve(domain, { ...limits, nudge, anyAnswer: false, budget: limits.budget.share(SHARE) });
      if (factor === 1) {
        if (outcome.status === 'infeasible') return null;
        bound = Math.max(0, outcome.lowerBound);
      }
      if (outcome.status === 'numerical') continue;
      const x = outcome.x && inside(domain, outcome.x);
      if (x && this.condition.rest.holds(x)) return { x, bound, exact: outcome.status === 'solved' };
      if (!outcome.x) break;
    }
    return { x: null, bound, exact: false };
  }
}

/** The point clipped to its domain. Null: the point was outside by more than rounding. */
function inside({ lower, upper }: Domain, x: Float64Array): Float64Array | null {
  const clipped = x.map((value, c) => Math.min(upper[c], Math.max(lower[c], value)));
  const near = (value: number, c: number) => Math.abs(value - x[c]) <= OUTSIDE * Math.max(1, Math.abs(value));
  return clipped.every(near) ? clipped : null;
}

type RoundingBox = readonly [lower: Float64Array, upper: Float64Array];

/** The values to which x may be rounded in the report: decimals on either side, within the domain. */
function roundingBox(domain: Domain, x: Float64Array): RoundingBox {
  const [low, high] = [x.slice(), x.slice()];
  for (const feature of domain.space.features) {
    const { kind, column, index } = feature;
    if (kind === 'choice' || domain.step[index] > 0) continue;
    low[column] = Math.min(x[column], lastWithin(domain, feature, x[column], 1));
    high[column] = Math.max(x[column], lastWithin(domain, feature, x[column], -1));
  }
  return [low, high];
}

export const branchPlausible: Solver = {
  name: 'branch-plausible',
  accepts: (problem, table) => {
    const condition = conditionOf(problem);
    return condition && exactForParts(condition.rest, table).length ? 'exact' : 'no';
  },
  prepare: (problem, table) => new PreparedPlausible(problem, table),
};
