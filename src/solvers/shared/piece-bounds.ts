/**
 * Lower bounds on the cost of every piece of a region, without a search. Each constraint of a piece gives a bound by itself.
 *
 *   min cost(Δ)  s.t.  one constraint of the piece at x + Δ,     cost(Δ) >= ‖y‖² (L2, Mahalanobis) or >= ‖y‖ (others),  Δ = S y
 *
 *   row         a·x lacks g:   L1, percentile  g / max |a_j|/w_j     L2, Mahalanobis  g² / ‖Sᵀa‖²     L0  least w_j that helps
 *   quadratic   d_P(x + Δ) + c <= d_R(x + Δ):   r = ‖y‖ moves √d_P and √d_R by ρ r at most,  ρ² >= ‖SᵀPS‖
 *               so that  (√d_P - ρ_P r)² + c <= (√d_R + ρ_R r)²  is necessary
 *
 * The bounds of the box and the policy's rows are relaxed. Distances are computed once for all pieces that share a centre. A search visits
 * the pieces in the order of these bounds and stops where the next bound reaches the cost of its incumbent.
 */
import { applyMap } from '../../linalg/affine.js';
import { formRounding, pullBackMatrix, quadraticForm } from '../../linalg/symmetric-matrix.js';
import { dot } from '../../linalg/vector.js';
import type { Centre, DistanceDifference } from '../../models/distance-difference.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { atomsOf, type Problem } from '../../problems/problem.js';
import { CostReach, powerOf, priceOf } from './cost-reach.js';

/** Safety margins, each several times larger than the rounding error. */
const ROUNDING = 2 ** -50;
const SHARE = 1e-9;

interface PieceBound {
  at(domain: Domain): number;
}

/** One bound for each problem. The problems differ only in their pieces. */
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

  /** The bounds by problem, valid until the next call. */
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

/** Rows that compare two distances. The lack of a row follows from the distances, which pieces share. */
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

/** The distances of the row to all centres, and the largest change of each distance by a move. */
class Centres {
  private readonly spaces = new Map<DistanceDifference['map'], CentreSpace>();
  private count = 0;
  /** By index, for the present row. */
  distances = new Float64Array();
  roundings = new Float64Array();

  constructor(private readonly reach: CostReach) {}

  add(centre: Centre, map: DistanceDifference['map']): number {
    const index = this.spaceOf(map).indexOf(centre, this.count);
    if (index === this.count) this.count++;
    return index;
  }

  begin({ origin }: Domain): void {
    if (this.distances.length < this.count) {
      this.distances = new Float64Array(this.count);
      this.roundings = new Float64Array(this.count);
    }
    for (const space of this.spaces.values()) space.measure(origin, this.distances, this.roundings);
  }

  stretch({ matrix }: Centre, map: DistanceDifference['map']): number {
    const { stretches } = this.spaceOf(map);
    let known = stretches.get(matrix);
    if (known === undefined) {
      known = this.reach.stretch(pullBackMatrix(matrix, map)) * (1 + SHARE);
      stretches.set(matrix, known);
    }
    return known;
  }

  costOf(r: number): number {
    return this.reach.costOf(r);
  }

  private spaceOf(map: DistanceDifference['map']): CentreSpace {
    const space = this.spaces.get(map) ?? new CentreSpace(map);
    this.spaces.set(map, space);
    return space;
  }
}

/** The centres behind one map of the columns. A model and a density over standardised numbers have maps of their own. */
class CentreSpace {
  readonly stretches = new Map<Centre['matrix'], number>();
  private readonly indices = new Map<Centre, number>();
  private readonly list: { readonly centre: Centre; readonly index: number }[] = [];
  private x = new Float64Array();

  constructor(private readonly map: DistanceDifference['map']) {}

  /** The index of a centre. A new centre gets the index `next`. */
  indexOf(centre: Centre, next: number): number {
    const known = this.indices.get(centre);
    if (known !== undefined) return known;
    this.x = new Float64Array(centre.at.length);
    this.indices.set(centre, next);
    this.list.push({ centre, index: next });
    return next;
  }

  measure(origin: Float64Array, distances: Float64Array, roundings: Float64Array): void {
    const { x, map } = this;
    if (map) applyMap(map, origin, x);
    else x.set(origin);
    for (const { centre, index } of this.list) {
      distances[index] = quadraticForm(centre.matrix, x, centre.at);
      roundings[index] = formRounding(centre.matrix, x, centre.at);
    }
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
    this.stretches = [centres.stretch(near, map), centres.stretch(far, map)];
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
