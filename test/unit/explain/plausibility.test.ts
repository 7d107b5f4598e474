/** Plausibility through the whole pipeline: answers, several of them, rounding, and why there is none. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { stump } from '../../support/documents.js';

const NAMES = ['a', 'b', 'c'];

/** A cloud around a line: large `a` goes with large `b`; the model looks at `a` and a little at `c`. */
function cloudModel(decimals?: number) {
  const dice = new Dice(21);
  const digits = (value: number) => Number(value.toFixed(decimals ?? 6));
  const samples = Array.from({ length: 200 }, () => {
    const line = dice.normal();
    return [digits(line + 0.2 * dice.normal()), digits(line + 0.2 * dice.normal()), digits(dice.normal())];
  });
  const features = NAMES.map((name) => ({ name, type: 'continuous', ...(decimals === undefined ? {} : { decimals }) }));
  return {
    schema: 'elsewise.model/v1',
    name: 'cloud',
    family: 'logistic-regression',
    features,
    classes: ['no', 'yes'],
    parameters: { weights: [2, 0, 0.5], bias: -2 },
    background: { samples },
  };
}

const policyOf = (more: Record<string, unknown> = {}) => ({
  schema: 'elsewise.policy/v1',
  target: 'yes',
  plausibility: { method: 'isolation-forest', atLeast: 0.2 },
  deadlineMs: 10_000,
  ...more,
});

const ROW = { id: 'r', features: { a: -1, b: -1, c: 0 } };

const isPlausible = (model: unknown, policy: unknown, features: Record<string, unknown>) => {
  const loaded = loadModel(model);
  const { plausibility } = compilePolicy(loadPolicy(policy).document, loaded);
  return plausibility!.of([]).limit!.holds(Float64Array.from(NAMES, (name) => Number(features[name])));
};

describe.each([undefined, 1])('answers with decimals %s', (decimals) => {
  it('are plausible, cost more than those that need not be, and say so', async () => {
    const model = cloudModel(decimals);
    const { plausibility: _, ...free } = policyOf();
    const [kept] = (await planOf(model, policyOf())).explain(ROW).counterfactuals;
    const [anything] = (await planOf(model, free)).explain(ROW).counterfactuals;
    expect(isPlausible(model, policyOf(), kept.features)).toBe(true);
    expect(isPlausible(model, policyOf(), anything.features)).toBe(false);
    expect(kept.cost).toBeGreaterThan(anything.cost);
    expect(kept.proof.lowerBound!).toBeLessThanOrEqual(kept.cost);
    expect(kept.solver).toBe('branch-plausible');
    if (decimals === undefined) expect(kept.proof.kind).toBe('optimal');
  });
});

describe('several answers', () => {
  it('are all plausible', async () => {
    const model = cloudModel(1);
    const result = (await planOf(model, policyOf({ count: 3 }))).explain(ROW);
    expect(result.counterfactuals.length).toBeGreaterThan(1);
    for (const { features } of result.counterfactuals) expect(isPlausible(model, policyOf(), features)).toBe(true);
  });
});

describe('a row that has the target', () => {
  it('stays as it is, plausible or not', async () => {
    const result = (await planOf(cloudModel(), policyOf())).explain({ id: 'r', features: { a: 9, b: -9, c: 9 } });
    expect(result.status).toBe('already');
  });
});

describe('no plausible answer', () => {
  it('is proved, and plausibility is named with what it would cost to do without', async () => {
    const features = { b: { change: 'never' }, c: { change: 'never' } };
    const plan = await planOf(cloudModel(), policyOf({ features }));
    const result = plan.explain({ id: 'r', features: { a: -3, b: -3, c: 0 } });
    expect(result.status).toBe('infeasible');
    expect(result.reason?.blocking).toContain('plausibility');
    expect(result.reason?.relaxation).not.toBe(null);
  });

  it('is proved for trees, too', async () => {
    const { parameters: _, family: __, ...rest } = cloudModel();
    const model = { ...rest, family: 'decision-tree', parameters: stump(1) };
    const fixed = { b: { change: 'never' }, c: { change: 'never' } };
    const far = { id: 'r', features: { a: -3, b: -3, c: 0 } };
    const blocked = (await planOf(model, policyOf({ features: fixed }))).explain(far);
    expect(blocked).toMatchObject({ status: 'infeasible', reason: { relaxation: { cost: expect.any(Number) } } });
    expect(blocked.reason?.blocking).toContain('plausibility');
    const [free] = (await planOf(model, policyOf())).explain(far).counterfactuals;
    expect(free).toMatchObject({ solver: 'forest-exact', proof: { kind: 'optimal' } });
    expect(isPlausible(model, policyOf(), free.features)).toBe(true);
  });
});
