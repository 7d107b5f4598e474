/** Models that say themselves what a missing value means: it stays missing, and the rest is explained around it. */
import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const tree = (missing: 'left' | 'right') => ({
  feature: [0, 1, 0, 0, 0],
  threshold: [2, 5, 0, 0, 0],
  left: [1, 3, -1, -1, -1],
  right: [2, 4, -1, -1, -1],
  value: [[0], [0], [1], [-1], [0.7]],
  missing,
});

const model = (trees: unknown[]) =>
  loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'tree-ensemble',
    features: [
      { name: 'a', type: 'continuous' },
      { name: 'b', type: 'continuous' },
      { name: 'rank', type: 'categorical', encoding: 'ordinal', categories: ['x', 'y'] },
    ],
    classes: ['no', 'yes'],
    parameters: { trees, aggregation: 'sum', base: 0, link: 'logit' },
  });

const policy = { schema: 'elsewise.policy/v1', target: 'yes', region: true, features: { rank: { allow: ['x'] } } };

async function explain(trees: unknown[], features: Record<string, number | string | null>, more = {}) {
  const plan = await prepare(model(trees), loadPolicy({ ...policy, ...more }));
  return plan.explain({ id: '1', features });
}

describe('a missing value', () => {
  it('leads where each split says, and stays missing in the answer', async () => {
    const { status, counterfactuals } = await explain([tree('left'), tree('right')], { a: null, b: 3, rank: 'x' });
    expect(status).toBe('found');
    const [{ changes, features, proof }] = counterfactuals;
    expect(changes.map(({ feature }) => feature)).toEqual(['b']);
    expect(features.a).toBeNull();
    expect(proof.kind).toBe('optimal');
  });

  it('of a rank with a list of allowed ones is no trap', async () => {
    const { status, counterfactuals } = await explain([tree('left')], { a: 1, b: 2, rank: null });
    expect(status).toBe('found');
    expect(counterfactuals[0].features.rank).toBeNull();
  });

  it('that decides against the person is a proof that nothing helps', async () => {
    const only = { feature: [0, 0, 0], threshold: [2, 0, 0], left: [1, -1, -1], right: [2, -1, -1] };
    const trees = [{ ...only, value: [[0], [-1], [1]], missing: 'left' }];
    expect((await explain(trees, { a: null, b: 3, rank: 'x' })).status).toBe('infeasible');
    expect((await explain(trees, { a: 1, b: 3, rank: 'x' })).status).toBe('found');
  });

  it('keeps no constraint that reads it', async () => {
    const trees = [tree('left'), tree('right')];
    const row = { a: 1, b: 2, rank: null };
    expect((await explain(trees, { ...row, b: null }, { constraints: ['a + b <= 9'] })).status).toBe('infeasible');
    expect((await explain(trees, row, { constraints: ['a + b <= 9'] })).status).toBe('found');
  });
});
