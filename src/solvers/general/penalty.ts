/**
 * Equation (1) of the survey for one person, in cost lengths:  y_j = (x'_j - x_j) / s_j  over the numbers that may change.
 *
 *   F_C(y) = loss(m(x')) + C (cost(x' - x) + term(x')) / K + (ρ/2) Σ_i max(0, v_i(x') + u_i/ρ)²
 *
 *   loss       ½ max(0, δ - m/μ)²,  μ = |m| at the row: smooth, and 0 from a small depth inside the region on
 *   cost       l2, mahalanobis: smooth;  l1: kinks at 0;  percentile: kinks with the slope of the chord of F to the present point;  l0: kinks whose slope
 *              falls with the length of the move (reweighted l1)
 *   term       the term of the cost, if it has a gradient
 *   v_i        the violation of a row of the policy, u_i its multiplier (augmented Lagrangian)
 *
 * Integers, steps and ranks are continuous here and are placed in the domain afterwards. Categories do not change.
 */
import type { LinearRow } from '../../models/region.js';
import { changeCost } from '../../policy/cost.js';
import type { KinkedObjective } from './descent.js';
import type { PersonSearch } from './person-search.js';

/** δ: the depth inside the region at which the loss becomes 0, relative to the missing margin. */
const DEPTH = 0.02;
const ROW_PENALTY = 10;
/** Under l0, a move that is shorter than this fraction of the spread counts as no move. */
const L0_WIDTH = 0.05;
const LOOKS_PER_GRADIENT = 4;

export class Penalty implements KinkedObjective {
  readonly kinks: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** C / K. */
  private strength = 1;
  private readonly base: Float64Array;
  private readonly x: Float64Array;
  private readonly slope: Float64Array;
  private readonly rows: readonly ScaledRow[];
  private readonly metric: readonly Float64Array[] | null;

  constructor(
    private readonly search: PersonSearch,
    /** μ: the size of the missing margin at the row. */
    private readonly unit: number,
  ) {
    const { problem, numbers, domain, scale } = search;
    const n = numbers.length;
    this.base = search.home.slice();
    this.x = this.base.slice();
    this.slope = new Float64Array(problem.space.columns);
    this.kinks = new Float64Array(n);
    this.lower = Float64Array.from(numbers, (c) => (domain.lower[c] - domain.origin[c]) / scale[c]);
    this.upper = Float64Array.from(numbers, (c) => (domain.upper[c] - domain.origin[c]) / scale[c]);
    this.rows = problem.links.flatMap((row) => scaledRows(row, search));
    this.metric = problem.cost.metric && scaledMetric(search);
  }

  get isOver(): boolean {
    return this.search.isOver;
  }

  /** Takes the categories of a point, and writes the numbers of the point to y. */
  begin(x: Float64Array, y: Float64Array): void {
    const { numbers, domain, scale } = this.search;
    this.base.set(x);
    for (const row of this.rows) row.multiplier = 0;
    for (let j = 0; j < y.length; j++) y[j] = (x[numbers[j]] - domain.origin[numbers[j]]) / scale[numbers[j]];
  }

  /** The point in columns; valid until the next call. */
  columns(y: Float64Array): Float64Array {
    const { numbers, domain, scale } = this.search;
    this.x.set(this.base);
    for (let j = 0; j < y.length; j++)
      this.x[numbers[j]] =
        y[j] === 0 ? domain.origin[numbers[j]] : domain.origin[numbers[j]] + scale[numbers[j]] * y[j];
    return this.x;
  }

  /** Sets C / K, and recomputes the kinks at the present point. */
  weigh(strength: number, y: Float64Array): void {
    this.strength = strength;
    for (let j = 0; j < y.length; j++) this.kinks[j] = strength * this.kinkAt(j, y[j]);
  }

  private kinkAt(j: number, y: number): number {
    const { problem, numbers, domain, scale } = this.search;
    const { norm, weight } = problem.cost;
    const c = numbers[j];
    const feature = problem.space.features[problem.space.owner[c]];
    if (norm === 'l1') return weight[feature.index] * scale[c];
    if (norm === 'l0') return weight[feature.index] / (Math.abs(y) + L0_WIDTH);
    if (norm !== 'percentile') return 0;
    const here = domain.origin[c];
    const length = Math.abs(y) > 1e-3 ? y : 1e-3;
    return changeCost(problem.cost, feature, here, here + scale[c] * length) / Math.abs(length);
  }

