/**
 * The Lagrangian dual of several quadratics, by projected Newton:
 *
 *   min ‖y‖²  s.t.  q_i(y) = yᵀA_i y + 2 b_i·y + c_i <= 0
 *   D(λ) = Σ λ_i c_i - b(λ)ᵀ M(λ)⁻¹ b(λ),    M(λ) = I + Σ λ_i A_i ≻ 0,    b(λ) = Σ λ_i b_i,    λ >= 0
 *
 * D is concave, its value at any λ is a lower bound on the cost (Shor's relaxation has the same optimum), its gradient is q_i(y(λ)) at y(λ)
 * = -M⁻¹b, and where the gradient proves y(λ) feasible and complementary, y(λ) is the global optimum with zero gap, even for constraints
 * that are not convex. Linear constraints are the case A_i = 0. In the other case M(λ) becomes singular first. Then a barrier μ log det M
 * keeps λ inside, and only the bound remains.
 */

import { backward, factorInPlace, forward } from '../../linalg/cholesky.js';
import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';

export interface DualConstraint {
  /** Null: the constraint is linear. */
  readonly A: Float64Array | null;
  readonly b: Float64Array;
  readonly c: number;
  /** The size of the terms at the start. Rounding is relative to this size. */
  readonly size: number;
}

export interface DualResult {
  /** y is feasible and complementary: the global optimum. */
  readonly exact: boolean;
  /** The dual seems to grow without bound: its multipliers may prove that no y meets the constraints. */
  readonly unbounded: boolean;
  readonly y: Float64Array;
  readonly lambda: Float64Array;
  readonly bound: number;
}

/** Work of an evaluation and of a Newton step apart from their arithmetic, in units of effort. */
const EVALUATION_WORK = 0.5;
const STEP_WORK = 1;
const STEPS = 60;
const HALVINGS = 40;
const BARRIERS = [1e-2, 1e-4, 1e-6, 1e-8];
/** Multipliers beyond this show that the dual is unbounded. */
const UNBOUNDED = 1e13;
const COMPLEMENTARY = 1e-11;

export class LagrangeDual {
  private readonly M: Float64Array;
  private readonly trial: Float64Array;
  private lambda: Float64Array = new Float64Array();
  private y: Float64Array;
  private value = 0;

  constructor(
    private readonly d: number,
    private readonly constraints: readonly DualConstraint[],
    private readonly budget: Budget,
  ) {
    this.M = new Float64Array(d * d);
    this.trial = new Float64Array(d * d);
    this.y = new Float64Array(d);
  }

  solve(start?: Float64Array): DualResult {
    this.lambda = start ?? new Float64Array(this.constraints.length);
    if (!this.evaluate(this.lambda, 0)) this.evaluate(this.lambda.fill(0), 0);
    const status = this.ascend(0);
    if (status === 'optimal') return this.result(true, false);
    if (status === 'unbounded') return this.result(false, true);
    let best = this.value;
    let kept = this.lambda.slice();
    for (const share of BARRIERS) {
      if (this.budget.isSpent) break;
      this.evaluate(this.lambda, share * Math.max(1, Math.abs(best)));
      this.ascend(share * Math.max(1, Math.abs(best)));
      this.evaluate(this.lambda, 0);
      if (this.value > best) {
        best = this.value;
        kept = this.lambda.slice();
      }
    }
    this.lambda = kept;
    this.evaluate(kept, 0);
    return this.result(this.isOptimal(this.gradient()), false);
  }

  private result(exact: boolean, unbounded: boolean): DualResult {
    return { exact, unbounded, y: this.y.slice(), lambda: this.lambda, bound: this.value };
  }

  /** Computes M, y and D (plus barrier) at λ. False: λ is outside the domain. */
  private evaluate(lambda: Float64Array, barrier: number): boolean {
    const { d, trial, constraints } = this;
    this.budget.spend(EVALUATION_WORK + (d * d * (d / 3 + 2 * constraints.length)) / FLOPS_PER_UNIT);
    trial.fill(0);
    for (let i = 0; i < d; i++) trial[i * d + i] = 1;
    const y = new Float64Array(d);
    let value = 0;
    for (let k = 0; k < constraints.length; k++) {
      if (lambda[k] === 0) continue;
      const { A, b, c } = constraints[k];
      if (A) for (let i = 0; i < trial.length; i++) trial[i] += lambda[k] * A[i];
      for (let i = 0; i < d; i++) y[i] -= lambda[k] * b[i];
      value += lambda[k] * c;
    }
    const b = y.slice();
    if (!factorInPlace(trial, d)) return false;
    forward(trial, d, y);
    backward(trial, d, y);
    for (let i = 0; i < d; i++) value -= b[i] * y[i];
    if (barrier > 0) for (let i = 0; i < d; i++) value += 2 * barrier * Math.log(trial[i * d + i]);
    if (!Number.isFinite(value)) return false;
    this.M.set(trial);
    this.y = y;
    this.value = value;
    return true;
  }

  /** q_i at the present y. */
  private gradient(): Float64Array {
    return Float64Array.from(this.constraints, ({ A, b, c }) => {
      let sum = c;
      for (let i = 0; i < this.d; i++) {
        let inner = 2 * b[i];
        if (A) for (let j = 0; j < this.d; j++) inner += A[i * this.d + j] * this.y[j];
        sum += inner * this.y[i];
      }
      return sum;
    });
  }

