/**
 * One run of the convex-concave procedure, in the scaled space y of quadratic-view.ts.
 *
 *   q_i(y) = near_i(y) - far_i(y) <= 0, both convex. At a feasible y_k a tangent replaces the far part, which gives a convex
 *   set inside the region. Tangents approximate the near part, with one solve of the linear engine per round. The engine's
 *   point z costs no more than any point of the convex set. y_{k+1} is the last feasible point on the way from y_k to z, so
 *   the cost falls in every round, and both parts are linearised again at y_{k+1}. The run ends when z is no cheaper than
 *   y_k: a stationary point.
 */
import { dot, largestSize } from '../../linalg/vector.js';
import type { Budget } from '../../problems/budget.js';
import { type CheapestPoint, cheapestL2, type UpperRow } from '../linear/polyhedral.js';

/** q = (yᵀN y - yᵀF y) + 2 b·y + c with N, F positive semidefinite. */
export interface DifferenceQuadratic {
  readonly N: Float64Array;
  readonly F: Float64Array;
  readonly b: Float64Array;
  readonly c: number;
  /** The depth below zero that points keep. */
  readonly depth: number;
}

export interface DescentProblem {
  readonly quadratics: readonly DifferenceQuadratic[];
  readonly rows: readonly UpperRow[];
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  readonly cheapest: CheapestPoint;
  cost(y: Float64Array): number;
  readonly budget: Budget;
}

interface Tangent {
  readonly quadratic: number;
  /** ∇(yᵀN y) at the point, and the value there minus slope·point. */
  readonly slope: Float64Array;
  readonly offset: number;
}

const RESTORATIONS = 30;
/** A point this far outside of a row or an end counts as inside, as a share of the terms. */
const KEPT_SHARE = 1e-10;
/** How many tangents are kept for each quadratic, the latest first. */
const KEPT = 14;

export function valueAt(q: DifferenceQuadratic, y: Float64Array): number {
  return q.c + 2 * dot(q.b, y) + form(q.N, y) - form(q.F, y);
}

export function gradientAt(q: DifferenceQuadratic, y: Float64Array): Float64Array {
  const d = y.length;
  return q.b.map((value, i) => {
    let sum = value;
    for (let j = 0; j < d; j++) sum += (q.N[i * d + j] - q.F[i * d + j]) * y[j];
    return 2 * sum;
  });
}

function form(A: Float64Array, y: Float64Array): number {
  const d = y.length;
  let total = 0;
  for (let i = 0; i < d; i++) {
    let inner = 0;
    for (let j = 0; j < d; j++) inner += A[i * d + j] * y[j];
    total += inner * y[i];
  }
  return total;
}

function times(A: Float64Array, y: Float64Array): Float64Array {
  const d = y.length;
  return y.map((_, i) => {
    let inner = 0;
    for (let j = 0; j < d; j++) inner += A[i * d + j] * y[j];
    return 2 * inner;
  });
}

const isInside = ({ quadratics }: DescentProblem, y: Float64Array) =>
  quadratics.every((q) => valueAt(q, y) <= -0.25 * q.depth);

/** Newton's method on the constraints: steps to the nearest point that meets their linearisation, until they hold. */
export function restore(problem: DescentProblem, start: Float64Array): Float64Array | undefined {
  let y = start;
  for (let k = 0; k < RESTORATIONS; k++) {
    if (isInside(problem, y) && keepsRows(problem, y)) return y;
    const rows = problem.quadratics.map((q) => ({
      a: gradientAt(q, y),
      upper: -valueAt(q, y) - 1.5 * q.depth,
      slack: 0.25 * q.depth,
    }));
    const shifted = problem.rows.map(({ a, upper }) => ({ a, upper: upper - dot(a, y) }));
    const step = cheapestL2(
      [...rows, ...shifted],
      problem.lo.map((v, i) => v - y[i]),
      problem.hi.map((v, i) => v - y[i]),
      problem.budget,
    );
    if (typeof step === 'string') return undefined;
    y = y.map((value, i) => value + step.y[i]);
  }
  return undefined;
}

