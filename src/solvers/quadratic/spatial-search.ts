/**
 * The search of spatial.ts, in the scaled space y: relaxations by tangents and chords, best bound first.
 */
import { dot } from '../../linalg/vector.js';
import type { Budget } from '../../problems/budget.js';
import type { CheapestPoint, UpperRow } from '../linear/polyhedral.js';
import { NodeHeap } from '../shared/node-heap.js';

/** q(y) = yᵀP y - Σ_k weight_k (v_k·y)² + 2 b·y + c <= 0, with P positive semidefinite. */
export interface SplitQuadratic {
  readonly P: Float64Array;
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
  /** Largest |v·y| that an answer of this cost can have. */
  reach(v: Float64Array, cost: number): number;
  /** A better answer near y, if there is one. */
  improve(y: Float64Array): { y: Float64Array; cost: number } | undefined;
  readonly budget: Budget;
}

export interface SpatialResult {
  readonly y: Float64Array;
  readonly cost: number;
  readonly bound: number;
}

interface Node {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly bound: number;
}

interface Tangent {
  readonly quadratic: number;
  readonly slope: Float64Array;
  readonly offset: number;
}

const TANGENT_ROUNDS = 10;
/** A gap of this share counts as closed. */
export const CLOSED = 5e-7;

export class SpatialSearch {
  private readonly directions: { quadratic: number; v: Float64Array; weight: number }[];
  private tangents: Tangent[] = [];
  private best: Float64Array;
  private bestCost: number;
  /** Least bound of the nodes that rounding kept from being closed. */
  private unresolved = Infinity;

  constructor(
    private readonly problem: SpatialProblem,
    start: { y: Float64Array; cost: number },
  ) {
    this.directions = problem.quadratics.flatMap((q, quadratic) => q.concave.map((term) => ({ quadratic, ...term })));
    this.best = start.y;
    this.bestCost = start.cost;
  }

  run(maxNodes: number): SpatialResult {
    const open = new NodeHeap<Node>();
    open.push(this.root(), 0);
    for (let visited = 0; open.size; visited++) {
      const bound = open.least();
      if (this.closed(bound)) break;
      if (visited >= maxNodes || this.problem.budget.isSpent)
        return { y: this.best, cost: this.bestCost, bound: Math.min(bound, this.unresolved) };
      this.visit(open.pop()!, open, visited);
    }
    return { y: this.best, cost: this.bestCost, bound: Math.min(this.unresolved, this.bestCost * (1 - CLOSED)) };
  }

  private closed(bound: number): boolean {
    return bound >= this.bestCost * (1 - CLOSED);
  }

  private root(): Node {
    const high = Float64Array.from(this.directions, ({ v }) => this.problem.reach(v, this.bestCost));
    return { low: high.map((value) => -value), high, bound: 0 };
  }

  private visit(node: Node, open: NodeHeap<Node>, visited: number): void {
    const relaxed = this.relax(node);
    if (!relaxed || this.closed(relaxed.cost)) return;
    const { y } = relaxed;
    if (this.problem.quadratics.every((q) => quadraticValue(q, y) <= 0)) {
      this.offer(y, relaxed.cost);
      return;
    }
    const k = this.widest(node, y);
    if (k < 0 || visited < 8 || visited % 16 === 0) {
      const better = this.problem.improve(y);
      if (better) this.offer(better.y, better.cost);
    }
    const bound = Math.max(node.bound, relaxed.cost);
    if (this.closed(bound)) return;
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

  /** Every term is met by its chord. What is missing is tangents, which the next visit brings, or the last digits. */
  private leftOver(node: Node, bound: number, settled: boolean, open: NodeHeap<Node>): void {
    if (settled) this.unresolved = Math.min(this.unresolved, bound);
    else open.push({ ...node, bound }, bound);
  }

  private offer(y: Float64Array, cost: number): void {
    if (cost >= this.bestCost) return;
    this.bestCost = cost;
    this.best = y.slice();
  }

  /** The node's relaxation, with tangents added until they hold; undefined when it is empty. */
  private relax(node: Node): { y: Float64Array; cost: number; settled: boolean } | undefined {
    let low = 0;
    for (let round = 0; ; round++) {
      const found = this.problem.cheapest(this.rows(node), this.problem.lo, this.problem.hi, this.problem.budget);
      if (found === 'infeasible') return undefined;
      if (found === 'numerical') return { y: new Float64Array(this.problem.lo.length), cost: low, settled: true };
      low = Math.max(low, found.cost);
      const broken = this.problem.quadratics
        .map((q, i) => ({ q, i }))
        .filter(({ q, i }) => this.relaxedValue(q, i, node, found.y) > 1e-10 * (1 + Math.abs(q.c)));
      if (!broken.length || round === TANGENT_ROUNDS || this.closed(found.cost))
        return { y: found.y, cost: low, settled: !broken.length };
      for (const { q, i } of broken) this.tangents.push(tangentOf(q, i, found.y));
    }
  }

  /** Chord slope and offset of a quadratic's concave terms on the node. */
  private chord(quadratic: number, node: Node): { slope: Float64Array; offset: number } {
    const slope = new Float64Array(this.problem.lo.length);
    let offset = 0;
    for (const [k, direction] of this.directions.entries()) {
      if (direction.quadratic !== quadratic) continue;
      const [low, high] = [node.low[k], node.high[k]];
      for (let j = 0; j < slope.length; j++) slope[j] -= direction.weight * (low + high) * direction.v[j];
      offset += direction.weight * low * high;
    }
    return { slope, offset };
  }

  private relaxedValue(q: SplitQuadratic, i: number, node: Node, y: Float64Array): number {
    const { slope, offset } = this.chord(i, node);
    return convexValue(q, y) + dot(slope, y) + offset;
  }

  private rows(node: Node): UpperRow[] {
    const rows: UpperRow[] = [...this.problem.rows];
    const chords = this.problem.quadratics.map((_, i) => this.chord(i, node));
    for (const { quadratic, slope, offset } of this.tangents) {
      const chord = chords[quadratic];
      rows.push({ a: slope.map((value, j) => value + chord.slope[j]), upper: -offset - chord.offset });
    }
    if (!this.tangents.length) {
      const origin = new Float64Array(this.problem.lo.length);
      for (const [i, q] of this.problem.quadratics.entries()) this.tangents.push(tangentOf(q, i, origin));
      return this.rows(node);
    }
    for (const [k, { v }] of this.directions.entries()) {
      rows.push({ a: v, upper: node.high[k] });
      rows.push({ a: v.map((value) => -value), upper: -node.low[k] });
    }
    return rows;
  }

  /** The direction whose chord lies furthest below its term at y, among broken quadratics. */
  private widest(node: Node, y: Float64Array): number {
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

/** At the relaxation's own point, but not too near to an end. */
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

/** The convex part's tangent at z: slope·y + offset. */
function tangentOf(q: SplitQuadratic, quadratic: number, z: Float64Array): Tangent {
  const d = z.length;
  const slope = new Float64Array(d);
  let square = 0;
  for (let i = 0; i < d; i++) {
    let inner = 0;
    for (let j = 0; j < d; j++) inner += q.P[i * d + j] * z[j];
    slope[i] = 2 * inner + 2 * q.b[i];
    square += inner * z[i];
  }
  return { quadratic, slope, offset: q.c - square };
}
