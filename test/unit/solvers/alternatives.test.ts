/** Alternatives beside a curved region and categories, under L1: a category costs its weight, and rows of any scale count. */
import { expect, it } from 'vitest';
import { planOf } from '../../support/asking.js';

/** u = -298200 x + 1.4 [c = a] + 0.4: the second class is nearer to 0.5, the first to 1. */
const model = {
  schema: 'elsewise.model/v1',
  name: 'm',
  family: 'qda',
  features: [
    { name: 'x', type: 'continuous' },
    { name: 'c', type: 'categorical', categories: ['a', 'b'] },
  ],
  classes: ['no', 'yes'],
  preprocessing: [{ type: 'affine', matrix: [[-298200, 1.4, 0]], offset: [0.4] }],
  parameters: {
    means: [[1], [0.5]],
    covariances: [[[1.1]], [[0.8]]],
    priors: [0.5164535356272637, 0.4835464643727363],
  },
  background: { quantiles: { x: [-6.7e-7, -6.7e-7, -5.2e-7, 3.4e-7, 0.0000018, 0.0000021] } },
};
const PRICE = 3.25e5;
const policyOf = (constraint: string, cost: object) => ({
  schema: 'elsewise.policy/v1',
  target: 'yes',
  unbounded: true,
  cost,
  constraints: [constraint],
});
const answer = async (constraint: string, cost: object = { norm: 'l1', weights: { x: PRICE } }) =>
  (await planOf(model, policyOf(constraint, cost))).explain({ id: 'r', features: { x: -1e-6, c: 'a' } });

it.each([1e-10, 1e-9, 1e-7])('a category and a small move of %d are cheaper than a long move', async (move) => {
  const { counterfactuals } = await answer(`x <= ${-1e-6 - move} or x >= 0.0000017`);
  expect(counterfactuals[0]).toMatchObject({ features: { c: 'b' }, proof: { kind: 'optimal' } });
  expect(counterfactuals[0].cost / (1 + PRICE * move)).toBeCloseTo(1, 9);
});

it.each([{ norm: 'l1', weights: { x: PRICE } }, { norm: 'percentile' }])(
  'no bound is above the answer next to an open end: %o',
  async (cost) => {
    const { counterfactuals } = await answer('x < -0.000001 or x >= 0.0000017', cost);
    expect(counterfactuals[0].proof.lowerBound).toBeLessThanOrEqual(1 + 1e-9);
  },
);
