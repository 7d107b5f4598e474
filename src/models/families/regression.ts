/**
 * Generalised linear regressors: η = w·x + b (survey, sections 3.2 and 3.3).
 *
 *   linear-regression        y = η
 *   poisson-regression       y = e^η
 *   exponential-regression   y = -1/η      (two branches: η < 0 gives y > 0, η > 0 gives y < 0; y grows with η on each)
 *
 * Each inverse link is monotone on its branches, so an interval of predictions is a slab of η per branch. The ends of a slab are the
 * doubles at which the prediction itself, as computed, enters and leaves the interval (score-ends.ts).
 */
import { z } from 'zod';
import { bounded, vector } from '../../documents/model-document.js';
import { dot } from '../../linalg/vector.js';
import { checkWidth, defineFamily, type Family, type Model, refuseGoal } from '../family.js';
import { insideOf, nearerEnd } from '../margins.js';
import { between, type Goal, type LinearRow, type Piece, polyhedron } from '../region.js';
import { type Ends, endsOf, isEmpty, LINK_ROUNDINGS } from '../score-ends.js';

interface InverseLink {
  mean(eta: number): number;
  /** dμ/dη */
  slope(eta: number): number;
  /** The intervals of η whose mean lies in [from, to]. */
  slabs(from: number, to: number): Ends[];
  /** Whether the mean rises with η everywhere. */
  readonly isRising: boolean;
}

const INVERSE_LINKS: Record<string, InverseLink> = {
  'linear-regression': { mean: (eta) => eta, slope: () => 1, slabs: (from, to) => [[from, to]], isRising: true },
  'poisson-regression': {
    mean: Math.exp,
    slope: Math.exp,
    slabs: (from, to) => [endsOf(Math.exp, from, to, [Math.log(Math.max(0, from)), Math.log(Math.max(0, to))])],
    isRising: true,
  },
  'exponential-regression': {
    mean: (eta) => -1 / eta,
    slope: (eta) => 1 / eta ** 2,
    slabs: exponentialSlabs,
    isRising: false,
  },
};

/** A branch extends as far as its predictions are finite. */
function exponentialSlabs(from: number, to: number): Ends[] {
  const positive = (eta: number) => (eta < 0 ? -1 / eta : Infinity);
  const negative = (eta: number) => (eta > 0 ? -1 / eta : -Infinity);
  const [least, most] = [Math.max(from, -Number.MAX_VALUE), Math.min(to, Number.MAX_VALUE)];
  const guess: Ends = [-1 / least, -1 / most];
  return [endsOf(positive, from, most, guess), endsOf(negative, least, to, guess)];
}

class RegressionModel implements Model {
  readonly rawOutputs = 1;

  constructor(
    private readonly weights: Float64Array,
    private readonly bias: number,
    private readonly link: InverseLink,
  ) {}

  raw(x: Float64Array, out: Float64Array): void {
    out[0] = dot(this.weights, x) + this.bias;
  }

  scores(raw: Float64Array, out: Float64Array): void {
    out[0] = this.link.mean(raw[0]);
  }

  decide(): number {
    return 0;
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    if (goal.kind === 'class') return false;
    const y = this.link.mean(raw[0]);
    return Number.isFinite(y) && y >= goal.from && y <= goal.to;
  }

  margin(raw: Float64Array, goal: Goal): number {
    const y = this.link.mean(raw[0]);
    return goal.kind === 'class' || !Number.isFinite(y) ? -Infinity : insideOf(y, goal.from, goal.to);
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    const eta = dot(this.weights, x) + this.bias;
    const slope = this.link.slope(eta) * nearerEnd(this.link.mean(eta), goal);
    for (let j = 0; j < out.length; j++) out[j] = slope * this.weights[j];
  }

  /** The reciprocal of η has two branches: a larger η is no larger prediction. */
  get scoreSum(): Model['scoreSum'] {
    return this.link.isRising ? () => ({ kind: 'linear', weights: this.weights }) : undefined;
  }

  region(goal: Goal): Piece[] {
    if (goal.kind === 'class') return refuseGoal('a regressor', 'classes: its target is a number or an interval');
    const slabs = this.link.slabs(goal.from, goal.to).filter((ends) => !isEmpty(ends));
    return slabs.map(([lower, upper]) => polyhedron([this.slab(lower, upper)]));
  }

  private slab(lower: number, upper: number): LinearRow {
    const ends = [lower, upper].filter(Number.isFinite).map((end) => LINK_ROUNDINGS + Math.abs(end));
    const arithmetic = { terms: this.weights.map(Math.abs), constant: Math.abs(this.bias) + Math.max(0, ...ends) };
    return { ...between(this.weights, lower - this.bias, upper - this.bias), arithmetic };
  }
}

const defineRegression = (name: string): Family =>
  defineFamily({
    name,
    task: 'regression',
    schema: z.strictObject({
      weights: vector.describe('The weight of each model input.'),
      bias: bounded.describe('The number that is added to the weighted sum.'),
    }),
    load: (p, context) => {
      checkWidth(p.weights, context.inputs, 'weights');
      return new RegressionModel(Float64Array.from(p.weights), p.bias, INVERSE_LINKS[name]);
    },
  });

export const [linearRegression, ...otherRegressions] = Object.keys(INVERSE_LINKS).map(defineRegression);
