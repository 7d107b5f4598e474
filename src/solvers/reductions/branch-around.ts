/**
 * Integers, steps, categories, at most K changes and alternatives where the region is quadratic: the tree of
 * domain-tree.ts around the continuous methods.
 *
 *   relaxation of a node   lattices dropped; the Lagrangian dual's bound (quadratic-dual.ts), under L1 cost as a root: ‖y‖₁ >= ‖y‖₂
 *   a node with everything discrete fixed   the dual where it is exact, else the spatial search (spatial.ts)
 *
 * The dual is exact for most nodes. Where it is exact for all, the tree is exact; elsewhere the answer carries the remaining bound.
 */
import type { Problem } from '../../problems/problem.js';
import { squaredCost } from '../quadratic/ccp.js';
import { FeasiblePoint } from '../quadratic/feasible-point.js';
import { PreparedDual } from '../quadratic/quadratic-dual.js';
import { hasFewQuadratics } from '../quadratic/quadratic-view.js';
import { spatial } from '../quadratic/spatial.js';
import { type Limits, limit, type Outcome, type Prepared, type Solver, type SolverTable } from '../solver.js';
import { byAlternatives, DomainTree, relaxedProblem, type TreeMethod } from './domain-tree.js';

const NORMS = new Set(['l1', 'l2', 'mahalanobis']);

function accepts(problem: Problem): 'no' | 'exact' {
  const { norm, discrete, capped, disjunctive } = problem.traits;
  const fits = NORMS.has(norm) && (discrete || capped || disjunctive);
  return fits && hasFewQuadratics(problem) ? 'exact' : 'no';
}

function prepare(problem: Problem, table: SolverTable): Prepared {
  const linear = problem.cost.norm === 'l1';
  const dual = byAlternatives((alternatives) => {
    const relaxed = relaxedProblem(problem, alternatives);
    return new PreparedDual(linear ? squaredCost(relaxed) : relaxed);
  });
  const local = byAlternatives((alternatives) => spatial.prepare(relaxedProblem(problem, alternatives), table));
  const relax: TreeMethod['relax'] = (node, limits) => {
    // The dual's cost is the square of the linear cost.
    const cutoff = linear ? limits.cutoff ** 2 : limits.cutoff;
    const outcome = dual(node.alternatives).solve(node.domain, { ...limits, cutoff });
    if (!linear || outcome.status === 'infeasible') return outcome;
    return limit(outcome.x, Math.sqrt(Math.max(0, outcome.lowerBound)));
  };
  const leaf: TreeMethod['leaf'] = (node, limits) => {
    const outcome: Outcome | null = linear ? null : dual(node.alternatives).solve(node.domain, limits);
    return outcome?.status === 'solved' || outcome?.status === 'infeasible'
      ? outcome
      : local(node.alternatives).solve(node.domain, shortened(limits));
  };
  const finder = new FeasiblePoint(problem);
  const begin: TreeMethod['begin'] = (domain, limits) => limit(finder.find(domain, shortened(limits)), 0);
  return new DomainTree(problem, { engines: [dual, local, finder], relax, leaf, begin });
}

/** One leaf must not spend the budget of all the others. */
const shortened = (limits: Limits): Limits => ({ ...limits, budget: limits.budget.share(0.2) });

export const branchAround: Solver = {
  name: 'branch-around',
  takesParts: true,
  accepts,
  prepare,
};
