/** Models behind a monotone step: trees and linear models are exact in the units of the data, other families claim no proof. */
import { expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../../src/index.js';
import { stump } from '../../support/documents.js';

const header = {
  schema: 'elsewise.model/v1',
  name: 'bent',
  features: [{ name: 'income', type: 'continuous', min: 0, max: 5000 }],
  classes: ['no', 'yes'],
  preprocessing: [{ type: 'monotone', functions: ['log1p'], powers: [0] }],
};
const THRESHOLD = Math.log1p(2000);

const tree = {
  ...stump(THRESHOLD).tree,
  comparison: '<=',
  precision: 'float64',
  missing: 'error',
};

async function answer(parameters: object) {
  const policy = loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes', cost: { norm: 'l1', weights: 'none' } });
  const plan = await prepare(loadModel({ ...header, ...parameters }), policy);
  const [found] = plan.explain({ id: 'a', features: { income: 700 } }).counterfactuals!;
  return found;
}

it('solves a tree exactly, without a scaling behind the step', async () => {
  const found = await answer({ family: 'decision-tree', parameters: { tree, task: 'classification' } });
  expect(found.proof.kind).toBe('optimal');
  expect(found.features.income).toBeCloseTo(2000, 6);
});

it('solves a linear model exactly', async () => {
  const found = await answer({ family: 'logistic-regression', parameters: { weights: [1], bias: -THRESHOLD } });
  expect(found.proof.kind).toBe('optimal');
  expect(found.solver).toBe('additive');
  expect(found.prediction).toBe('yes');
  expect(found.features.income).toBeCloseTo(2000, 6);
});

const two = {
  schema: 'elsewise.model/v1',
  name: 'two',
  family: 'logistic-regression',
  features: [
    { name: 'income', type: 'continuous', min: 0, max: 5000 },
    { name: 'debt', type: 'continuous', min: 0, max: 900 },
  ],
  classes: ['no', 'yes'],
  preprocessing: [
    { type: 'impute', values: [null, 50] },
    { type: 'monotone', functions: ['log1p', 'box-cox'], powers: [0, -0.5] },
    { type: 'scale', mean: [7, 1.8], scale: [0.5, 0.1] },
  ],
  parameters: { weights: [1, -1], bias: -1 },
};

async function explainTwo(policy: object, features: object) {
  const plan = await prepare(
    loadModel(two),
    loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes', cost: { norm: 'l1', weights: 'none' }, ...policy }),
  );
  return plan.explain({ id: 'a', features } as never);
}

it('proves a region around an answer of a linear model', async () => {
  const { counterfactuals } = await explainTwo({ region: true }, { income: 700, debt: 200 });
  const [{ region, proof, features }] = counterfactuals!;
  expect(proof.kind).toBe('optimal');
  const { predict } = loadModel(two);
  for (const [name, own] of Object.entries(region!.features)) {
    const { from, to } = own as { from: number; to: number };
    expect(to).toBeGreaterThan(from);
    for (const end of [from, to]) expect(predict({ ...features, [name]: end }).prediction).toBe('yes');
  }
});

it('proves that no answer exists', async () => {
  const bounds = { income: { max: 800 }, debt: { change: 'never' } };
  const { status } = await explainTwo({ features: bounds }, { income: 700, debt: 200 });
  expect(status).toBe('infeasible');
});

it('gives no answer below the domain of a function', async () => {
  const { counterfactuals } = await explainTwo(
    { features: { income: { change: 'never' } } },
    { income: 700, debt: 200 },
  );
  const [{ features, proof }] = counterfactuals!;
  expect(features.debt).toBeGreaterThan(0);
  expect(proof.kind).toBe('optimal');
});

it('starts from the imputed value where a value is missing', async () => {
  const { counterfactuals } = await explainTwo(
    { features: { income: { change: 'never' } } },
    { income: 700, debt: null },
  );
  const [{ features, proof, prediction }] = counterfactuals!;
  expect(prediction).toBe('yes');
  expect(proof.kind).toBe('optimal');
  expect(features.debt).toBeLessThan(50);
});

it('has no slope where prototypes have no distance, below the domain of a function', () => {
  const { model } = loadModel({
    ...two,
    family: 'lvq',
    parameters: {
      prototypes: [
        [0, 0],
        [1, 1],
      ],
      labels: ['no', 'yes'],
      relevance: [
        [1, -0.5],
        [-0.5, 1],
      ],
    },
  });
  const slope = Float64Array.of(7, 7);
  const below = Float64Array.of(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY);
  model.gradient!(below, { kind: 'class', index: 1, margin: 0 }, slope);
  expect([...slope]).toEqual([0, 0]);
});
