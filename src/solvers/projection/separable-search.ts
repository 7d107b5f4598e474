/**
 * Squared costs over linear rows as a sum over features, with lattices, categories, alternatives and the cap on changes:
 *
 *   min Σ_f w_f Δ_f²   s.t.   Σ_f a_if(x_f) within [lower_i, upper_i]
 *
 * by the Lagrangian branch and bound of additive-search.ts. A part's bound takes microseconds and includes the permitted values of
 * every feature, which a projection ignores. The search decides only which values an answer has: continuous features are
 * projected again with everything else fixed (active-set.ts).
 *
 * Made for few rows whose terms are about as large as the model's own terms: rounding of the model is counted at the person's row
 * only, and beyond that a share CLOSED of the bound is given up for it.
 */
import { copyDomain, createDomain, type Domain, pin } from '../../policy/domain.js';
import { hasMoved, isContinuous, nearestValue } from '../../policy/values.js';
import { linearRows, type Problem } from '../../problems/problem.js';
import { AdditiveSearch } from '../additive/additive-search.js';
import { TermsBuilder } from '../additive/additive-terms.js';
import { isAnswer, snapColumns } from '../shared/answer-check.js';
import { BestAnswer } from '../shared/best-answer.js';
import { growthOf, readsDistances } from '../shared/linear-rows.js';
import { type Limits, limit, type Outcome, type Prepared, solved } from '../solver.js';

/** Limits of the method: with more rows the search for multipliers takes too long. */
const MOST_ROWS = 24;
const MOST_GROWTH = 1e3;
const CLOSED = 2.5e-7;

export function fitsSeparable(problem: Problem): boolean {
  const rows = [...linearRows(problem), ...problem.clauses.flatMap((clause) => clause.rows)];
  const isPlain = rows.every((row) => growthOf(row) <= MOST_GROWTH && !readsDistances(row));
  return problem.cost.norm === 'l2' && rows.length <= MOST_ROWS && isPlain;
}

export class SeparableSearch {
  private readonly builder: TermsBuilder;
  private readonly best: BestAnswer;
  private readonly held: Domain;

  /** `projection`: a projection of the problem without lattices, caps and alternatives. */
  constructor(
    private readonly problem: Problem,
    private readonly projection: Prepared,
  ) {
    this.builder = new TermsBuilder(problem);
    this.best = new BestAnswer(problem);
    this.held = createDomain(problem.space);
  }

  /** The best answer and its bound, starting from a first answer. */
  solve(domain: Domain, limits: Limits, first: Float64Array): Outcome {
    const { best, problem } = this;
    best.begin(domain);
    best.offer(first);
    this.improve(first, domain, limits);
    const improve = (x: Float64Array) => this.improve(x, domain, limits);
    const incumbents = { improve, isQuick: false, ends: null };
    const search = new AdditiveSearch(problem, domain, this.builder.build(domain), best, limits, incumbents);
    const bound = Math.min(search.run(), best.cost, limits.cutoff) * (1 - CLOSED);
    return (bound >= best.cost * (1 - 2 * CLOSED) ? solved : limit)(best.x, bound);
  }

  /** Offers the cheapest answer with the discrete values of a point. */
  private improve(point: Float64Array, domain: Domain, limits: Limits): void {
    const { problem, held, best } = this;
    const x = point.slice();
    snapColumns(problem, domain, x);
    copyDomain(domain, held);
    for (const feature of problem.space.features) {
      const { column, width, kind } = feature;
      if (!hasMoved(feature, domain.origin, x)) pin(held, feature);
      else if (kind === 'choice') for (let c = column; c < column + width; c++) held.lower[c] = held.upper[c] = x[c];
      else if (!isContinuous(domain, feature))
        held.lower[column] = held.upper[column] = nearestValue(domain, feature, x[column]);
    }
    const { x: found } = this.projection.solve(held, limits);
    if (found && isAnswer(problem, domain, found)) best.offer(found);
  }
}
