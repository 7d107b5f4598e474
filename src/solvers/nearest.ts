/**
 * The last resort: a row of the training set that has the target, taken over as far as the policy lets it, then pulled
 * back towards the person while it stays an answer. Always fast, never proved.
 *
 * For each of the nearest candidates: features that may not take the sample's value keep their own; then, feature by
 * feature from the dearest on, the old value is restored where the model still agrees, and numeric moves are shortened
 * by bisection.
 */
import { type Feature, gather, spread } from '../models/features.js';
import { changeCost } from '../policy/cost.js';
import type { Domain } from '../policy/domain.js';
import { isOpen, listedValues } from '../policy/listed-values.js';
import { nearestValue } from '../policy/values.js';
import type { Problem } from '../problems/problem.js';
import { isAnswer } from './shared/answer-check.js';
import { type Limits, limit, type Outcome, type Prepared, type Solver } from './solver.js';

const CANDIDATES = 24;
const HALVINGS = 30;

class PreparedNearest implements Prepared {
  private readonly samples: readonly Float64Array[];
  private readonly x: Float64Array;
  private readonly best: Float64Array;

  constructor(private readonly problem: Problem) {
    const { space } = problem;
    const columns = new Float64Array(space.columns);
    this.samples = problem.samples.filter((row) => {
      spread(space, row, columns);
      return problem.holds(columns);
    });
    this.x = new Float64Array(space.columns);
    this.best = new Float64Array(space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { space } = this.problem;
    const here = new Float64Array(space.features.length);
    gather(space, domain.origin, here);
    const nearest = this.samples
      .map((row) => ({ row, cost: this.cost(here, row) }))
      .sort((a, b) => a.cost - b.cost)
      .slice(0, CANDIDATES);
    let bestCost = Infinity;
    for (const { row } of nearest) {
      if (limits.budget.isSpent) break;
      const values = this.takeOver(row, here, domain);
      if (!this.isAnswer(values, domain)) continue;
      this.pullBack(values, here, domain);
      const cost = this.cost(here, values);
      if (cost >= bestCost) continue;
      bestCost = cost;
      spread(space, values, this.best);
    }
    return limit(bestCost < Infinity ? this.best : null, Number.NEGATIVE_INFINITY);
  }

  private cost(from: Float64Array, to: Float64Array): number {
    const { cost, space } = this.problem;
    let total = 0;
    for (const feature of space.features) {
      const f = feature.index;
      if (from[f] !== to[f])
        total += changeCost(cost, feature, from[f], to[f]) || cost.weight[f] * Math.abs(to[f] - from[f]);
    }
    return total;
  }

  private takeOver(row: Float64Array, here: Float64Array, domain: Domain): Float64Array {
    return Float64Array.from(this.problem.space.features, (feature) =>
      permitted(feature, row[feature.index], here[feature.index], domain),
    );
  }

  private isAnswer(values: Float64Array, domain: Domain): boolean {
    spread(this.problem.space, values, this.x);
    return isAnswer(this.problem, domain, this.x);
  }

  private pullBack(values: Float64Array, here: Float64Array, domain: Domain): void {
    const price = (feature: Feature) =>
      changeCost(this.problem.cost, feature, here[feature.index], values[feature.index]);
    const changed = this.problem.space.features.filter((feature) => values[feature.index] !== here[feature.index]);
    for (const feature of changed.sort((a, b) => price(b) - price(a))) this.restore(values, here, feature, domain);
  }

  /** The value nearest to the old one with which the rest is still an answer. */
  private restore(values: Float64Array, here: Float64Array, feature: Feature, domain: Domain): void {
    const f = feature.index;
    let good = values[f];
    let bad = permitted(feature, here[f], here[f], domain);
    values[f] = bad;
    if (this.isAnswer(values, domain)) return;
    for (let k = 0; k < HALVINGS && feature.kind !== 'choice'; k++) {
      const middle = permitted(feature, bad + (good - bad) / 2, here[f], domain);
      if (middle === good || middle === bad) break;
      values[f] = middle;
      if (this.isAnswer(values, domain)) good = middle;
      else bad = middle;
    }
    values[f] = good;
  }
}

/** The value nearest to the wanted one that the domain permits. */
function permitted(feature: Feature, wanted: number, here: number, domain: Domain): number {
  if (Number.isNaN(wanted) || Number.isNaN(domain.origin[feature.column])) return here;
  if (feature.kind !== 'choice') return nearestValue(domain, feature, wanted);
  return [wanted, here].find((category) => isOpen(domain, feature, category)) ?? listedValues(domain, feature)[0];
}

export const nearest: Solver = {
  name: 'nearest',
  accepts: (problem) => (problem.samples.length ? 'heuristic' : 'no'),
  prepare: (problem) => new PreparedNearest(problem),
};
