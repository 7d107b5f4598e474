/**
 * A Lagrangian bound for separable squared costs that knows lattices, categories and the cap on changes.
 *
 *   L(s) = s·Σ λ_i (β_i - a_i·x)  -  Σ over the K best features of  v_f(s),
 *   v_f(s) = max over f's own domain of  s·g·Δ_f - cost_f(Δ_f),      g = Σ λ_i a_i
 *
 * Any multipliers λ of the right sign and any s >= 0 give a valid lower bound. λ comes from the projection of the node,
 * which knows nothing of lattices and caps; L is concave in s, and the best s makes up for most of that.
 */
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import type { PreparedActiveSet } from './active-set.js';

const GROWTH = 1.6;
const SHRINKS = 14;

export class LagrangianBound {
  private readonly pull: Float64Array;
  private readonly gains: Float64Array;
  private lack = 0;

  constructor(private readonly problem: Problem) {
    this.pull = new Float64Array(problem.space.columns);
    this.gains = new Float64Array(problem.space.features.length);
  }

  bound(relaxation: PreparedActiveSet, domain: Domain, changed: ReadonlySet<number>): number {
    this.combineRows(relaxation, domain);
    const value = (s: number) => this.evaluate(s, domain, changed);
    let middle = 1;
    let best = value(1);
    for (let s = GROWTH; ; s *= GROWTH) {
      const here = value(s);
      if (!(here > best)) break;
      best = here;
      middle = s;
    }
    let low = middle / GROWTH;
    let high = middle * GROWTH;
    for (let k = 0; k < SHRINKS; k++) {
      const left = low + (high - low) / 3;
      const right = high - (high - low) / 3;
      const [atLeft, atRight] = [value(left), value(right)];
      best = Math.max(best, atLeft, atRight);
      if (atLeft < atRight) low = left;
      else high = right;
    }
    return Number.isFinite(best) ? best : 0;
  }

  /** g and Σ λ_i (β_i - a_i·x); the rows Σ z = 1 of categories are left to v_f, which keeps them exactly. */
  private combineRows(relaxation: PreparedActiveSet, { origin }: Domain): void {
    const { pull } = this;
    pull.fill(0);
    this.lack = 0;
    const own = this.problem.piece.rows.length + this.problem.links.length;
    for (let i = 0; i < own; i++) {
      const row = relaxation.rows[i];
      const y = relaxation.multiplier(i);
      const end = y > 0 ? row.lower : row.upper;
      if (y === 0 || !Number.isFinite(end)) continue;
      this.lack += y * end;
      for (let c = 0; c < pull.length; c++) {
        pull[c] += y * row.a[c];
        this.lack -= y * row.a[c] * origin[c];
      }
    }
  }

  private evaluate(s: number, domain: Domain, changed: ReadonlySet<number>): number {
    const { gains } = this;
    const { space, maxChanges } = this.problem;
    let total = s * this.lack;
    let count = 0;
    for (const feature of space.features) {
      const gain =
        feature.kind === 'choice' ? this.choiceGain(feature, s, domain) : this.numberGain(feature, s, domain);
      if (gain === 0) continue;
      if (gain < 0 || changed.has(feature.index)) total -= gain;
      else gains[count++] = gain;
    }
    const left = maxChanges - changed.size;
    if (count <= left) for (let k = 0; k < count; k++) total -= gains[k];
    else total -= sumOfLargest(gains.subarray(0, count), left);
    return total;
  }

  private choiceGain({ column, width, index }: Feature, s: number, { origin, upper }: Domain): number {
    let present = 0;
    let best = Number.NEGATIVE_INFINITY;
    for (let c = column; c < column + width; c++) if (origin[c] > 0) present = this.pull[c];
    for (let c = column; c < column + width; c++) {
      if (upper[c] === 0) continue;
      best = Math.max(best, origin[c] > 0 ? 0 : s * (this.pull[c] - present) - this.problem.cost.weight[index]);
    }
    return best === Number.NEGATIVE_INFINITY ? 0 : best;
  }

  private numberGain({ column, index }: Feature, s: number, { origin, lower, upper, step }: Domain): number {
    const slope = s * this.pull[column];
    const weight = this.problem.cost.weight[index];
    const low = lower[column] - origin[column];
    const high = upper[column] - origin[column];
    const gain = (delta: number) => slope * delta - weight * delta * delta;
    const free = Math.min(high, Math.max(low, slope / (2 * weight)));
    if (step[index] === 0) return gain(free);
    const below = step[index] * Math.floor(free / step[index] + 1e-9);
    const above = below + step[index];
    return Math.max(
      below >= low - 1e-9 ? gain(below) : Number.NEGATIVE_INFINITY,
      above <= high + 1e-9 ? gain(above) : Number.NEGATIVE_INFINITY,
    );
  }
}

function sumOfLargest(values: Float64Array, count: number): number {
  if (count <= 0) return 0;
  const sorted = values.slice().sort();
  let sum = 0;
  for (let k = sorted.length - count; k < sorted.length; k++) sum += sorted[k];
  return sum;
}
