/**
 * The search of spatial.ts, in the scaled space y: relaxations by tangents and chords, best bound first.
 */
import { dot } from '../../linalg/vector.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { CheapestPoint, UpperRow } from '../linear/polyhedral.js';
import { HALF_ULP } from '../shared/linear-rows.js';
import { NodeHeap } from '../shared/node-heap.js';
import type { Limits } from '../solver.js';

/** q(y) = yᵀP y - Σ_k weight_k (v_k·y)² + 2 b·y + c <= 0, with P positive semidefinite. */
export interface SplitQuadratic {
  readonly P: Float64Array;
  /** At least |P|, entry by entry. Rounding is relative to these terms. */
  readonly terms: Float64Array;
  readonly concave: readonly { readonly v: Float64Array; readonly weight: number }[];
  readonly b: Float64Array;
  readonly c: number;
}

export interface SpatialProblem {
  readonly quadratics: readonly SplitQuadratic[];
  readonly rows: readonly UpperRow[];
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  readonly cheapest: CheapestPoint;
  /** The cost is ‖y‖₁ instead of ‖y‖². */
  readonly isLinear: boolean;
  /** The largest |v·y| of an answer that is cheap enough and within the bounds. */
  reach(v: Float64Array): number;
  /** An answer near y, or between y and the incumbent, if one exists. */
  improve(y: Float64Array, best: Float64Array | null): ScaledAnswer | undefined;
}

export interface ScaledAnswer {
  readonly y: Float64Array;
  readonly cost: number;
}

export interface SpatialResult {
  /** Null: no answer is known. */
  readonly y: Float64Array | null;
  readonly cost: number;
  readonly bound: number;
}

interface SpatialNode {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly bound: number;
}

interface Tangent {
  readonly quadratic: number;
  readonly slope: Float64Array;
  readonly offset: number;
  /** The sizes of the terms at the far ends of the box. Rounding is relative to them. */
  readonly size: number;
}

/** A tangent, and the last relaxation whose point met it exactly. */
interface KeptTangent extends Tangent {
  used: number;
}

interface Relaxed {
  readonly y: Float64Array;
  /** A proved lower bound. */
  readonly bound: number;
  /** No tangent is missing. */
  readonly settled: boolean;
}

const TANGENT_ROUNDS = 10;
/** Above MOST_TANGENTS only the KEPT_TANGENTS that were met last are kept: every tangent is a row of every relaxation. */
const MOST_TANGENTS = 160;
const KEPT_TANGENTS = 80;
/** A tangent within this share of its terms counts as met. */
const MET = 1e-9;
/** An interval above this share of the first one counts as wide. */
const WIDE = 0.8;
/** The largest relative rounding error of an answer's cost and of the squares. */
const CROSS_SHARE = 1e-9;
/** Operations for each entry of the rows of a relaxation, apart from the engine's own. */
const ROW_FLOPS = 20;
/** A relative gap up to this size counts as closed. */
export const CLOSED = 5e-7;

export class SpatialSearch {
  private readonly directions: { quadratic: number; v: Float64Array; weight: number; reach: number }[];
  private readonly far: Float64Array;
  private tangents: KeptTangent[] = [];
  private relaxations = 0;
  private best: Float64Array | null;
  /** The cost of the incumbent, or of an answer known elsewhere. Only cheaper answers matter. */
  private bestCost: number;
  /** The least bound of the nodes that could not be closed because of rounding. */
  private unresolved = Infinity;

  constructor(
    private readonly problem: SpatialProblem,
    start: ScaledAnswer | null,
    private readonly limits: Pick<Limits, 'budget' | 'gap' | 'cutoff' | 'anyAnswer'>,
  ) {
    this.directions = problem.quadratics.flatMap((q, quadratic) =>
      q.concave.map((term) => ({ quadratic, ...term, reach: problem.reach(term.v) })),
    );
    this.far = problem.lo.map((low, j) => Math.max(-low, problem.hi[j]));
    this.best = start?.y ?? null;
    this.bestCost = Math.min(start?.cost ?? Infinity, limits.cutoff);
  }

  run(maxNodes: number): SpatialResult {
    const open = new NodeHeap<SpatialNode>();
    open.push(this.root(), 0);
    for (let visited = 0; open.size; visited++) {
      const bound = open.least();
      if (this.closed(bound) || (this.limits.anyAnswer && this.best)) return this.result(bound);
      if (visited >= maxNodes || this.limits.budget.isSpent) return this.result(bound);
      this.visit(open.pop()!, open, visited);
    }
    return this.result(this.bestCost);
  }

  private result(bound: number): SpatialResult {
    return { y: this.best, cost: this.bestCost, bound: Math.min(bound, this.unresolved, this.bestCost) };
  }

  private closed(bound: number): boolean {
    return bound >= this.bestCost * (1 - Math.max(CLOSED, this.limits.gap));
  }

