/**
 * A Lagrangian bound for separable squared costs that includes lattices, categories and the cap on changes.
 *
 *   L(s) = s·Σ λ_i (β_i - a_i·x)  -  Σ over the K best features of  v_f(s),
 *   v_f(s) = max over f's own domain of  s·g·Δ_f - cost_f(Δ_f),      g = Σ λ_i a_i
 *
 * Any multipliers λ of the right sign and any s >= 0 give a valid lower bound. λ comes from the projection of the node, which ignores
 * lattices and caps. L is concave in s, and the best s compensates for most of that.
 *
 * Rounding: each end β_i is moved outwards by the error that linear-rows.ts gives. Each g_c may be off by a share of Σ |λ_i| t_i, with t_i
 * the sizes of the model's terms. The effect is at most that share of every move, and an answer that costs less than L moves no further
 * than √(L/w). A lattice point is off by a few units in the last place of its value.
 */
import type { Feature } from '../../models/features.js';
import { type Domain, mayStand } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { HALF_ULP, readsDistances, termsOf } from '../shared/linear-rows.js';
import type { PreparedActiveSet } from './active-set.js';

const GROWTH = 1.6;
const SHRINKS = 14;
/** Rounding errors of a combined coefficient and of a lattice point, in addition to one for each row and column. */
const OTHER_ROUNDINGS = 32;
const LATTICE_ROUNDINGS = 8;

export class LagrangianBound {
  private readonly pull: Float64Array;
  /** The largest rounding error of an entry of `pull`. */
  private readonly doubt: Float64Array;
  private readonly terms: readonly Float64Array[];
  private readonly gains: Float64Array;
  private readonly readsDistances: boolean;
  private lack = 0;
  private size = 0;

  constructor(private readonly problem: Problem) {
    this.pull = new Float64Array(problem.space.columns);
    this.doubt = new Float64Array(problem.space.columns);
    this.terms = [...problem.piece.rows, ...problem.links].map(termsOf);
    this.readsDistances = problem.piece.rows.some(readsDistances);
    this.gains = new Float64Array(problem.space.features.length);
  }

  /** `least`: the bound of the relaxation itself. */
  bound(relaxation: PreparedActiveSet, domain: Domain, changed: ReadonlySet<number>, least: number): number {
    this.combineRows(relaxation, domain);
    const value = (s: number) => this.evaluate(s, domain, changed);
    let middle = 1;
    let best = value(1);
    let share = 1;
    for (let s = GROWTH; ; s *= GROWTH) {
      const here = value(s);
      if (!(here > best)) break;
      best = here;
      share = middle = s;
    }
    let low = middle / GROWTH;
    let high = middle * GROWTH;
    for (let k = 0; k < SHRINKS; k++) {
      const left = low + (high - low) / 3;
      const right = high - (high - low) / 3;
      const [atLeft, atRight] = [value(left), value(right)];
      if (Math.max(atLeft, atRight) > best) {
        best = Math.max(atLeft, atRight);
        share = atLeft > atRight ? left : right;
      }
      if (atLeft < atRight) low = left;
      else high = right;
    }
    // The rounding error of distances is known only for points that cost up to four times as much.
    const proved = Math.min(best - this.roundingAt(share, best, domain), this.readsDistances ? 4 * least : Infinity);
    return Number.isFinite(proved) ? proved : 0;
  }

  /** Computes g and Σ λ_i (β_i - a_i·x). The rows Σ z = 1 of categories are left to v_f, which keeps them exactly. */
  private combineRows(relaxation: PreparedActiveSet, domain: Domain): void {
    const { pull, doubt, terms } = this;
    const { origin } = domain;
    const roundings = (terms.length + origin.length + OTHER_ROUNDINGS) * HALF_ULP;
    pull.fill(0);
    doubt.fill(0);
    this.lack = this.size = 0;
    for (let i = 0; i < terms.length; i++) {
      const row = relaxation.rows[i];
      const y = relaxation.multiplier(i);
      const end = y > 0 ? row.lower : row.upper;
      if (y === 0 || !Number.isFinite(end)) continue;
      const lack = y * relaxation.lack(i, y > 0);
      this.lack += lack - 2 * Math.abs(y) * relaxation.rounding(i, domain);
      this.size += Math.abs(lack);
      for (let c = 0; c < pull.length; c++) {
        pull[c] += y * row.a[c];
        doubt[c] += roundings * Math.abs(y) * terms[i][c];
      }
    }
  }

  /** The largest rounding error in a bound of some value. */
  private roundingAt(s: number, value: number, { origin, lower, upper, step }: Domain): number {
    const { problem, pull, doubt } = this;
    let sum = 0;
    for (const { kind, column, width, index } of problem.space.features) {
      if (kind === 'choice') {
        for (let c = column; c < column + width; c++) sum += 2 * s * doubt[c];
        continue;
      }
      const room = Math.max(Math.abs(lower[column] - origin[column]), Math.abs(upper[column] - origin[column]));
      const move = Math.min(room, Math.sqrt(Math.max(0, value) / problem.cost.weight[index]));
      if (doubt[column] > 0) sum += s * doubt[column] * move;
      if (step[index] === 0) continue;
      const off = LATTICE_ROUNDINGS * HALF_ULP * (Math.abs(origin[column]) + move);
      sum += off * (s * Math.abs(pull[column]) + 2 * problem.cost.weight[index] * (move + off));
    }
    const roundings = (problem.space.features.length + this.terms.length + OTHER_ROUNDINGS) * HALF_ULP;
    return sum + roundings * (s * this.size + Math.abs(value));
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

  private choiceGain(feature: Feature, s: number, domain: Domain): number {
    const { column, width, index } = feature;
    const { origin, upper } = domain;
    const { pull, problem } = this;
    let present = 0;
    for (let c = column; c < column + width; c++) present += pull[c] * origin[c];
    let best = mayStand(domain, feature) ? 0 : Number.NEGATIVE_INFINITY;
    for (let c = column; c < column + width; c++)
      if (upper[c] > 0 && origin[c] !== 1) best = Math.max(best, s * (pull[c] - present) - problem.cost.weight[index]);
    return best === Number.NEGATIVE_INFINITY ? 0 : best;
  }

  private numberGain({ column, index }: Feature, s: number, { origin, lower, upper, step }: Domain): number {
    const slope = s * this.pull[column];
    const weight = this.problem.cost.weight[index];
    const low = lower[column] - origin[column];
    const high = upper[column] - origin[column];
    const free = Math.min(high, Math.max(low, slope / (2 * weight)));
    const unit = step[index];
    if (unit === 0) return free * (slope - weight * free);
    // Bounds are lattice points. The gain is concave: its best lattice point is one of the two around the free optimum.
    const last = Math.round(high / unit);
    const below = Math.min(last, Math.max(Math.round(low / unit), Math.floor(free / unit)));
    const [near, far] = [unit * below, unit * Math.min(last, below + 1)];
    return Math.max(near * (slope - weight * near), far * (slope - weight * far));
  }
}

function sumOfLargest(values: Float64Array, count: number): number {
  if (count <= 0) return 0;
  const sorted = values.slice().sort();
  let sum = 0;
  for (let k = sorted.length - count; k < sorted.length; k++) sum += sorted[k];
  return sum;
}
