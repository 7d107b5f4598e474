/**
 * The last resort: a row of the training set that has the target, taken over as far as the policy permits, then pulled back
 * towards the person while the point stays an answer. The method is always fast and proves nothing.
 *
 * For each of the nearest candidates: features that may not take the sample's value keep the person's own. Then, feature by
 * feature from the dearest on, the old value is restored where the model still agrees, and numeric moves are shortened
 * by bisection.
 */
import { type Feature, gather, spread } from '../models/features.js';
import { changeCost, evaluateCost } from '../policy/cost.js';
import { cloneDomain, type Domain } from '../policy/domain.js';
import { isOpen, listedValues } from '../policy/listed-values.js';
import { nearestValue } from '../policy/values.js';
import { FLOPS_PER_UNIT } from '../problems/budget.js';
import type { Problem } from '../problems/problem.js';
import { isOpaque } from './general/opaque.js';
import { isAnswer, keepsPolicy } from './shared/answer-check.js';
import { Clearance } from './shared/clearance.js';
import { modelFlops } from './shared/model-flops.js';
import { isOracle, searchAll } from './shared/side-by-side.js';
import {
  ASKED_BEFORE,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type ScoreBatch,
  type Solver,
  withoutWaiting,
} from './solver.js';

const CANDIDATES = 24;
const HALVINGS = 30;
/** Operations for one look at a point, apart from the model's own, and further operations for each column. */
const FLOPS_PER_LOOK = 300;
const FLOPS_PER_COLUMN = 5;
/** A question about ties takes as long as so many looks. */
const TIES_LOOKS = 2;

/** A computation that yields the points whose scores it needs. */
type Asked<T> = Generator<ScoreBatch, T, void>;

class PreparedNearest implements Prepared {
  /** Samples that have the target. Null: the model has not been asked yet. */
  private samples: readonly Float64Array[] | null = null;

  constructor(private readonly problem: Problem) {}

  solve(domain: Domain, limits: Limits): Outcome {
    return withoutWaiting(this.steps(domain, limits));
  }

  *steps(domain: Domain, limits: Limits): Asked<Outcome> {
    if (this.samples) yield ASKED_BEFORE;
    this.samples ??= yield* this.samplesWithTarget();
    const pull = new Pull(this.problem, domain, limits);
    return yield* pull.from(this.samples);
  }

  private *samplesWithTarget(): Asked<readonly Float64Array[]> {
    const { samples, holds } = this.problem;
    const points = samples.map((row) => inColumns(this.problem, row));
    yield points;
    return samples.filter((_, k) => holds(points[k]));
  }
}

function inColumns({ space }: Problem, values: Float64Array): Float64Array {
  const columns = new Float64Array(space.columns);
  spread(space, values, columns);
  return columns;
}

interface Pulled {
  readonly values: Float64Array;
  readonly cost: number;
}

/** The search for one person. */
class Pull {
  private readonly here: Float64Array;
  private readonly domain: Domain;
  private readonly clearance: Clearance;
  private takesTies = false;
  /** Effort of one look, in units of effort. */
  private readonly work: number;

  constructor(
    private readonly problem: Problem,
    domain: Domain,
    private readonly limits: Limits,
  ) {
    const own = FLOPS_PER_LOOK + FLOPS_PER_COLUMN * problem.space.columns;
    this.work = (own + modelFlops(problem)) / FLOPS_PER_UNIT;
    this.domain = cloneDomain(domain);
    this.clearance = new Clearance(problem, this.domain, problem.holds);
    this.here = new Float64Array(problem.space.features.length);
    gather(problem.space, domain.origin, this.here);
  }

  *from(samples: readonly Float64Array[]): Asked<Outcome> {
    const candidates = this.candidatesOf(samples);
    yield candidates.map((values) => inColumns(this.problem, values));
    const best = (yield* this.cheapest(candidates)) ?? (yield* this.cheapestByTies(candidates));
    const outcome = limit(best && inColumns(this.problem, best.values), Number.NEGATIVE_INFINITY);
    return best && this.takesTies ? { ...outcome, isDoubtful: true } : outcome;
  }

  /** The cheapest rows, as far as the policy lets them be taken over. Where the model answers at once: those that are answers then. */
  private candidatesOf(samples: readonly Float64Array[]): Float64Array[] {
    const byCost = (rows: readonly Float64Array[]) =>
      rows
        .map((row) => ({ row, cost: this.cost(row) }))
        .sort((a, b) => a.cost - b.cost)
        .map(({ row }) => row);
    const takeOver = (row: Float64Array) => this.takeOver(row);
    if (isOracle(this.problem)) return byCost(samples).slice(0, CANDIDATES).map(takeOver);
    return this.firstAnswers(byCost(samples.map(takeOver)));
  }

