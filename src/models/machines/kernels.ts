/**
 * Kernels K(v, x) of support vectors v, as libsvm computes them, and their slopes in x.
 *
 *   linear    v·x                      v
 *   poly      (γ v·x + c)^n            n γ (γ v·x + c)^(n-1) v
 *   sigmoid   tanh(γ v·x + c)          γ (1 - tanh²) v
 *   rbf       exp(-γ ‖v - x‖²)         2 γ K (v - x)
 */
import { dot } from '../../linalg/vector.js';

export type KernelType = 'linear' | 'rbf' | 'poly' | 'sigmoid';

export interface KernelForm {
  readonly type: KernelType;
  readonly gamma: number;
  readonly coef0: number;
  readonly degree: number;
}

export interface Kernel {
  valueAt(v: Float64Array, x: Float64Array): number;
  /** Adds `factor` times the slope of K(v, ·) at x. */
  addSlope(v: Float64Array, x: Float64Array, factor: number, out: Float64Array): void;
}

/** libsvm's integer power, by squaring. */
function power(base: number, exponent: number): number {
  let [result, square] = [1, base];
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}

/** φ(v·x), with the slope φ'(v·x) v. */
function ofProduct(phi: (product: number) => number, slope: (product: number) => number): Kernel {
  return {
    valueAt: (v, x) => phi(dot(v, x)),
    addSlope(v, x, factor, out) {
      const scale = factor * slope(dot(v, x));
      for (let j = 0; j < out.length; j++) out[j] += scale * v[j];
    },
  };
}

function radial(gamma: number): Kernel {
  const valueAt = (v: Float64Array, x: Float64Array) => {
    let sum = 0;
    for (let j = 0; j < x.length; j++) sum += (v[j] - x[j]) * (v[j] - x[j]);
    return Math.exp(-gamma * sum);
  };
  return {
    valueAt,
    addSlope(v, x, factor, out) {
      const scale = 2 * gamma * factor * valueAt(v, x);
      for (let j = 0; j < out.length; j++) out[j] += scale * (v[j] - x[j]);
    },
  };
}

const KERNELS: Record<KernelType, (form: KernelForm) => Kernel> = {
  linear: () =>
    ofProduct(
      (product) => product,
      () => 1,
    ),
  rbf: ({ gamma }) => radial(gamma),
  poly: ({ gamma, coef0, degree }) =>
    ofProduct(
      (product) => power(gamma * product + coef0, degree),
      (product) => (degree === 0 ? 0 : degree * gamma * power(gamma * product + coef0, degree - 1)),
    ),
  sigmoid: ({ gamma, coef0 }) =>
    ofProduct(
      (product) => Math.tanh(gamma * product + coef0),
      (product) => gamma * (1 - Math.tanh(gamma * product + coef0) ** 2),
    ),
};

export const kernelOf = (form: KernelForm): Kernel => KERNELS[form.type](form);

/** Sums Σ_i c_i K(v_i, x) + b over ranges of the same support vectors. */
export class KernelSums {
  private readonly values: Float64Array;

  constructor(
    readonly kernel: Kernel,
    readonly vectors: readonly Float64Array[],
  ) {
    this.values = new Float64Array(vectors.length);
  }

  /** Computes all K(v_i, x). */
  begin(x: Float64Array): void {
    for (let i = 0; i < this.vectors.length; i++) this.values[i] = this.kernel.valueAt(this.vectors[i], x);
  }

  /** In libsvm's order: range after range, the intercept last. */
  sum({ ranges, intercept }: KernelSum): number {
    let total = 0;
    for (const { coefficients, from, to } of ranges)
      for (let i = from; i < to; i++) total += coefficients[i] * this.values[i];
    return total + intercept;
  }

  /** Adds `factor` times the slope of a sum at x. */
  addSlope({ ranges }: KernelSum, x: Float64Array, factor: number, out: Float64Array): void {
    for (const { coefficients, from, to } of ranges)
      for (let i = from; i < to; i++)
        if (coefficients[i] !== 0) this.kernel.addSlope(this.vectors[i], x, factor * coefficients[i], out);
  }
}

export interface KernelSum {
  readonly ranges: readonly CoefficientRange[];
  readonly intercept: number;
}

/** Support vectors `from` to `to`, weighted by their entries in `coefficients`. */
export interface CoefficientRange {
  readonly coefficients: Float64Array;
  readonly from: number;
  readonly to: number;
}
