/**
 * Conditions that can only be evaluated, around an exact method for the problem without them:
 *
 *   min cost(x' - x)   s.t.   x' in the region, the domain, the policy          a relaxation of the problem with the condition
 *
 * The bound of the relaxation holds for the problem. An empty relaxation proves that there is no answer. The optimum of the relaxation is
 * the answer where the optimum meets the condition. Elsewhere only the bound remains, and the solvers below on the ladder search for
 * answers.
 */
import type { Domain } from '../../policy/domain.js';
import { atomsOf, type Problem, withPiece } from '../../problems/problem.js';
import { isAnswer } from '../shared/answer-check.js';
import { prepareLater } from '../shared/prepare-later.js';
import { type Limits, limit, type Outcome, type Prepared, type Solver, type SolverTable } from '../solver.js';

/** Share of the budget. The solvers below on the ladder need the rest. */
const SHARE = 0.4;

/** The problem without its conditions. */
function restOf(problem: Problem): Problem {
  const { rows, atoms } = problem.piece;
  const rest = atoms.filter(({ kind }) => kind !== 'condition');
  return withPiece({ ...problem, holds: problem.reaches }, { rows, atoms: rest });
}

/** The solvers that prove answers of the rest, but not of the problem itself. */
const innerSolvers = (problem: Problem, rest: Problem, table: SolverTable): Solver[] =>
  table.filter(
    (solver) => solver.accepts(rest, table) === 'exact' && !solver.engine && solver.accepts(problem, table) !== 'exact',
  );

class PreparedWithout implements Prepared {
  private readonly inner: readonly (() => Prepared)[];

  constructor(
    private readonly problem: Problem,
    table: SolverTable,
  ) {
    const rest = restOf(problem);
    this.inner = innerSolvers(problem, rest, table).map((solver) => prepareLater(solver, rest, table));
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const shortened = { ...limits, budget: limits.budget.share(SHARE) };
    let bound = Number.NEGATIVE_INFINITY;
    for (const engine of this.inner) {
      const outcome = engine().solve(domain, shortened);
      if (outcome.status === 'infeasible') return outcome;
      bound = Math.max(bound, outcome.lowerBound);
      if (outcome.x && isAnswer(this.problem, domain, outcome.x)) return { ...outcome, lowerBound: bound };
      if (outcome.status === 'solved' || shortened.budget.isSpent) break;
    }
    return limit(null, bound);
  }
}

export const withoutCondition: Solver = {
  name: 'without-condition',
  isRelaxation: true,
  accepts: (problem, table) =>
    atomsOf(problem, 'condition').length && innerSolvers(problem, restOf(problem), table).length ? 'heuristic' : 'no',
  prepare: (problem, table) => new PreparedWithout(problem, table),
};
