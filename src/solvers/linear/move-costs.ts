/**
 * The costs of moves, for the relaxation of branch.ts. A move of the amount v >= 0 has the true cost φ(v). On a node's interval [lo, hi]
 * the lower convex hull replaces φ: a chain of pieces of ascending slope.
 *
 *   l1           φ(v) = w v: one piece
 *   l0           φ(v) = w for any change: slope w/hi while the feature is undecided, nothing once it counts as changed
 *   percentile   piecewise linear without any convexity, bent where the distribution function is; beyond its last bend a line
 */
import { type CostCurve, costAt, costCurve } from '../shared/cost-curve.js';
import type { MoveModel } from './moves.js';

/** Lengths and slopes of the pieces of a hull, alternating. The last length may be infinite. */
export type Hull = Float64Array;

export class MoveCosts {
  private curves: (CostCurve | undefined)[] = [];
  /** Hulls of the present person, by move, lower and upper end. */
  private hulls: (Map<number, Map<number, Hull>> | undefined)[] = [];
  private readonly line = new Float64Array(2);

  constructor(private readonly model: MoveModel) {}

  /** Forgets the previous person. */
  begin(): void {
    this.curves = [];
    this.hulls = [];
  }

  /** The true cost of an amount of a move by itself. */
  of(j: number, amount: number): number {
    const { model } = this;
    const { cost } = model.problem;
    const { kind, feature } = model.moves[j];
    if (kind === 'choose') return model.choicePrice[j] * amount;
    if (cost.norm === 'l0') return amount > 0 ? cost.weight[feature.index] : 0;
    if (cost.norm === 'l1') return cost.weight[feature.index] * amount;
    return costAt(this.curve(j), amount);
  }

  /** The hull on [lo, hi]. `decided`: the feature counts as changed. Valid until the next call. */
  hull(j: number, lo: number, hi: number, decided: boolean): Hull {
    const { norm, weight } = this.model.problem.cost;
    const { kind, feature } = this.model.moves[j];
    if (lo === hi) return this.single(0, 0);
    if (kind === 'choose') return this.single(1, norm === 'l0' && decided ? 0 : this.model.choicePrice[j]);
    if (norm === 'l1') return this.single(hi - lo, weight[feature.index]);
    if (norm === 'l0') return this.single(hi - lo, decided || hi === Infinity ? 0 : weight[feature.index] / hi);
    return this.chain(j, lo, hi);
  }

  private single(length: number, slope: number): Hull {
    this.line[0] = length;
    this.line[1] = slope;
    return this.line;
  }

  private chain(j: number, lo: number, hi: number): Hull {
    this.hulls[j] ??= new Map();
    const byEnd = this.hulls[j].get(lo) ?? new Map<number, Hull>();
    const hull = byEnd.get(hi) ?? hullOf(this.curve(j), lo, hi);
    this.hulls[j].set(lo, byEnd.set(hi, hull));
    return hull;
  }

  /** How far the true cost of an amount lies above its hull. */
  excess(j: number, lo: number, hi: number, amount: number): number {
    const hull = this.chain(j, lo, hi);
    let height = this.of(j, lo);
    let left = amount - lo;
    for (let k = 0; k < hull.length && left > 0; k += 2) {
      height += hull[k + 1] * Math.min(left, hull[k]);
      left -= hull[k];
    }
    return this.of(j, amount) - height;
  }

  /** Amounts at which a numeric move's cost bends, ascending. */
  bends(j: number): Float64Array {
    return this.curve(j).amounts;
  }

  /** The slope of a move's cost beyond its last bend. */
  tail(j: number): number {
    return this.curve(j).tail;
  }

  private curve(j: number): CostCurve {
    this.curves[j] ??= this.buildCurve(j);
    return this.curves[j];
  }

  private buildCurve(j: number): CostCurve {
    const { cost } = this.model.problem;
    const { kind, feature } = this.model.moves[j];
    const side = kind === 'up' ? 1 : -1;
    return costCurve(cost.curves[feature.index], cost.weight[feature.index], this.model.originOf(j), side);
  }
}

/** The lower convex hull of a curve on an interval, as a chain. */
function hullOf(curve: CostCurve, lo: number, hi: number): Hull {
  const xs = [lo];
  const ys = [costAt(curve, lo)];
  const add = (x: number, y: number) => {
    while (xs.length > 1 && isAbove(xs, ys, x, y)) {
      xs.pop();
      ys.pop();
    }
    xs.push(x);
    ys.push(y);
  };
  for (let k = 0; k < curve.amounts.length; k++)
    if (curve.amounts[k] > lo && curve.amounts[k] < hi) add(curve.amounts[k], curve.costs[k]);
  if (hi < Infinity) add(hi, costAt(curve, hi));
  else while (xs.length > 1 && lastSlope(xs, ys) >= curve.tail) [xs.pop(), ys.pop()];
  const pieces: number[] = [];
  for (let k = 1; k < xs.length; k++) pieces.push(xs[k] - xs[k - 1], (ys[k] - ys[k - 1]) / (xs[k] - xs[k - 1]));
  if (hi === Infinity) pieces.push(Infinity, curve.tail);
  return Float64Array.from(pieces);
}

const lastSlope = (xs: readonly number[], ys: readonly number[]): number => {
  const k = xs.length - 1;
  return (ys[k] - ys[k - 1]) / (xs[k] - xs[k - 1]);
};

/** Whether the last point lies on or above the line from the one before it to a new one. */
function isAbove(xs: readonly number[], ys: readonly number[], x: number, y: number): boolean {
  const k = xs.length - 1;
  return (ys[k] - ys[k - 1]) * (x - xs[k - 1]) >= (y - ys[k - 1]) * (xs[k] - xs[k - 1]);
}
