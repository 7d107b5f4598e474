/**
 * L-BFGS for equation (1) (Liu and Nocedal 1989): the last steps s and gradient changes y approximate the inverse Hessian.
 *
 *   d = -H ∇F,   H by the two-loop recursion over the pairs (s, y) with s·y > 0,   H_0 = (s·y / y·y) I
 */
import { dot } from '../../linalg/vector.js';
import type { Solver } from '../solver.js';
import type { DirectionRule } from './descent.js';
import { gradientSolver } from './gradient-search.js';
import { isOpaque } from './opaque.js';

const MEMORY = 8;
/** A pair (s, y) with s·y below this fraction of |s| |y| is not stored. */
const LEAST_CURVATURE = 1e-10;

export class LbfgsRule implements DirectionRule {
  private readonly steps: Float64Array[];
  private readonly changes: Float64Array[];
  private readonly inverse = new Float64Array(MEMORY);
  private readonly factors = new Float64Array(MEMORY);
  private count = 0;
  private newest = -1;

  constructor(size: number) {
    const ring = () => Array.from({ length: MEMORY }, () => new Float64Array(size));
    [this.steps, this.changes] = [ring(), ring()];
  }

  reset(): void {
    this.count = 0;
    this.newest = -1;
  }

  learn(step: Float64Array, change: Float64Array): void {
    const curvature = dot(step, change);
    if (!(curvature > LEAST_CURVATURE * Math.sqrt(dot(step, step) * dot(change, change)))) return;
    this.newest = (this.newest + 1) % MEMORY;
    this.steps[this.newest].set(step);
    this.changes[this.newest].set(change);
    this.inverse[this.newest] = 1 / curvature;
    this.count = Math.min(MEMORY, this.count + 1);
  }

  direct(slope: Float64Array, out: Float64Array): void {
    const { steps, changes, inverse, factors, count } = this;
    for (let j = 0; j < out.length; j++) out[j] = -slope[j];
    if (count === 0) return;
    for (let k = 0; k < count; k++) {
      const i = this.past(k);
      factors[i] = inverse[i] * dot(steps[i], out);
      add(out, -factors[i], changes[i]);
    }
    const last = this.newest;
    const scale = 1 / (inverse[last] * dot(changes[last], changes[last]));
    for (let j = 0; j < out.length; j++) out[j] *= scale;
    for (let k = count - 1; k >= 0; k--) {
      const i = this.past(k);
      add(out, factors[i] - inverse[i] * dot(changes[i], out), steps[i]);
    }
  }

  /** The index of the pair k places before the newest. */
  private past(k: number): number {
    return (this.newest - k + MEMORY) % MEMORY;
  }
}

function add(to: Float64Array, factor: number, vector: Float64Array): void {
  for (let j = 0; j < to.length; j++) to[j] += factor * vector[j];
}

export const lbfgs: Solver = gradientSolver(
  'lbfgs',
  (size) => new LbfgsRule(size),
  (problem) => (isOpaque(problem) ? 'rung' : 'by-name'),
);
