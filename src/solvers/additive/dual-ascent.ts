/**
 * The maximum of a nonsmooth concave function of few variables, by Shor's r-algorithm (Shor 1985; Stetsyuk 2014):
 *
 *   max L(λ),   λ_i >= 0 or <= 0 or free
 *
 * Steps go along the slope in a space that is stretched across the kinks: after each line search the difference of the last two slopes is
 * the direction of the kink, and the space is halved along it. Any λ gives a bound. The best bound is kept.
 */

export interface Concave {
  readonly m: number;
  /** The slope at the last λ. */
  readonly slope: Float64Array;
  evaluate(lambda: Float64Array): number;
  /** Whether λ_i may have this sign. */
  mayBe(i: number, sign: 1 | -1): boolean;
}

const STRETCH = 0.5;
const LONGER = 1.5;
const SHORTER = 0.8;
const LINE_STEPS = 12;
/** A step below this share of the first one is the last. */
const SHORTEST = 1e-9;

export class DualAscent {
  readonly best: Float64Array;
  bestValue = Number.NEGATIVE_INFINITY;
  evaluations = 0;

  constructor(private readonly concave: Concave) {
    this.best = new Float64Array(concave.m);
  }

  /** Climbs from `start` with first steps of about `scales`. Stops at `target` or after `most` evaluations. */
  run(start: Float64Array, scales: Float64Array, target: number, most: number): void {
    const { m } = this.concave;
    const B = new Float64Array(m * m);
    for (let i = 0; i < m; i++) B[i * m + i] = scales[i];
    const lambda = start.slice();
    this.bestValue = Number.NEGATIVE_INFINITY;
    this.evaluations = 0;
    this.look(lambda);
    let step = 1;
    while (this.evaluations < most && this.bestValue < target && step > SHORTEST) {
      const before = this.outward(lambda);
      const direction = this.stretched(B, before);
      if (!direction) return;
      const steps = this.walk(lambda, direction, step, most, target);
      if (steps === 1) step *= SHORTER;
      else if (steps > 2) step *= LONGER ** (steps - 2);
      this.stretch(B, before, this.outward(lambda));
    }
  }

  /** Evaluates the function at λ. False: the function has no value there. */
  private look(lambda: Float64Array): boolean {
    this.evaluations++;
    const value = this.concave.evaluate(lambda);
    if (value > this.bestValue) {
      this.bestValue = value;
      this.best.set(lambda);
    }
    return value > Number.NEGATIVE_INFINITY;
  }

  /** The slope without the components that the sign constraints forbid. */
  private outward(lambda: Float64Array): Float64Array {
    const { concave } = this;
    return concave.slope.map((value, i) => (lambda[i] === 0 && !concave.mayBe(i, value > 0 ? 1 : -1) ? 0 : value));
  }

  /** B Bᵀ g / ‖Bᵀ g‖; undefined at a maximum. */
  private stretched(B: Float64Array, g: Float64Array): Float64Array | undefined {
    const { m } = this.concave;
    const inner = new Float64Array(m);
    for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) inner[j] += B[i * m + j] * g[i];
    const length = Math.hypot(...inner);
    if (!(length > 0) || length === Infinity) return undefined;
    const out = new Float64Array(m);
    for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) out[i] += (B[i * m + j] * inner[j]) / length;
    return out;
  }

  /** Steps along a direction while the slope points ahead. Returns the number of steps. */
  private walk(lambda: Float64Array, direction: Float64Array, step: number, most: number, target: number): number {
    const { concave } = this;
    for (let k = 1, length = step; ; k++, length *= k > 2 ? LONGER : 1) {
      const from = lambda.slice();
      for (let i = 0; i < lambda.length; i++) {
        const next = lambda[i] + length * direction[i];
        lambda[i] = next !== 0 && concave.mayBe(i, next > 0 ? 1 : -1) ? next : 0;
      }
      if (!this.look(lambda)) {
        lambda.set(from);
        this.look(lambda);
        return 1;
      }
      let ahead = 0;
      for (let i = 0; i < lambda.length; i++) ahead += concave.slope[i] * direction[i];
      if (!(ahead > 0) || k >= LINE_STEPS || this.evaluations >= most || this.bestValue >= target) return k;
    }
  }

  /** Halves the space along the difference of two slopes. */
  private stretch(B: Float64Array, before: Float64Array, after: Float64Array): void {
    const { m } = this.concave;
    const r = new Float64Array(m);
    for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) r[j] += B[i * m + j] * (after[i] - before[i]);
    const length = Math.hypot(...r);
    if (!(length > 0) || length === Infinity) return;
    for (let j = 0; j < m; j++) r[j] /= length;
    for (let i = 0; i < m; i++) {
      let along = 0;
      for (let j = 0; j < m; j++) along += B[i * m + j] * r[j];
      for (let j = 0; j < m; j++) B[i * m + j] += (STRETCH - 1) * along * r[j];
    }
  }
}