  private root(): SpatialNode {
    const high = Float64Array.from(this.directions, ({ reach }) => reach);
    return { low: high.map((value) => -value), high, bound: 0 };
  }

  private visit(node: SpatialNode, open: NodeHeap<SpatialNode>, visited: number): void {
    const relaxed = this.relax(node);
    if (!relaxed) return;
    const bound = Math.max(node.bound, relaxed.bound);
    if (this.closed(bound)) return;
    const { y } = relaxed;
    const k = this.widest(node, y);
    if (k < 0 || visited < 8 || visited % 16 === 0) {
      const better = this.problem.improve(y, this.best);
      if (better) this.offer(better);
      if (this.closed(bound)) return;
    }
    if (k < 0) {
      this.leftOver(node, bound, relaxed.settled, open);
      return;
    }
    const at = splitPoint(node.low[k], node.high[k], dot(this.directions[k].v, y));
    const below = { low: node.low, high: node.high.with(k, at), bound };
    const above = { low: node.low.with(k, at), high: node.high, bound };
    open.push(below, bound);
    open.push(above, bound);
  }

  /** Every term meets its chord. The next visit adds missing tangents; without any, only the last digits are missing. */
  private leftOver(node: SpatialNode, bound: number, settled: boolean, open: NodeHeap<SpatialNode>): void {
    if (settled) this.unresolved = Math.min(this.unresolved, bound);
    else open.push({ ...node, bound }, bound);
  }

  private offer({ y, cost }: ScaledAnswer): void {
    if (!(cost < this.bestCost)) return;
    this.bestCost = cost;
    this.best = y.slice();
  }

  /** The node's relaxation with tangents added until they hold. Undefined: the node is proved empty. */
  private relax(node: SpatialNode): Relaxed | undefined {
    const { problem } = this;
    let bound = 0;
    for (let round = 0; ; round++) {
      const rows = this.rows(node);
      this.limits.budget.spend((ROW_FLOPS * rows.length * problem.lo.length) / FLOPS_PER_UNIT);
      const found = problem.cheapest(rows, problem.lo, problem.hi, this.limits.budget);
      if (found === 'infeasible') return undefined;
      if (found === 'numerical') return { y: new Float64Array(problem.lo.length), bound, settled: true };
      bound = Math.max(bound, found.bound());
      this.noteMet(rows, found.y);
      const broken = problem.quadratics
        .map((q, i) => ({ q, i }))
        .filter(({ q, i }) => this.relaxedValue(q, i, node, found.y) > 1e-10 * (1 + Math.abs(q.c)));
      if (!broken.length || round === TANGENT_ROUNDS || this.closed(bound))
        return { y: found.y, bound, settled: !broken.length };
      for (const { q, i } of broken) this.addTangent(q, i, found.y);
    }
  }

  private addTangent(q: SplitQuadratic, i: number, y: Float64Array): void {
    this.tangents.push({ ...tangentOf(q, i, y, this.far), used: this.relaxations });
    if (this.tangents.length <= MOST_TANGENTS) return;
    this.tangents.sort((a, b) => b.used - a.used);
    this.tangents.length = KEPT_TANGENTS;
  }

  /** The rows of tangents follow those of the problem, in the order of the tangents. */
  private noteMet(rows: readonly UpperRow[], y: Float64Array): void {
    this.relaxations++;
    const from = this.problem.rows.length;
    for (const [k, tangent] of this.tangents.entries()) {
      const { a, upper } = rows[from + k];
      const value = dot(a, y);
      if (value >= upper - MET * (Math.abs(value) + Math.abs(upper))) tangent.used = this.relaxations;
    }
  }

  /** Chord slope and offset of a quadratic's concave terms on the node, without the terms that are left out. */
  private chord(quadratic: number, node: SpatialNode, left?: readonly boolean[]): Omit<Tangent, 'quadratic'> {
    const slope = new Float64Array(this.problem.lo.length);
    let [offset, size] = [0, 0];
    for (const [k, { quadratic: own, v, weight }] of this.directions.entries()) {
      if (own !== quadratic || left?.[k]) continue;
      const [low, high] = [node.low[k], node.high[k]];
      for (let j = 0; j < slope.length; j++) {
        slope[j] -= weight * (low + high) * v[j];
        size += weight * Math.abs((low + high) * v[j]) * this.far[j];
      }
      offset += weight * low * high;
      size += weight * Math.abs(low * high);
    }
    return { slope, offset, size };
  }

  private relaxedValue(q: SplitQuadratic, i: number, node: SpatialNode, y: Float64Array): number {
    const { slope, offset } = this.chord(i, node);
    return convexValue(q, y) + dot(slope, y) + offset;
  }

