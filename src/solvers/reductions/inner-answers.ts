/**
 * Answers of regions with sums of exponentials, from inside. Around a point outside the region, conditions that imply the sums, or
 * nearly imply them, replace the sums. The conditions are moved slightly inwards. The cheapest point within them is offered once the
 * model confirms it.
 *
 *   h <= 0   tangents moved in, more of them where the answer breaks the sum; or a share of the sum for each exponent
 *   h >= 0   the tangent at the last point: a point that meets it is inside. The next tangent is taken at the answer, whose cost
 *            only decreases (the convex-concave procedure in w)
 */
import type { Exponents } from '../../models/exponents.js';
import type { Piece } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { isAnswer } from '../shared/answer-check.js';
import type { BestAnswer } from '../shared/best-answer.js';
import type { Limits } from '../solver.js';
import type { RelaxedProblems } from './relaxed-problems.js';
import { kept, missOf, movedIn, type Tangent, tangentAt, withinShares } from './tangents.js';

const MAX_ROUNDS = 30;
/** How far conditions are moved inwards for an answer, in log units. Deeper attempts follow where the model does not confirm. */
const DEPTHS = [1e-9, 1e-8, 1e-7, 1e-6, 1e-4];
/** How often an answer's own shares, or its own tangent, are tried for a cheaper answer. */
const IMPROVEMENTS = 6;
const WORTH = 1e-8;
/** An answer whose cost is within this share of the bound meets the bound. */
const MET = 1e-7;
/** Share of the remaining budget for one solution. */
const SOLUTION_SHARE = 0.3;

export class InnerAnswers {
  private readonly small: readonly Exponents[];
  private readonly large: readonly Exponents[];

  constructor(
    private readonly problem: Problem,
    sums: readonly Exponents[],
    private readonly relaxed: RelaxedProblems,
    private readonly best: BestAnswer,
  ) {
    this.small = sums.filter((sum) => !sum.atLeast);
    this.large = sums.filter((sum) => sum.atLeast);
  }

  /** From a point that misses hardly more than by rounding: the tangents found so far, moved inwards. */
  nearBoundary(tangents: readonly Tangent[], x: Float64Array, domain: Domain, limits: Limits, bound: number): boolean {
    for (const depth of DEPTHS) {
      const known = [...tangents];
      for (let round = 0, at = x; round < MAX_ROUNDS && !limits.budget.isSpent; round++) {
        const found = this.cheapest(
          [...known.map((t) => movedIn(t, depth)), ...this.largeAt(at, depth)],
          domain,
          limits,
        );
        if (!found) break;
        if (this.offer(found, domain)) return this.improve(found, domain, limits, bound);
        const added = this.small.filter((sum) => missOf(sum, found) > -0.5 * depth).map((sum) => tangentAt(sum, found));
        if (!added.length) break;
        known.push(...added);
        at = found;
      }
    }
    return false;
  }

  /** From any point: the shares and tangents at that point. */
  fromShares(x: Float64Array, domain: Domain, limits: Limits, bound: number): boolean {
    for (const depth of DEPTHS) {
      const found = limits.budget.isSpent ? null : this.cheapest(this.ownConditions(x, depth), domain, limits);
      if (!found) return false;
      if (this.offer(found, domain)) return this.improve(found, domain, limits, bound);
    }
    return false;
  }

  /** Repeats with the shares and tangents of the answer, which contain the answer and perhaps a cheaper one, until the bound is met. */
  private improve(start: Float64Array, domain: Domain, limits: Limits, bound: number): true {
    let [x, cost] = [start, this.best.cost];
    for (let round = 0; round < IMPROVEMENTS && cost > bound * (1 + MET) && !limits.budget.isSpent; round++) {
      const found = this.cheapest(this.ownConditions(x, DEPTHS[0]), domain, limits);
      if (!found || !this.offer(found, domain) || !(this.best.cost < cost * (1 - WORTH))) break;
      [x, cost] = [found, this.best.cost];
    }
    return true;
  }

  private ownConditions(x: Float64Array, depth: number): Piece[] {
    const small = this.small.flatMap((sum) => withinShares(tangentAt(sum, x), depth));
    return [...small, ...this.largeAt(x, depth)];
  }

  private largeAt(x: Float64Array, depth: number): Piece[] {
    return this.large.map((sum) => kept(tangentAt(sum, x), depth));
  }

  private cheapest(conditions: readonly Piece[], domain: Domain, limits: Limits): Float64Array | null {
    const budget = limits.budget.shareEffort(SOLUTION_SHARE);
    return this.relaxed.solve(conditions, domain, { ...limits, budget, anyAnswer: false }).x?.slice() ?? null;
  }

  private offer(x: Float64Array, domain: Domain): boolean {
    const fits = isAnswer(this.problem, domain, x);
    if (fits) this.best.offer(x);
    return fits;
  }
}
