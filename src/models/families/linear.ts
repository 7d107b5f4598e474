/**
 * Linear two-class models: f(x) = w·x + b.
 *
 *   hyperplane            second class  <=>  f > 0;              scores -f, f (raw)
 *   logistic-regression   second class  <=>  f > logit(t);       scores 1-p, p with p = 1/(1 + e^-f)
 *
 * The region of a class is a half-space, of an interval of scores a slab (survey, section 3.2). The margin is in score:
 * f >= margin for the hyperplane, P(target) >= its threshold + margin for the logistic model.
 */
import { z } from 'zod';
import { bounded, finite, vector } from '../../documents/model-document.js';
import { dot } from '../../linalg/vector.js';
import { checkWidth, defineFamily, type FamilyContext, type Model, type Thresholds } from '../family.js';
import { insideOf } from '../margins.js';
import { logit } from '../probabilities.js';
import { between, type Goal, type Piece, polyhedron } from '../region.js';
import { type Ends, endsOf, isEmpty, LINK_ROUNDINGS } from '../score-ends.js';
import type { LinearSum } from '../sums/score-sum.js';

/** The link from f to the score of the second class. */
interface Link {
  score(f: number): number;
  /** The f at which the second class's score is about s; ±Infinity outside the range of scores. */
  inverse(s: number): number;
  /** Score of the first class when the second has s. */
  other(s: number): number;
  /** The effect of the link's rounding on f, in roundings of 1. */
  readonly roundings: number;
}

const RAW: Link = { score: (f) => f, inverse: (s) => s, other: (s) => -s, roundings: 0 };
const LOGIT: Link = {
  score: (f) => 1 / (1 + Math.exp(-f)),
  inverse: logit,
  other: (s) => 1 - s,
  roundings: LINK_ROUNDINGS,
};

const UNLIMITED: Ends = [-Infinity, Infinity];

class LinearModel implements Model {
  readonly rawOutputs = 1;
  readonly thresholds: Thresholds;
  private readonly ends = new WeakMap<Goal, Ends>();

  constructor(
    private readonly weights: Float64Array,
    private readonly bias: number,
    private readonly boundary: number,
    private readonly link: Link,
    threshold: number,
  ) {
    this.thresholds = [link.other(threshold), threshold];
  }

  raw(x: Float64Array, out: Float64Array): void {
    out[0] = dot(this.weights, x) + this.bias;
  }

  scores(raw: Float64Array, out: Float64Array): void {
    out[1] = this.link.score(raw[0]);
    out[0] = this.link.other(out[1]);
  }

  decide(raw: Float64Array): number {
    return raw[0] > this.boundary ? 1 : 0;
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    const score = this.scoreOf(raw[0], goal.index);
    if (goal.kind === 'interval') return score >= goal.from && score <= goal.to;
    if (this.decide(raw) !== goal.index) return false;
    return goal.margin === 0 || score >= this.leastScore(goal);
  }

  private scoreOf(f: number, index: number): number {
    const second = this.link.score(f);
    return index === 1 ? second : this.link.other(second);
  }

  /** The least score of a class for a goal with a margin. */
  private leastScore({ index, margin }: Goal & { kind: 'class' }): number {
    return this.thresholds[index as 0 | 1] + margin;
  }

  margin(raw: Float64Array, goal: Goal): number {
    const [lower, upper] = this.rawInterval(goal);
    return insideOf(raw[0], lower, upper);
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    const [lower, upper] = this.rawInterval(goal);
    const raw = dot(this.weights, x) + this.bias;
    const sign = raw - lower <= upper - raw ? 1 : -1;
    for (let j = 0; j < out.length; j++) out[j] = sign * this.weights[j];
  }

  /** The goal as an interval of the raw output. */
  private rawInterval(goal: Goal): Ends {
    const known = this.ends.get(goal);
    if (known) return known;
    const ends = this.findEnds(goal);
    this.ends.set(goal, ends);
    return ends;
  }

  private findEnds(goal: Goal): Ends {
    if (goal.kind === 'interval') return this.scoresBetween(goal.index, goal.from, goal.to);
    const [first, last] =
      goal.margin === 0 ? UNLIMITED : this.scoresBetween(goal.index, this.leastScore(goal), Infinity);
    return goal.index === 1 ? [Math.max(this.boundary, first), last] : [first, Math.min(this.boundary, last)];
  }

  /** The raw outputs at which the score of a class is within [from, to]. The first class's score falls as f rises. */
  private scoresBetween(index: number, from: number, to: number): Ends {
    const { inverse, other } = this.link;
    const score = (f: number) => this.scoreOf(f, index);
    if (index === 1) return endsOf(score, from, to, [inverse(from), inverse(to)]);
    return endsOf((f) => -score(f), -to, -from, [inverse(other(to)), inverse(other(from))]);
  }

  scoreSum(goal: Goal): LinearSum {
    return { kind: 'linear', weights: goal.index === 1 ? this.weights : this.weights.map((weight) => -weight) };
  }

  region(goal: Goal): Piece[] {
    const ends = this.rawInterval(goal);
    if (isEmpty(ends)) return [];
    const sizes = ends.filter(Number.isFinite).map((end) => Math.abs(end) + this.link.roundings);
    const arithmetic = { terms: this.weights.map(Math.abs), constant: Math.abs(this.bias) + Math.max(0, ...sizes) };
    return [polyhedron([{ ...between(this.weights, ends[0] - this.bias, ends[1] - this.bias), arithmetic }])];
  }
}

const linearParameters = {
  weights: vector.describe('The weight of each model input.'),
  bias: bounded.describe('The number that is added to the weighted sum.'),
};

function weightsOf(parameters: { weights: number[] }, context: FamilyContext): Float64Array {
  checkWidth(parameters.weights, context.inputs, 'weights');
  return Float64Array.from(parameters.weights);
}

export const hyperplane = defineFamily({
  name: 'hyperplane',
  task: 'classification',
  schema: z.strictObject(linearParameters),
  load: (p, context) => new LinearModel(weightsOf(p, context), p.bias, 0, RAW, 0),
});

export const logisticRegression = defineFamily({
  name: 'logistic-regression',
  task: 'classification',
  schema: z.strictObject({
    ...linearParameters,
    threshold: finite.gt(0).lt(1).default(0.5).describe('The probability above which the second class is predicted.'),
  }),
  load: (p, context) => new LinearModel(weightsOf(p, context), p.bias, logit(p.threshold), LOGIT, p.threshold),
});
