/**
 * The Lagrangian of one linear row of the region, feature by feature: for a multiplier λ >= 0 and a·x >= b
 *
 *   cost(x)  >=  λ b + Σ_f min over f's part of the box of  (cost_f(x_f) - λ a_f·x_f)
 *
 * for every x of the box and the region. The row and the λ with the best bound are taken. Golden section finds λ, because the bound is
 * concave in λ. Without a row of this form, or with a cost other than L0, L1 and L2, λ is 0 and the bound is the cost alone.
 */
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import { changeCost } from '../../policy/cost.js';
import type { Domain } from '../../policy/domain.js';
import { atomsOf, type Problem } from '../../problems/problem.js';

const PRICED = new Set(['l0', 'l1', 'l2']);
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const SECTIONS = 40;
const DOUBLINGS = 60;

export class ReducedCost {
  private readonly rows: readonly LinearRow[];
  private origin: Float64Array = new Float64Array();
  private slope: Float64Array;
  private lambda = 0;
  private end = 0;

  constructor(private readonly problem: Problem) {
    const priced = PRICED.has(problem.cost.norm) && atomsOf(problem, 'trees').length === 0;
    this.rows = priced ? problem.piece.rows : [];
    this.slope = new Float64Array(problem.space.columns);
  }

  /** λ b */
  get constant(): number {
    return this.lambda * this.end;
  }

  /** Chooses the row and its multiplier for a box. */
  fit(box: Domain): void {
    this.origin = box.origin;
    this.lambda = 0;
    let best = { value: this.value(box), lambda: 0, end: 0, slope: this.slope };
    for (const row of this.rows) {
      if (!this.face(row)) continue;
      const found = this.bestMultiplier(box);
      if (found.value > best.value) best = { ...found, end: this.end, slope: this.slope };
    }
    this.lambda = best.lambda;
    this.end = best.end;
    this.slope = best.slope;
  }

  /** Orients a row so that the present row lacks something of it. False: the present row meets it. */
  private face({ a, lower, upper }: LinearRow): boolean {
    const activity = a.reduce((sum, value, c) => sum + value * this.origin[c], 0);
    const side = activity < lower ? 1 : activity > upper ? -1 : 0;
    this.slope = side < 0 ? a.map((value) => -value) : a;
    this.end = side < 0 ? -upper : lower;
    return side !== 0;
  }

  private bestMultiplier(box: Domain): { value: number; lambda: number } {
    const at = (lambda: number) => {
      this.lambda = lambda;
      return this.value(box);
    };
    let high = this.scale();
    for (let k = 0; k < DOUBLINGS && at(2 * high) > at(high); k++) high *= 2;
    let low = 0;
    high *= 2;
    for (let k = 0; k < SECTIONS; k++) {
      const [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
      if (at(left) >= at(right)) high = right;
      else low = left;
    }
    return { value: at(low), lambda: low };
  }

  /** The least price of a unit of the row. */
  private scale(): number {
    const { space, cost } = this.problem;
    let least = Infinity;
    for (let c = 0; c < this.slope.length; c++)
      if (this.slope[c] !== 0) least = Math.min(least, cost.weight[space.owner[c]] / Math.abs(this.slope[c]));
    return least < Infinity ? 1e-3 * least : 1;
  }

  private value({ lower, upper }: Domain): number {
    let sum = this.constant;
    for (const feature of this.problem.space.features) sum += this.of(feature, lower, upper, -1);
    return sum;
  }

  /** The least cost - λ a·x within the bounds of a feature. `taken`: the column of its category, or -1. */
  of(feature: Feature, lower: Float64Array, upper: Float64Array, taken: number): number {
    return feature.kind === 'choice'
      ? this.ofChoice(feature, lower, upper, taken)
      : this.ofNumber(feature, lower[feature.column], upper[feature.column]);
  }

  private ofNumber(feature: Feature, low: number, high: number): number {
    const { norm, weight } = this.problem.cost;
    const here = this.origin[feature.column];
    const gain = this.lambda * this.slope[feature.column];
    const at = (x: number) =>
      (x === here ? 0 : changeCost(this.problem.cost, feature, here, x)) - (gain ? gain * x : 0);
    const still = Math.min(high, Math.max(low, here));
    if (gain === 0) return at(still);
    if (norm !== 'l2') return Math.min(at(still), at(gain > 0 ? high : low));
    return at(Math.min(high, Math.max(low, here + gain / (2 * weight[feature.index]))));
  }

  /** The least over all open categories and the unchanged one. */
  private ofChoice({ column, width, index }: Feature, lower: Float64Array, upper: Float64Array, taken: number): number {
    const { origin, slope, lambda } = this;
    let least = Infinity;
    let present = 0;
    // An imputer may have given a share of several categories. The unchanged value then counts on both sides.
    let stands = true;
    for (let c = column; c < column + width; c++) {
      present += slope[c] * origin[c];
      stands &&= origin[c] >= lower[c] && origin[c] <= upper[c] && (taken < 0 || c !== taken || origin[c] > 0);
      const open = upper[c] >= 1 && (taken < 0 || taken === c) && origin[c] !== 1;
      if (open) least = Math.min(least, this.problem.cost.weight[index] - lambda * slope[c]);
    }
    return stands ? Math.min(least, -lambda * present) : least;
  }
}
