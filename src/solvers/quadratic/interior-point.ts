/**
 * Small dense semidefinite programs by a primal-dual interior-point method.
 *
 *   (P)  min C•X + c·x   s.t.  A_i•X + a_i·x = b_i,   X ⪰ 0,  x >= 0
 *   (D)  max b·y         s.t.  Z = C - Σ y_i A_i ⪰ 0,   z = c - Σ y_i a_i >= 0
 *
 * Mehrotra's predictor and corrector along the HKM direction (Helmberg, Rendl, Vanderbei and Wolkowicz 1996; Kojima,
 * Shindoh and Hara 1997; Monteiro 1997), from an infeasible start, on scaled data:
 *
 *   dZ = R - Σ dy_i A_i,    dX = T + sym(X (Σ dy_i A_i) Z⁻¹),    T = μ Z⁻¹ - X - sym((X R + dX' dZ') Z⁻¹)
 *   B dy = r - A(T),        B_ij = A_i•(X A_j Z⁻¹)                              (schur-complement.ts)
 *
 * with r, R the primal and dual residuals and dX', dZ' the predictor. Steps go as far as a Cholesky factorisation says. Infeasible: a y
 * with b·y = 1 and -Σ y_i A_i ⪰ -ε I, -Σ y_i a_i >= -ε, which proves that tr X + Σ x_k >= 1/ε for every feasible point (in the scaled
 * data). A program whose dual is infeasible ends with `limit`, and so does a program without interior if the method does not converge to
 * the last digits. Made for orders up to about 65 and as many rows: memory n² for each dense row.
 */

import { backward, factorInPlace, forward } from '../../linalg/cholesky.js';
import { invertFactored, multiplySymmetric, symmetrise } from '../../linalg/square-matrix.js';
import { dot, largestSize } from '../../linalg/vector.js';
import { type Budget, FLOPS_PER_UNIT, unlimited } from '../../problems/budget.js';
import { SchurComplement } from './schur-complement.js';
import {
  addForm,
  addSparse,
  dotSparse,
  innerProduct,
  type ScaledProgram,
  type SemidefiniteProgram,
  scaleProgram,
} from './semidefinite-program.js';

export interface SemidefiniteSolution {
  readonly status: 'optimal' | 'infeasible' | 'limit';
  readonly X: Float64Array;
  readonly x: Float64Array;
  /** The dual solution, or the certificate with b·y = 1. Z and z belong to it. */
  readonly y: Float64Array;
  readonly Z: Float64Array;
  readonly z: Float64Array;
  readonly objective: number;
  readonly dualObjective: number;
  /** The largest relative gap or residual, in the scaled data. */
  readonly error: number;
  readonly iterations: number;
}

const ITERATIONS = 80;
/** Errors: at WANTED the search ends, up to ENOUGH its result counts as optimal, and below NEAR it is near its end. */
const WANTED = 1e-10;
const ENOUGH = 1e-6;
const NEAR = 1e-4;
/** Iterations without a better point before the search gives up. Far from the end errors may rise for long. */
const PATIENCE = 6;
const FAR_PATIENCE = 25;
/** ε of the certificate. */
const FARKAS = 1e-9;
const BISECTIONS = 7;

export function solveSemidefinite(program: SemidefiniteProgram, budget: Budget = unlimited()): SemidefiniteSolution {
  return new InteriorPoint(scaleProgram(program)).solve(budget);
}

interface Point {
  readonly X: Float64Array;
  readonly Z: Float64Array;
  readonly x: Float64Array;
  readonly z: Float64Array;
  readonly y: Float64Array;
}

const createPoint = (n: number, p: number, m: number): Point => ({
  X: new Float64Array(n * n),
  Z: new Float64Array(n * n),
  x: new Float64Array(p),
  z: new Float64Array(p),
  y: new Float64Array(m),
});

function copyPoint(from: Point, to: Point): void {
  for (const part of ['X', 'Z', 'x', 'z', 'y'] as const) to[part].set(from[part]);
}

