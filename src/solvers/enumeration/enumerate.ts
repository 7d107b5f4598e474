/**
 * Enumeration: where every feature that may change takes listed values, all combinations in the order of their cost. The first combination
 * that is an answer is the optimum. If no combination is an answer, none exists. The method is exact for every family, including families
 * with scores only, and serves as the reference for other methods in tests.
 *
 *   min Σ_f c_f(v_f) + term(v)   over   v in Π_f V_f,   policy kept,   the model accepts
 *
 * Where the cost has a term, the order is that of the sum without the term, and the search ends when that sum and the least term of the
 * box reach the best total.
 * Mahalanobis cost is no sum over features. There the order is that of a sum below it,  Δᵀ M Δ >= λ Σ M_ff Δ_f²  with λ the least
 * eigenvalue of M scaled to a diagonal of ones, and the search ends when that sum reaches the best answer.
 *
 * A number with too many values to list, or without an end, has those nearest to its present value. Every other value costs at least as
 * much as the next one. The search ends at that cost, and an answer below that cost is the optimum.
 *
 * Limits: a thousand or so values per feature, about a million combinations, and the budget. A search that ends early still has a bound:
 * the least cost of the remaining combinations.
 */
import { type Feature, gather } from '../../models/features.js';
import { type Cost, changeCost, evaluateCost } from '../../policy/cost.js';
import { cloneDomain, type Domain } from '../../policy/domain.js';
import { isListed, listedValues } from '../../policy/listed-values.js';
import { countValues, nearestValue, nextValue, valuesOf } from '../../policy/values.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { Problem } from '../../problems/problem.js';
import { smallestEigenvalue } from '../quadratic/secular.js';
import { keepsPolicy } from '../shared/answer-check.js';
import { BestAnswer } from '../shared/best-answer.js';
import { modelFlops } from '../shared/model-flops.js';
import { isOracle } from '../shared/side-by-side.js';
import {
  INFEASIBLE,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type ScoreBatch,
  type Solver,
  solved,
  withoutWaiting,
} from '../solver.js';
import { CostOrder, type Option } from './cost-order.js';

const MOST_VALUES = 2000;
const MOST_COMBINATIONS = 1e6;
/** Numbers with more values than can be listed, and the values to each side of such a number. More of them make too many combinations. */
const MOST_UNLISTED = 2;
const NEAREST_VALUES = 100;
/** Combinations where there is such a number: other methods wait. */
const MOST_NEAREST = 2000;
const MOST_NEAREST_SCORED = 512;
/** The number of points scored together where only scores are known. */
const BATCH = 128;
/** The largest relative rounding error of a sum of costs. */
const ROUNDING = 1e-12;
/** Operations for a combination, apart from the model's own. */
const FLOPS_PER_COMBINATION = 700;
const FLOPS_PER_COLUMN = 30;

type Menus = readonly (readonly Option[])[];

interface Listing {
  /** By feature: its values, cheapest first. */
  readonly menus: Menus;
  /** The least price of a combination with a value that is not listed; Infinity: all are. */
  readonly beyond: number;
}

class PreparedEnumeration implements Prepared {
  private readonly floor: Float64Array | null;
  private readonly work: number;
  private readonly isOracle: boolean;

  constructor(private readonly problem: Problem) {
    this.floor = problem.cost.metric && floorOf(problem.cost.metric, problem.space.features.length);
    this.isOracle = isOracle(problem);
    const { columns } = problem.space;
    this.work = (FLOPS_PER_COMBINATION + FLOPS_PER_COLUMN * columns + modelFlops(problem)) / FLOPS_PER_UNIT;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    return withoutWaiting(this.steps(domain, limits));
  }

