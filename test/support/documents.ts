/** Small documents that are right, ways to make them wrong, and what was said about it. */
import { ElsewiseError } from '../../src/documents/error.js';

/** The example of the contract: p = 1 / (1 + e^-(0.01 age + 0.002 income + [0.4, -0.3, 0] housing - 3.1)). */
export function creditModel() {
  return {
    schema: 'elsewise.model/v1',
    name: 'credit',
    family: 'logistic-regression',
    features: [
      { name: 'age', type: 'integer', min: 18, max: 100, unit: 'years' },
      { name: 'income', type: 'continuous', min: 0, decimals: 0, unit: 'EUR/month' },
      { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
    ],
    classes: ['rejected', 'approved'],
    parameters: { weights: [0.01, 0.002, 0.4, -0.3, 0], bias: -3.1, threshold: 0.5 },
  };
}

export function creditPolicy() {
  return {
    schema: 'elsewise.policy/v1',
    name: 'retail-credit',
    target: 'approved',
    cost: { norm: 'l1', weights: { income: 0.01 } },
    features: {
      age: { change: 'never' },
      income: { change: 'increase', max: 9000, step: 50 },
      housing: { allow: ['own', 'rent'] },
    },
    maxChanges: 3,
  };
}

/** A regressor y = η, e^η or -1/η with η = 2 x - 3 z + 1. */
export function regressionModel(family = 'linear-regression') {
  return {
    schema: 'elsewise.model/v1',
    name: 'price',
    family,
    features: [
      { name: 'x', type: 'continuous' },
      { name: 'z', type: 'continuous' },
    ],
    parameters: { weights: [2, -3], bias: 1 },
  };
}

/** Parameters of a tree with one split: the first class up to the threshold of the first column, the second above. */
export const stump = (threshold: number) => ({
  task: 'classification',
  tree: {
    feature: [0, -1, -1],
    threshold: [threshold, 0, 0],
    left: [1, -1, -1],
    right: [2, -1, -1],
    value: [
      [0, 0],
      [1, 0],
      [0, 1],
    ],
  },
});

/** Parameters of a tree with two splits: most of the second class beyond both thresholds. */
export const twoSplits = (first: number, second: number) => ({
  task: 'classification',
  tree: {
    feature: [0, -1, 1, -1, -1],
    threshold: [first, 0, second, 0, 0],
    left: [1, -1, 3, -1, -1],
    right: [2, -1, 4, -1, -1],
    value: [
      [0.5, 0.5],
      [0.9, 0.1],
      [0.4, 0.6],
      [0.8, 0.2],
      [0.1, 0.9],
    ],
  },
});

type Step = string | number;

/** A copy with the value at the path replaced; undefined takes the key away. */
export function edit<T>(document: T, path: readonly Step[], value: unknown): T {
  const copy = structuredClone(document);
  let node = copy as Record<Step, unknown>;
  for (const step of path.slice(0, -1)) {
    node[step] ??= {};
    node = node[step] as Record<Step, unknown>;
  }
  const last = path[path.length - 1];
  if (value === undefined) delete node[last];
  else node[last] = value;
  return copy;
}

/** The coded error that `run` throws; anything else, or nothing, is the test's failure. */
export function faultOf(run: () => unknown): ElsewiseError {
  try {
    run();
  } catch (error) {
    if (error instanceof ElsewiseError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
