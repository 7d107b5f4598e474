/** Rows whose answers lie in narrow or remote regions: searches by scores alone and searches over neighbours find one. */
import { describe, expect, it } from 'vitest';
import { createPlan } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const MODEL = { schema: 'elsewise.model/v1', name: 'm' };
const POLICY = { schema: 'elsewise.policy/v1', deadlineMs: 60_000 };

describe('kernel machines', () => {
  it('have answers in a narrow part of a line', () => {
    const model = loadModel({
      ...MODEL,
      family: 'kernel-svm',
      features: [{ name: 'f0', type: 'continuous' }],
      preprocessing: [{ type: 'scale', mean: [0.03], scale: [0.16923033855855465] }],
      classes: ['c0', 'c1', 'c2', 'c3'],
      parameters: {
        supportVectors: [
          [-1.109],
          [0],
          [0.787],
          [0.072],
          [1.649],
          [1.178],
          [-1.27],
          [2.214],
          [-0.408],
          [1.108],
          [1.23],
        ],
        kernel: { type: 'rbf', gamma: 0.5 },
        dualCoefficients: [
          [0.3458, -1.1617, 1.6982, 0.7585, -2.0756, 0.8769, 1.8515, 0.0397, 1.2143, -0.2376, 0.2146],
          [-0.5658, -0.7717, 1.0074, 0.4794, 0.7924, 2.0709, 0.7282, 0.7067, -0.9157, 0.5636, 1.3981],
          [-1.1553, -0.1769, 1.006, 1.272, -0.6243, 0.9252, 0.1034, -0.1189, -0.7441, -1.0531, -1.2972],
        ],
        intercept: [-0.177, 0.146, -0.023, 0.367, 0.154, 0.04],
        supportCounts: [1, 2, 4, 4],
      },
    });
    const policy = {
      ...POLICY,
      cost: { norm: 'l2', weights: 'none' },
      target: 'c0',
      margin: 0.02,
      seed: 24,
      effort: 250_000,
    };
    const { status, counterfactuals } = createPlan(model, loadPolicy(policy)).explain({
      id: 'r',
      features: { f0: -0.12275566196020127 },
    });
    expect(status).toBe('found');
    expect(counterfactuals[0].prediction).toBe('c0');
  });

  it('have answers at few of many combinations', () => {
    const model = loadModel({
      ...MODEL,
      family: 'kernel-svm',
      features: [
        { name: 'f0', type: 'boolean' },
        { name: 'f1', type: 'boolean' },
        { name: 'f2', type: 'categorical', categories: ['a', 'b', 'c'], encoding: 'ordinal' },
        { name: 'f3', type: 'integer' },
        { name: 'f4', type: 'boolean' },
      ],
      parameters: {
        supportVectors: [
          [-0.608, 1.308, -2.14, 0.629, -0.725],
          [0.19, -0.758, -0.148, 0.093, 1.135],
          [-0.793, 1.519, 0.27, -0.215, -0.601],
          [-1.164, -0.2, 0.5, 0.687, 0.563],
          [0.539, 0.359, 0.274, 0.474, 1.816],
        ],
        kernel: { type: 'rbf', gamma: 0.5 },
        dualCoefficients: [0.96837208407, -2.72718600516, -0.44085835972, -0.41441804069, 0.54556633946],
        intercept: -0.637,
      },
    });
    const policy = {
      ...POLICY,
      cost: { norm: 'l2', weights: { f1: 0.91, f2: 2.55, f4: 4.46 } },
      features: { f0: { change: 'never' } },
      target: { from: -0.893, to: -0.769 },
      effort: 150_000,
      seed: 4,
    };
    const features = { f0: true, f1: true, f2: 'c', f3: 1, f4: false };
    const { status, counterfactuals } = createPlan(model, loadPolicy(policy)).explain({ id: 'r', features });
    expect(status).toBe('found');
    expect(Number(counterfactuals[0].prediction)).toBeGreaterThanOrEqual(-0.893);
    expect(Number(counterfactuals[0].prediction)).toBeLessThanOrEqual(-0.769);
  });
});

