/**
 * Lower bounds on the cost of every piece of a region, without a search: each constraint of a piece by itself.
 *
 *   min cost(Δ)  s.t.  one constraint of the piece at x + Δ,     cost(Δ) >= ‖y‖² (L2, Mahalanobis) or >= ‖y‖ (others),  Δ = S y
 *
 *   row         a·x lacks g:   L1, percentile  g / max |a_j|/w_j     L2, Mahalanobis  g² / ‖Sᵀa‖²     L0  least w_j that helps
 *   quadratic   d_P(x + Δ) + c <= d_R(x + Δ):   r = ‖y‖ moves √d_P and √d_R by ρ r at most,  ρ² >= ‖SᵀPS‖
 *               so that  (√d_P - ρ_P r)² + c <= (√d_R + ρ_R r)²  is necessary
 *
 * Bounds of the box and the policy's own rows are left out. Distances are computed once for all pieces that share a centre.
 * A search takes the pieces in the order of these bounds and stops where the next one is as dear as its answer.
 */
import { applyMap } from '../../linalg/affine.js';
import { formRounding, pullBackMatrix, quadraticForm } from '../../linalg/symmetric-matrix.js';
import { dot } from '../../linalg/vector.js';
import type { Centre, DistanceDifference } from '../../models/distance-difference.js';
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { atomsOf, type Problem } from '../../problems/problem.js';
import { costFactor, costScales } from '../projection/cost-factor.js';

/** Of what rounding may do, several times over. */
const ROUNDING = 2 ** -50;
const SHARE = 1e-9;
const SQUARED = new Set(['l2', 'mahalanobis']);

interface PieceBound {
  at(domain: Domain): number;
}

/** For each of the problems a bound; the problems differ in their pieces only. */
export class PieceBounds {
  private readonly centres: Centres;
  private readonly pieces: readonly (readonly PieceBound[])[];
  private readonly bounds: Float64Array;

  constructor(problems: readonly Problem[]) {
    const reach = new CostReach(problems[0]);
    this.centres = new Centres(reach);
    this.pieces = problems.map((problem): PieceBound[] => [
      new RowBounds(
        problem.piece.rows.filter((row) => !row.arithmetic?.distances),
        reach,
      ),
      new DistanceRowBounds(problem.piece.rows, reach, this.centres),
      ...atomsOf(problem, 'quadratic').map(({ form }) => new QuadraticBound(form, this.centres)),
    ]);
    this.bounds = new Float64Array(problems.length);
  }

  /** By problem, valid until the next call. */
  at(domain: Domain): Float64Array {
    this.centres.begin(domain);
    for (const [k, piece] of this.pieces.entries()) this.bounds[k] = largest(piece, domain) * (1 - SHARE);
    return this.bounds;
  }
}

function largest(bounds: readonly PieceBound[], domain: Domain): number {
  let most = 0;
  for (const bound of bounds) {
    const value = bound.at(domain);
    if (value > most) most = value;
  }
  return most;
}

/** How far the features that may change can move something, for what cost. */
class CostReach {
  readonly squared: boolean;
  private readonly free: readonly Feature[];
  private readonly columns: Int32Array;
  /** The factor of the squared cost: a matrix where there is a metric, else its diagonal by column. */
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

  /** ρ with ΔᵀQΔ <= ρ² ‖y‖², row sums of SᵀQS for its norm; an L1 cost is at least the L2 norm of its terms. */
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

  /** Two columns of a category change at once, for the weight of one. */
  private columnWeight(column: number): number {
    const feature = this.problem.space.features[this.problem.space.owner[column]];
    return this.weight[feature.index] * (feature.kind === 'choice' ? Math.SQRT1_2 : 1);
  }
}

/** A category that changes moves two columns of its own, by one each. */
function gainOf({ kind, column, width }: Feature, a: Float64Array): number {
  if (kind !== 'choice') return Math.abs(a[column]);
  const entries = a.subarray(column, column + width);
  return Math.max(...entries) - Math.min(...entries);
}

