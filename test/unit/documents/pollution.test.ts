/**
 * Names such as constructor are data like any other. The name __proto__ may be refused, since JavaScript cannot hold it
 * everywhere; what must not happen is that it is taken and then lost, or that it changes anything else.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { RowValue } from '../../../src/documents/model-document.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { checkShape, planOf } from '../../support/asking.js';
import { creditModel, faultOf } from '../../support/documents.js';

const ODD = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const ODDER = ['__proto__', ...ODD];
const json = (text: string) => JSON.parse(text) as Record<string, RowValue>;

/** f = Σ x - 10 over features with odd names. */
const oddModel = (background = '{}') =>
  json(`{ "schema": "elsewise.model/v1", "name": "odd", "family": "hyperplane", "classes": ["constructor", "toString"],
          "features": [${ODD.map((name) => `{ "name": "${name}", "type": "continuous", "min": 0, "max": 9 }`)}],
          "parameters": { "weights": [1, 1, 1, 1], "bias": -10 }, "background": ${background} }`);

const oddPolicy = (features: string, cost = '{}') =>
  json(`{ "schema": "elsewise.policy/v1", "target": "toString", "cost": ${cost}, "features": ${features} }`);
const ROW = json(`{ ${ODD.map((name) => `"${name}": 1`)} }`);

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).change).toBeUndefined();
});

describe('a policy', () => {
  it.each([
    ['{ "schema": "elsewise.policy/v1", "__proto__": { "maxChanges": 1 } }', 'policy.__proto__'],
    ['{ "schema": "elsewise.policy/v1", "constructor": { "prototype": {} } }', 'policy.constructor'],
    [
      '{ "schema": "elsewise.policy/v1", "features": { "age": { "__proto__": { "change": "never" } } } }',
      'policy.features.age.__proto__',
    ],
    ['{ "schema": "elsewise.policy/v1", "target": { "__proto__": { "from": 1 } } }', 'policy.target.__proto__'],
  ])('%s is refused at %s', (text, path) => {
    expect(faultOf(() => loadPolicy(JSON.parse(text))).path).toBe(path);
  });

  it.each(ODDER)('with a rule for %s, which the model does not have, is refused', async (name) => {
    const policy = json(
      `{ "schema": "elsewise.policy/v1", "target": "approved", "features": { "${name}": { "change": "never" } } }`,
    );
    await expect(planOf(creditModel(), policy)).rejects.toMatchObject({ path: `policy.features.${name}` });
  });

  it.each(ODDER)('with a weight for %s, which the model does not have, is refused', async (name) => {
    const policy = json(
      `{ "schema": "elsewise.policy/v1", "target": "approved", "cost": { "weights": { "${name}": 2 } } }`,
    );
    await expect(planOf(creditModel(), policy)).rejects.toMatchObject({ path: `policy.cost.weights.${name}` });
  });
});

describe('a model', () => {
  it.each([
    ['{ "__proto__": { "family": "hyperplane" } }', 'model.__proto__'],
    ['{ "constructor": 1 }', 'model.constructor'],
  ])('with %s on top is refused', (text, path) => {
    expect(
      faultOf(() => loadModel({ ...creditModel(), ...Object.fromEntries(Object.entries(JSON.parse(text))) })).path,
    ).toBe(path);
  });

  it('of a family called constructor is refused as unknown', () => {
    expect(faultOf(() => loadModel({ ...creditModel(), family: 'constructor' })).path).toBe('model.family');
  });

  it.each(['mad', 'std', 'quantiles'])('with a %s for __proto__, which it does not have, is refused', (statistic) => {
    const background = json(`{ "${statistic}": { "__proto__": ${statistic === 'quantiles' ? '[1, 2]' : '1'} } }`);
    expect(faultOf(() => loadModel({ ...creditModel(), background })).path).toBe(
      `model.background.${statistic}.__proto__`,
    );
  });

  it('with odd names scores rows by them', () => {
    const { prediction, scores } = loadModel(oddModel()).predict(ROW);
    expect(prediction).toBe('constructor');
    expect(Object.entries(scores)).toEqual([
      ['constructor', 6],
      ['toString', -6],
    ]);
  });
});

