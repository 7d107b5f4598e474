/**
 * L0 cost on curved regions: sets of features in the order of their cost, around a solver that decides whether a set suffices.
 *
 *   min Σ_{f in S} w_f   s.t.   some x' of the region and the policy differs from x in the features of S only
 *
 * For each set the other features are pinned, and the same problem under a squared cost is searched for any answer. A set without an answer
 * is excluded with a proof, so the first set with an answer is the optimum. A set that stays open keeps its cost as the bound. The first
 * answer of feasible-point.ts ends the list early. The number of sets grows with the number of features that have to change.
 */
import { entry } from '../../linalg/symmetric-matrix.js';
import type { DistanceDifference } from '../../models/distance-difference.js';
import type { Atom } from '../../models/region.js';
import { cloneDomain, type Domain, isFixed, mayStand, pin } from '../../policy/domain.js';
import { atomsOf, type Problem } from '../../problems/problem.js';
import { CostOrder, type Option } from '../enumeration/cost-order.js';
import { FeasiblePoint } from '../quadratic/feasible-point.js';
import { isAnswer } from '../shared/answer-check.js';
import { BestAnswer } from '../shared/best-answer.js';
import { prepareLater } from '../shared/prepare-later.js';
import {
  exactForParts,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
} from '../solver.js';

const CURVED = new Set<Atom['kind']>(['quadratic', 'exp-quadratics']);
/** Shares of the remaining budget for the first answer and for one set. */
const FIRST_SHARE = 0.2;
const SET_SHARE = 0.15;
/** The largest relative rounding error of a sum of weights. */
const ROUNDING = 1e-12;

/** The quadratics of the region, alone or as exponents. */
export const formsOf = (problem: Problem): DistanceDifference[] => [
  ...atomsOf(problem, 'quadratic').map(({ form }) => form),
  ...atomsOf(problem, 'exp-quadratics').flatMap(({ forms }) => forms),
];

/** Whether all atoms are quadratics, alone or as exponents. */
export function isCurved({ piece }: Problem): boolean {
  return piece.atoms.length > 0 && piece.atoms.every(({ kind }) => CURVED.has(kind));
}

/** The same region under a squared cost in the units of the target's own distance, without a limit of changes. */
function asSquared(problem: Problem): Problem {
  const [{ near, map }] = formsOf(problem);
  const curvature = (column: number) => {
    const scale = map?.diagonal ? map.diagonal[column] ** 2 : 1;
    return column < near.matrix.size ? entry(near.matrix, column, column) * scale : 0;
  };
  const weight = Float64Array.from(problem.space.features, ({ column }) => curvature(column) || 1);
  const cost = { norm: 'l2' as const, weight, curves: problem.space.features.map(() => null), metric: null };
  return { ...problem, cost, maxChanges: Infinity, traits: { ...problem.traits, norm: 'l2', capped: false } };
}

class PreparedFeatureSets implements Prepared {
  private readonly solvers: readonly (() => Prepared)[];
  private readonly finder: FeasiblePoint;
  private readonly best: BestAnswer;

  constructor(
    private readonly problem: Problem,
    table: SolverTable,
  ) {
    const squared = asSquared(problem);
    this.solvers = exactForParts(squared, table).map((solver) => prepareLater(solver, squared, table));
    this.finder = new FeasiblePoint(problem);
    this.best = new BestAnswer(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { best } = this;
    best.begin(domain);
    const first = this.finder.find(domain, { ...limits, budget: limits.budget.shareEffort(FIRST_SHARE) });
    if (first) best.offer(first);
    if (first && limits.anyAnswer) return limit(best.x, 0);
    const menus = this.menus(domain);
    const order = new CostOrder(menus);
    const options = new Int32Array(menus.length);
    let open = Infinity;
    while (order.least < Math.min(best.cost, limits.cutoff) * (1 - Math.max(ROUNDING, limits.gap))) {
      const price = order.least;
      if (limits.budget.isSpent) return best.conclude(Math.min(open, price) * (1 - ROUNDING));
      order.next(options);
      const changed = options.map((option, f) => menus[f][option].value);
      if (changed.reduce((sum, value) => sum + value, 0) > this.problem.maxChanges) continue;
      if (!this.suffices(changed, domain, limits)) open = Math.min(open, price);
      if (best.isFound && limits.anyAnswer) return limit(best.x, 0);
    }
    return best.conclude(Math.min(open, order.least) * (1 - ROUNDING));
  }

  /** By feature: unchanged (0) or free to change (1). */
  private menus(domain: Domain): Option[][] {
    const { space, cost } = this.problem;
    return space.features.map((feature) => {
      const [still, moved] = [
        { value: 0, price: 0 },
        { value: 1, price: cost.weight[feature.index] },
      ];
      if (!mayStand(domain, feature)) return [moved];
      return isFixed(domain, feature) ? [still] : [still, moved];
    });
  }

  /** Offers an answer of the set. True: an answer exists, or its absence is proved. */
  private suffices(changed: Int32Array, domain: Domain, limits: Limits): boolean {
    const part = cloneDomain(domain);
    for (const feature of this.problem.space.features) if (!changed[feature.index]) pin(part, feature);
    const budget = limits.budget.shareEffort(SET_SHARE);
    for (const solver of this.solvers) {
      const { status, x } = solver().solve(part, { ...limits, budget, cutoff: Infinity, gap: 0, anyAnswer: true });
      if (status === 'infeasible') return true;
      if (!x || !isAnswer(this.problem, domain, x)) continue;
      this.best.offer(x);
      return true;
    }
    const found = this.finder.find(part, { ...limits, budget });
    if (found) this.best.offer(found);
    return found !== null;
  }
}

function accepts(problem: Problem, table: SolverTable): 'no' | 'exact' {
  const fits = problem.traits.norm === 'l0' && isCurved(problem);
  return fits && exactForParts(asSquared(problem), table).length ? 'exact' : 'no';
}

export const featureSets: Solver = {
  name: 'feature-sets',
  takesParts: true,
  accepts,
  prepare: (problem, table) => new PreparedFeatureSets(problem, table),
};
