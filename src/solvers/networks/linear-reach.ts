/**
 * The largest value of a linear function within a cost:
 *
 *   max a·Δ   s.t.   x + Δ in the domain,   cost(Δ) <= C
 *
 * as an upper bound. L0, L1 and percentile are a knapsack, filled in the order of gain per cost. A feature that fits only in part counts in
 * part. L2 and Mahalanobis use the smaller of two bounds: that of the box, and  √(C aᵀS a)  of the ball, with S the inverse of the cost's
 * matrix.
 */
import { solvePositive } from '../../linalg/symmetric.js';
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { costCurve, leastChord } from '../shared/cost-curve.js';

/** The largest rounding error of a sum, as a share of its terms. */
const ROUNDING = 2 ** -46;

export class LinearReach {
  private readonly isSquared: boolean;
  /** S over the features of the metric. */
  private readonly spread: readonly Float64Array[] | null;
  private readonly gain: Float64Array;
  private readonly price: Float64Array;
  private readonly rate: Float64Array;
  private readonly order: number[];
  /** By feature: the least cost of one unit of move, over both sides. */
  private readonly slope: Float64Array;
  private domain!: Domain;
  private most = Infinity;

  constructor(private readonly problem: Problem) {
    const { features } = problem.space;
    const { norm, metric } = problem.cost;
    this.isSquared = norm === 'l2' || norm === 'mahalanobis';
    this.spread = metric ? inverseOf(metric.inverse) : null;
    this.gain = new Float64Array(features.length);
    this.price = new Float64Array(features.length);
    this.rate = new Float64Array(features.length);
    this.slope = new Float64Array(features.length);
    this.order = [...features.keys()];
  }

  /** `most`: C. */
  begin(domain: Domain, most: number): void {
    this.domain = domain;
    this.most = most;
    for (const feature of this.problem.space.features) this.slope[feature.index] = this.slopeOf(feature);
  }

  /** An upper bound of a·x, up to rounding. */
  mostOf(a: Float64Array): number {
    const { origin } = this.domain;
    let sum = 0;
    for (let c = 0; c < a.length; c++) sum += a[c] * origin[c];
    return sum + this.mostGain(a);
  }

  private mostGain(a: Float64Array): number {
    let sum = 0;
    for (const feature of this.problem.space.features) {
      const gain = this.gainOf(feature, a);
      this.gain[feature.index] = gain;
      sum += gain;
    }
    if (this.most === Infinity || !(sum > 0)) return sum;
    return this.isSquared ? Math.min(sum, this.ballOf(a)) : this.knapsack(a);
  }

  /** The largest contribution of a feature alone; negative where the domain forces the feature to move. */
  private gainOf({ kind, column, width }: Feature, a: Float64Array): number {
    const { lower, upper, origin } = this.domain;
    if (kind !== 'choice') {
      const slope = a[column];
      if (slope === 0) return 0;
      return slope > 0 ? slope * (upper[column] - origin[column]) : slope * (lower[column] - origin[column]);
    }
    let [best, here] = [-Infinity, 0];
    for (let c = column; c < column + width; c++) {
      here += a[c] * origin[c];
      if (upper[c] > 0) best = Math.max(best, a[c]);
    }
    return best - here;
  }

  /** Fills items in the order of their gain per cost. The last item counts in part. */
  private knapsack(a: Float64Array): number {
    const { gain, price, rate, order } = this;
    let sum = 0;
    for (const feature of this.problem.space.features) {
      const f = feature.index;
      if (gain[f] > 0) this.weigh(feature, a);
      else {
        rate[f] = 0;
        sum += gain[f];
      }
    }
    let left = this.most * (1 + ROUNDING);
    order.sort((f, g) => rate[g] - rate[f] || f - g);
    for (const f of order) {
      if (!(rate[f] > 0)) break;
      if (price[f] > left) return sum + rate[f] * left;
      left -= price[f];
      sum += gain[f];
    }
    return sum;
  }

  /** The cost of a feature's whole gain, and the gain per cost. A feature with a fixed cost above the limit gains nothing. */
  private weigh({ kind, index, column }: Feature, a: Float64Array): void {
    const { norm, weight } = this.problem.cost;
    if (kind === 'choice' || norm === 'l0') {
      this.price[index] = weight[index];
      this.rate[index] = weight[index] > this.most * (1 + ROUNDING) ? 0 : this.gain[index] / weight[index];
    } else {
      this.rate[index] = Math.abs(a[column]) / this.slope[index];
      this.price[index] = this.gain[index] / this.rate[index];
    }
  }

  private slopeOf({ kind, index, column }: Feature): number {
    const { norm, weight, curves } = this.problem.cost;
    const curve = norm === 'percentile' ? curves[index] : null;
    if (!curve || kind === 'choice') return weight[index];
    const { lower, upper, origin } = this.domain;
    const chord = (side: 1 | -1, room: number) =>
      room > 0 ? leastChord(costCurve(curve, weight[index], origin[column], side), 0, room).slope : Infinity;
    const slope = Math.min(chord(1, upper[column] - origin[column]), chord(-1, origin[column] - lower[column]));
    return slope < Infinity ? slope * (1 - ROUNDING) : weight[index];
  }

  /** √(C aᵀS a). A category counts as the square of its share, which costs no more. */
  private ballOf(a: Float64Array): number {
    const { cost, space } = this.problem;
    const metric = cost.metric?.features ?? [];
    let sum = this.spread
      ? quadratic(
          this.spread,
          metric.map(({ column }) => a[column]),
        )
      : 0;
    for (const feature of space.features) {
      if (metric.includes(feature)) continue;
      const gain = feature.kind === 'choice' ? Math.max(0, this.gainOf(feature, a)) : a[feature.column];
      sum += gain ** 2 / cost.weight[feature.index];
    }
    return Math.sqrt(this.most * sum) * (1 + ROUNDING);
  }
}

function inverseOf(matrix: readonly Float64Array[]): readonly Float64Array[] {
  const identity = matrix.map((_, i) => matrix.map((__, j) => +(i === j)));
  return solvePositive(
    matrix.map((row) => [...row]),
    identity,
  )!;
}

const quadratic = (S: readonly Float64Array[], v: readonly number[]): number =>
  S.reduce((sum, row, i) => sum + v[i] * row.reduce((inner, s, j) => inner + s * v[j], 0), 0);
