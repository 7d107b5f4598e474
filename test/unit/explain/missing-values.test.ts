/** Rows with missing values: measured from what the imputer stands for, and left missing where nothing changes. */
import { describe, expect, it } from 'vitest';
import { checkShape, planOf } from '../../support/asking.js';

const FEATURES = [
  { name: 'income', type: 'continuous' },
  { name: 'age', type: 'integer' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent'] },
];

/** f = income + 2 age + [3, 0] housing - 20; income imputed by 4, age by 5, housing by rent (unless said otherwise). */
function model(values: (number | null)[] = [4, 5, 0, 1]) {
  return {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'hyperplane',
    features: FEATURES,
    classes: ['no', 'yes'],
    preprocessing: [{ type: 'impute', values }],
    parameters: { weights: [1, 2, 3, 0], bias: -20 },
  };
}

async function explain(
  features: Record<string, number | string | null>,
  policy: object = {},
  document: unknown = model(),
) {
  const plan = await planOf(document, { schema: 'elsewise.policy/v1', target: 'yes', margin: 0.5, ...policy });
  return checkShape(plan.explain({ id: 'm', features }));
}

describe('a missing value', () => {
  it('that does not change stays missing', async () => {
    const result = await explain(
      { income: 3, age: null, housing: 'rent' },
      { features: { age: { change: 'never' }, housing: { change: 'never' } } },
    );
    expect(result.factual!.features).toEqual({ income: 3, age: null, housing: 'rent' });
    expect(result.factual!.score).toBe(3 + 10 - 20);
    const [answer] = result.counterfactuals;
    expect(answer.features.age).toBeNull();
    expect(answer.changes.map(({ feature }) => feature)).toEqual(['income']);
    expect(answer.features.income).toBeCloseTo(10.5, 6);
  });

  it('that changes goes from nothing to a value, and costs what it is away from the imputed one', async () => {
    const result = await explain(
      { income: null, age: 5, housing: 'rent' },
      { features: { age: { change: 'never' }, housing: { change: 'never' } } },
    );
    const [answer] = result.counterfactuals;
    expect(answer.changes).toEqual([{ feature: 'income', from: null, to: answer.features.income }]);
    expect(answer.features.income).toBeCloseTo(10.5, 6);
    expect(answer.cost).toBeCloseTo(6.5, 6);
    expect(answer.distances).toMatchObject({ l0: 1 });
    expect(answer.distances.l1).toBeCloseTo(6.5, 6);
  });

  it('is the same as its imputed value for what the policy allows', async () => {
    const policy = { features: { income: { maxIncrease: 6 }, age: { change: 'never' }, housing: { change: 'never' } } };
    for (const income of [null, 4])
      expect((await explain({ income, age: 5, housing: 'rent' }, policy)).status).toBe('infeasible');
  });

  it('of a category is taken for the imputed one', async () => {
    const result = await explain(
      { income: 8, age: 5, housing: null },
      { features: { income: { change: 'never' }, age: { change: 'never' } } },
    );
    expect(result.factual!.score).toBe(-2);
    expect(result.counterfactuals[0]).toMatchObject({
      features: { income: 8, age: 5, housing: 'own' },
      changes: [{ feature: 'housing', from: null, to: 'own' }],
      cost: 1,
    });
  });

  it('that the model does not impute makes the row invalid', async () => {
    const result = await explain({ income: 8, age: null, housing: 'rent' }, {}, model([4, null, 0, 1]));
    expect(result).toMatchObject({ status: 'invalid', reason: { path: 'features.age' } });
  });
});

describe('an imputer that gives means', () => {
  it('of whole numbers: an answer has a whole number, nearest to what it stands for', async () => {
    const policy = { features: { income: { change: 'never' }, housing: { change: 'never' } } };
    const result = await explain({ income: 8, age: null, housing: 'rent' }, policy, model([4, 5.25, 0, 1]));
    expect(result.factual!.score).toBe(8 + 10.5 - 20);
    expect(result.status).toBe('found'); // 2 age >= 12.5: 7
    expect(result.counterfactuals[0].features.age).toBe(7);
    expect(result.counterfactuals[0].cost).toBeCloseTo(1.75, 9);
  });

  it('of one-hot columns: an answer has one category, and the score is the model’s', async () => {
    const policy = { features: { income: { change: 'never' }, age: { change: 'never' } } };
    const result = await explain({ income: 8, age: 5, housing: null }, policy, model([4, 5, 0.4, 0.6]));
    expect(result.factual!.score).toBeCloseTo(8 + 10 + 1.2 - 20, 12);
    expect(result.status).toBe('found'); // only own gives 3
    expect(result.counterfactuals[0].features.housing).toBe('own');
    expect(result.counterfactuals[0].score).toBeCloseTo(1, 12);
  });

  it('of one-hot columns that stay missing do not change the answer’s score', async () => {
    const policy = { features: { age: { change: 'never' }, housing: { change: 'never' } } };
    const result = await explain({ income: 8, age: 5, housing: null }, policy, model([4, 5, 0.4, 0.6]));
    expect(result.status).toBe('found');
    expect(result.counterfactuals[0].features).toMatchObject({ age: 5, housing: null });
    expect(result.counterfactuals[0].features.income).toBeCloseTo(9.3, 6);
  });
});
