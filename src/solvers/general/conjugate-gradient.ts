/**
 * Nonlinear conjugate gradients for equation (1) (Polak and Ribière 1969, restarted where the formula is negative):
 *
 *   d_k = -g_k + β d_{k-1},   β = max(0, g_k·(g_k - g_{k-1}) / g_{k-1}·g_{k-1}),   scaled by the curvature along the last step
 */
import { dot } from '../../linalg/vector.js';
import type { Solver } from '../solver.js';
import type { DirectionRule } from './descent.js';
import { gradientSolver } from './gradient-search.js';

class ConjugateRule implements DirectionRule {
  private readonly direction: Float64Array;
  private readonly slope: Float64Array;
  private isFresh = true;
  /** The step length along a gradient, from the curvature along the last step (Barzilai and Borwein). */
  private length = 1;

  constructor(size: number) {
    this.direction = new Float64Array(size);
    this.slope = new Float64Array(size);
  }

  reset(): void {
    this.isFresh = true;
    this.length = 1;
  }

  learn(step: Float64Array, change: Float64Array): void {
    const curvature = dot(step, change);
    if (curvature > 0) this.length = dot(step, step) / curvature;
  }

  direct(slope: Float64Array, out: Float64Array): void {
    const { direction, slope: before } = this;
    const beta = this.isFresh ? 0 : Math.max(0, (dot(slope, slope) - dot(slope, before)) / dot(before, before));
    for (let j = 0; j < out.length; j++) direction[j] = beta * direction[j] - slope[j];
    if (!(dot(direction, slope) < 0)) for (let j = 0; j < out.length; j++) direction[j] = -slope[j];
    before.set(slope);
    this.isFresh = false;
    for (let j = 0; j < out.length; j++) out[j] = this.length * direction[j];
  }
}

export const conjugateGradient: Solver = gradientSolver(
  'conjugate-gradient',
  (size) => new ConjugateRule(size),
  () => 'by-name',
);
