/**
 * f = Σ c_i K(v_i, x) + b.   Regressor: f.   Two classes: second where f >= 0, scores -f and f.   Several: f_ij for each pair i < j over
 * the vectors of both, a vote for i where f_ij > 0, else for j; most votes win, ties to the lower class. Scores: votes and
 * s / (3 (|s| + 1)) with s the sum of what speaks for the class.
 */
import { type Evaluator, within } from './evaluator.js';
import type { Inputs } from './inputs.js';
import { linearSum, type Sum } from './linear.js';
import { atLeastZero, both, ROUNDING, type Verdict } from './verdict.js';

export interface KernelParameters {
  supportVectors: number[][];
  kernel: { type: 'linear' | 'rbf' | 'poly' | 'sigmoid'; gamma?: number; coef0?: number; degree?: number };
  dualCoefficients: number[] | number[][];
  intercept: number | number[];
  supportCounts?: number[];
}

function kernelAt(
  { type, gamma = 1, coef0 = 0, degree = 3 }: KernelParameters['kernel'],
  v: number[],
  inputs: Inputs,
): Sum {
  if (type === 'rbf') {
    let [square, error] = [0, 0];
    for (let i = 0; i < v.length; i++) {
      const apart = Math.abs(inputs.x[i] - v[i]);
      const doubt = inputs.noise[i] + ROUNDING * (inputs.size[i] + Math.abs(v[i]));
      square += apart * apart;
      error += 2 * (apart + doubt) * doubt;
    }
    const value = Math.exp(-gamma * square);
    return { value, error: value * (gamma * (error + ROUNDING * square)) + ROUNDING * value };
  }
  const product = linearSum(v, 0, inputs);
  if (type === 'linear') return product;
  const inner = gamma * product.value + coef0;
  const doubt = Math.abs(gamma) * product.error + ROUNDING * (Math.abs(gamma * product.value) + Math.abs(coef0));
  if (type === 'sigmoid') return { value: Math.tanh(inner), error: doubt + ROUNDING };
  const size = Math.abs(inner) + doubt;
  return {
    value: inner ** degree,
    error: degree * size ** Math.max(0, degree - 1) * doubt + ROUNDING * size ** degree,
  };
}

/** Sums of coefficients by vector, with an intercept. */
function weighed(values: readonly Sum[], coefficients: readonly number[], intercept: number): Sum {
  let value = intercept;
  let error = ROUNDING * Math.abs(intercept);
  for (const [i, c] of coefficients.entries()) {
    value += c * values[i].value;
    error += Math.abs(c) * (values[i].error + ROUNDING * Math.abs(values[i].value));
  }
  return { value, error };
}

export function kernelMachine(parameters: KernelParameters, classes: readonly string[]): Evaluator {
  const valuesAt = (inputs: Inputs) => parameters.supportVectors.map((v) => kernelAt(parameters.kernel, v, inputs));
  if (parameters.supportCounts) return votingPairs(parameters, classes.length, valuesAt);
  const { dualCoefficients, intercept } = parameters as { dualCoefficients: number[]; intercept: number };
  const f = (inputs: Inputs) => weighed(valuesAt(inputs), dualCoefficients, intercept);
  const isRegressor = !classes.length;
  return {
    scores: (inputs) => (isRegressor ? [f(inputs).value] : [-f(inputs).value, f(inputs).value]),
    scoreError: (inputs) => f(inputs).error,
    predicted(inputs) {
      const { value, error } = f(inputs);
      return isRegressor ? 0 : Math.abs(value) <= error ? -1 : Number(value >= 0);
    },
    reaches(inputs, goal) {
      const { value, error } = f(inputs);
      const own = isRegressor || goal.index === 1 ? value : -value;
      if (goal.kind === 'interval') return within(own, goal, error);
      return both(atLeastZero(own, error), atLeastZero(own - goal.margin, error));
    },
  };
}

interface Pair extends Sum {
  i: number;
  j: number;
}

function votingPairs(parameters: KernelParameters, classes: number, valuesAt: (inputs: Inputs) => Sum[]): Evaluator {
  const counts = parameters.supportCounts!;
  const owner = counts.flatMap((count, k) => Array<number>(count).fill(k));
  const rows = parameters.dualCoefficients as number[][];
  const intercepts = parameters.intercept as number[];
  const pairsAt = (inputs: Inputs): Pair[] => {
    const values = valuesAt(inputs);
    const pairs: Pair[] = [];
    for (let i = 0; i < classes; i++)
      for (let j = i + 1; j < classes; j++) {
        const own = owner.map((k, n) => (k === i ? rows[j - 1][n] : k === j ? rows[i][n] : 0));
        pairs.push({ i, j, ...weighed(values, own, intercepts[pairs.length]) });
      }
    return pairs;
  };
  const isCertain = (pairs: readonly Pair[]) => pairs.every(({ value, error }) => Math.abs(value) > error);
  const votesOf = (pairs: readonly Pair[]) =>
    Array.from({ length: classes }, (_, k) => pairs.filter(({ i, j, value }) => (value > 0 ? i : j) === k).length);
  const winner = (pairs: readonly Pair[]) => votesOf(pairs).indexOf(Math.max(...votesOf(pairs)));
  const shown = (pairs: readonly Pair[]) =>
    votesOf(pairs).map((votes, k) => {
      const s = pairs.reduce((sum, { i, j, value }) => sum + (i === k ? value : j === k ? -value : 0), 0);
      return votes + s / (3 * (Math.abs(s) + 1));
    });
  const errorOf = (pairs: readonly Pair[]) => 1e-14 + pairs.reduce((sum, { error }) => sum + error, 0);
  return {
    scores: (inputs) => shown(pairsAt(inputs)),
    scoreError: (inputs) => (isCertain(pairsAt(inputs)) ? errorOf(pairsAt(inputs)) : Infinity),
    predicted: (inputs) => (isCertain(pairsAt(inputs)) ? winner(pairsAt(inputs)) : -1),
    reaches(inputs, goal): Verdict {
      const pairs = pairsAt(inputs);
      if (!isCertain(pairs)) return 'near';
      const [scores, error] = [shown(pairs), errorOf(pairs)];
      if (goal.kind === 'interval') return within(scores[goal.index], goal, error);
      if (winner(pairs) !== goal.index) return 'no';
      if (goal.margin === 0) return 'yes';
      const rivals = scores.filter((_, k) => k !== goal.index);
      return atLeastZero(scores[goal.index] - Math.max(...rivals) - goal.margin, 2 * error);
    },
  };
}
