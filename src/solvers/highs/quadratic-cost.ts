/**
 * L2 and Mahalanobis costs over moves as a sum of squares, for outer approximation:
 *
 *   cost(Δ) = Σ_f w_f Δ_f²  +  Σ_i (ℓ_i·Δ)²  +  the cost of categories
 *
 * L2 has the first sum only. For Mahalanobis Q = S⁻¹ is split, Q = θ diag(Q) + L Lᵀ, with nearly the largest θ that leaves the rest
 * positive definite: cuts of squares of single features are much tighter than cuts of squares of sums. An ordinal feature with an allow
 * list is a choice among ranks, so its own square is a price per rank.
 */
import { choleskyLower, solvePositive } from '../../linalg/symmetric.js';
import type { Feature } from '../../models/features.js';
import type { MoveModel } from '../linear/moves.js';

/** The share of the largest θ that is used: the rest must stay well conditioned. */
const SHARE = 0.9;
const HALVINGS = 30;

export class QuadraticCost {
  /** w_f by feature; 0: the feature has no own square, or its square is a price. */
  readonly own: Float64Array;
  /** ℓ_i by feature. */
  readonly sums: readonly Float64Array[];
  /** By feature: the least cost of any answer with Δ_f² = 1. */
  private readonly least: Float64Array;
  /** θ Q_ff of features with a choice among ranks. */
  private readonly perSquaredRank: Float64Array;

  constructor(private readonly model: MoveModel) {
    const { space, cost } = model.problem;
    const perFeature = () => new Float64Array(space.features.length);
    this.own = perFeature();
    this.least = perFeature();
    this.perSquaredRank = perFeature();
    const numeric = space.features.filter(
      (feature) => feature.kind !== 'choice' && model.movesOf[feature.index].length,
    );
    if (cost.metric) this.sums = this.split(numeric, metricOver(numeric, cost.metric));
    else {
      this.sums = [];
      for (const { index } of numeric) this.least[index] = this.own[index] = cost.weight[index];
    }
    for (const { index } of numeric) if (model.moves[model.movesOf[index][0]].kind === 'choose') this.priceRanks(index);
  }

  private split(features: readonly Feature[], q: readonly number[][]): Float64Array[] {
    const identity = q.map((_, i) => q.map((__, j) => +(i === j)));
    const covariance = solvePositive(q, identity);
    const theta = SHARE * largestShare(q);
    const lower = choleskyLower(withoutShare(q, theta));
    for (const [i, { index }] of features.entries()) {
      this.own[index] = lower ? theta * q[i][i] : 0;
      this.least[index] = covariance ? 1 / covariance[i][i] : 0;
    }
    const factor = lower ?? choleskyLower(q) ?? [];
    return factor.map((_, i) => {
      const sum = new Float64Array(this.own.length);
      for (const [f, { index }] of features.entries()) sum[index] = factor[f][i];
      return sum;
    });
  }

  private priceRanks(index: number): void {
    this.perSquaredRank[index] = this.model.problem.cost.metric ? this.own[index] : 0;
    this.own[index] = 0;
  }

  /** The cost of a choice by itself: a category's price, or the square of the distance in ranks. */
  choicePrice(j: number): number {
    const { feature } = this.model.moves[j];
    return this.model.choicePrice[j] + this.perSquaredRank[feature.index] * this.effect(j) ** 2;
  }

  /** The effect of one unit of a move on Δ of its feature. */
  effect(j: number): number {
    const { kind, category, feature } = this.model.moves[j];
    if (kind === 'choose') return feature.kind === 'choice' ? 0 : category - this.model.originOf(j);
    return kind === 'up' ? 1 : -1;
  }

  /** The least cost of any answer whose move j is the amount or more. */
  leastBeyond(j: number, amount: number): number {
    return this.least[this.model.moves[j].feature.index] * amount * amount;
  }
}

function metricOver(
  features: readonly Feature[],
  metric: NonNullable<MoveModel['problem']['cost']['metric']>,
): number[][] {
  const place = features.map((feature) => metric.features.indexOf(feature));
  return place.map((i) => place.map((j) => metric.inverse[i][j]));
}

const withoutShare = (q: readonly number[][], share: number): number[][] =>
  q.map((row, i) => row.map((value, j) => (i === j ? (1 - share) * value : value)));

/** The largest θ for which Q - θ diag(Q) is positive definite. */
function largestShare(q: readonly number[][]): number {
  let good = 0;
  let bad = 1;
  for (let k = 0; k < HALVINGS; k++) {
    const middle = (good + bad) / 2;
    if (choleskyLower(withoutShare(q, middle))) good = middle;
    else bad = middle;
  }
  return good;
}
