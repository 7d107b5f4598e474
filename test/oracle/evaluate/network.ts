/**
 * Networks: h_0 = inputs, h_l = σ(W_l h_{l-1} + b_l), and a last layer that is a logistic, softmax or linear model of the activations. The rounding of
 * a unit is noise of the next layer's input.
 */
import type { Evaluator } from './evaluator.js';
import type { Inputs } from './inputs.js';
import { linearSum, logistic, regression } from './linear.js';
import { scoredClasses, softmaxSums } from './scored-classes.js';

export interface NetworkParameters {
  layers: { weights: number[][]; bias: number[]; activation: string }[];
}

type Layer = NetworkParameters['layers'][number];

/** None of them is steeper than 1: noise does not grow. */
const ACTIVATION: Record<string, (z: number) => number> = {
  relu: (z) => Math.max(0, z),
  tanh: Math.tanh,
  logistic: (z) => 1 / (1 + Math.exp(-z)),
  identity: (z) => z,
};

function behind({ weights, bias, activation }: Layer, inputs: Inputs): Inputs {
  const sums = weights.map((row, i) => linearSum(row, bias[i], inputs));
  const x = Float64Array.from(sums, ({ value }) => ACTIVATION[activation](value));
  const isExact = activation === 'relu' || activation === 'identity';
  return { x, size: x.map(Math.abs), noise: Float64Array.from(sums, ({ error }) => (isExact ? error : error + 4e-16)) };
}

function headOf({ weights, bias, activation }: Layer): Evaluator {
  if (activation === 'softmax') return scoredClasses(softmaxSums(weights, bias), 'softmax');
  const parameters = { weights: weights[0], bias: bias[0] };
  return activation === 'logistic' ? logistic(parameters) : regression('linear-regression', parameters);
}

export function network({ layers }: NetworkParameters): Evaluator {
  const hidden = layers.slice(0, -1);
  const head = headOf(layers.at(-1)!);
  const through = (inputs: Inputs) => hidden.reduce((before, layer) => behind(layer, before), inputs);
  return {
    scores: (inputs) => head.scores(through(inputs)),
    scoreError: (inputs) => head.scoreError(through(inputs)),
    predicted: (inputs) => head.predicted(through(inputs)),
    reaches: (inputs, goal) => head.reaches(through(inputs), goal),
  };
}