  private isOptimal(gradient: Float64Array): boolean {
    return gradient.every((value, k) => {
      const tolerance = COMPLEMENTARY * this.constraints[k].size;
      return value <= tolerance && (this.lambda[k] === 0 || value >= -tolerance);
    });
  }

  private ascend(barrier: number): 'optimal' | 'unbounded' | 'stuck' {
    for (let step = 0; step < STEPS && (step === 0 || !this.budget.isSpent); step++) {
      const gradient = this.gradient();
      if (barrier === 0 && this.isOptimal(gradient)) return 'optimal';
      const total = barrier > 0 ? this.withBarrier(gradient, barrier) : gradient;
      const direction = this.newton(total, barrier);
      if (!direction) return 'stuck';
      if (this.lambda.some((value) => value > UNBOUNDED)) return 'unbounded';
      if (!this.search(direction, total, barrier))
        return barrier === 0 && this.isOptimal(this.gradient()) ? 'optimal' : 'stuck';
    }
    return 'stuck';
  }

  private withBarrier(gradient: Float64Array, barrier: number): Float64Array {
    return gradient.map((value, k) => {
      const { A } = this.constraints[k];
      return A ? value + barrier * trace(this.inverseTimes(A), this.d) : value;
    });
  }

  /** M⁻¹ A, row-major by column of A. */
  private inverseTimes(A: Float64Array): Float64Array {
    const { d } = this;
    const out = new Float64Array(d * d);
    const column = new Float64Array(d);
    for (let j = 0; j < d; j++) {
      for (let i = 0; i < d; i++) column[i] = A[i * d + j];
      forward(this.M, d, column);
      backward(this.M, d, column);
      for (let i = 0; i < d; i++) out[i * d + j] = column[i];
    }
    return out;
  }

  /** The Newton direction on the free multipliers. */
  private newton(gradient: Float64Array, barrier: number): Float64Array | undefined {
    const { d, constraints, lambda } = this;
    this.budget.spend(STEP_WORK + (d * d * constraints.length * (barrier > 0 ? d : 1)) / FLOPS_PER_UNIT);
    const free = [...lambda.keys()].filter((k) => lambda[k] > 0 || gradient[k] > 0);
    if (!free.length) return undefined;
    const slopes = free.map((k) => {
      const { A, b } = constraints[k];
      const r = b.slice();
      if (A) for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) r[i] += A[i * d + j] * this.y[j];
      forward(this.M, d, r);
      return r;
    });
    const n = free.length;
    const H = new Float64Array(n * n);
    const inverses =
      barrier > 0 ? free.map((k) => (constraints[k].A ? this.inverseTimes(constraints[k].A!) : null)) : [];
    for (let p = 0; p < n; p++) {
      for (let q = 0; q <= p; q++) {
        let sum = 0;
        for (let i = 0; i < d; i++) sum += slopes[p][i] * slopes[q][i];
        let entry = 2 * sum;
        if (barrier > 0 && inverses[p] && inverses[q]) entry += barrier * traceOfProduct(inverses[p]!, inverses[q]!, d);
        H[p * n + q] = H[q * n + p] = entry;
      }
    }
    for (let p = 0; p < n; p++) H[p * n + p] *= 1 + 1e-13;
    const step = Float64Array.from(free, (k) => gradient[k]);
    if (!factorRegularised(H, n)) return undefined;
    forward(H, n, step);
    backward(H, n, step);
    const direction = new Float64Array(lambda.length);
    for (const [p, k] of free.entries()) direction[k] = step[p];
    return direction;
  }

  /** Backtracks along the projection arc until the dual rises enough. */
  private search(direction: Float64Array, gradient: Float64Array, barrier: number): boolean {
    const from = this.lambda;
    const before = this.value;
    let t = 1;
    for (let k = 0; k < HALVINGS && (k === 0 || !this.budget.isSpent); k++, t *= 0.5) {
      const next = from.map((value, i) => Math.max(0, value + t * direction[i]));
      let promised = 0;
      for (let i = 0; i < next.length; i++) promised += gradient[i] * (next[i] - from[i]);
      if (!(promised > 0)) continue;
      if (!this.evaluate(next, barrier)) continue;
      if (this.value >= before + 1e-4 * promised) {
        this.lambda = next;
        return this.value > before;
      }
    }
    this.evaluate(from, barrier);
    return false;
  }
}

function factorRegularised(H: Float64Array, n: number): boolean {
  const copy = H.slice();
  for (let boost = 0; boost <= 1e-4; boost = boost === 0 ? 1e-12 : boost * 100) {
    H.set(copy);
    for (let p = 0; p < n; p++) H[p * n + p] += boost * (copy[p * n + p] + 1e-300);
    if (factorInPlace(H, n)) return true;
  }
  return false;
}

function trace(A: Float64Array, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) sum += A[i * d + i];
  return sum;
}

function traceOfProduct(A: Float64Array, B: Float64Array, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) sum += A[i * d + j] * B[j * d + i];
  return sum;
}
