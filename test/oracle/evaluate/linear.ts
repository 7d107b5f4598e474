/**
 * f = w·x + b.   hyperplane: second class where f > 0, scores -f and f.   logistic: second class where f > log(t / (1 - t)),
 * scores 1 - p and p = 1 / (1 + e^-f).   Regressors: f, e^f, -1/f.
 */
import { type Evaluator, within } from './evaluator.js';
import type { Goal } from './goal.js';
import type { Inputs } from './inputs.js';
import { atLeastZero, both, isCoarse, ROUNDING, type Verdict } from './verdict.js';

export interface LinearParameters {
  weights: number[];
  bias: number;
  threshold?: number;
}

export interface Sum {
  value: number;
  error: number;
}

/** w·x + b with its rounding; coarse numbers have none. */
export function linearSum(weights: readonly number[], bias: number, { x, size, noise }: Inputs): Sum {
  let value = bias;
  let scale = Math.abs(bias);
  let drift = 0;
  let coarse = isCoarse(bias);
  for (let i = 0; i < weights.length; i++) {
    value += weights[i] * x[i];
    scale += Math.abs(weights[i]) * size[i];
    drift += Math.abs(weights[i]) * noise[i];
    coarse &&= isCoarse(weights[i]) && isCoarse(x[i]) && isCoarse(size[i]);
  }
  return { value, error: coarse ? drift : drift + ROUNDING * scale };
}

const sigmoid = (f: number): number => 1 / (1 + Math.exp(-f));

export function hyperplane({ weights, bias }: LinearParameters): Evaluator {
  const f = (inputs: Inputs) => linearSum(weights, bias, inputs);
  return {
    scores: (inputs) => [-f(inputs).value, f(inputs).value],
    scoreError: (inputs) => f(inputs).error,
    predicted: (inputs) => twoClass(f(inputs)),
    reaches(inputs, goal) {
      const { value, error } = f(inputs);
      const own = goal.index === 1 ? value : -value;
      if (goal.kind === 'interval') return within(own, goal, error);
      return both(atLeastZero(own, error, goal.index === 1), atLeastZero(own - goal.margin, error));
    },
  };
}

const twoClass = ({ value, error }: Sum): number => (Math.abs(value) <= error && error > 0 ? -1 : Number(value > 0));

export function logistic({ weights, bias, threshold = 0.5 }: LinearParameters): Evaluator {
  const cut = Math.log(threshold / (1 - threshold));
  const sum = (inputs: Inputs): Sum => linearSum(weights, bias, inputs);
  const past = (inputs: Inputs): Sum => {
    const { value, error } = sum(inputs);
    return { value: value - cut, error: cut === 0 ? error : error + ROUNDING * Math.abs(cut) };
  };
  const scoreError = (inputs: Inputs) => {
    const { value, error } = sum(inputs);
    const p = sigmoid(value);
    return 4e-16 + p * (1 - p) * (error + ROUNDING * Math.abs(value));
  };
  const probability = (inputs: Inputs, index: number) => {
    const p = sigmoid(sum(inputs).value);
    return index === 1 ? p : 1 - p;
  };
  return {
    scores: (inputs) => [probability(inputs, 0), probability(inputs, 1)],
    scoreError,
    predicted: (inputs) => twoClass(past(inputs)),
    reaches(inputs, goal) {
      const own = probability(inputs, goal.index);
      if (goal.kind === 'interval') return within(own, goal, scoreError(inputs));
      const { value, error } = past(inputs);
      const decided = atLeastZero(goal.index === 1 ? value : -value, error, goal.index === 1);
      if (goal.margin === 0) return decided;
      const needed = (goal.index === 1 ? threshold : 1 - threshold) + goal.margin;
      return both(decided, atLeastZero(own - needed, scoreError(inputs)));
    },
  };
}

/** By family: the prediction, and how its slope carries an error of f over. */
const LINKS: Record<string, { mean(f: number): number; slope(f: number): number }> = {
  'linear-regression': { mean: (f) => f, slope: () => 1 },
  'poisson-regression': { mean: Math.exp, slope: Math.exp },
  'exponential-regression': { mean: (f) => -1 / f, slope: (f) => 1 / (f * f) },
};

export function regression(family: string, { weights, bias }: LinearParameters): Evaluator {
  const { mean, slope } = LINKS[family];
  const scoreError = (inputs: Inputs) => {
    const { value, error } = linearSum(weights, bias, inputs);
    const rounding = family === 'linear-regression' ? 0 : 4e-16 * Math.abs(mean(value));
    return error * slope(value) + rounding;
  };
  const prediction = (inputs: Inputs) => mean(linearSum(weights, bias, inputs).value);
  return {
    scores: (inputs) => [prediction(inputs)],
    scoreError,
    predicted: () => 0,
    reaches(inputs, goal: Goal): Verdict {
      if (goal.kind === 'class') return 'no';
      // The side of the pole is part of the answer: next to 0 an error of f may change the sign of -1/f.
      const { value, error } = linearSum(weights, bias, inputs);
      if (family === 'exponential-regression' && Math.abs(value) <= 2 * error) return 'near';
      return within(mean(value), goal, scoreError(inputs));
    },
  };
}
