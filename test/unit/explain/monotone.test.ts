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
