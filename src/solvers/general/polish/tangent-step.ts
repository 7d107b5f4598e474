/**
 * The cheapest point within several linear models of the margin, the policy's rows and a box, categories as they are:
 *
 *   min cost(v - x)   s.t.   m_k + g_k·(v - z_k) >= depth  for every tangent k,   rows of the policy,   |v_c - a_c| <= ρ s_c
 *
 * by the engines of linear/polyhedral.ts in  y,  Δ = v - x:
 *
 *   l1, l2        Δ_c = s_c y_c                                  mahalanobis   Δ = L⁻ᵀ y,  M = L Lᵀ, the box as rows
 *   percentile    Δ_c = y_c |Δ'_c| / cost(Δ'_c), the chord up to the present move Δ'
 *   l0            Δ_c = y_c (|Δ'_c| + ε) / w_c  (reweighted l1)
 *
 * The margin of a model of several classes has kinks where the strongest other class changes. The margin of a network has kinks where a unit changes its
 * phase. With one tangent the search oscillates across a kink. With the tangents of both sides the search finds the kink.
 */
import { backward, factorInPlace, forward } from '../../../linalg/cholesky.js';
import { changeCost } from '../../../policy/cost.js';
import { hasMoved } from '../../../policy/values.js';
import { type CheapestPoint, cheapestL1, cheapestL2, type UpperRow } from '../../linear/polyhedral.js';
import { violation } from '../../shared/linear-rows.js';
import type { Look, PersonSearch } from '../person-search.js';

export interface MarginTangent {
  readonly x: Float64Array;
  readonly margin: number;
  readonly slope: Float64Array;
  /** The depth to keep inside the region. */
  readonly depth: number;
}

/** `slope` is copied. */
export const tangentAt = (search: PersonSearch, { x, margin }: Look, slope: Float64Array): MarginTangent => ({
  x,
  margin,
  slope: slope.slice(),
  depth: depthAt(search, x, slope),
});

/** The depth to aim at: a little more than the rounding error. */
export function depthAt({ numbers, limits }: PersonSearch, x: Float64Array, slope: Float64Array): number {
  let size = 0;
  for (const c of numbers) size += Math.abs(slope[c] * x[c]);
  return limits.nudge * size;
}

/** The value of a tangent at a point, and the size of its terms. */
export function predicted({ x, margin, slope }: MarginTangent, at: Float64Array): { value: number; size: number } {
  let value = margin;
  let size = Math.abs(margin);
  for (let c = 0; c < x.length; c++) {
    if (slope[c] === 0 || at[c] === x[c]) continue;
    value += slope[c] * (at[c] - x[c]);
    size += Math.abs(slope[c]) * (Math.abs(at[c]) + Math.abs(x[c]));
  }
  return { value, size };
}

/** Under l0, a move that is shorter than this fraction of the spread counts as no move. */
const L0_WIDTH = 0.05;
const SHORT = 1e-3;

export class TangentStep {
  private readonly cheapest: CheapestPoint;
  private readonly unit: Float64Array;
  private readonly lo: Float64Array;
  private readonly hi: Float64Array;
  private readonly factor: Float64Array | null;
  private readonly out: Float64Array;

  constructor(private readonly search: PersonSearch) {
    const { problem, numbers } = search;
    const { norm } = problem.cost;
    this.cheapest = norm === 'l2' || norm === 'mahalanobis' ? cheapestL2 : cheapestL1;
    const vector = () => new Float64Array(numbers.length);
    [this.unit, this.lo, this.hi] = [vector(), vector(), vector()];
    this.factor = problem.cost.metric && factorOf(search);
    this.out = search.home.slice();
  }

  /** The cheapest point, valid until the next call. Null: no point fits, or no number may change. */
  solve(tangents: readonly MarginTangent[], at: Float64Array, radius: number): Float64Array | null {
    const { search, lo, hi } = this;
    if (!search.numbers.length) return null;
    this.setBox(at, radius);
    const rows = [...tangents.map((tangent) => this.tangentRow(tangent, at)), ...this.policyRows(at)];
    const end = this.factor ? new Float64Array(lo.length).fill(Infinity) : hi;
    const start = this.factor ? end.map((value) => -value) : lo;
    const found = this.cheapest(this.factor ? [...rows, ...this.boxRows()] : rows, start, end, search.limits.budget);
    return typeof found === 'string' ? null : this.columns(found.y, at);
  }