/** The least cost of a unit of change. */
function leastSlope({ cost }: Problem, feature: Feature): number {
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

/** All rows of a piece, in one block of memory. */
class RowBounds implements PieceBound {
  private readonly entries: Float64Array;
  private readonly sizes: Float64Array;
  private readonly prices: Float64Array;
  private readonly power: number;

  constructor(
    private readonly rows: readonly LinearRow[],
    reach: CostReach,
  ) {
    this.entries = Float64Array.from(rows.flatMap(({ a }) => [...a]));
    this.sizes = Float64Array.from(rows, ({ a }) => Math.hypot(...a));
    this.prices = Float64Array.from(rows, (row) => priceOf(reach, row));
    this.power = powerOf(reach);
  }

  at({ origin }: Domain): number {
    const { rows, entries, sizes, prices, power } = this;
    const d = origin.length;
    const length = Math.sqrt(dot(origin, origin));
    let most = 0;
    for (let i = 0, k = 0; i < rows.length; i++) {
      let activity = 0;
      for (let j = 0; j < d; j++, k++) activity += entries[k] * origin[j];
      const { lower, upper } = rows[i];
      if (activity >= lower && activity <= upper) continue;
      const end = activity < lower ? lower : upper;
      const lack = Math.abs(activity - end) - (d + 4) * ROUNDING * (sizes[i] * length + Math.abs(end));
      const bound = lack > 0 ? prices[i] * lack ** power : 0;
      if (bound > most) most = bound;
    }
    return most;
  }
}

/** What a lack costs: its price, by the power with which the cost grows. */
const priceOf = (reach: CostReach, { a }: LinearRow): number =>
  reach.problem.cost.norm === 'l0' ? reach.leastWeight(a) : reach.price(a);
const powerOf = (reach: CostReach): number => (reach.problem.cost.norm === 'l0' ? 0 : reach.squared ? 2 : 1);

/** Rows that compare two distances: what they lack follows from the distances, which pieces share. */
class DistanceRowBounds implements PieceBound {
  private readonly near: Int32Array;
  private readonly far: Int32Array;
  private readonly constants: Float64Array;
  private readonly prices: Float64Array;
  private readonly power: number;

  constructor(
    rows: readonly LinearRow[],
    reach: CostReach,
    private readonly centres: Centres,
  ) {
    const own = rows.filter((row) => row.arithmetic?.distances);
    const forms = own.map((row) => row.arithmetic!.distances!);
    this.near = Int32Array.from(forms, ({ near, map }) => centres.add(near, map));
    this.far = Int32Array.from(forms, ({ far, map }) => centres.add(far, map));
    this.constants = Float64Array.from(forms, ({ constant }) => constant);
    this.prices = Float64Array.from(own, (row) => priceOf(reach, row));
    this.power = powerOf(reach);
  }

  at(): number {
    const { near, far, constants, prices, power, centres } = this;
    const { distances, roundings } = centres;
    let most = 0;
    for (let i = 0; i < near.length; i++) {
      const [p, r] = [near[i], far[i]];
      const lack = distances[p] - distances[r] + constants[i];
      if (!(lack > 0)) continue;
      const size = distances[p] + distances[r] + Math.abs(constants[i]);
      const sure = lack - roundings[p] - roundings[r] - ROUNDING * size;
      const bound = sure > 0 ? prices[i] * sure ** power : 0;
      if (bound > most) most = bound;
    }
    return most;
  }
}

/** The distances of the row to all centres, and how much a move may change them. */
class Centres {
  private readonly indices = new Map<Centre, number>();
  private readonly list: Centre[] = [];
  private readonly stretches = new Map<Centre['matrix'], number>();
  /** By index, for the present row. */
  distances = new Float64Array();
  roundings = new Float64Array();
  private map: DistanceDifference['map'] = null;
  private x = new Float64Array();

  constructor(private readonly reach: CostReach) {}

  add(centre: Centre, map: DistanceDifference['map']): number {
    const known = this.indices.get(centre);
    if (known !== undefined) return known;
    this.map = map;
    this.indices.set(centre, this.list.length);
    return this.list.push(centre) - 1;
  }

  begin({ origin }: Domain): void {
    if (!this.list.length) return;
    if (this.distances.length < this.list.length) {
      this.distances = new Float64Array(this.list.length);
      this.roundings = new Float64Array(this.list.length);
      this.x = new Float64Array(this.list[0].at.length);
    }
    if (this.map) applyMap(this.map, origin, this.x);
    else this.x.set(origin);
    for (const [k, { matrix, at }] of this.list.entries()) {
      this.distances[k] = quadraticForm(matrix, this.x, at);
      this.roundings[k] = formRounding(matrix, this.x, at);
    }
  }

  stretch({ matrix }: Centre): number {
    let known = this.stretches.get(matrix);
    if (known === undefined) {
      known = this.reach.stretch(pullBackMatrix(matrix, this.map)) * (1 + SHARE);
      this.stretches.set(matrix, known);
    }
    return known;
  }

  costOf(r: number): number {
    return this.reach.costOf(r);
  }
}

class QuadraticBound implements PieceBound {
  private readonly near: number;
  private readonly far: number;
  private readonly stretches: readonly [near: number, far: number];

  constructor(
    private readonly quadratic: DistanceDifference,
    private readonly centres: Centres,
  ) {
    const { near, far, map } = quadratic;
    this.near = centres.add(near, map);
    this.far = centres.add(far, map);
    this.stretches = [centres.stretch(near), centres.stretch(far)];
  }

  at(): number {
    const { centres, near, far, stretches } = this;
    const { constant } = this.quadratic;
    const { distances, roundings } = centres;
    const [dP, dR] = [distances[near], distances[far]];
    const doubt = roundings[near] + roundings[far] + ROUNDING * (dP + dR + Math.abs(constant));
    const lack = dP - dR + constant - doubt;
    return lack > 0 ? centres.costOf(firstRoot(Math.sqrt(dP), Math.sqrt(dR), ...stretches, lack)) : 0;
  }
}

/** The first t at which (p - ρ_P t)² - (r + ρ_R t)² has fallen by `lack`; at most where p - ρ_P t is 0. */
function firstRoot(p: number, r: number, rhoP: number, rhoR: number, lack: number): number {
  const slope = 2 * (p * rhoP + r * rhoR);
  const discriminant = slope * slope - 4 * (rhoP * rhoP - rhoR * rhoR) * lack;
  const end = p / rhoP;
  return discriminant < 0 ? end : Math.min(end, (2 * lack) / (slope + Math.sqrt(discriminant)));
}
