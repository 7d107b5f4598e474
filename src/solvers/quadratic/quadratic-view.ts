/**
 * A problem with quadratics from one person's position: moved to the row, scaled by the cost, without fixed columns.
 *
 *   y = W^{1/2} Δ  over the columns that can move        cost = ‖y‖²
 *   q_i = yᵀA_i y + 2 b_i·y + c_i <= 0                    A_i = S Q_i S,  2 b_i = S ∇q_i(x),  c_i = q_i(x),  S = W^{-1/2}
 *
 * Scaling by the cost makes the units of the features disappear. Mahalanobis: S is a full factor. The matrices depend only on the set of
 * free columns and are cached for each set.
 */
import { diagonalOf, formRoundingShare, pullBackMatrix } from '../../linalg/symmetric-matrix.js';
import { dot } from '../../linalg/vector.js';
import type { DistanceDifference } from '../../models/distance-difference.js';
import type { Domain } from '../../policy/domain.js';
import { atomsOf, linearRows, onlyAtoms, type Problem } from '../../problems/problem.js';
import type { UpperRow } from '../linear/polyhedral.js';
import { costFactor, factorError } from '../projection/cost-factor.js';
import { isAnswer } from '../shared/answer-check.js';
import { depthOf, linkSlack, magnitude, roundingFor } from '../shared/linear-rows.js';
import { INFEASIBLE, type Outcome, solved } from '../solver.js';

export interface ScaledQuadratic {
  readonly A: Float64Array;
  readonly b: Float64Array;
  c: number;
}

/** The data that depends only on the set of free columns. */
export interface Frame {
  readonly free: Int32Array;
  /** Δ_free = S y, row-major. */
  readonly S: Float64Array;
  readonly matrices: readonly Float64Array[];
  /** The near and far parts of each matrix: A = N - F. */
  readonly near: readonly Float64Array[];
  readonly far: readonly Float64Array[];
  /** The matrices reduced by the largest rounding error of a value: a share of the terms of both parts. */
  readonly least: readonly Float64Array[];
  /** The cost is at least ‖y‖² times this share, for any rounding of S. */
  readonly share: number;
}

/** Rounding errors of the matrices and slopes, in addition to those of the values. */
const DOUBT = 4;

export interface ScaledBounds {
  readonly rows: UpperRow[];
  readonly lo: Float64Array;
  readonly hi: Float64Array;
}

/** The relative rounding error of a bound and of its difference from the row. */
const END_ROUNDING = 2 ** -50;
const MAX_FRAMES = 200;

export class QuadraticView {
  private readonly frames = new Map<string, Frame>();
  readonly quadratics: readonly DistanceDifference[];
  private readonly near: readonly Float64Array[];
  private readonly far: readonly Float64Array[];
  private readonly doubts: readonly Float64Array[];
  private readonly factor: readonly Float64Array[];

  constructor(readonly problem: Problem) {
    this.quadratics = atomsOf(problem, 'quadratic').map(({ form }) => form);
    this.near = this.quadratics.map((q) => pullBackMatrix(q.near.matrix, q.map));
    this.far = this.quadratics.map((q) => pullBackMatrix(q.far.matrix, q.map));
    this.doubts = this.quadratics.map(({ near, far, map }) => {
      const [P, R] = [near.matrix, far.matrix].map((matrix) => pullBackMatrix(diagonalOf(matrix), map));
      const [p, r] = [near.matrix, far.matrix].map((matrix) => DOUBT * formRoundingShare(matrix));
      return P.map((value, k) => p * value + r * R[k]);
    });
    this.factor = costFactor(problem);
  }

  /** The frame of a domain. A column that is fixed away from the row counts as free, because it moves to its fixed value. */
  frame({ origin, lower, upper }: Domain): Frame {
    const free = Int32Array.from([...lower.keys()].filter((c) => lower[c] < upper[c] || lower[c] !== origin[c]));
    const key = free.join();
    let frame = this.frames.get(key);
    if (!frame) {
      frame = this.buildFrame(free);
      if (this.frames.size < MAX_FRAMES) this.frames.set(key, frame);
    }
    return frame;
  }