describe('neighbours', () => {
  const samples = [
    [0, 0, 0, 1, -0.6, 0.1, 0, 1, 0, 1.8, 0, 1, -0.2],
    [0, 0, 1, 0, 0.8, -0.1, 0, 1, 0, 7.3, 2, 0, -0.1],
    [1, 0, 0, 0, 0.8, 0.1, 1, 0, 0, 5.6, 0, 1, 0.1],
    [0, 0, 0, 1, -1.2, 0, 0, 1, 0, 12.6, 1, 1, 0.1],
    [0, 0, 1, 0, 0.3, 0.1, 0, 1, 0, 7.8, 1, 0, -0.1],
    [0, 0, 1, 0, -0.6, -0.1, 1, 0, 0, 8, 3, 1, 0],
    [1, 0, 0, 0, -0.9, 0.2, 1, 0, 0, -0.2, 0, 1, 0],
    [0, 1, 0, 0, -1.3, 0, 0, 1, 0, 15.9, 0, 0, 0],
    [0, 1, 0, 0, -1.6, 0.2, 1, 0, 0, -4.7, 2, 0, -0.2],
    [1, 0, 0, 0, -1, -0.2, 0, 0, 1, -15.4, 0, 0, -0.1],
    [1, 0, 0, 0, 1.2, -0.1, 1, 0, 0, -8.9, 0, 0, 0],
    [0, 1, 0, 0, 1, 0, 1, 0, 0, -28, 3, 1, -0.1],
    [0, 1, 0, 0, -0.8, -0.1, 1, 0, 0, -16.5, 2, 0, 0],
    [0, 0, 1, 0, -1.8, 0.2, 0, 1, 0, -11.2, 0, 1, 0.1],
    [0, 0, 1, 0, -0.7, 0, 0, 1, 0, -19, 0, 0, -0.1],
    [0, 1, 0, 0, 0.3, 0, 0, 1, 0, -1.8, 0, 1, 0],
    [1, 0, 0, 0, -0.8, 0, 0, 1, 0, -0.5, 1, 1, 0.1],
    [0, 0, 0, 1, 0.7, 0, 0, 1, 0, 14, 3, 0, 0.1],
    [1, 0, 0, 0, -1, 0, 0, 0, 1, -9.1, 1, 1, -0.2],
  ];
  const labels = [
    'c1',
    'c2',
    'c1',
    'c1',
    'c1',
    'c1',
    'c0',
    'c2',
    'c0',
    'c0',
    'c1',
    'c0',
    'c1',
    'c1',
    'c0',
    'c1',
    'c1',
    'c2',
    'c0',
  ];
  const model = loadModel({
    ...MODEL,
    family: 'knn',
    features: [
      { name: 'f0', type: 'categorical', categories: ['a', 'b', 'c', 'd'] },
      { name: 'f1', type: 'continuous', min: -3.0, max: 3.0 },
      { name: 'f2', type: 'continuous' },
      { name: 'f3', type: 'categorical', categories: ['a', 'b', 'c'] },
      { name: 'f4', type: 'continuous' },
      { name: 'f5', type: 'categorical', categories: ['a', 'b', 'c', 'd'], encoding: 'ordinal' },
      { name: 'f6', type: 'boolean' },
      { name: 'f7', type: 'continuous', min: -0.3 },
    ],
    classes: ['c0', 'c1', 'c2'],
    parameters: { samples, labels, k: 5, metric: 'manhattan', weights: 'distance' },
  });

  it('have an answer where the search over boxes takes all its effort', () => {
    const policy = {
      ...POLICY,
      cost: { norm: 'l0', weights: 'none' },
      features: { f1: { min: -1.0, maxIncrease: 0.0 }, f2: { min: 0.0 }, f3: { change: 'never' }, f7: { step: 0.005 } },
      target: { class: 'c1', from: 0.93 },
      effort: 150_000,
      seed: 98,
    };
    const features = { f0: 'b', f1: 1.0, f2: 0.06, f3: 'c', f4: -23.4, f5: 'c', f6: true, f7: -0.3 };
    const { status, counterfactuals } = createPlan(model, loadPolicy(policy)).explain({ id: 'r', features });
    expect(status).toBe('found');
    expect(counterfactuals[0].score).toBeGreaterThanOrEqual(0.93);
  });
});