class InteriorPoint {
  private readonly program: SemidefiniteProgram;
  private readonly n: number;
  private readonly at: Point;
  private readonly step: Point;
  private readonly best: Point;
  /** The error of the best point. */
  private least = Infinity;
  private readonly b: Float64Array;
  /** The residuals of b, C and c. */
  private readonly missing: Point;
  private readonly schur: SchurComplement;
  private readonly factor: Float64Array;
  private readonly inverse: Float64Array;
  private readonly work: Float64Array;
  private readonly work2: Float64Array;
  private readonly target: Float64Array;
  private readonly linearTarget: Float64Array;

  constructor(private readonly scaled: ScaledProgram) {
    const { order: n, rows, linearCost } = scaled.program;
    const [m, p] = [rows.length, linearCost.length];
    this.program = scaled.program;
    this.n = n;
    this.at = createPoint(n, p, m);
    this.step = createPoint(n, p, m);
    this.best = createPoint(n, p, m);
    this.missing = createPoint(n, p, m);
    this.b = Float64Array.from(rows, ({ value }) => value);
    this.schur = new SchurComplement(rows, n, p);
    this.factor = new Float64Array(m * m);
    this.inverse = new Float64Array(n * n);
    this.work = new Float64Array(n * n);
    this.work2 = new Float64Array(n * n);
    this.target = new Float64Array(n * n);
    this.linearTarget = new Float64Array(p);
  }

  solve(budget: Budget): SemidefiniteSolution {
    this.start();
    let since = 0;
    let loose = 0;
    for (let k = 0; ; k++) {
      budget.spend(this.iterationWork);
      this.measure();
      since = this.keepBest() ? 0 : since + 1;
      if (this.least <= WANTED) return this.solution(this.best, 'optimal', k);
      if (this.provesInfeasible(-FARKAS)) return this.certificate(k);
      loose = this.provesInfeasible(FARKAS) ? loose + 1 : 0;
      const patience = loose || this.least < NEAR ? PATIENCE : FAR_PATIENCE;
      const givenUp = k === ITERATIONS || (loose || since) > patience;
      if (!givenUp && !budget.isSpent && this.advance()) continue;
      if (loose > 0) return this.certificate(k);
      return this.solution(this.best, this.least <= ENOUGH ? 'optimal' : 'limit', k);
    }
  }

  /** Three factorisations of order n, the Schur complement of m constraints and its own factorisation. */
  private get iterationWork(): number {
    const { n } = this;
    const m = this.b.length;
    return (8 * n ** 3 + m * n * n * 2 + (m * m * n * n) / 2 + m ** 3 / 3) / FLOPS_PER_UNIT;
  }

  private keepBest(): boolean {
    const error = this.error();
    if (!(error < this.least)) return false;
    this.least = error;
    copyPoint(this.at, this.best);
    return true;
  }

  /** Starts from multiples of the identity that are large relative to the data. */
  private start(): void {
    const { at, n, b } = this;
    const reach = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const primal = Math.max(10, n * (1 + reach));
    const dual = Math.max(10, n);
    for (let i = 0; i < n; i++) at.X[i * n + i] = primal;
    for (let i = 0; i < n; i++) at.Z[i * n + i] = dual;
    at.x.fill(primal);
    at.z.fill(dual);
  }

  /** The residuals r, R and that of the linear block. */
  private measure(): void {
    const { at, missing, program, n } = this;
    this.combine(at.y, missing.Z, missing.z);
    for (let k = 0; k < at.Z.length; k++) missing.Z[k] = program.cost[k] - missing.Z[k] - at.Z[k];
    for (let k = 0; k < at.z.length; k++) missing.z[k] = program.linearCost[k] - missing.z[k] - at.z[k];
    for (const [i, { form, linear, value }] of program.rows.entries())
      missing.y[i] = value - innerProduct(form, at.X, n) - dotSparse(linear, at.x);
  }

  private complementarity({ X, Z, x, z }: Point): number {
    return dot(X, Z) + dot(x, z);
  }

  private error(): number {
    const { at, missing, program } = this;
    const objective = dot(program.cost, at.X) + dot(program.linearCost, at.x);
    const size = 1 + Math.max(Math.abs(objective), Math.abs(dot(this.b, at.y)));
    const residual = Math.max(largestSize(missing.y), largestSize(missing.Z), largestSize(missing.z));
    return Math.max(this.complementarity(at) / size, residual);
  }

