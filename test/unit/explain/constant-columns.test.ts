/** A number that is the same in all rows of the background has no spread, whatever its binary digits are. */
import { describe, expect, it } from 'vitest';
import { momentsOf } from '../../../src/linalg/moments.js';
import { planOf } from '../../support/asking.js';

const CONSTANTS = [0, 5, 0.1, 0.3, 1e-6, 1 / 3, 1e9 + 0.1];

const modelWith = (constant: number) => ({
  schema: 'elsewise.model/v1',
  name: 'm',
  family: 'logistic-regression',
  features: ['x', 'c'].map((name) => ({ name, type: 'continuous' })),
  classes: ['no', 'yes'],
  parameters: { weights: [1, 0], bias: -1 },
  background: { samples: Array.from({ length: 30 }, (_, i) => [(i % 10) / 3, constant]) },
});

const ask = async (constant: number, policy: object) =>
  (
    await planOf(modelWith(constant), {
      schema: 'elsewise.policy/v1',
      target: 'yes',
      unbounded: true,
      cost: { weights: 'none' },
      ...policy,
    })
  ).explain({
    id: 'r',
    features: { x: 0, c: constant + 1 },
  });

describe.each(CONSTANTS)('a column of %d', (constant) => {
  it('has no deviation', () => {
    const { mean, deviation } = momentsOf(Array.from({ length: 37 }, () => constant));
    expect([mean, deviation]).toEqual([constant, 0]);
  });

  it.each([{ k: 2 }, { components: 1 }, { components: 2 }])('is left out of a density with %o', async (options) => {
    const plausibility = { method: 'density', atLeast: 0.1, ...options };
    const { status, counterfactuals } = await ask(constant, { plausibility });
    expect(status).toBe('found');
    expect(counterfactuals[0].changes.map(({ feature }) => feature)).toEqual(['x']);
    expect(counterfactuals[0].cost).toBeLessThan(1.5);
  });

  it.each(['mad', 'std'])('counts as it is under %s', async (weights) => {
    const policy = { cost: { weights }, features: { x: { change: 'never' } } };
    const other = { ...modelWith(constant), parameters: { weights: [0, 1], bias: -1 - constant - 1 } };
    const plan = await planOf(other, {
      schema: 'elsewise.policy/v1',
      target: 'yes',
      unbounded: true,
      ...policy,
    });
    const [{ cost }] = plan.explain({ id: 'r', features: { x: 0, c: constant } }).counterfactuals;
    expect(cost).toBeCloseTo(2, 2);
  });
});
