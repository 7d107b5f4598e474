/**
 * Minimisation of  F(y) = f(y) + Σ_j κ_j |y_j|  over a box, f smooth, κ >= 0:  OWL-QN (Andrew and Gao 2007) with the bounds projected.
 *
 *   pseudo-gradient   ∇f_j + κ_j sign(y_j);  at y_j = 0 the one-sided slope that descends, or 0;  0 at an active bound
 *   direction         by a rule (L-BFGS, conjugate gradients) from pseudo-gradients; components that do not descend are set to 0
 *   line search       backtracking over the projection onto the box and onto the orthant of y: no column crosses 0 in one step
 */
export interface KinkedObjective {
  /** Writes ∇f and returns f. */
  smooth(y: Float64Array, gradient: Float64Array): number;
  readonly kinks: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly isOver: boolean;
}

/** A rule that makes a direction from gradients. */
export interface DirectionRule {
  /** Drops the curvature that earlier steps gave. */
  reset(): void;
  /** Adds a step and the change of ∇f along the step. */
  learn(step: Float64Array, change: Float64Array): void;
  /** Writes a descent direction. `fresh`: no step is known yet, and the length of the direction is a guess. */
  direct(slope: Float64Array, out: Float64Array): void;
}

export interface DescentLimits {
  readonly iterations: number;
  /** An iteration that lowers F by less than this fraction of F counts as a small gain. */
  readonly gain: number;
}

const SUFFICIENT = 1e-4;
const HALVINGS = 25;
/** The descent ends after this many small gains in a row. */
const SMALL_GAINS = 2;

export class Descent {
  private readonly gradient: Float64Array;
  private readonly nextGradient: Float64Array;
  private readonly slope: Float64Array;
  private readonly direction: Float64Array;
  private readonly next: Float64Array;
  private readonly step: Float64Array;
  private readonly change: Float64Array;

  constructor(
    private readonly objective: KinkedObjective,
    private readonly rule: DirectionRule,
    size: number,
  ) {
    const vector = () => new Float64Array(size);
    [this.gradient, this.nextGradient, this.slope, this.direction] = [vector(), vector(), vector(), vector()];
    [this.next, this.step, this.change] = [vector(), vector(), vector()];
  }

  /** Moves y until F no longer falls noticeably. */
  minimize(y: Float64Array, { iterations, gain }: DescentLimits): void {
    const { objective, rule, gradient, nextGradient, next } = this;
    rule.reset();
    let value = objective.smooth(y, gradient) + this.kinkCost(y);
    for (let k = 0, small = 0; k < iterations && small < SMALL_GAINS && !objective.isOver; k++) {
      if (!this.aim(y, k === 0)) return;
      const found = this.searchLine(y, value);
      if (!(found < value)) return;
      this.learn(y);
      small = value - found < gain * Math.abs(value) ? small + 1 : 0;
      value = found;
      y.set(next);
      gradient.set(nextGradient);
    }
  }

  private kinkCost(y: Float64Array): number {
    const { kinks } = this.objective;
    let sum = 0;
    for (let j = 0; j < y.length; j++) sum += kinks[j] * Math.abs(y[j]);
    return sum;
  }

  /** Fills gradient and direction. False: there is no descent direction. */
  private aim(y: Float64Array, isFirst: boolean): boolean {
    const { slope, direction } = this;
    let size = 0;
    for (let j = 0; j < y.length; j++) {
      slope[j] = this.pseudoGradient(y, j);
      size = Math.max(size, Math.abs(slope[j]));
    }
    if (!(size > 0) || size === Infinity) return false;
    this.rule.direct(slope, direction);
    for (let j = 0; j < y.length; j++) if (!(direction[j] * slope[j] < 0)) direction[j] = 0;
    if (isFirst) for (let j = 0; j < y.length; j++) direction[j] /= size;
    return true;
  }

  private pseudoGradient(y: Float64Array, j: number): number {
    const { kinks, lower, upper } = this.objective;
    const g = this.gradient[j];
    let slope = g + kinks[j] * Math.sign(y[j]);
    if (y[j] === 0) slope = g < -kinks[j] ? g + kinks[j] : g > kinks[j] ? g - kinks[j] : 0;
    return (y[j] <= lower[j] && slope > 0) || (y[j] >= upper[j] && slope < 0) ? 0 : slope;
  }

  /** Line search. Stores the next point and its gradient, and returns F at that point. Returns the present F if no lower value was found. */
  private searchLine(y: Float64Array, value: number): number {
    const { objective, slope, next, nextGradient } = this;
    for (let k = 0, t = 1; k < HALVINGS && !objective.isOver; k++, t *= k < 3 ? 0.5 : 0.2) {
      this.project(y, t);
      let fall = 0;
      for (let j = 0; j < y.length; j++) fall += slope[j] * (next[j] - y[j]);
      if (!(fall < 0)) return value;
      const found = objective.smooth(next, nextGradient) + this.kinkCost(next);
      if (found <= value + SUFFICIENT * fall) return found;
    }
    return value;
  }

  private project(y: Float64Array, t: number): void {
    const { kinks, lower, upper } = this.objective;
    const { direction, slope, next } = this;
    for (let j = 0; j < y.length; j++) {
      let value = y[j] + t * direction[j];
      if (kinks[j] > 0 && value * (y[j] !== 0 ? y[j] : -slope[j]) < 0) value = 0;
      next[j] = Math.min(upper[j], Math.max(lower[j], value));
    }
  }

  private learn(y: Float64Array): void {
    const { next, gradient, nextGradient, step, change } = this;
    for (let j = 0; j < y.length; j++) {
      step[j] = next[j] - y[j];
      change[j] = nextGradient[j] - gradient[j];
    }
    this.rule.learn(step, change);
  }
}