  /** Whether y, divided by b·y, proves that (P) has no solution: up to ε, or with a margin of -ε in the matrix. */
  private provesInfeasible(epsilon: number): boolean {
    const { at, missing, program, n, work, b } = this;
    const scale = 1 / dot(b, at.y);
    if (!(scale > 0 && scale < Infinity)) return false;
    for (let k = 0; k < at.z.length; k++)
      if ((at.z[k] + missing.z[k] - program.linearCost[k]) * scale < Math.min(0, -epsilon)) return false;
    for (let k = 0; k < work.length; k++) work[k] = (at.Z[k] + missing.Z[k] - program.cost[k]) * scale;
    for (let i = 0; i < n; i++) work[i * n + i] += epsilon;
    return factorInPlace(work, n);
  }

  /** One predictor and corrector. False: rounding stops the method. */
  private advance(): boolean {
    const { at, step, n, work, inverse, schur, program } = this;
    work.set(at.Z);
    if (!factorInPlace(work, n)) return false;
    invertFactored(work, inverse, this.work2, n);
    schur.build(at.X, inverse, at.x, at.z);
    if (!this.factorSchur()) return false;
    const degree = n + program.linearCost.length;
    const gap = this.complementarity(at);
    this.direct(0, false);
    const [primal, dual] = this.reaches(1);
    const left = this.gapAfter(primal, dual) / gap;
    const exponent = Math.max(1, 3 * Math.min(primal, dual) ** 2);
    this.direct((Math.min(1, left ** exponent) * gap) / degree, true);
    const keep = 0.9 + 0.09 * Math.min(primal, dual);
    const [far, farDual] = this.reaches(1 / keep).map((reach) => keep * reach);
    if (!(Math.max(far, farDual) > 1e-8)) return false;
    for (const part of ['X', 'x'] as const) addScaled(at[part], far, step[part]);
    for (const part of ['Z', 'z', 'y'] as const) addScaled(at[part], farDual, step[part]);
    return true;
  }

  private factorSchur(): boolean {
    const { factor, schur } = this;
    const m = this.b.length;
    for (let boost = 0; boost <= 1e-6; boost = boost === 0 ? 1e-14 : boost * 100) {
      factor.set(schur.matrix);
      // A row of zeros restricts nothing and has no multiplier.
      for (let i = 0; i < m; i++) factor[i * m + i] = factor[i * m + i] * (1 + boost) || 1;
      if (factorInPlace(factor, m)) return true;
    }
    return false;
  }

  /** The direction towards X Z = μ I. For the corrector, `step` holds the predictor. */
  private direct(mu: number, corrected: boolean): void {
    this.aim(mu, corrected);
    this.solveNormal();
    this.complete();
  }

  /** T and its linear part. */
  private aim(mu: number, corrected: boolean): void {
    const { at, step, missing, n, inverse, work, work2, target, linearTarget } = this;
    multiplySymmetric(at.X, missing.Z, work, n);
    if (corrected) {
      multiplySymmetric(step.X, step.Z, work2, n);
      addScaled(work, 1, work2);
    }
    multiplySymmetric(work, inverse, target, n);
    symmetrise(target, n);
    for (let k = 0; k < target.length; k++) target[k] = mu * inverse[k] - at.X[k] - target[k];
    for (let k = 0; k < linearTarget.length; k++) {
      const second = corrected ? step.x[k] * step.z[k] : 0;
      linearTarget[k] = (mu - second - at.x[k] * missing.z[k]) / at.z[k] - at.x[k];
    }
  }

  /** B dy = r - A(T), refined once, because B loses digits towards the end. */
  private solveNormal(): void {
    const { step, missing, program, n, factor, schur, target, linearTarget } = this;
    const m = this.b.length;
    const wanted = Float64Array.from(
      program.rows,
      ({ form, linear }, i) => missing.y[i] - innerProduct(form, target, n) - dotSparse(linear, linearTarget),
    );
    step.y.fill(0);
    for (let round = 0; round < 2; round++) {
      const left = wanted.map((value, i) => value - dot(schur.matrix.subarray(i * m, (i + 1) * m), step.y));
      forward(factor, m, left);
      backward(factor, m, left);
      addScaled(step.y, 1, left);
    }
  }

