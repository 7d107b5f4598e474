/**
 * Regions that are sums over features, under a cost that is also a sum over features: naive Bayes, and prototypes with a weight for each
 * column.
 *
 *   min Σ_f cost_f(x_f)   s.t.   Σ_f h_if(x_f) + c_i <= 0,  rows,  alternatives,  at most K changes        l0, l1, l2, percentile
 *
 * Lagrangian branch and bound (additive-search.ts): for given multipliers every feature is solved by itself and exactly, including steps
 * and categories, so a part's bound takes microseconds. feasible-point.ts gives the first answer. The method is made for few constraints.
 * The number of parts grows with the number of features that have competing minima at once.
 */
import type { Domain } from '../../policy/domain.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import { FeasiblePoint } from '../quadratic/feasible-point.js';
import { BestAnswer } from '../shared/best-answer.js';
import { type Limits, limit, type Outcome, type Prepared, type Solver } from '../solver.js';
import { AdditiveSearch } from './additive-search.js';
import { isDiagonal, TermsBuilder } from './additive-terms.js';

const NORMS = new Set(['l0', 'l1', 'l2', 'percentile']);
/** With more constraints the search for multipliers takes too long. */
const MOST_CONSTRAINTS = 24;
/** The share of the budget that the first answer may take. */
const FIRST_SHARE = 0.2;
const CLOSED = 5e-7;

function accepts(problem: Problem): 'no' | 'exact' {
  const forms = onlyAtoms(problem, 'quadratic').map(({ form }) => form);
  const constraints =
    forms.length + problem.traits.rows + problem.clauses.reduce((sum, { rows }) => sum + rows.length, 0);
  const fits = forms.length > 0 && forms.every(isDiagonal) && constraints <= MOST_CONSTRAINTS;
  return fits && NORMS.has(problem.cost.norm) ? 'exact' : 'no';
}

class PreparedAdditive implements Prepared {
  private readonly builder: TermsBuilder;
  private readonly finder: FeasiblePoint;
  private readonly best: BestAnswer;

  constructor(private readonly problem: Problem) {
    this.builder = new TermsBuilder(problem);
    this.finder = new FeasiblePoint(problem);
    this.best = new BestAnswer(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { best, problem } = this;
    best.begin(domain);
    const first = this.finder.find(domain, { ...limits, budget: limits.budget.share(FIRST_SHARE) });
    if (first) best.offer(first);
    if (first && limits.anyAnswer) return limit(best.x, 0);
    const improve = (x: Float64Array) => {
      const found = this.finder.findNear(domain, limits, x);
      if (found) best.offer(found);
    };
    const search = new AdditiveSearch(problem, domain, this.builder.build(domain), best, limits, improve);
    return best.conclude(Math.min(search.run(), best.cost, limits.cutoff) * (1 - CLOSED));
  }
}

export const additive: Solver = {
  name: 'additive',
  takesParts: true,
  accepts,
  prepare: (problem) => new PreparedAdditive(problem),
};
