/**
 * Integers, steps, categories, at most K changes and alternatives under L2 or Mahalanobis cost, over linear rows: the tree
 * of domain-tree.ts with projections as relaxation. Exact and anytime.
 *
 *   relaxation of a node   lattices dropped, each category's columns a simplex Σ z = 1 with cost ½w‖z - e‖² (w at every
 *                          corner but the present one): a projection (active-set.ts)
 *
 * Costs that are sums over features are first searched feature by feature (separable-search.ts), which ends most searches.
 *
 * Two things make the tree fast where few features may change. The bound: the projection's multipliers, scaled by the best s, give the
 * Lagrangian bound of capped-bound.ts, which knows lattices, categories and the cap. The start: the same problem under L1 cost, solved by
 * branch.ts, decides whether any answer exists and gives a first set of features.
 */
import type { Problem } from '../../problems/problem.js';
import { PreparedBranch } from '../linear/branch.js';
import { byAlternatives, DomainTree, relaxedProblem, type TreeMethod } from '../reductions/domain-tree.js';
import { limit, type Prepared, type Solver } from '../solver.js';
import { PreparedActiveSet } from './active-set.js';
import { LagrangianBound } from './capped-bound.js';
import { fitsSeparable, SeparableSearch } from './separable-search.js';

/** The budget of the search by features. Where that search fits the problem, this is plenty. */
const SEPARABLE_SHARE = 0.4;
const SEPARABLE_EFFORT = 6000;

function prepare(problem: Problem): Prepared {
  const projection = byAlternatives((alternatives) => new PreparedActiveSet(relaxedProblem(problem, alternatives)));
  const none = problem.clauses.map(() => -1);
  const linearised = new PreparedBranch(linearise(problem));
  const lagrangian = problem.cost.norm === 'l2' ? new LagrangianBound(problem) : null;
  const separable = fitsSeparable(problem) ? new SeparableSearch(problem, projection(none)) : null;
  const begin: TreeMethod['begin'] = (domain, limits) => {
    // The cutoff is a squared cost and does not apply to the linear cost.
    const first = linearised.solve(domain, { ...limits, anyAnswer: true, cutoff: Infinity, gap: 0 });
    if (first.status === 'infeasible') return first;
    if (!separable || !first.x || limits.anyAnswer) return limit(first.x, 0);
    const budget = limits.budget.shareEffort(SEPARABLE_SHARE, SEPARABLE_EFFORT);
    return separable.solve(domain, { ...limits, budget }, first.x);
  };
  const method: TreeMethod = {
    engines: [projection, linearised, lagrangian, separable].filter((engine) => engine !== null),
    begin,
    leaf: (node, limits) => projection(node.alternatives).solve(node.domain, limits),
    relax: (node, limits) => {
      const relaxation = projection(node.alternatives);
      const outcome = relaxation.solve(node.domain, limits);
      if (outcome.status !== 'solved' || !lagrangian) return outcome;
      const bound = lagrangian.bound(relaxation, node.domain, node.changed, outcome.lowerBound);
      return { ...outcome, lowerBound: Math.max(outcome.lowerBound, bound) };
    },
  };
  return new DomainTree(problem, method);
}

/** The same problem under an L1 cost of the same scale. */
function linearise(problem: Problem): Problem {
  const { cost, traits } = problem;
  const weight = cost.weight.map(Math.sqrt);
  cost.metric?.features.forEach((feature, i) => {
    weight[feature.index] = Math.sqrt(cost.metric!.inverse[i][i]);
  });
  return { ...problem, cost: { ...cost, norm: 'l1', weight, metric: null }, traits: { ...traits, norm: 'l1' } };
}

export const branchQuadratic: Solver = {
  name: 'branch-quadratic',
  takesParts: true,
  accepts: ({ traits }) => (traits.linear && (traits.norm === 'l2' || traits.norm === 'mahalanobis') ? 'exact' : 'no'),
  prepare,
};
