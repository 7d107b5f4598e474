/**
 * Lines below costs, for the relaxation of branch.ts. A move v of a feature has the true cost φ(v); on a node's interval
 * [lo, hi] it is replaced by the steepest line from (lo, φ(lo)) that stays below φ:
 *
 *   l1           φ is that line
 *   l0           w for any change: slope w/hi while the feature is undecided, nothing once it counts as changed
 *   percentile   piecewise linear, no convexity: the line through the corner that lies lowest as seen from lo
 */
import { changeCost } from '../../policy/cost.js';
import type { MoveModel } from './moves.js';

/** A move of this size, in scaled units, is none. */
export const NO_MOVE = 1e-13;

interface Bends {
  readonly origin: number;
  readonly distances: Float64Array;
  readonly costs: Float64Array;
}

export class CostLines {
  /** By move, for the row that was seen last. */
  private readonly known: (Bends | undefined)[] = [];

  constructor(private readonly model: MoveModel) {}

  /** Writes the slope of every scaled move, and returns what the cheap ends cost together. */
  price(lo: Float64Array, hi: Float64Array, changed: Uint8Array, slopes: Float64Array): number {
    const { model } = this;
    const { norm, weight } = model.problem.cost;
    let fixed = 0;
    if (norm === 'l0') for (let f = 0; f < changed.length; f++) fixed += changed[f] * weight[f];
    for (let j = 0; j < model.n; j++) {
      const { kind, feature } = model.moves[j];
      const slope =
        kind === 'choose'
          ? this.choiceSlope(j, changed[feature.index])
          : this.slope(j, lo[j], hi[j], changed[feature.index]);
      slopes[j] = slope * model.unit[j];
      if (norm !== 'l0' && lo[j] > 0) fixed += kind === 'choose' ? slope * lo[j] : this.trueCost(j, lo[j]);
    }
    return fixed;
  }

  private choiceSlope(j: number, decided: number): number {
    const { cost } = this.model.problem;
    if (cost.norm !== 'l0') return this.model.choicePrice[j];
    return decided ? 0 : cost.weight[this.model.moves[j].feature.index];
  }

  private slope(j: number, lo: number, hi: number, decided: number): number {
    const { norm, weight } = this.model.problem.cost;
    const { index } = this.model.moves[j].feature;
    if (norm === 'l1') return weight[index];
    if (hi <= lo) return 0;
    if (norm === 'l0') return decided || hi === Infinity ? 0 : weight[index] / hi;
    return this.percentileSlope(j, lo, hi);
  }

  private percentileSlope(j: number, lo: number, hi: number): number {
    const { distances, costs } = this.bends(j);
    const base = this.trueCost(j, lo);
    let slope = Infinity;
    let last = Math.max(lo, 0);
    for (let k = 0; k < distances.length; k++) {
      if (distances[k] <= lo || distances[k] >= hi) continue;
      slope = Math.min(slope, (costs[k] - base) / (distances[k] - lo));
      last = Math.max(last, distances[k]);
    }
    // Beyond its last corner the curve is a line: one more point of it stands for all the rest.
    const end = hi < Infinity ? hi : 2 * Math.max(last, 1);
    return Math.max(0, Math.min(slope, (this.trueCost(j, end) - base) / (end - lo)));
  }

  /** Where the cost of a numeric move bends, strictly between lo and hi. */
  corners(j: number, lo: number, hi: number): number[] {
    return Array.from(this.bends(j).distances).filter((distance) => distance > lo && distance < hi);
  }

  /** All bends of a move's cost for the present row, and what it costs to get there. */
  private bends(j: number): Bends {
    const origin = this.model.originOf(j);
    const known = this.known[j];
    if (known && known.origin === origin) return known;
    const { feature, kind } = this.model.moves[j];
    const curve = this.model.problem.cost.curves[feature.index];
    const points = curve ? Array.from(curve.points, (point) => (kind === 'up' ? point - origin : origin - point)) : [];
    const distances = Float64Array.from(points.filter((distance) => distance > 0));
    const bends = { origin, distances, costs: distances.map((distance) => this.trueCost(j, distance)) };
    this.known[j] = bends;
    return bends;
  }

  /** How far the true cost of an amount lies above its line. */
  excess(j: number, lo: number, hi: number, amount: number): number {
    return this.trueCost(j, amount) - this.trueCost(j, lo) - this.slope(j, lo, hi, 0) * (amount - lo);
  }

  /** What an amount of a numeric move really costs. */
  private trueCost(j: number, amount: number): number {
    const { feature, kind } = this.model.moves[j];
    const origin = this.model.originOf(j);
    return changeCost(this.model.problem.cost, feature, origin, kind === 'up' ? origin + amount : origin - amount);
  }

  /** What scaled moves really cost together. */
  total(values: Float64Array): number {
    const { model } = this;
    const { norm, weight } = model.problem.cost;
    let total = 0;
    for (const moves of model.movesOf) {
      if (!moves.some((j) => values[j] > NO_MOVE)) continue;
      if (norm === 'l0') total += weight[model.moves[moves[0]].feature.index];
      else
        for (const j of moves)
          total +=
            model.moves[j].kind === 'choose'
              ? model.choicePrice[j] * values[j] * model.unit[j]
              : this.trueCost(j, values[j] * model.unit[j]);
    }
    return total;
  }
}