  private buildFrame(free: Int32Array): Frame {
    const S = this.freeFactor(free);
    const near = this.near.map((Q) => this.scale(Q, free, S));
    const far = this.far.map((Q) => this.scale(Q, free, S));
    const matrices = near.map((N, i) => N.map((value, k) => value - far[i][k]));
    const least = this.doubts.map((Q, i) => this.scale(Q, free, S).map((doubt, k) => matrices[i][k] - 2 * doubt));
    return { free, S, near, far, matrices, least, share: 1 - factorError(this.problem, free, S) };
  }

  /** Sᵀ Q S over the free columns. S is diagonal except under a metric. */
  private scale(Q: Float64Array, free: Int32Array, S: Float64Array): Float64Array {
    const d = free.length;
    const columns = this.problem.space.columns;
    const out = new Float64Array(d * d);
    if (!this.problem.cost.metric) {
      for (let i = 0; i < d; i++)
        for (let j = 0; j < d; j++) out[i * d + j] = S[i * d + i] * S[j * d + j] * Q[free[i] * columns + free[j]];
      return out;
    }
    const half = new Float64Array(d * d);
    for (let i = 0; i < d; i++)
      for (let k = 0; k < d; k++)
        for (let j = k; j < d; j++) half[i * d + j] += Q[free[i] * columns + free[k]] * S[k * d + j];
    for (let k = 0; k < d; k++)
      for (let i = k; i < d; i++) for (let j = 0; j < d; j++) out[i * d + j] += S[k * d + i] * half[k * d + j];
    return out;
  }

  /** The factor of the cost restricted to the free columns: W_F⁻¹ = S Sᵀ. */
  private freeFactor(free: Int32Array): Float64Array {
    const d = free.length;
    const S = new Float64Array(d * d);
    const metric = this.problem.cost.metric;
    if (!metric) for (let i = 0; i < d; i++) S[i * d + i] = this.factor[free[i]][free[i]];
    else S.set(restrictedFactor(this.problem, free));
    return S;
  }

  /** b and c of every quadratic at the row. The constraints are tightened by `nudge` of their size. */
  at(frame: Frame, domain: Domain, nudge: number): ScaledQuadratic[] {
    const d = frame.free.length;
    return this.quadratics.map((q, i) => {
      const slope = q.gradient(domain.origin);
      const b = new Float64Array(d);
      for (let k = 0; k < d; k++) for (let j = 0; j < d; j++) b[j] += 0.5 * frame.S[k * d + j] * slope[frame.free[k]];
      return { A: frame.matrices[i], b, c: q.value(domain.origin) + nudge * q.magnitude(domain.origin) };
    });
  }

  /**
   * Quadratics that are at most those of the model at every y, for any rounding of either: a proof about them holds for the region. For
   * both parts, (x + Δ)ᵀP(x + Δ) <= 2 xᵀPx + 2 ΔᵀPΔ.
   */
  underestimates(frame: Frame, domain: Domain): ScaledQuadratic[] {
    return this.at(frame, domain, 0).map(({ b, c }, i) => ({
      A: frame.least[i],
      b,
      c: c - 2 * DOUBT * this.quadratics[i].rounding(domain.origin),
    }));
  }

  /** Rows and box in y. The rows of the region are tightened by `nudge` of their size. */
  bounds(frame: Frame, domain: Domain, nudge: number): ScaledBounds {
    const depths = linearRows(this.problem).map((row, i) =>
      i < this.problem.piece.rows.length || row.open ? depthOf(row, domain.origin, nudge) : 0,
    );
    return this.scaledBounds(frame, domain, (i) => ({ depth: depths[i] }), 0);
  }

  /** The same for proofs: rows with their doubts, and a box widened by the largest rounding error. */
  outerBounds(frame: Frame, domain: Domain): ScaledBounds {
    const { origin } = domain;
    const doubts = linearRows(this.problem).map(
      (row) => linkSlack(row, origin) + 2 * roundingFor(row, magnitude(row, origin)),
    );
    return this.scaledBounds(frame, domain, (i) => ({ depth: 0, doubt: doubts[i] }), END_ROUNDING);
  }

