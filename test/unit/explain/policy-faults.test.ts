/** `policies check`: every fault is told, each with its place and the nearest known name. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ElsewiseError } from '../../../src/documents/error.js';
import { policyFaults } from '../../../src/explain/checks/policy-faults.js';
import { createPlan } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../examples/credit/${file}`, import.meta.url), 'utf8'));
const model = loadModel(read('model.json'));
const schema = 'elsewise.policy/v1';
const tell = (policy: object) =>
  policyFaults({ schema, ...policy }, model).map(({ path, message }) => `${path}: ${message}`);

function thrownBy(run: () => unknown): ElsewiseError {
  try {
    run();
  } catch (error) {
    return error as ElsewiseError;
  }
  throw new Error('nothing was thrown');
}

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
        'policy.features.income.change: expected "never", "increase", "decrease" or "any", did you mean "increase"?',
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

  it('checks keys and values without a model', () => {
    expect(policyFaults({ schema, features: { agee: { chnage: 'never' } } }).map(({ path }) => path)).toEqual([
      'policy.features.agee.chnage',
    ]);
  });

  it('judges without a model what no model can make good', () => {
    const told = policyFaults({
      schema,
      features: { a: { min: 3, max: 1 }, b: { allow: ['x'], min: 1 }, c: { step: 0 } },
      constraints: [
        'quote <',
        'a + b',
        'a * b <= 3',
        'a / b <= 3',
        '(a < b) < c',
        '-"x" < 3',
        'a in (x, "y")',
        'a / 0 < 1',
      ],
      solvers: ['brnch'],
      path: { method: 'knn' },
      plausibility: { method: 'density', weight: 1 },
    });
    expect(told.map(({ path, message }) => `${path}: ${message.split('\n')[0]}`)).toEqual([
      'policy.features.c.step: expected a number above 0, at least 1e-100, got 0',
      'policy.features.a.min: 3 is above max 1',
      'policy.features.b: "allow" is for categories and booleans, and "min" for numbers: leave one out',
      'policy.constraints[0]: expected a number, a name or "(", found the end',
      'policy.constraints[1]: expected a condition, found a value: compare it with something',
      'policy.constraints[2]: a product of two features is not linear: one side must be a number',
      'policy.constraints[3]: a division by a feature is not linear: divide by a number',
      'policy.constraints[4]: expected a number, found a condition',
      'policy.constraints[5]: "x" is text: only a categorical feature can be compared with it',
      'policy.constraints[7]: division by zero',
      'policy.plausibility.weight: is a term of the cost, and a path is chosen by its length: leave "weight" or "path" out',
      'policy.solvers[0]: unknown solver, did you mean "branch"?',
    ]);
  });

  it('is not stopped by values that do not fit the schema', () => {
    const told = tell({
      schema: 'elsewise.policy/v2',
      target: 'aproved',
      features: { agee: {}, income: { min: 3, max: 1, step: -1 } },
      constraints: ['agee >= 18', 7, 'income <'],
      cost: { norm: 'l3', weights: { incom: 1 } },
      solvers: ['brnch'],
      plausibility: { method: 'isolation-forrest' },
      path: { method: 'kn' },
    });
    expect(told.map((fault) => fault.split(/: |\n/)[0]).sort()).toEqual(
      [
        ...[
          'schema',
          'target',
          'features.agee',
          'features.income.min',
          'features.income.step',
          'cost.norm',
          'cost.weights.incom',
        ],
        ...['constraints[0]', 'constraints[1]', 'constraints[2]', 'solvers[0]', 'plausibility.method', 'path.method'],
      ]
        .map((path) => `policy.${path}`)
        .sort(),
    );
  });

  it('tells that a path needs rows, beside other faults', () => {
    const bare = loadModel({ ...read('model.json'), background: undefined });
    const told = policyFaults({ schema, path: { method: 'knn' }, features: { agee: {} } }, bare);
    expect(told.map(({ path }) => path)).toEqual(['policy.features.agee', 'policy.path']);
  });

  it('gives all faults to the caller who prepares a plan', () => {
    const policy = loadPolicy({ schema, target: 'aproved', features: { agee: {} }, solvers: ['brnch'] });
    const refusal = thrownBy(() => createPlan(model, policy));
    expect(refusal.path).toBe('policy.target');
    expect(refusal.faults.map(({ path }) => path)).toEqual([
      'policy.target',
      'policy.features.agee',
      'policy.solvers[0]',
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
    const told = tell({ constraints: [7, 'agee >= 18'] });
    expect(told.map((fault) => fault.split(': ')[0])).toEqual(['policy.constraints[0]', 'policy.constraints[1]']);
  });

  it.each([null, 3, [], 'text'])('tells that %j is no policy', (document) => {
    expect(policyFaults(document, model)).toHaveLength(1);
  });

  it('finds no fault in the constraints of the page about policies', () => {
    const page = readFileSync(new URL('../../../docs/writing-policies.md', import.meta.url), 'utf8');
    const block = /<!-- constraints:begin -->\n```\n([\s\S]+?)```/.exec(page)![1];
    const constraints = block.trimEnd().split('\n');
    expect(constraints.length).toBeGreaterThan(5);
    expect(tell({ constraints })).toEqual([]);
  });
});

describe('loadModel', () => {
  it('tells an unknown family beside other faults', () => {
    const { name, ...rest } = read('model.json');
    const refusal = thrownBy(() => loadModel({ ...rest, nam: name, family: 'logistic-regresion' }));
    expect(refusal.faults.map(({ path }) => path).sort()).toEqual(['model.family', 'model.nam', 'model.name']);
  });
});
