/**
 * One tree: the union of its accepted leaves, each a box.
 *
 *   min cost(x' - x)   s.t.   x' in some leaf with  gain_m(leaf) >= need_m  for every margin m,   x' in the policy
 *
 * Every leaf has a lower bound on its cost. Leaves are visited in the order of their bounds until the next bound reaches the incumbent's
 * cost. The model decides about each answer.
 *
 *   nothing ties features together, separable cost   the bound is attained: closed form, one visit for most rows
 *   links, clauses, mahalanobis                       the cheapest point of the leaf's box within the policy (within-domain.ts)
 *   a step that mixes columns before the tree         leaves are linear rows (leaf-rows.ts), all of them are visited
 *
 * Refused: sets of categories behind a step that mixes columns.
 */

import { gather } from '../../../models/features.js';
import type { TreesAtom } from '../../../models/region.js';
import { hasSets } from '../../../models/trees/category-sets.js';
import { evaluateCost } from '../../../policy/cost.js';
import { copyDomain, createDomain, type Domain } from '../../../policy/domain.js';
import { FLOPS_PER_UNIT } from '../../../problems/budget.js';
import type { Problem } from '../../../problems/problem.js';
import { prepareWithin } from '../../reductions/within-domain.js';
import {
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
import { Cells, soleTrees, treesOf } from '../cells/cells.js';
import { LeafBoxes } from './leaf-boxes.js';
import { LeafPrices } from './leaf-prices.js';
import { leafRows } from './leaf-rows.js';

function accepts(problem: Problem): 'no' | 'exact' {
  const atom = soleTrees(problem);
  if (atom?.forest.root.length !== 1) return 'no';
  return isMixed(atom) && hasSets(atom.forest) ? 'no' : 'exact';
}

const isMixed = ({ map }: TreesAtom): boolean => map !== null && map.diagonal === null;

/** How leaves are bounded and visited. */
interface Leaves {
  /** Lower bounds for a person, by leaf. The caller may overwrite the array. Null: the domain is empty. */
  bound(domain: Domain): Float64Array | null;
  /** The best point of a leaf. Where it is an answer, `cost` is its cost. */
  visit(leaf: number, domain: Domain, limits: Limits): Outcome;
  readonly cost: number;
}

/** Relative saving below which a better answer is not searched. */
const WORTH = 1e-9;
/** The same for engines that are no more exact. */
const ENGINE_WORTH = 1e-7;

class PreparedBoxes implements Prepared {
  private readonly best: Float64Array;

  constructor(
    problem: Problem,
    private readonly leaves: Leaves,
    private readonly worth: number,
  ) {
    this.best = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const bound = this.leaves.bound(domain);
    if (!bound) return INFEASIBLE;
    const visitWork = bound.length / FLOPS_PER_UNIT;
    const worth = Math.max(this.worth, limits.gap);
    let bestCost = Infinity;
    let unresolved = Infinity;
    let closed = Infinity;
    for (let visits = 0; ; visits++) {
      const leaf = leastOf(bound);
      const least = leaf < 0 ? Infinity : bound[leaf];
      if (!(least < Math.min(limits.cutoff, bestCost * (1 - worth)))) {
        unresolved = Math.min(unresolved, least);
        break;
      }
      if (limits.anyAnswer && bestCost < Infinity) return limit(this.best, 0);
      if (visits > 0 && limits.budget.isSpent) {
        unresolved = Math.min(unresolved, least);
        break;
      }
      bound[leaf] = Infinity;
      limits.budget.spend(visitWork);
      const outcome = this.leaves.visit(leaf, domain, limits);
      if (outcome.x && this.leaves.cost < bestCost) {
        bestCost = this.leaves.cost;
        this.best.set(outcome.x);
      }
      const proved = Math.max(least, outcome.lowerBound);
      if (outcome.status === 'solved') closed = Math.min(closed, proved);
      else if (outcome.status !== 'infeasible') unresolved = Math.min(unresolved, proved);
    }
    return this.conclude(bestCost, unresolved, closed, limits);
  }

  /** Concludes from the least bound of the leaves that were not visited or not resolved, and of the leaves that ended with an answer. */
  private conclude(bestCost: number, unresolved: number, closed: number, { gap, cutoff }: Limits): Outcome {
    if (bestCost < Infinity) {
      const isDone = unresolved >= bestCost * (1 - Math.max(this.worth, gap));
      const bound = Math.min(unresolved, closed, bestCost * (1 - this.worth));
      return isDone ? solved(this.best, bound) : limit(this.best, bound);
    }
    if (unresolved === Infinity) return INFEASIBLE;
    return unresolved < cutoff
      ? { ...numerical('a leaf was left open'), lowerBound: unresolved }
      : limit(null, unresolved);
  }
}

function leastOf(bound: Float64Array): number {
  let least = -1;
  let value = Infinity;
  for (let b = 0; b < bound.length; b++) {
    if (bound[b] < value) {
      value = bound[b];
      least = b;
    }
  }
  return least;
}

/** No features are coupled: the cheapest point of each leaf by itself. */
class SeparableLeaves implements Leaves {
  private readonly prices: LeafPrices;
  private readonly x: Float64Array;
  cost = Infinity;

  constructor(
    private readonly problem: Problem,
    boxes: LeafBoxes,
  ) {
    this.prices = new LeafPrices(problem, boxes);
    this.x = new Float64Array(problem.space.columns);
  }

  bound(domain: Domain): Float64Array | null {
    return this.prices.fill(domain) ? this.prices.bound : null;
  }

  visit(leaf: number): Outcome {
    this.cost = this.prices.place(leaf, this.x);
    return this.cost < Infinity && this.problem.holds(this.x) ? solved(this.x, this.cost) : INFEASIBLE;
  }
}

/** Features are coupled: the cheapest point within the policy in each leaf's box. */
class TiedLeaves implements Leaves {
  private readonly prices: LeafPrices;
  private readonly within: Prepared;
  private readonly box: Domain;
  private readonly price: Price;
  cost = Infinity;

  constructor(
    private readonly problem: Problem,
    boxes: LeafBoxes,
    table: SolverTable,
  ) {
    this.prices = new LeafPrices(problem, boxes);
    this.within = prepareWithin(problem, table)!;
    this.box = createDomain(problem.space);
    this.price = new Price(problem);
  }

  bound(domain: Domain): Float64Array | null {
    return this.prices.fill(domain) ? this.prices.bound : null;
  }

  visit(leaf: number, domain: Domain, limits: Limits): Outcome {
    copyDomain(domain, this.box);
    const whole = this.prices.narrow(leaf, this.box);
    const found = this.within.solve(this.box, limits);
    const outcome: Outcome = whole ? found : { ...found, status: 'limit', lowerBound: 0 };
    if (!outcome.x) return outcome;
    // All points of a leaf have one score: if the model refuses one point, it refuses the whole leaf.
    if (!this.problem.holds(outcome.x)) return whole ? INFEASIBLE : limit(null, 0);
    this.cost = this.price.of(domain.origin, outcome.x);
    return outcome;
  }
}

/** Columns are mixed before the tree: leaves are linear rows, each with its own engine. */
class MixedLeaves implements Leaves {
  private readonly rows: ReturnType<typeof leafRows>;
  private readonly engines: (Prepared | undefined)[] = [];
  private readonly bounds: Float64Array;
  private readonly price: Price;
  cost = Infinity;

  constructor(
    private readonly problem: Problem,
    atom: TreesAtom,
    private readonly table: SolverTable,
  ) {
    this.rows = leafRows(atom);
    this.bounds = new Float64Array(this.rows.length);
    this.price = new Price(problem);
  }

  bound(): Float64Array {
    return this.bounds.fill(0);
  }

  visit(leaf: number, domain: Domain, limits: Limits): Outcome {
    if (domain.origin.some(Number.isNaN)) return numerical('a missing value is mixed into every input');
    this.engines[leaf] ??= prepareWithin(this.problem, this.table, this.rows[leaf], this.problem.holds)!;
    const outcome = this.engines[leaf]!.solve(domain, limits);
    if (!outcome.x) return outcome;
    // Rounding in the mixing moved the point out of the leaf. The caller repeats the search with a larger depth.
    if (!this.problem.holds(outcome.x))
      return { ...numerical('rounding left the leaf'), lowerBound: outcome.lowerBound };
    this.cost = this.price.of(domain.origin, outcome.x);
    return outcome;
  }
}

/** The cost of a point. A missing value stays missing and costs nothing. */
class Price {
  private readonly from: Float64Array;
  private readonly to: Float64Array;

  constructor(private readonly problem: Problem) {
    this.from = new Float64Array(problem.space.features.length);
    this.to = new Float64Array(problem.space.features.length);
  }

  of(origin: Float64Array, x: Float64Array): number {
    const { space, cost } = this.problem;
    gather(space, origin, this.from);
    gather(space, x, this.to);
    for (let f = 0; f < this.from.length; f++) if (Number.isNaN(this.from[f])) this.from[f] = this.to[f] = 0;
    return evaluateCost(cost, space, this.from, this.to);
  }
}

function prepare(problem: Problem, table: SolverTable): Prepared {
  const { traits } = problem;
  const atom = treesOf(problem);
  if (isMixed(atom)) return new PreparedBoxes(problem, new MixedLeaves(problem, atom, table), ENGINE_WORTH);
  const boxes = new LeafBoxes(new Cells(problem, atom));
  const tied = traits.linked || traits.disjunctive || traits.norm === 'mahalanobis';
  return tied
    ? new PreparedBoxes(problem, new TiedLeaves(problem, boxes, table), ENGINE_WORTH)
    : new PreparedBoxes(problem, new SeparableLeaves(problem, boxes), WORTH);
}

export const singleTree: Solver = { name: 'single-tree', accepts, prepare };
