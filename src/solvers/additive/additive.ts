/**
 * Regions that are sums over features, under a cost that is also a sum over features: naive Bayes, prototypes with a weight for each
 * column, and linear models behind increasing functions of columns.
 *
 *   min Σ_f cost_f(x_f)   s.t.   Σ_f h_if(x_f) + c_i <= 0,  rows,  alternatives,  at most K changes        l0, l1, l2, percentile
 *
 * Lagrangian branch and bound (additive-search.ts): for given multipliers every feature is solved by itself and exactly, including steps
 * and categories, so a part's bound takes microseconds. feasible-point.ts gives the first answer to quadratics, row-filling.ts that to sums
 * of functions. The method is made for few constraints.
 * The number of parts grows with the number of features that have competing minima at once.
 */
import type { Domain } from '../../policy/domain.js';
import { atomsOf, onlyAtoms, type Problem } from '../../problems/problem.js';
import { FeasiblePoint } from '../quadratic/feasible-point.js';
import { BestAnswer } from '../shared/best-answer.js';
import { type Limits, limit, numerical, type Outcome, type Prepared, type Solver } from '../solver.js';
import { AdditiveSearch, type AnswerSource } from './additive-search.js';
import { type AdditiveTerms, isDiagonal, TermsBuilder } from './additive-terms.js';
import { RowFilling } from './row-filling.js';

const NORMS = new Set(['l0', 'l1', 'l2', 'percentile']);
/** With more constraints the search for multipliers takes too long. */
const MOST_CONSTRAINTS = 24;
/** The share of the budget that the first answer may take. */
const FIRST_SHARE = 0.2;
const CLOSED = 5e-7;

function accepts(problem: Problem): 'no' | 'exact' {
  const forms = onlyAtoms(problem, 'quadratic').map(({ form }) => form);
  const sums = onlyAtoms(problem, 'additive');
  const atoms = forms.length + sums.length;
  const constraints = atoms + problem.traits.rows + problem.clauses.reduce((sum, { rows }) => sum + rows.length, 0);
  const fits = atoms > 0 && forms.every(isDiagonal) && constraints <= MOST_CONSTRAINTS;
  return fits && NORMS.has(problem.cost.norm) ? 'exact' : 'no';
}

class PreparedAdditive implements Prepared {
  private readonly builder: TermsBuilder;
  private readonly best: BestAnswer;
  /** Finds first answers of quadratics. Null: the constraints are sums of functions, which row-filling.ts fills. */
  private readonly finder: FeasiblePoint | null;

  constructor(private readonly problem: Problem) {
    this.builder = new TermsBuilder(problem);
    this.best = new BestAnswer(problem);
    this.finder = atomsOf(problem, 'quadratic').length ? new FeasiblePoint(problem) : null;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { best, problem, finder } = this;
    best.begin(domain);
    const terms = this.builder.build(domain);
    if (!terms.slack.every(Number.isFinite)) return numerical('the sum overflows');
    const incumbents = finder ? this.pointsNear(finder, domain, limits) : this.fillings(terms, domain);
    if (best.isFound && limits.anyAnswer) return limit(best.x, 0);
    const search = new AdditiveSearch(problem, domain, terms, best, limits, incumbents);
    return best.conclude(Math.min(search.run(), best.cost, limits.cutoff) * (1 - CLOSED));
  }

  private pointsNear(finder: FeasiblePoint, domain: Domain, limits: Limits): AnswerSource {
    const { best } = this;
    const first = finder.find(domain, { ...limits, budget: limits.budget.share(FIRST_SHARE) });
    if (first) best.offer(first);
    const improve = (x: Float64Array) => {
      const found = finder.findNear(domain, limits, x);
      if (found) best.offer(found);
    };
    return { improve, isQuick: false, ends: null };
  }

  private fillings(terms: AdditiveTerms, domain: Domain): AnswerSource {
    const filling = new RowFilling(this.problem, domain, terms, this.best);
    const ends = filling.first();
    return { improve: (_, at) => filling.improve(at), isQuick: true, ends };
  }
}

export const additive: Solver = {
  name: 'additive',
  takesParts: true,
  accepts,
  prepare: (problem) => new PreparedAdditive(problem),
};
