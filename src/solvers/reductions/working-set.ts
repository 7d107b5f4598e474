/**
 * A large number of quadratics, as for prototypes with matrices of their own: a working set of a few, around a solver from the table.
 *
 *   min cost(x' - x)   s.t.   q_i(x') <= 0  for i in W,   rows, domain, links, clauses          W grows by those that x' breaks most
 *
 * With fewer quadratics the problem is a relaxation: its bound holds for the whole problem, and an empty relaxation proves that there is no
 * answer. A point that the model confirms is the optimum. Few quadratics are ever broken, and each additional quadratic makes a search
 * harder. Where the working set is full before that, answers are searched near the last point (feasible-point.ts).
 */
import type { DistanceDifference } from '../../models/distance-difference.js';
import type { Piece } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import { FeasiblePoint } from '../quadratic/feasible-point.js';
import { MOST_QUADRATICS } from '../quadratic/quadratic-view.js';
import { BestAnswer } from '../shared/best-answer.js';
import {
  INFEASIBLE,
  isBeyond,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
  solved,
} from '../solver.js';
import { RelaxedProblems } from './relaxed-problems.js';

const MAX_ROUNDS = 40;
/** How many quadratics join in one round. */
const JOINING = 4;
/** Share of the remaining budget for one relaxation. */
const ROUND_SHARE = 0.5;

const asPiece = (form: DistanceDifference): Piece => ({ rows: [], atoms: [{ kind: 'quadratic', form }] });
const formsOf = (problem: Problem) => onlyAtoms(problem, 'quadratic').map(({ form }) => form);

const relax = (problem: Problem, table: SolverTable) =>
  new RelaxedProblems(problem, [], formsOf(problem).slice(0, JOINING).map(asPiece), table);

class PreparedWorkingSet implements Prepared {
  private readonly forms: readonly DistanceDifference[];
  private readonly relaxed: RelaxedProblems;
  private readonly best: BestAnswer;
  private finder: FeasiblePoint | undefined;

  constructor(
    private readonly problem: Problem,
    table: SolverTable,
  ) {
    this.forms = formsOf(problem);
    this.relaxed = relax(problem, table);
    this.best = new BestAnswer(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { problem, best } = this;
    best.begin(domain);
    const working = new Set(this.mostBroken(domain.origin, new Set(), limits));
    let bound = 0;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = this.relaxed.solve([...working].map(asPiece), domain, this.shortened(limits));
      if (outcome.status === 'infeasible') return INFEASIBLE;
      bound = Math.max(bound, outcome.lowerBound);
      if (isBeyond(bound, limits)) return limit(null, bound);
      if (!outcome.x) break;
      const x = outcome.x.slice();
      if (problem.holds(x)) {
        best.offer(x);
        if (outcome.status === 'solved') return solved(best.x, bound);
        break;
      }
      const joining = this.mostBroken(x, working, limits);
      if (!joining.length || working.size >= MOST_QUADRATICS || limits.budget.isSpent) {
        this.enter(domain, limits, x);
        break;
      }
      for (const form of joining) working.add(form);
    }
    return best.conclude(bound);
  }

  private shortened(limits: Limits): Limits {
    return { ...limits, anyAnswer: false, budget: limits.budget.shareEffort(ROUND_SHARE) };
  }

  /** The quadratics that x misses by the largest share of their terms. */
  private mostBroken(x: Float64Array, known: ReadonlySet<DistanceDifference>, limits: Limits): DistanceDifference[] {
    const { forms } = this;
    limits.budget.spend((2 * forms.length * x.length ** 2) / FLOPS_PER_UNIT);
    const misses = forms.map((form) => form.value(x) / form.magnitude(x));
    const broken = [...forms.keys()].filter((k) => misses[k] > 0 && !known.has(forms[k]));
    return broken
      .sort((a, b) => misses[b] - misses[a] || a - b)
      .slice(0, JOINING)
      .map((k) => forms[k]);
  }

  /** Searches an answer on the way to x, or near x. */
  private enter(domain: Domain, limits: Limits, x: Float64Array): void {
    this.finder ??= new FeasiblePoint(this.problem);
    const found = this.finder.findNear(domain, limits, x);
    if (found) this.best.offer(found);
  }
}

function accepts(problem: Problem, table: SolverTable): 'no' | 'exact' {
  const many = formsOf(problem).length > MOST_QUADRATICS;
  return many && relax(problem, table).solvers.length ? 'exact' : 'no';
}

export const workingSet: Solver = {
  name: 'working-set',
  takesParts: true,
  accepts,
  prepare: (problem, table) => new PreparedWorkingSet(problem, table),
};