  private firstAnswers(rows: readonly Float64Array[]): Float64Array[] {
    const taken: Float64Array[] = [];
    for (const row of rows) {
      if (taken.length >= CANDIDATES || this.limits.budget.isSpent) break;
      this.limits.budget.spend(this.work);
      if (isAnswer(this.problem, this.domain, inColumns(this.problem, row))) taken.push(row);
    }
    return taken;
  }

  private *cheapest(candidates: readonly Float64Array[]): Asked<Pulled | null> {
    const pulled = yield* searchAll(
      this.problem,
      candidates.map((values) => this.pull(values)),
    );
    return pulled.reduce((a, b) => (a && !(b && b.cost < a.cost) ? a : b), null);
  }

  /** The cheapest answer that a tie in the model may undo, for rows without a better answer. */
  private *cheapestByTies(candidates: readonly Float64Array[]): Asked<Pulled | null> {
    if (!this.problem.isClear) return null;
    this.takesTies = true;
    return yield* this.cheapest(candidates);
  }

  /** Pulls a candidate as near to the person as possible. Null: the candidate is no answer, or the budget is spent. */
  private *pull(values: Float64Array): Asked<Pulled | null> {
    if (this.limits.budget.isSpent || !(yield* this.isAnswer(values))) return null;
    yield* this.pullBack(values);
    return { values, cost: this.cost(values) };
  }

  private cost(to: Float64Array): number {
    const { cost, space, term } = this.problem;
    const norm = evaluateCost(cost, space, this.here, to);
    return term ? norm + term.of(inColumns(this.problem, to)) : norm;
  }

  private takeOver(row: Float64Array): Float64Array {
    return Float64Array.from(this.problem.space.features, (feature) => this.permitted(feature, row[feature.index]));
  }

  private *isAnswer(values: Float64Array): Asked<boolean> {
    this.limits.budget.spend(this.work);
    const x = inColumns(this.problem, values);
    if (!keepsPolicy(this.problem, this.domain, x)) return false;
    yield [x];
    return this.problem.holds(x) && (this.takesTies || this.isClear(x));
  }

  private isClear(x: Float64Array): boolean {
    if (this.problem.isClear) this.limits.budget.spend(TIES_LOOKS * this.work);
    return this.clearance.isClear(x);
  }

  private *pullBack(values: Float64Array): Asked<void> {
    const price = (feature: Feature) =>
      changeCost(this.problem.cost, feature, this.here[feature.index], values[feature.index]);
    const changed = this.problem.space.features.filter(({ index }) => values[index] !== this.here[index]);
    for (const feature of changed.sort((a, b) => price(b) - price(a))) yield* this.restore(values, feature);
  }

  /** Sets the feature to the value nearest to its old one with which the point is still an answer. */
  private *restore(values: Float64Array, feature: Feature): Asked<void> {
    const f = feature.index;
    let good = values[f];
    let bad = this.permitted(feature, this.here[f]);
    values[f] = bad;
    if (yield* this.isAnswer(values)) return;
    for (let k = 0; k < HALVINGS && feature.kind !== 'choice'; k++) {
      const middle = this.permitted(feature, bad + (good - bad) / 2);
      if (middle === good || middle === bad) break;
      values[f] = middle;
      if (yield* this.isAnswer(values)) good = middle;
      else bad = middle;
    }
    values[f] = good;
  }

  /** The value nearest to the wanted one that the domain permits. */
  private permitted(feature: Feature, wanted: number): number {
    const { domain } = this;
    const here = this.here[feature.index];
    if (Number.isNaN(wanted) || Number.isNaN(domain.origin[feature.column])) return here;
    if (feature.kind !== 'choice') return nearestValue(domain, feature, wanted);
    return [wanted, here].find((category) => isOpen(domain, feature, category)) ?? listedValues(domain, feature)[0];
  }
}

export const nearest: Solver = {
  name: 'nearest',
  takesTerm: true,
  // Where a gradient exists, the gradient search already starts its descents from the rows of the training set.
  place: (problem) => (isOpaque(problem) && problem.gradient ? 'rescue' : 'rung'),
  accepts: (problem) => (problem.samples.length ? 'heuristic' : 'no'),
  prepare: (problem) => new PreparedNearest(problem),
};