  /** Updates the multipliers of the policy's rows after a descent. */
  updateMultipliers(y: Float64Array): void {
    const x = this.columns(y);
    for (const row of this.rows) row.multiplier = Math.max(0, row.multiplier + ROW_PENALTY * missOf(row, x));
  }

  smooth(y: Float64Array, gradient: Float64Array): number {
    const { search, unit, slope } = this;
    const { problem, numbers, scale, limits, work } = search;
    limits.budget.spend(LOOKS_PER_GRADIENT * work);
    const x = this.columns(y);
    const lack = DEPTH - problem.margin(x) / unit;
    let value = this.smoothCost(y, gradient);
    if (lack > 0) {
      value += 0.5 * lack * lack;
      problem.gradient!(x, slope);
      for (let j = 0; j < y.length; j++) gradient[j] -= (lack / unit) * slope[numbers[j]] * scale[numbers[j]];
    }
    value += this.addTerm(x, gradient);
    for (const row of this.rows) value += addRow(row, x, gradient);
    return Number.isNaN(value) ? Infinity : value;
  }

  private addTerm(x: Float64Array, gradient: Float64Array): number {
    const { strength, slope } = this;
    const { problem, numbers, scale } = this.search;
    if (!problem.term?.gradient) return 0;
    problem.term.gradient(x, slope);
    for (let j = 0; j < gradient.length; j++) gradient[j] += strength * slope[numbers[j]] * scale[numbers[j]];
    return strength * problem.term.of(x);
  }

  /** Writes the gradient. */
  private smoothCost(y: Float64Array, gradient: Float64Array): number {
    const { strength, metric } = this;
    const { problem, numbers, scale } = this.search;
    const { norm, weight } = problem.cost;
    gradient.fill(0);
    if (norm !== 'l2' && !metric) return 0;
    let value = 0;
    for (let j = 0; j < y.length; j++) {
      const c = numbers[j];
      const pull = metric ? dotRow(metric[j], y) : weight[problem.space.owner[c]] * scale[c] * scale[c] * y[j];
      value += pull * y[j];
      gradient[j] = 2 * strength * pull;
    }
    return strength * value;
  }
}

function dotRow(row: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < y.length; j++) sum += row[j] * y[j];
  return sum;
}

/** One side of a row of the policy:  v(x) = (a·x - end) / size <= 0,  with its gradient by y. */
interface ScaledRow {
  readonly a: Float64Array;
  readonly end: number;
  readonly slope: Float64Array;
  multiplier: number;
}

function scaledRows({ a, lower, upper }: LinearRow, { numbers, scale }: PersonSearch): ScaledRow[] {
  const size = Math.sqrt(numbers.reduce((sum, c) => sum + (a[c] * scale[c]) ** 2, 0));
  if (!(size > 0)) return [];
  const side = (sign: number, end: number): ScaledRow => ({
    a: a.map((entry) => (sign * entry) / size),
    end: (sign * end) / size,
    slope: Float64Array.from(numbers, (c) => (sign * a[c] * scale[c]) / size),
    multiplier: 0,
  });
  return [...(upper < Infinity ? [side(1, upper)] : []), ...(lower > -Infinity ? [side(-1, lower)] : [])];
}

function missOf({ a, end }: ScaledRow, x: Float64Array): number {
  let value = -end;
  for (let c = 0; c < x.length; c++) if (a[c] !== 0) value += a[c] * x[c];
  return value;
}

function addRow(row: ScaledRow, x: Float64Array, gradient: Float64Array): number {
  const push = Math.max(0, missOf(row, x) + row.multiplier / ROW_PENALTY);
  if (push > 0) for (let j = 0; j < gradient.length; j++) gradient[j] += ROW_PENALTY * push * row.slope[j];
  return 0.5 * ROW_PENALTY * push * push;
}

function scaledMetric({ problem, numbers, scale }: PersonSearch): Float64Array[] {
  const { features, inverse } = problem.cost.metric!;
  const at = numbers.map((c) => features.findIndex(({ column }) => column === c));
  return numbers.map((c, i) => Float64Array.from(numbers, (k, j) => inverse[at[i]][at[j]] * scale[c] * scale[k]));
}
