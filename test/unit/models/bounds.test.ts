/** What is too large is refused by name, with the field and with what would fit; the bounds are settings. */
import { describe, expect, it } from 'vitest';
import { config } from '../../../src/config.js';
import type { ElsewiseError } from '../../../src/documents/error.js';
import { createPlan } from '../../../src/explain/plan.js';
import { type Bounds, DEFAULT_BOUNDS } from '../../../src/models/bounds.js';
import { loadModel } from '../../../src/models/load.js';
import { packModel, unpackModel } from '../../../src/models/packed-model.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const SIZE = 4;
const numbers = (length: number) => Array.from({ length }, (_, i) => ((7 * i) % 11) / 11);
const identity = (size: number) =>
  Array.from({ length: size }, (_, i) => Array.from({ length: size }, (__, j) => +(i === j)));
const continuous = (size: number) => Array.from({ length: size }, (_, i) => ({ name: `f${i}`, type: 'continuous' }));
const categories = Array.from({ length: 20 }, (_, k) => `c${k}`);

const base = { schema: 'elsewise.model/v1', name: 'm', classes: ['a', 'b'], features: continuous(SIZE) };
const linear = {
  ...base,
  family: 'logistic-regression',
  parameters: { weights: numbers(SIZE), bias: -1 },
  background: {
    samples: Array.from({ length: 30 }, (_, r) => numbers(SIZE).map((_, i) => (r * r * (i + 1) + 5 * i) % 17)),
  },
};
const withChoice = {
  ...base,
  features: [...continuous(1), { name: 'c', type: 'categorical', categories }],
  family: 'logistic-regression',
  parameters: { weights: numbers(21), bias: -1 },
};
const qda = {
  ...base,
  family: 'qda',
  parameters: {
    means: [numbers(SIZE), numbers(SIZE)],
    covariances: [identity(SIZE), identity(SIZE)],
    priors: [0.5, 0.5],
  },
};
const lda = {
  ...base,
  family: 'lda',
  parameters: { means: [numbers(SIZE), numbers(SIZE)], covariance: identity(SIZE), priors: [0.5, 0.5] },
};
const step = { type: 'affine', matrix: identity(SIZE), offset: numbers(SIZE) };
const chain = {
  feature: [0, -1, 0, -1, -1],
  threshold: [0, 0, 1, 0, 0],
  left: [1, -1, 3, -1, -1],
  right: [2, -1, 4, -1, -1],
  value: Array.from({ length: 5 }, (_, n) => [n, 1]),
};
const tree = { ...base, family: 'decision-tree', parameters: { task: 'classification', tree: chain } };
const softmax = {
  ...base,
  classes: categories,
  family: 'softmax-regression',
  parameters: { weights: categories.map((_, k) => numbers(SIZE).map((w) => w * k)), bias: numbers(20) },
};

/** At `bounds` a model and a policy are prepared, under the given bound they are refused. */
function refusal(model: object, policy: object, bounds: Partial<Bounds>): ElsewiseError {
  const prepare = (own: Partial<Bounds>) =>
    createPlan(
      loadModel(model, { bounds: { ...DEFAULT_BOUNDS, ...own } }),
      loadPolicy({ schema: 'elsewise.policy/v1', target: 'b', ...policy }),
    );
  prepare({});
  const [[name, most]] = Object.entries(bounds);
  prepare({ [name]: most + 1 });
  try {
    prepare(bounds);
  } catch (error) {
    expect((error as Error).message).toContain(`(bounds.${name})`);
    return error as ElsewiseError;
  }
  throw new Error('nothing was refused');
}

describe('a bound', () => {
  it('is a setting, and the library has the same defaults', () => {
    expect(config.bounds).toEqual(DEFAULT_BOUNDS);
  });

  it('goes along to the threads', () => {
    const bounds = { ...DEFAULT_BOUNDS, regionNumbers: 3 };
    expect(unpackModel(packModel(loadModel(linear, { bounds }))).bounds).toEqual(bounds);
  });

  it('on columns names the widest category, or the features', () => {
    expect(refusal(withChoice, {}, { columns: 20 }).path).toBe('model.features[1].categories');
    expect(refusal(linear, {}, { columns: SIZE - 1 }).path).toBe('model.features');
  });

  it('on levels names the tree', () => {
    expect(refusal(tree, {}, { treeLevels: 1 }).path).toBe('model.parameters.tree.left');
  });

  it('on samples says how many fit', () => {
    const { path, message } = refusal(linear, {}, { sampleValues: 30 * SIZE - 1 });
    expect(path).toBe('model.background.samples');
    expect(message).toContain('at most 29 samples fit');
  });

  it('on matrices names covariances, steps and the norm that needs one', () => {
    const refused = (model: object, matrixWork: number, policy = {}) => refusal(model, policy, { matrixWork }).path;
    expect(refused(qda, 12 * SIZE ** 3 - 1)).toBe('model.parameters.covariances');
    expect(refused(lda, SIZE ** 3 + 2 * SIZE ** 2 - 1)).toBe('model.parameters.covariance');
    const steps = { ...linear, preprocessing: [step, step, step] };
    expect(refused(steps, 2 * SIZE ** 3 + SIZE ** 2 - 1)).toBe('model.preprocessing[2].matrix');
    expect(refused(linear, 30 * SIZE ** 2 - 1, { cost: { norm: 'mahalanobis' } })).toBe('policy.cost.norm');
  });

  it('on the region of a target counts all classes that are listed', () => {
    const target = categories.slice(0, 3);
    const { path, message } = refusal(softmax, { target }, { regionNumbers: 3 * 19 * SIZE - 1 });
    expect(path).toBe('target');
    expect(message).toContain('list fewer classes');
  });

  it('on plausibility says how many trees fit', () => {
    const plausibility = { method: 'isolation-forest', atLeast: 0.05, trees: 10, sampleSize: 8 };
    const looks = 10 * (30 + 8 * 3);
    const { path, message } = refusal(linear, { plausibility }, { plausibilityLooks: looks - 1 });
    expect(path).toBe('policy.plausibility.trees');
    expect(message).toContain('at most 9 trees fit');
  });
});