  *steps(from: Domain, limits: Limits): Generator<ScoreBatch, Outcome, void> {
    const domain = cloneDomain(from);
    const listing = this.listing(domain);
    if (!listing) return limit(null, Number.NEGATIVE_INFINITY);
    const { menus, beyond } = listing;
    if (menus.some((menu) => menu.length === 0)) return INFEASIBLE;
    const best = new BestAnswer(this.problem);
    best.begin(domain);
    const order = new CostOrder(menus);
    const floor = this.problem.term?.leastWithin(domain.lower, domain.upper) ?? 0;
    const most = this.mostCombinations(beyond);
    for (let visited = 0; order.least < Math.min(best.cost - floor, limits.cutoff - floor, beyond); ) {
      if (visited >= most || limits.budget.isSpent) return this.cut(best, order.least + floor);
      if (limits.anyAnswer && best.isFound) return limit(best.x, 0);
      const batch = this.take(order, menus, domain, best.cost - floor);
      visited += batch.taken;
      limits.budget.spend(batch.taken * this.work);
      if (this.isOracle && batch.points.length) yield batch.points;
      for (const point of batch.points) if (this.problem.holds(point)) best.offer(point);
    }
    const least = Math.min(order.least, beyond) + floor;
    if (beyond < Infinity && beyond + floor < best.cost) return this.cut(best, least);
    if (best.isFound) return solved(best.x, Math.min(least, best.cost) * (1 - ROUNDING));
    return least === Infinity ? INFEASIBLE : limit(null, least * (1 - ROUNDING));
  }

  private cut(best: BestAnswer, least: number): Outcome {
    return limit(best.isFound ? best.x : null, Math.min(least, best.cost) * (1 - ROUNDING));
  }

  /** The next combinations that keep the policy and are cheap enough to ask about. */
  private take(order: CostOrder, menus: Menus, domain: Domain, below: number) {
    const points: Float64Array[] = [];
    const options = new Int32Array(menus.length);
    const most = this.isOracle ? BATCH : 1;
    let taken = 0;
    while (points.length < most && taken < BATCH && order.least < below && order.next(options)) {
      taken++;
      const x = this.toColumns(options, menus, domain);
      if (keepsPolicy(this.problem, domain, x) && this.isCheaper(domain, x, below)) points.push(x);
    }
    return { points, taken };
  }

  /** Needed only where the order is by a lower bound of the cost. */
  private isCheaper(domain: Domain, x: Float64Array, below: number): boolean {
    if (!this.floor || below === Infinity) return true;
    const { space, cost } = this.problem;
    const [from, to] = [domain.origin, x].map((columns) => {
      const values = new Float64Array(space.features.length);
      gather(space, columns, values);
      return values;
    });
    return evaluateCost(cost, space, from, to) < below;
  }

  private toColumns(options: Int32Array, menus: Menus, { origin }: Domain): Float64Array {
    const x = origin.slice();
    for (const { index, kind, column, width } of this.problem.space.features) {
      const { value } = menus[index][options[index]];
      if (kind !== 'choice') x[column] = value;
      else if (value >= 0) x.fill(0, column, column + width)[column + value] = 1;
    }
    return x;
  }

  private mostCombinations(beyond: number): number {
    if (beyond === Infinity) return MOST_COMBINATIONS;
    return this.isOracle ? MOST_NEAREST_SCORED : MOST_NEAREST;
  }

  /** Null: too many values to list. */
  private listing(domain: Domain): Listing | null {
    const { features } = this.problem.space;
    if (features.filter((feature) => !mayList(domain, feature)).length > MOST_UNLISTED) return null;
    const listed = features.map((feature) => listValues(domain, feature));
    const menus = features.map((feature, f) => this.optionsOf(domain, feature, listed[f].values));
    const least = menus.map((menu) => menu[0]?.price ?? 0);
    const base = least.reduce((sum, price) => sum + price, 0);
    const next = features.flatMap((feature, f) =>
      this.optionsOf(domain, feature, listed[f].next).map(({ price }) => base - least[f] + price),
    );
    return { menus, beyond: Math.min(...next, Infinity) * (1 - ROUNDING) };
  }

