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
import { checkWidth, defineFamily, type FamilyContext, type Model } from '../family.js';
import { insideOf } from '../margins.js';
import { between, type Goal, type Piece, polyhedron } from '../region.js';

/** How f becomes a score of the second class, and back. */
interface Link {
  score(f: number): number;
  /** f at which the second class's score is s; ±Infinity outside the range of scores. */
  inverse(s: number): number;
  /** Score of the first class when the second has s. */
  other(s: number): number;
  /** What a rounding of the score amounts to in f, in roundings. */
  rounding(f: number): number;
}

const RAW: Link = { score: (f) => f, inverse: (s) => s, other: (s) => -s, rounding: () => 0 };
const LOGIT: Link = {
  score: (f) => 1 / (1 + Math.exp(-f)),
  inverse: logit,
  other: (s) => 1 - s,
  rounding: probabilityRounding,
};

/** A probability near 0 or 1 says little of its logit f: dp = p (1 - p) df. */
export function probabilityRounding(f: number): number {
  return 2 + Math.exp(Math.abs(f));
}

export function logit(p: number): number {
  if (p <= 0) return -Infinity;
  return p >= 1 ? Infinity : Math.log(p / (1 - p));
}

class LinearModel implements Model {
  readonly rawOutputs = 1;
  private readonly scoreAtBoundary: number;

  constructor(
    private readonly weights: Float64Array,
    private readonly bias: number,
    private readonly boundary: number,
    private readonly link: Link,
    threshold: number,
  ) {
    this.scoreAtBoundary = threshold;
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
    const second = this.link.score(raw[0]);
    const score = goal.index === 1 ? second : this.link.other(second);
    if (goal.kind === 'interval') return score >= goal.from && score <= goal.to;
    if (this.decide(raw) !== goal.index) return false;
    const boundary = goal.index === 1 ? this.scoreAtBoundary : this.link.other(this.scoreAtBoundary);
    return goal.margin === 0 || score >= boundary + goal.margin;
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
  private rawInterval(goal: Goal): [number, number] {
    const [from, to] = this.secondClassScores(goal);
    return [this.link.inverse(from), this.link.inverse(to)];
  }

  region(goal: Goal): Piece[] {
    const [from, to] = this.rawInterval(goal);
    const lower = Math.max(from, -Infinity) - this.bias;
    const upper = Math.min(to, Infinity) - this.bias;
    if (!(lower <= upper) || lower === Infinity || upper === -Infinity) return [];
    const ends = [from, to].filter(Number.isFinite).map((end) => Math.abs(end) + this.link.rounding(end));
    const arithmetic = { terms: this.weights.map(Math.abs), constant: Math.abs(this.bias) + Math.max(0, ...ends) };
    return [polyhedron([{ ...between(this.weights, lower, upper), arithmetic }])];
  }

  /** The goal as an interval of the second class's score. */
  private secondClassScores(goal: Goal): [number, number] {
    const boundary = this.scoreAtBoundary;
    if (goal.kind === 'class') {
      return goal.index === 1 ? [boundary + goal.margin, Infinity] : [-Infinity, boundary - goal.margin];
    }
    return goal.index === 1 ? [goal.from, goal.to] : [this.link.other(goal.to), this.link.other(goal.from)];
  }
}

const linearParameters = { weights: vector, bias: bounded };

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
  schema: z.strictObject({ ...linearParameters, threshold: finite.gt(0).lt(1).default(0.5) }),
  load: (p, context) => new LinearModel(weightsOf(p, context), p.bias, logit(p.threshold), LOGIT, p.threshold),
});