describe('an explanation of a row with odd names', () => {
  it('shows all of them', async () => {
    const result = (await planOf(oddModel(), oddPolicy('{}'))).explain({ id: 'x', features: ROW });
    expect(Object.keys(result.factual!.features)).toEqual(ODD);
    expect(Object.keys(result.counterfactuals[0].features)).toEqual(ODD);
  });

  it.each(ODD)('keeps the rule that %s never changes', async (name) => {
    const others = ODD.filter((other) => other !== name);
    const plan = await planOf(
      oddModel(),
      oddPolicy(`{ ${[`"${name}": { "change": "never" }`, ...others.map((other) => `"${other}": { "max": 2.5 }`)]} }`),
    );
    expect(plan.explain({ id: 'x', features: ROW }).status).toBe('infeasible'); // 1 + 3 · 2.5 is not above 10
  });

  it.each(ODD)('counts the weight of %s', async (name) => {
    const plan = await planOf(
      oddModel(),
      oddPolicy(
        `{ ${ODD.map((other) => `"${other}": { "max": 3.5 }`)} }`,
        `{ "norm": "l1", "weights": { "${name}": 100 } }`,
      ),
    );
    const [answer] = checkShape(plan.explain({ id: 'x', features: ROW })).counterfactuals;
    expect(answer.changes.map(({ feature }) => feature)).toEqual(ODD.filter((other) => other !== name)); // 3 · 2.5 is enough for 6
  });

  it('weighs by the spread of samples even if other features have a given one', async () => {
    const samples = [0, 1, 2, 5, 7].map((value) => `[${value}, ${value}, ${value}, ${value}]`);
    const background = `{ "mad": { "valueOf": 1 }, "samples": [${samples}] }`;
    const plan = await planOf(oddModel(background), oddPolicy('{}', '{ "norm": "l1", "weights": "mad" }'));
    const [answer] = plan.explain({ id: 'x', features: ROW }).counterfactuals;
    expect(answer.cost).toBeCloseTo(3, 6); // the others have a MAD of 2: 6 units cost 6 / 2
  });
});

describe('a model with a feature called __proto__', () => {
  const model = () =>
    json(
      '{ "schema": "elsewise.model/v1", "name": "odd", "family": "hyperplane", "classes": ["no", "yes"], "features": [{ "name": "__proto__", "type": "continuous" }, { "name": "x", "type": "continuous" }], "parameters": { "weights": [1, 1], "bias": -10 } }',
    );
  const row = json('{ "__proto__": 1, "x": 1 }');

  /** Whether the model or the policy is refused, at a place that has the name. */
  async function planOrRefusal(policy: string) {
    return planOf(model(), JSON.parse(policy)).catch((error) => {
      expect(
        faultOf(() => {
          throw error;
        }).path,
      ).toMatch(/^(model\.features\[0\]\.name|policy\..*__proto__)$/);
    });
  }

  it('is refused, or explains rows with it', async () => {
    const result = (await planOrRefusal('{ "schema": "elsewise.policy/v1", "target": "yes" }'))?.explain({
      id: 'x',
      features: row,
    });
    if (result) expect(Object.keys(result.factual!.features)).toEqual(['__proto__', 'x']);
  });

  it('is refused, or keeps its rules', async () => {
    const policy =
      '{ "schema": "elsewise.policy/v1", "target": "yes", "features": { "__proto__": { "change": "never" }, "x": { "change": "never" } } }';
    const result = (await planOrRefusal(policy))?.explain({ id: 'x', features: row });
    if (result) expect(result.status).toBe('infeasible');
  });

  it('is refused, or counts its weight', async () => {
    const policy =
      '{ "schema": "elsewise.policy/v1", "target": "yes", "cost": { "norm": "l1", "weights": { "__proto__": 9 } } }';
    const result = (await planOrRefusal(policy))?.explain({ id: 'x', features: row });
    if (result) expect(result.counterfactuals[0].changes.map(({ feature }) => feature)).toEqual(['x']);
  });
});

it('a row that brings __proto__ to a model without it is answered as without it', async () => {
  const plan = await planOf(creditModel(), { schema: 'elsewise.policy/v1', target: 'approved' });
  const row = json('{ "age": 30, "income": 1200, "housing": "rent", "__proto__": { "income": 9000 } }');
  const bare = { age: 30, income: 1200, housing: 'rent' };
  expect(plan.explain({ id: 'x', features: row }).counterfactuals).toEqual(
    plan.explain({ id: 'x', features: bare }).counterfactuals,
  );
  expect(
    plan.explain({ id: 'x', features: json('{ "age": 30, "housing": "rent", "__proto__": { "income": 9000 } }') })
      .status,
  ).toBe('invalid');
});
