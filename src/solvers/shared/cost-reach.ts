/**
 * A lower bound on the cost of a useful move, whatever the rest of the problem says:
 *
 *   a·Δ lacks g:   L1, percentile  g / max |a_j|/w_j     L2, Mahalanobis  g² / ‖Sᵀa‖²     L0  least w_j that helps
 *   ‖y‖ = r, Δ = S y:   L2, Mahalanobis  r²     others  r
 */
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { costFactor, costScales } from '../projection/cost-factor.js';

const SQUARED = new Set(['l2', 'mahalanobis']);

/** How far the changeable features can move a quantity at a given cost. */
export class CostReach {
  readonly squared: boolean;
  private readonly free: readonly Feature[];
  private readonly columns: Int32Array;
  /** The factor of the squared cost: a matrix where the cost has a metric, else the diagonal by column. */
  private readonly factor: readonly Float64Array[];
  private readonly scale: Float64Array;
  private readonly weight: Float64Array;

  constructor(readonly problem: Problem) {
    const { rules, cost, space } = problem;
    this.squared = SQUARED.has(cost.norm);
    this.free = rules.filter((rule) => !rule.never).map((rule) => rule.feature);
    this.columns = Int32Array.from(this.free.flatMap(({ column, width }) => range(column, width)));
    this.scale = costScales(problem);
    this.factor = this.squared && cost.metric ? costFactor(problem, this.columns) : [];
    this.weight = Float64Array.from(space.features, (feature) => leastSlope(problem, feature));
  }

  /** L1, percentile: the least cost of a unit of a·Δ. L2, Mahalanobis: the least cost of a squared unit. */
  price(a: Float64Array): number {
    if (this.squared) return 1 / this.squareOf(a);
    return Math.min(...this.free.map((feature) => this.weight[feature.index] / gainOf(feature, a)));
  }

  /** L0: the least weight of a feature that changes a·Δ at all. */
  leastWeight(a: Float64Array): number {
    const useful = this.free.filter((feature) => gainOf(feature, a) > 0);
    return Math.min(...useful.map(({ index }) => this.problem.cost.weight[index]));
  }

  /** The least cost of a move of length r. */
  costOf(r: number): number {
    if (this.problem.cost.norm !== 'l0') return this.squared ? r * r : r;
    return r > 0 ? Math.min(...this.free.map(({ index }) => this.weight[index])) : 0;
  }

  private squareOf(a: Float64Array): number {
    const { columns, factor, scale } = this;
    let sum = 0;
    if (!factor.length) {
      for (const c of columns) sum += (scale[c] * a[c]) ** 2;
      return sum;
    }
    for (let j = 0; j < columns.length; j++) {
      let entry = 0;
      for (let i = 0; i < columns.length; i++) entry += factor[i][j] * a[columns[i]];
      sum += entry * entry;
    }
    return sum;
  }

  /** ρ with ΔᵀQΔ <= ρ² ‖y‖². The largest row sum of SᵀQS bounds its norm. An L1 cost is at least the L2 norm of its terms. */
  stretch(Q: Float64Array): number {
    const { columns, factor } = this;
    const width = this.problem.space.columns;
    const scale = Float64Array.from(columns, (c) => (this.squared ? this.scale[c] : 1 / this.columnWeight(c)));
    const rows = Array.from(columns, (c) => Float64Array.from(columns, (k) => Q[c * width + k]));
    const scaled = factor.length
      ? congruent(rows, factor)
      : rows.map((row, i) => row.map((value, j) => value * scale[i] * scale[j]));
    return Math.sqrt(Math.max(0, ...scaled.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0))));
  }

  /** A change of category changes two columns for one weight. */
  private columnWeight(column: number): number {
    const feature = this.problem.space.features[this.problem.space.owner[column]];
    return this.weight[feature.index] * (feature.kind === 'choice' ? Math.SQRT1_2 : 1);
  }
}

/** A change of category moves two columns of the feature by one each. */
function gainOf({ kind, column, width }: Feature, a: Float64Array): number {
  if (kind !== 'choice') return Math.abs(a[column]);
  const entries = a.subarray(column, column + width);
  return Math.max(...entries) - Math.min(...entries);
}

/** The least cost of one unit of change. */
export function leastSlope({ cost }: Problem, feature: Feature): number {
  const weight = cost.weight[feature.index];
  const curve = cost.norm === 'percentile' ? cost.curves[feature.index] : null;
  if (!curve) return weight;
  const { points, heights } = curve;
  const slopes = Array.from(points.subarray(1), (point, i) => (heights[i + 1] - heights[i]) / (point - points[i]));
  return weight * Math.min(...slopes);
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, k) => from + k);

/** SᵀQS */
function congruent(Q: readonly Float64Array[], S: readonly Float64Array[]): Float64Array[] {
  const half = Q.map((row) => S.map((_, j) => row.reduce((sum, value, k) => sum + value * S[k][j], 0)));
  return S.map((_, i) => Float64Array.from(S, (__, j) => half.reduce((sum, row, k) => sum + S[k][i] * row[j], 0)));
}

/** The price of a unit that the row lacks; for L0 the price of any lack. */
export const priceOf = (reach: CostReach, { a }: LinearRow): number =>
  reach.problem.cost.norm === 'l0' ? reach.leastWeight(a) : reach.price(a);
export const powerOf = (reach: CostReach): number => (reach.problem.cost.norm === 'l0' ? 0 : reach.squared ? 2 : 1);