  /** dX, dZ and the linear parts from dy. */
  private complete(): void {
    const { at, step, missing, n, inverse, work, work2, target, linearTarget } = this;
    this.combine(step.y, work2, step.z);
    multiplySymmetric(at.X, work2, work, n);
    multiplySymmetric(work, inverse, step.X, n);
    symmetrise(step.X, n);
    for (let k = 0; k < work2.length; k++) {
      step.X[k] += target[k];
      step.Z[k] = missing.Z[k] - work2[k];
    }
    for (let k = 0; k < linearTarget.length; k++) {
      step.x[k] = linearTarget[k] + (at.x[k] / at.z[k]) * step.z[k];
      step.z[k] = missing.z[k] - step.z[k];
    }
  }

  /** Σ y_i A_i and Σ y_i a_i. */
  private combine(y: Float64Array, matrix: Float64Array, linear: Float64Array): void {
    matrix.fill(0);
    linear.fill(0);
    for (const [i, row] of this.program.rows.entries()) {
      addForm(row.form, y[i], matrix, this.n);
      addSparse(row.linear, y[i], linear);
    }
  }

  /** The largest steps in (P) and in (D), at most `most`. */
  private reaches(most: number): [primal: number, dual: number] {
    const { at, step, n, work } = this;
    const primal = matrixReach(at.X, step.X, linearReach(at.x, step.x, most), work, n);
    const dual = matrixReach(at.Z, step.Z, linearReach(at.z, step.z, most), work, n);
    return [primal, dual];
  }

  private gapAfter(primal: number, dual: number): number {
    const { at, step } = this;
    let sum = 0;
    for (let k = 0; k < at.X.length; k++) sum += (at.X[k] + primal * step.X[k]) * (at.Z[k] + dual * step.Z[k]);
    for (let k = 0; k < at.x.length; k++) sum += (at.x[k] + primal * step.x[k]) * (at.z[k] + dual * step.z[k]);
    return Math.max(0, sum);
  }

  private certificate(iterations: number): SemidefiniteSolution {
    const { at, b } = this;
    const scale = -1 / dot(b, at.y);
    for (let i = 0; i < b.length; i++) at.y[i] *= scale;
    this.combine(at.y, at.Z, at.z);
    for (let i = 0; i < b.length; i++) at.y[i] = -at.y[i];
    return this.solution(at, 'infeasible', iterations);
  }

  /** The solution in the original units. A certificate has no price. */
  private solution(point: Point, status: SemidefiniteSolution['status'], iterations: number): SemidefiniteSolution {
    const { program, scaled, b } = this;
    const { row, column, size } = scaled;
    const infeasible = status === 'infeasible';
    const price = infeasible ? size : scaled.price;
    const unit = size / scaled.price;
    return {
      status,
      X: point.X.map((value) => size * value),
      x: point.x.map((value, k) => size * column[k] * value),
      y: point.y.map((value, i) => (row[i] * value) / price),
      Z: point.Z.map((value) => value / price),
      z: point.z.map((value, k) => value / (price * column[k])),
      objective: unit * (dot(program.cost, point.X) + dot(program.linearCost, point.x)),
      dualObjective: infeasible ? Infinity : unit * dot(b, point.y),
      error: infeasible ? Infinity : this.least,
      iterations,
    };
  }
}

function addScaled(to: Float64Array, factor: number, from: Float64Array): void {
  for (let k = 0; k < to.length; k++) to[k] += factor * from[k];
}

function linearReach(x: Float64Array, step: Float64Array, most: number): number {
  let reach = most;
  for (let k = 0; k < x.length; k++) if (step[k] < 0) reach = Math.min(reach, -x[k] / step[k]);
  return reach;
}

/** The largest t <= most, up to a bisection's width, for which X + t·step is positive definite. */
function matrixReach(X: Float64Array, step: Float64Array, most: number, work: Float64Array, n: number): number {
  const fits = (t: number) => {
    for (let k = 0; k < work.length; k++) work[k] = X[k] + t * step[k];
    return factorInPlace(work, n);
  };
  let high = most;
  for (let i = 0; i < n; i++) if (step[i * n + i] < 0) high = Math.min(high, -X[i * n + i] / step[i * n + i]);
  if (fits(high)) return high;
  let low = 0;
  for (let k = 0; k < BISECTIONS || (low === 0 && k < 40); k++) {
    const middle = 0.5 * (low + high);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
