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
import type { Problem } from '../problems/problem.js';
import { violation } from './shared/linear-rows.js';
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
      if (!this.isAnswer(values, here)) continue;
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

  private isAnswer(values: Float64Array, here: Float64Array): boolean {
    const { space, maxChanges, links, clauses, holds } = this.problem;
    let changes = 0;
    for (let f = 0; f < values.length; f++) changes += +(values[f] !== here[f]);
    if (changes > maxChanges) return false;
    spread(space, values, this.x);
    const kept = (row: Parameters<typeof violation>[0]) => violation(row, this.x) <= 1e-9;
    return links.every(kept) && clauses.every((clause) => clause.rows.some(kept)) && holds(this.x);
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
    values[f] = here[f];
    if (this.isAnswer(values, here)) return;
    let bad = here[f];
    for (let k = 0; k < HALVINGS && feature.kind !== 'choice'; k++) {
      const middle = permitted(feature, bad + (good - bad) / 2, here[f], domain);
      if (middle === good || middle === bad) break;
      values[f] = middle;
      if (this.isAnswer(values, here)) good = middle;
      else bad = middle;
    }
    values[f] = good;
  }
}

/** The value nearest to the wanted one that the domain permits. */
function permitted(feature: Feature, wanted: number, here: number, domain: Domain): number {
  const { column, index } = feature;
  if (Number.isNaN(wanted)) return here;
  if (feature.kind === 'choice') return domain.upper[column + wanted] > 0 ? wanted : here;
  const clipped = Math.min(domain.upper[column], Math.max(domain.lower[column], wanted));
  const step = domain.step[index];
  const value = step > 0 ? here + step * Math.round((clipped - here) / step) : clipped;
  return domain.ranks[index] && domain.ranks[index]![value] !== 1 ? here : value;
}

export const nearest: Solver = {
  name: 'nearest',
  accepts: (problem) => (problem.samples.length ? 'heuristic' : 'no'),
  prepare: (problem) => new PreparedNearest(problem),
};