  private rows(node: SpatialNode): UpperRow[] {
    const rows: UpperRow[] = [...this.problem.rows];
    const d = this.problem.lo.length;
    if (!this.tangents.length)
      for (const [i, q] of this.problem.quadratics.entries()) this.addTangent(q, i, new Float64Array(d));
    const chords = this.problem.quadratics.map((_, i) => this.chord(i, node));
    const share = (4 * d + this.directions.length + 16) * HALF_ULP;
    for (const { quadratic, slope, offset, size } of this.tangents) {
      const chord = chords[quadratic];
      const a = slope.map((value, j) => value + chord.slope[j]);
      rows.push({ a, upper: -offset - chord.offset, doubt: share * (size + chord.size) });
    }
    if (this.problem.isLinear) this.addCrossRows(node, rows, share);
    for (const [k, { v }] of this.directions.entries()) {
      rows.push({ a: v, upper: node.high[k] });
      rows.push({ a: v.map((value) => -value), upper: -node.low[k] });
    }
    return rows;
  }

  /**
   * ‖y‖₁ <= C holds for every answer that matters:  yᵀFy <= C Σ_j F_jj |y_j|.  This row is tighter than the chords of directions whose
   * intervals are still wide. Narrow intervals keep their chords.
   */
  private addCrossRows(node: SpatialNode, rows: UpperRow[], share: number): void {
    if (this.bestCost === Infinity) return;
    const isWide = this.directions.map(({ reach }, k) => node.high[k] - node.low[k] > WIDE * 2 * reach);
    const crosses = this.problem.quadratics.map((_, i) => this.cross(i, isWide));
    const chords = this.problem.quadratics.map((_, i) => this.chord(i, node, isWide));
    for (const { quadratic, slope, offset, size } of this.tangents) {
      const [sizes, chord] = [crosses[quadratic], chords[quadratic]];
      if (!sizes) continue;
      const a = slope.map((value, j) => value + chord.slope[j]);
      const more = sizes.reduce((sum, value, j) => sum - value * this.far[j], 0);
      rows.push({ a, sizes, upper: -offset - chord.offset, doubt: share * (size + chord.size + more) });
    }
  }

  /** -C F_jj of a quadratic's wide directions. Null: no direction is wide. */
  private cross(quadratic: number, isWide: readonly boolean[]): Float64Array | null {
    const own = this.directions.filter((direction, k) => direction.quadratic === quadratic && isWide[k]);
    if (!own.length) return null;
    const reach = this.bestCost * (1 + CROSS_SHARE);
    return this.problem.lo.map((_, j) => -reach * own.reduce((sum, { v, weight }) => sum + weight * v[j] * v[j], 0));
  }

  /** The direction whose chord lies furthest below its term at y, among broken quadratics. */
  private widest(node: SpatialNode, y: Float64Array): number {
    const broken = this.problem.quadratics.map((q) => quadraticValue(q, y) > 0);
    let worst = -1;
    let most = 0;
    for (const [k, { quadratic, v, weight }] of this.directions.entries()) {
      if (!broken[quadratic]) continue;
      const u = dot(v, y);
      const distance = weight * (u - node.low[k]) * (node.high[k] - u);
      if (distance > most) {
        most = distance;
        worst = k;
      }
    }
    return worst;
  }
}

/** The relaxation's own point, with a margin to both ends. */
function splitPoint(low: number, high: number, at: number): number {
  const margin = 0.15 * (high - low);
  return Math.min(high - margin, Math.max(low + margin, at));
}

function convexValue({ P, b, c }: SplitQuadratic, y: Float64Array): number {
  const d = y.length;
  let total = c;
  for (let i = 0; i < d; i++) {
    let inner = 2 * b[i];
    for (let j = 0; j < d; j++) inner += P[i * d + j] * y[j];
    total += inner * y[i];
  }
  return total;
}

export function quadraticValue(q: SplitQuadratic, y: Float64Array): number {
  return q.concave.reduce((total, { v, weight }) => total - weight * dot(v, y) ** 2, convexValue(q, y));
}

/** The convex part's tangent at z: slope·y + offset. `far`: the largest size of each coordinate. */
function tangentOf(q: SplitQuadratic, quadratic: number, z: Float64Array, far: Float64Array): Tangent {
  const d = z.length;
  const slope = new Float64Array(d);
  let square = 0;
  let size = Math.abs(q.c);
  for (let i = 0; i < d; i++) {
    let inner = 0;
    let terms = Math.abs(q.b[i]);
    for (let j = 0; j < d; j++) {
      inner += q.P[i * d + j] * z[j];
      terms += q.terms[i * d + j] * Math.abs(z[j]);
    }
    slope[i] = 2 * inner + 2 * q.b[i];
    square += inner * z[i];
    size += terms * (2 * far[i] + Math.abs(z[i]));
  }
  return { quadratic, slope, offset: q.c - square, size };
}