/** Whether y keeps the rows, up to a share of the end and of the terms at y. */
function keepsRows({ rows, lo, hi }: DescentProblem, y: Float64Array): boolean {
  const far = largestSize(y);
  const slack = (end: number, unit = 1) => KEPT_SHARE * (Math.abs(end) + unit * far);
  return (
    rows.every(({ a, upper }) => dot(a, y) <= upper + slack(upper, largestSize(a))) &&
    y.every((value, i) => value >= lo[i] - slack(lo[i]) && value <= hi[i] + slack(hi[i]))
  );
}

/** The end of a descent: a round that could gain less than this share of the cost, or this many rounds. */
export interface Effort {
  readonly stationary: number;
  readonly rounds: number;
}

/** Accurate enough to compare starts. */
export const COARSE: Effort = { stationary: 1e-3, rounds: 20 };
export const FINE: Effort = { stationary: 1e-9, rounds: 120 };

/** Descends from a feasible point. */
export function descend(
  problem: DescentProblem,
  start: Float64Array,
  { stationary, rounds }: Effort,
): { y: Float64Array; cost: number } {
  let y = start;
  let cost = problem.cost(y);
  let tangents = tangentsAt(problem, y);
  for (let round = 0; round < rounds && !problem.budget.isSpent; round++) {
    const found = problem.cheapest(
      [...problem.rows, ...convexRows(problem, tangents, y)],
      problem.lo,
      problem.hi,
      problem.budget,
    );
    if (typeof found === 'string' || cost - found.cost <= stationary * cost) break;
    const z = found.y;
    const t = lastFeasible(problem, y, z);
    y = y.map((value, i) => value + t * (z[i] - value));
    cost = Math.min(cost, problem.cost(y));
    tangents = [...tangents, ...tangentsAt(problem, z), ...(t > 0 && t < 1 ? tangentsAt(problem, y) : [])].slice(
      -KEPT * problem.quadratics.length,
    );
  }
  return { y, cost };
}

function tangentsAt({ quadratics }: DescentProblem, y: Float64Array): Tangent[] {
  return quadratics.map((q, quadratic) => ({ quadratic, slope: times(q.N, y), offset: -form(q.N, y) }));
}

/** near tangent + linear part - far tangent at y_k <= -depth */
function convexRows({ quadratics }: DescentProblem, tangents: readonly Tangent[], y: Float64Array): UpperRow[] {
  const far = quadratics.map((q) => ({ slope: times(q.F, y), offset: -form(q.F, y) }));
  return tangents.map(({ quadratic, slope, offset }) => {
    const q = quadratics[quadratic];
    const a = slope.map((value, i) => value + 2 * q.b[i] - far[quadratic].slope[i]);
    return { a, upper: far[quadratic].offset - offset - q.c - q.depth, slack: 0.25 * q.depth };
  });
}

/** The largest t in [0, 1] up to which all constraints hold on the way from y to z, by the roots of parabolas. */
function lastFeasible({ quadratics }: DescentProblem, y: Float64Array, z: Float64Array): number {
  const step = z.map((value, i) => value - y[i]);
  let t = 1;
  for (const q of quadratics) {
    const c = valueAt(q, y) + 0.5 * q.depth;
    const b = dot(gradientAt(q, y), step);
    const a = form(q.N, step) - form(q.F, step);
    t = Math.min(t, firstRoot(a, b, Math.min(0, c)));
  }
  return t;
}

/** The first t >= 0 at which a t² + b t + c, c <= 0, becomes positive; Infinity: never. */
function firstRoot(a: number, b: number, c: number): number {
  if (c === 0 && (b > 0 || (b === 0 && a > 0))) return 0;
  const discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return Infinity;
  const root = Math.sqrt(discriminant);
  if (a > 0) return b > 0 ? (-2 * c) / (b + root) : (-b + root) / (2 * a);
  // The parabola opens downwards and is positive only between its roots.
  return b > 0 ? (-2 * c) / (b + root) : Infinity;
}