  /** Cheapest first. */
  private optionsOf(domain: Domain, feature: Feature, values: readonly number[]): Option[] {
    const here = feature.kind === 'choice' ? presentCategory(feature, domain) : domain.origin[feature.column];
    const options = values.map((value) => ({ value, price: this.price(feature, here, value) }));
    return options.sort((a, b) => a.price - b.price || a.value - b.value);
  }

  private price(feature: Feature, here: number, value: number): number {
    if (value === here || Number.isNaN(value)) return 0;
    if (!this.floor || feature.kind === 'choice') return changeCost(this.problem.cost, feature, here, value);
    return this.floor[feature.index] * (value - here) ** 2;
  }
}

interface ListedValues {
  readonly values: readonly number[];
  /** The first value to each side that is not listed. */
  readonly next: readonly number[];
}

/** The possible values of a feature. A missing number stays missing. */
function listValues(domain: Domain, feature: Feature): ListedValues {
  if (Number.isNaN(domain.origin[feature.column])) return { values: [Number.NaN], next: [] };
  if (feature.kind === 'choice') return { values: openCategories(domain, feature), next: [] };
  if (isListed(feature)) return { values: listedValues(domain, feature), next: [] };
  return mayList(domain, feature)
    ? { values: [...valuesOf(domain, feature)], next: [] }
    : nearestValues(domain, feature);
}

/** Whether all values are listed. */
const mayList = (domain: Domain, feature: Feature): boolean =>
  isListed(feature) || Number.isNaN(domain.origin[feature.column]) || countValues(domain, feature) <= MOST_VALUES;

function nearestValues(domain: Domain, feature: Feature): ListedValues {
  const here = nearestValue(domain, feature, domain.origin[feature.column]);
  const values = [here];
  const next: number[] = [];
  for (const side of [-1, 1] as const) {
    let value = nextValue(domain, feature, here, side);
    for (let k = 0; k < NEAREST_VALUES && Number.isFinite(value); k++) {
      values.push(value);
      value = nextValue(domain, feature, value, side);
    }
    if (Number.isFinite(value)) next.push(value);
  }
  return { values, next };
}

/** -1 stands for the present columns where they equal no single category, as an imputer may leave them. */
function openCategories(domain: Domain, feature: Feature): number[] {
  const isMixed = presentCategory(feature, domain) === NO_CATEGORY;
  return isMixed ? [NO_CATEGORY, ...listedValues(domain, feature)] : listedValues(domain, feature);
}

const NO_CATEGORY = -1;

function presentCategory({ column, width }: Feature, { origin }: Domain): number {
  for (let k = 0; k < width; k++) if (origin[column + k] === 1) return k;
  return NO_CATEGORY;
}

/** By feature: λ M_ff, with λ reduced by its rounding error. */
function floorOf({ features, inverse }: NonNullable<Cost['metric']>, count: number): Float64Array {
  const d = features.length;
  const scale = features.map((_, i) => 1 / Math.sqrt(inverse[i][i]));
  const scaled = Float64Array.from({ length: d * d }, (_, k) => {
    const [i, j] = [Math.floor(k / d), k % d];
    return inverse[i][j] * scale[i] * scale[j];
  });
  const least = d ? Math.max(0, smallestEigenvalue(scaled, d) - 1e-12 * d) : 0;
  const floor = new Float64Array(count);
  features.forEach(({ index }, i) => {
    floor[index] = least * inverse[i][i];
  });
  return floor;
}

/** Whether every feature that may change has a step, decimals, categories or ranks. */
const isDiscrete = ({ rules }: Problem): boolean =>
  rules.every(({ never, feature, step }) => never || feature.kind === 'choice' || step > 0 || feature.decimals >= 0);

export const enumerate: Solver = {
  name: 'enumerate',
  takesTerm: true,
  accepts: (problem) => (isDiscrete(problem) ? 'exact' : 'no'),
  prepare: (problem) => new PreparedEnumeration(problem),
};