  private setBox(at: Float64Array, radius: number): void {
    const { numbers, domain, scale, problem } = this.search;
    const { origin } = domain;
    const isFull = this.isFull(at);
    for (const [j, c] of numbers.entries()) {
      const unit = this.factor ? 1 : this.unitAt(j, at[c] - origin[c]);
      const feature = problem.space.features[problem.space.owner[c]];
      const stays = isFull && !hasMoved(feature, origin, at);
      const room = stays ? 0 : radius * scale[c];
      this.unit[j] = unit;
      this.lo[j] = (Math.max(domain.lower[c], at[c] - room) - origin[c]) / unit;
      this.hi[j] = (Math.min(domain.upper[c], at[c] + room) - origin[c]) / unit;
    }
  }

  /** True if the cap on changes is reached. */
  private isFull(at: Float64Array): boolean {
    const { problem, free, domain } = this.search;
    if (problem.maxChanges >= free.length) return false;
    return free.filter((feature) => hasMoved(feature, domain.origin, at)).length >= problem.maxChanges;
  }

  private unitAt(j: number, move: number): number {
    const { problem, numbers, domain, scale } = this.search;
    const { norm, weight } = problem.cost;
    const c = numbers[j];
    const feature = problem.space.features[problem.space.owner[c]];
    if (norm === 'l0') return (Math.abs(move) + L0_WIDTH * scale[c]) / (weight[feature.index] || 1);
    if (norm !== 'percentile') return scale[c];
    const length = Math.max(Math.abs(move), SHORT * scale[c]) * (move < 0 ? -1 : 1);
    const cost = changeCost(problem.cost, feature, domain.origin[c], domain.origin[c] + length);
    return cost > 0 ? Math.abs(length) / cost : scale[c];
  }

  private tangentRow({ x, margin, slope, depth }: MarginTangent, at: Float64Array): UpperRow {
    const { numbers, domain } = this.search;
    let upper = margin - depth;
    const isNumber = new Set(numbers);
    for (let c = 0; c < x.length; c++) {
      const from = isNumber.has(c) ? domain.origin[c] : at[c];
      if (slope[c] !== 0 && from !== x[c]) upper += slope[c] * (from - x[c]);
    }
    return { a: this.inUnits(slope, -1), upper };
  }

  /** Both sides of every link, and for every clause its row with the smallest violation. */
  private policyRows(at: Float64Array): UpperRow[] {
    const { problem, domain, numbers } = this.search;
    const least = problem.clauses.map(({ rows }) =>
      rows.reduce((a, b) => (violation(b, at) < violation(a, at) ? b : a)),
    );
    const isNumber = new Set(numbers);
    return [...problem.links, ...least].flatMap(({ a, lower, upper }) => {
      let base = 0;
      for (let c = 0; c < a.length; c++) if (a[c] !== 0) base += a[c] * (isNumber.has(c) ? domain.origin[c] : at[c]);
      const above = upper < Infinity ? [{ a: this.inUnits(a, 1), upper: upper - base }] : [];
      return lower > -Infinity ? [...above, { a: this.inUnits(a, -1), upper: base - lower }] : above;
    });
  }

  private inUnits(a: Float64Array, sign: number): Float64Array {
    const { numbers } = this.search;
    const row = Float64Array.from(numbers, (c, j) => sign * a[c] * this.unit[j]);
    if (this.factor) forward(this.factor, row.length, row);
    return row;
  }

  private boxRows(): UpperRow[] {
    const { numbers } = this.search;
    return numbers.flatMap((_, j) => {
      const unitVector = (sign: number) => {
        const a = new Float64Array(numbers.length);
        a[j] = sign;
        forward(this.factor!, a.length, a);
        return a;
      };
      const above = this.hi[j] < Infinity ? [{ a: unitVector(1), upper: this.hi[j] }] : [];
      return this.lo[j] > -Infinity ? [...above, { a: unitVector(-1), upper: -this.lo[j] }] : above;
    });
  }

  private columns(y: Float64Array, at: Float64Array): Float64Array {
    const { numbers, domain } = this.search;
    if (this.factor) backward(this.factor, y.length, y);
    this.out.set(at);
    for (const [j, c] of numbers.entries())
      this.out[c] = y[j] === 0 ? domain.origin[c] : domain.origin[c] + this.unit[j] * y[j];
    return this.out;
  }
}

/** The Cholesky factor of the metric's block for the numbers. Null: the block has no factor in doubles. */
export function factorOf({ numbers, problem }: PersonSearch): Float64Array | null {
  const { features, inverse } = problem.cost.metric!;
  const at = numbers.map((c) => features.findIndex(({ column }) => column === c));
  const n = numbers.length;
  const factor = Float64Array.from({ length: n * n }, (_, k) => inverse[at[Math.floor(k / n)]][at[k % n]]);
  return factorInPlace(factor, n) ? factor : null;
}
