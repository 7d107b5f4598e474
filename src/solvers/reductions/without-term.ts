/**
 * A term of the cost, around methods for the problem without the term:
 *
 *   min cost(x' - x) + term(x')  >=  min cost(x' - x) + min term(x'),     the last one over the box of the person's domain
 *
 * The bound of the problem without the term holds, with the least term on top. An empty problem without the term proves that there is no
 * answer. The optimum without the term is an answer, and a descent of the total continues from it (general/totals/total-descent.ts). Bound
 * and answer meet only where the term is at its least at the answer.
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { costScales } from '../general/cost-scales.js';
import { PersonSearch } from '../general/person-search.js';
import { descendTotal } from '../general/totals/total-descent.js';
import { prepareLater } from '../shared/prepare-later.js';
import {
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type ScoreBatch,
  type Solver,
  type SolverTable,
  withoutWaiting,
} from '../solver.js';

/** Share of the budget. The solvers below on the ladder need the rest. */
const SHARE = 0.4;

const restOf = (problem: Problem): Problem => ({ ...problem, term: null });

/** The solvers that prove answers of the rest, but not of the problem itself. */
const innerSolvers = (problem: Problem, table: SolverTable): Solver[] => {
  const rest = restOf(problem);
  return table.filter((solver) => {
    const acceptance = solver.engine ? 'no' : solver.accepts(rest, table);
    const provesRest = acceptance === 'exact' || (acceptance === 'heuristic' && solver.isRelaxation);
    return provesRest && solver.accepts(problem, table) !== 'exact';
  });
};

class PreparedWithout implements Prepared {
  private readonly inner: readonly (() => Prepared)[];
  private readonly scale: Float64Array;

  constructor(
    private readonly problem: Problem,
    table: SolverTable,
  ) {
    const rest = restOf(problem);
    this.inner = innerSolvers(problem, table).map((solver) => prepareLater(solver, rest, table));
    this.scale = costScales(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const shortened = { ...limits, budget: limits.budget.share(SHARE) };
    let bound = Number.NEGATIVE_INFINITY;
    let x: Float64Array | null = null;
    for (const engine of this.inner) {
      const outcome = engine().solve(domain, shortened);
      if (outcome.status === 'infeasible') return outcome;
      bound = Math.max(bound, outcome.lowerBound);
      x = outcome.x?.slice() ?? x;
      if (outcome.status === 'solved' || shortened.budget.isSpent) break;
    }
    const least = this.problem.term!.leastWithin(domain.lower, domain.upper);
    return limit(
      x && withoutWaiting(this.descend(x, domain, limits)).x,
      least > 0 ? Math.max(0, bound) + least : bound,
    );
  }

  /** Descends from the optimum without the term. If its rounding is no answer yet, the optimum itself is returned. */
  private *descend(x: Float64Array, domain: Domain, limits: Limits): Generator<ScoreBatch, Outcome, void> {
    const search = new PersonSearch(this.problem, domain, limits, this.scale);
    const placed = search.place(x);
    const start = placed && (yield* search.askOne(placed));
    if (start?.isAnswer) yield* descendTotal(search, start);
    return search.best.isFound ? search.outcome : limit(x, Number.NEGATIVE_INFINITY);
  }
}

export const withoutTerm: Solver = {
  name: 'without-term',
  takesTerm: true,
  accepts: (problem, table) => (problem.term && innerSolvers(problem, table).length ? 'heuristic' : 'no'),
  prepare: (problem, table) => new PreparedWithout(problem, table),
};
