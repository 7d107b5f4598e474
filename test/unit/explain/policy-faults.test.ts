/** `policies check`: every fault is told, each with its place and the nearest known name. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { policyFaults } from '../../../src/explain/policy-faults.js';
import { loadModel } from '../../../src/models/load.js';

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../examples/credit/${file}`, import.meta.url), 'utf8'));
const model = loadModel(read('model.json'));
const schema = 'elsewise.policy/v1';
const tell = (policy: object) =>
  policyFaults({ schema, ...policy }, model).map(({ path, message }) => `${path}: ${message}`);

describe('policyFaults', () => {
  it.each(['policy.json', 'policy-simple.json', 'policy-three-ways.json'])('finds none in %s', (file) => {
    expect(policyFaults(read(file), model)).toEqual([]);
  });

  it('tells the faults of the schema and of the model at once', () => {
    const told = tell({
      costs: 1,
      target: ['aproved', 'rejected', 'rejectd'],
      cost: { norm: 'l1', weights: { incom: 2, age: 1, savngs: 1 } },
      features: {
        agee: { change: 'never' },
        income: { change: 'incraese', min: 10, max: 5 },
        housing: { allow: ['own', 'rnt', 'fre'], min: 3 },
        savings: { stpe: 3 },
      },
      constraints: ['age >= 18', 'monthsAtJob <= monthsEmployd', 'income >= '],
      levers: { money: ['income', 'savngs'] },
      solvers: ['auto', 'brnch'],
    });
    expect(told.map((fault) => fault.split('\n')[0]).sort()).toEqual(
      [
        'policy.costs: unknown key, did you mean "cost"?',
        'policy.features.income.change: invalid option: expected one of "never"|"increase"|"decrease"|"any", did you mean "increase"?',
        'policy.features.savings.stpe: unknown key, did you mean "step"?',
        'policy.target: the model has no class "aproved", did you mean "approved"?',
        'policy.target: the model has no class "rejectd", did you mean "rejected"?',
        'policy.cost.weights.incom: unknown feature, did you mean "income"?',
        'policy.cost.weights.savngs: unknown feature, did you mean "savings"?',
        'policy.features.agee: unknown feature, did you mean "age"?',
        'policy.features.income.min: 10 is above max 5',
        'policy.features.housing.min: is for numbers; "housing" is categorical: use allow or change',
        'policy.features.housing.allow[1]: unknown category "rnt", did you mean "rent"?',
        'policy.features.housing.allow[2]: unknown category "fre", did you mean "free"?',
        'policy.constraints[1]: unknown feature "monthsEmployd", did you mean "monthsEmployed"?',
        'policy.constraints[2]: expected a number, a name or "(", found the end',
        'policy.levers.money[1]: unknown feature "savngs", did you mean "savings"?',
        'policy.solvers[1]: unknown solver, did you mean "branch"?',
      ].sort(),
    );
  });

  it('checks only the schema without a model', () => {
    expect(policyFaults({ schema, features: { agee: { chnage: 'never' } } }).map(({ path }) => path)).toEqual([
      'policy.features.agee.chnage',
    ]);
  });

  it('tells a fault that only the whole policy has', () => {
    const told = tell({
      target: 'approved',
      path: { method: 'knn' },
      plausibility: { method: 'isolation-forest', weight: 1 },
    });
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^policy\.plausibility\.weight: /);
  });

  it('keeps the places of list elements when an element does not fit the schema', () => {
    const told = tell({ constraints: ['agee >= 18', 7] });
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^policy\.constraints\[1\]: /);
  });

  it.each([null, 3, [], 'text'])('tells that %j is no policy', (document) => {
    expect(policyFaults(document, model)).toHaveLength(1);
  });
});
