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
 * Limits: a thousand or so values per feature, about a million combinations, and the budget. A search that ends early still has a bound:
 * the least cost of the remaining combinations.
 */
import { type Feature, gather } from '../../models/features.js';
import { type Cost, changeCost, evaluateCost } from '../../policy/cost.js';
import { cloneDomain, type Domain } from '../../policy/domain.js';
import { isListed, listedValues } from '../../policy/listed-values.js';
import { countValues, valuesOf } from '../../policy/values.js';
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
/** The number of points scored together where only scores are known. */
const BATCH = 128;
/** The largest relative rounding error of a sum of costs. */
const ROUNDING = 1e-12;
/** Operations for a combination, apart from the model's own. */
const FLOPS_PER_COMBINATION = 700;
const FLOPS_PER_COLUMN = 30;

type Menus = readonly (readonly Option[])[];

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
    const menus = this.menus(domain);
    if (!menus) return limit(null, Number.NEGATIVE_INFINITY);
    if (menus.some((menu) => menu.length === 0)) return INFEASIBLE;
    const best = new BestAnswer(this.problem);
    best.begin(domain);
    const order = new CostOrder(menus);
    const floor = this.problem.term?.leastWithin(domain.lower, domain.upper) ?? 0;
    for (let visited = 0; order.least < Math.min(best.cost, limits.cutoff) - floor; ) {
      if (visited >= MOST_COMBINATIONS || limits.budget.isSpent) return this.cut(best, order.least + floor);
      if (limits.anyAnswer && best.isFound) return limit(best.x, 0);
      const batch = this.take(order, menus, domain, best.cost - floor);
      visited += batch.taken;
      limits.budget.spend(batch.taken * this.work);
      if (this.isOracle && batch.points.length) yield batch.points;
      for (const point of batch.points) if (this.problem.holds(point)) best.offer(point);
    }
    const least = order.least + floor;
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

  /** By feature: its values, cheapest first. Null: too many to list. */
  private menus(domain: Domain): Menus | null {
    const menus: Option[][] = [];
    for (const feature of this.problem.space.features) {
      const values = listValues(domain, feature);
      if (!values) return null;
      const here = feature.kind === 'choice' ? presentCategory(feature, domain) : domain.origin[feature.column];
      const options = values.map((value) => ({ value, price: this.price(feature, here, value) }));
      menus.push(options.sort((a, b) => a.price - b.price || a.value - b.value));
    }
    return menus;
  }

  private price(feature: Feature, here: number, value: number): number {
    if (value === here || Number.isNaN(value)) return 0;
    if (!this.floor || feature.kind === 'choice') return changeCost(this.problem.cost, feature, here, value);
    return this.floor[feature.index] * (value - here) ** 2;
  }
}

/** The possible values of a feature. A missing number stays missing. Null: too many, or continuous. */
function listValues(domain: Domain, feature: Feature): number[] | null {
  if (Number.isNaN(domain.origin[feature.column])) return [Number.NaN];
  if (feature.kind === 'choice') return openCategories(domain, feature);
  if (isListed(feature)) return listedValues(domain, feature);
  return countValues(domain, feature) <= MOST_VALUES ? [...valuesOf(domain, feature)] : null;
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
