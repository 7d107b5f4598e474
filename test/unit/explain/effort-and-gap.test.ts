/** What `effort` and `gap` promise: an end by counted work that no clock moves, and a proof within the gap. */
import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { checkShape } from '../../support/asking.js';

/** 1 < 3 x - 3 y <= 2 has no whole solution, and no bound ends the search for one. */
const endless = {
  schema: 'elsewise.model/v1',
  name: 'endless',
  family: 'hyperplane',
  features: ['x', 'y'].map((name) => ({ name, type: 'integer' })),
  classes: ['no', 'yes'],
  parameters: { weights: [3, -3], bias: -1 },
};
const policy = { schema: 'elsewise.policy/v1', target: 'yes' };

async function explain(model: object, asked: object, features: Record<string, number>, now = () => 0) {
  const plan = await prepare(loadModel(model), loadPolicy({ ...policy, ...asked }), { now });
  return checkShape(plan.explain({ id: 'x', features }));
}

it('effort: nothing found is told by its code, and the same with any clock', async () => {
  const asked = { constraints: ['3 * x - 3 * y <= 2'], effort: 1, deadlineMs: 1e6, solvers: ['branch'] };
  const still = await explain(endless, asked, { x: 0, y: 0 });
  let time = 0;
  const moving = await explain(endless, asked, { x: 0, y: 0 }, () => (time += 3));
  const bytes = (result: typeof still) => ({ ...result, elapsedMs: 0, attempts: [] });
  expect(bytes(moving)).toEqual(bytes(still));
  expect(still).toMatchObject({ status: 'not-found', limitedBy: 'effort', reason: { code: 'effort' } });
});

describe('gap', () => {
  const features = Array.from({ length: 12 }, (_, k) => ({ name: `f${k}`, type: 'integer', min: 0, max: 7 }));
  const weights = features.map((_, k) => 5 + ((k * 7) % 11));
  const model = { ...endless, features, parameters: { weights, bias: -200.5 } };
  const row = Object.fromEntries(features.map(({ name }) => [name, 0]));
  const cost = { norm: 'l1', weights: Object.fromEntries(features.map(({ name }, k) => [name, 3 + ((k * 5) % 7)])) };

  it('an answer is proved within it', async () => {
    const exact = await explain(model, { cost }, row);
    const rough = await explain(model, { cost, gap: 0.1 }, row);
    const [{ proof, cost: price }] = rough.counterfactuals;
    expect(['optimal', 'gap']).toContain(proof.kind);
    expect(proof.gap).toBeLessThanOrEqual(0.1);
    expect(exact.counterfactuals[0].proof.kind).toBe('optimal');
    expect(proof.lowerBound).toBeLessThanOrEqual(exact.counterfactuals[0].cost * (1 + 1e-6));
    expect(price).toBeLessThanOrEqual(exact.counterfactuals[0].cost / 0.9 + 1e-9);
  });
});
