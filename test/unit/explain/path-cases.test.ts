/** `path` in cases that can be followed by hand: missing values, density, levers, models elsewhere, words, refusals. */
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { prepare, type Row } from '../../../src/explain/plan.js';
import { explainRemotely } from '../../../src/jobs/scoring/explain-remotely.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { describeResult } from '../../../src/report/words.js';
import { checkShape, planOf } from '../../support/asking.js';
import { fewValues, opaque, rawOf, remote } from '../../support/remote-models.js';

type Sample = (number | string | null)[];

const POLICY = {
  schema: 'elsewise.policy/v1',
  target: 'yes',
  unbounded: true,
  cost: { weights: 'none' },
  path: { method: 'knn', k: 2 },
};

/** yes where pay > 10. Rows are a line in pay; `home` stands beside it. */
const modelOf = (samples: Sample[], preprocessing: object[] = []) => ({
  schema: 'elsewise.model/v1',
  name: 'line',
  family: 'hyperplane',
  features: [
    { name: 'pay', type: 'continuous' },
    { name: 'home', type: 'categorical', categories: ['own', 'rent'] },
  ],
  classes: ['no', 'yes'],
  preprocessing,
  parameters: { weights: [1, 0, 0], bias: -10 },
  background: { samples, std: { pay: 1 } },
});

const line = (from: number, to: number, home = 'rent'): Sample[] =>
  Array.from({ length: to - from + 1 }, (_, k) => [from + k, home]);

async function explain(samples: Sample[], policy: object, features: Row['features'] = { pay: 5, home: 'rent' }) {
  const plan = await planOf(modelOf(samples), { ...POLICY, ...policy });
  return checkShape(plan.explain({ id: 'p', features }));
}

const paysOf = ({ counterfactuals }: ResultDocument) =>
  counterfactuals[0].path!.steps.map(({ features }) => features.pay);

describe('a path', () => {
  it('goes from row to row, and its last row is the answer', async () => {
    const result = await explain(line(1, 20), { cost: { norm: 'l2', weights: 'none' } });
    expect(paysOf(result)).toEqual([6, 7, 8, 9, 10, 11]);
    const [answer] = result.counterfactuals;
    expect(answer.features).toEqual({ pay: 11, home: 'rent' });
    expect(answer.path!.steps[0]).toMatchObject({
      sample: 5,
      prediction: 'no',
      changes: [{ feature: 'pay', from: 5, to: 6 }],
      cost: 1,
    });
    expect(answer.path!.length).toBe(6);
    expect(answer.cost).toBe(36);
  });

  it('leaves out the row that is the person', async () => {
    const { counterfactuals } = await explain(line(1, 20), { path: { method: 'knn', k: 1 } });
    expect(counterfactuals[0].path!.steps.every(({ changes }) => changes.length > 0)).toBe(true);
  });

  it('goes around what the policy forbids, or there is none and the reason says so', async () => {
    const samples = [...line(1, 8), ...line(12, 20), ...line(8, 12, 'own')];
    const free = await explain(samples, { path: { method: 'epsilon', epsilon: 1 } });
    expect(free.counterfactuals[0].path!.steps.some(({ features }) => features.home === 'own')).toBe(true);
    const stuck = await explain(samples, {
      path: { method: 'epsilon', epsilon: 1 },
      features: { home: { change: 'never' } },
    });
    expect(stuck).toMatchObject({ status: 'not-found', counterfactuals: [], reason: { code: 'no-path' } });
    expect(stuck.reason!.message).toContain('reach 8 background rows, and none of these may be the end');
    const nobody = await explain(line(1, 20, 'own'), { features: { home: { change: 'never' } } });
    expect(nobody.reason!.message).toContain('the policy allows no background row as a first step');
  });

  it('ends where rows lie as densely as asked for', async () => {
    const dense = Array.from({ length: 30 }, (_, k): Sample => [14 + k / 100, 'rent']);
    const samples = [...line(1, 14), ...dense];
    const policy = (atLeast: number) => ({ path: { method: 'epsilon', epsilon: 1, atLeast } });
    expect((await explain(samples, policy(0))).counterfactuals[0].features.pay).toBe(11);
    expect((await explain(samples, policy(0.5))).counterfactuals[0].features.pay).toBeGreaterThanOrEqual(14);
  });

  it('prefers dense ground with the method density', async () => {
    // Both ways take 4 steps of equal cost. Copies of the lower way lie beside it.
    const feature = (name: string) => ({ name, type: 'continuous' });
    const wayOf = (z: number) => [2, 4, 6, 8, 10.5].map((x) => [x, z]);
    const crowd = wayOf(-1).flatMap(([x, z]) => [0.1, 0.2, 0.3].map((d) => [x, z - d]));
    const model = {
      ...modelOf([]),
      features: [feature('x'), feature('z')],
      parameters: { weights: [1, 0], bias: -10 },
      background: { samples: [...wayOf(1), ...wayOf(-1), ...crowd], std: { x: 1, z: 1 } },
    };
    const plan = await planOf(model, { ...POLICY, path: { method: 'density', k: 8 } });
    const { counterfactuals } = plan.explain({ id: 'p', features: { x: 1, z: 0 } });
    for (const { features } of counterfactuals[0].path!.steps) expect(features.z).toBeLessThan(0);
  });

  it('has as many answers as the policy counts, each another row', async () => {
    const { counterfactuals } = await explain(line(1, 60), { count: 3 });
    expect(counterfactuals.map(({ features }) => features.pay)).toEqual([11, 17, 29]);
    const lengths = counterfactuals.map(({ path }) => path!.length);
    expect([...lengths].sort((a, b) => a - b)).toEqual(lengths);
  });

  it('is searched for each lever', async () => {
    const samples = [...line(1, 20), ...line(1, 20, 'own')];
    const result = await explain(samples, { levers: { pay: ['pay'], home: ['home'] } });
    expect(result.levers!.map(({ status }) => status)).toEqual(['found', 'not-found']);
    expect(result.counterfactuals).toMatchObject([{ lever: 'pay', features: { pay: 11, home: 'rent' } }]);
    expect(result.levers![1].reason!.code).toBe('no-path');
  });

  it('has a box around its end where the policy asks for regions', async () => {
    const { counterfactuals } = await explain(line(1, 20), { region: true });
    expect(counterfactuals[0].region!.features).toEqual({ pay: { from: 10.00001 } });
  });

  it('is told step by step', async () => {
    const result = await explain(line(1, 20), {
      path: { method: 'knn', k: 10 },
      cost: { norm: 'l2', weights: 'none' },
    });
    const words = describeResult(result, { features: loadModel(modelOf([])).document.features });
    expect(words).toContain('Step by step: 1. pay from 5 to 6 (no, score -4); 2. pay from 6 to 7');
    expect(words).toContain('(yes, score 1).');
  });
});