  /** A box that the metric rotates becomes rows. */
  private scaledBounds(
    frame: Frame,
    domain: Domain,
    margin: (row: number) => { depth: number; doubt?: number },
    ease: number,
  ): ScaledBounds {
    const { origin, lower, upper } = domain;
    const d = frame.free.length;
    const rows: UpperRow[] = [];
    const lo = new Float64Array(d).fill(Number.NEGATIVE_INFINITY);
    const hi = new Float64Array(d).fill(Infinity);
    const add = (a: Float64Array, low: number, high: number, doubt?: number) => {
      if (high < Infinity) rows.push({ a, upper: high, doubt });
      if (low > Number.NEGATIVE_INFINITY) rows.push({ a: a.map((value) => -value), upper: -low, doubt });
    };
    for (let i = 0; i < d; i++) {
      const c = frame.free[i];
      const row = frame.S.slice(i * d, (i + 1) * d);
      const [low, high] = [lower[c] - origin[c], upper[c] - origin[c]];
      const doubt = (bound: number) => (Number.isFinite(bound) ? ease * (Math.abs(bound) + Math.abs(origin[c])) : 0);
      if (this.problem.cost.metric) add(row, low, high, Math.max(doubt(lower[c]), doubt(upper[c])));
      else if (low === high) lo[i] = hi[i] = low / row[i];
      else [lo[i], hi[i]] = [(low - doubt(lower[c])) / row[i], (high + doubt(upper[c])) / row[i]];
    }
    for (const [i, row] of linearRows(this.problem).entries()) {
      const activity = dot(row.a, origin);
      const a = new Float64Array(d);
      for (let k = 0; k < d; k++) for (let j = 0; j < d; j++) a[j] += row.a[frame.free[k]] * frame.S[k * d + j];
      const { depth, doubt } = margin(i);
      add(a, row.lower + depth - activity, row.upper - depth - activity, doubt);
    }
    return { rows, lo, hi };
  }

  /** y of an answer in columns, by substitution: S is diagonal, or upper triangular under a metric. */
  toScaled(frame: Frame, x: Float64Array, { origin }: Domain): Float64Array {
    const d = frame.free.length;
    const y = new Float64Array(d);
    for (let i = d - 1; i >= 0; i--) {
      let left = x[frame.free[i]] - origin[frame.free[i]];
      for (let j = i + 1; j < d; j++) left -= frame.S[i * d + j] * y[j];
      y[i] = left / frame.S[i * d + i];
    }
    return y;
  }

  /** x = origin + S y on the free columns, clipped to the bounds. */
  toColumns(frame: Frame, y: Float64Array, { origin, lower, upper }: Domain, x: Float64Array): void {
    const d = frame.free.length;
    x.set(origin);
    for (let i = 0; i < d; i++) {
      let move = 0;
      for (let j = 0; j < d; j++) move += frame.S[i * d + j] * y[j];
      const c = frame.free[i];
      x[c] = Math.min(upper[c], Math.max(lower[c], origin[c] + move));
    }
  }
}

/** A larger number of quadratics is left to a working set of them (working-set.ts). */
export const MOST_QUADRATICS = 24;

/** Whether the atoms are only quadratics, and few enough to be searched together. */
export function hasFewQuadratics(problem: Problem): boolean {
  const { length } = onlyAtoms(problem, 'quadratic');
  return length > 0 && length <= MOST_QUADRATICS;
}

/** The outcome where no column can move: the model decides about the row itself. */
export function standing(problem: Problem, domain: Domain): Outcome {
  const x = domain.origin.slice();
  return isAnswer(problem, domain, x) ? solved(x, 0) : INFEASIBLE;
}

/** S with S Sᵀ = (P_FF)⁻¹ for the metric P over the free columns: features outside the metric have their own weight. */
function restrictedFactor(problem: Problem, free: Int32Array): Float64Array {
  return Float64Array.from(costFactor(problem, free).flatMap((row) => [...row]));
}