describe('rows with missing values', () => {
  it('are no step of a person whose value is known', async () => {
    const plan = await planOf(modelOf([...line(1, 20), [11, null]], [{ type: 'impute', values: [7, 0, 1] }]), POLICY);
    const { counterfactuals } = checkShape(plan.explain({ id: 'p', features: { pay: 9, home: 'rent' } }));
    for (const { features } of counterfactuals[0].path!.steps) expect(features.home).toBe('rent');
  });

  it('are steps of a person whose value is missing as well', async () => {
    const samples: Sample[] = line(1, 20).map(([pay]) => [pay, null]);
    const plan = await planOf(modelOf(samples, [{ type: 'impute', values: [7, 0, 1] }]), POLICY);
    const { status, counterfactuals } = checkShape(plan.explain({ id: 'p', features: { pay: 9, home: null } }));
    expect(status).toBe('found');
    for (const { features } of counterfactuals[0].path!.steps) expect(features.home).toBeNull();
  });

  it('leave a missing value of the person from what the imputer stands for', async () => {
    const plan = await planOf(modelOf(line(1, 20), [{ type: 'impute', values: [7, 0, 1] }]), POLICY);
    const { counterfactuals } = checkShape(plan.explain({ id: 'p', features: { pay: null, home: 'rent' } }));
    expect(counterfactuals[0].path!.steps[0].changes[0]).toMatchObject({ feature: 'pay', from: null });
    expect(counterfactuals[0].features.pay).toBe(11);
  });
});

describe('a model that is scored elsewhere', () => {
  it('gets the paths of the same model at hand', async () => {
    const here = fewValues(-2.55);
    const policy = loadPolicy({ ...POLICY, path: { method: 'knn', k: 3 }, count: 2 });
    const rows: Row[] = Array.from({ length: 12 }, (_, k) => ({
      id: `${k}`,
      features: { a: k % 3, b: k / 20, c: 'x' },
    }));
    const scorer = { score: async (inputs: readonly Float64Array[]) => inputs.map((input) => rawOf(here, input)) };
    const limits = { rowsAtOnce: 4, pointsPerRequest: 50, requestsAtOnce: 2 };
    const results: ResultDocument[] = [];
    const plan = await prepare(remote(here), policy);
    for await (const result of explainRemotely(plan, rows, scorer, limits)) results.push(result);
    const atHand = await prepare(opaque(here), policy);
    expect(results).toEqual(rows.map((row) => atHand.explain(row)));
    expect(results.some(({ status }) => status === 'found')).toBe(true);
  });
});

describe('a policy with a path is refused with the place', () => {
  it.each([
    ['without rows', [], { method: 'knn' }, 'policy.path: needs rows in model.background.samples; the model has none'],
    ['without epsilon', line(1, 9), { method: 'epsilon' }, 'policy.path.epsilon: is needed for the method "epsilon"'],
    ['with an epsilon too many', line(1, 9), { method: 'knn', epsilon: 1 }, 'policy.path.epsilon: is needed for'],
    ['with a method that is none', line(1, 9), { method: 'kde' }, 'policy.path.method'],
  ])('%s', async (_, samples, path, message) => {
    await expect(async () => planOf(modelOf(samples), { ...POLICY, path })).rejects.toThrow(message);
  });
});

it('a search that the effort ends says so', async () => {
  const result = await explain(line(1, 3000), { effort: 1, target: { from: 4000 } }, { pay: 5, home: 'rent' });
  expect(result).toMatchObject({ status: 'not-found', reason: { code: 'effort' }, limitedBy: 'effort' });
});
