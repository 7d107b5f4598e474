/** Rows and documents of programs without types: nonsense is told by its path, never by a TypeError. */
import { describe, expect, it } from 'vitest';
import { createPlan, type Row } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { smallModel } from '../jobs/small-model.js';

const plan = createPlan(smallModel(), loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes' }));
const ways = {
  explain: (row: unknown) => plan.explain(row as Row),
  explainSteps: (row: unknown) => plan.explainSteps(row as Row).next().value,
};

describe.each(Object.entries(ways))('%s', (_name, explain) => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', [1, 2]],
    ['a string', 'a-17'],
    ['a number', 17],
  ])('refuses %s as a row', (received, row) => {
    const message = `row: expected { id, features }, received ${received}`;
    expect(() => explain(row)).toThrow(expect.objectContaining({ code: 'bad-row', path: 'row', message }));
  });

  it.each([undefined, null, {}, true])('refuses the id %j', (id) => {
    expect(() => explain({ id, features: {} })).toThrow(expect.objectContaining({ code: 'bad-row', path: 'row.id' }));
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', [41, 2100]],
    ['a string', 'age=41'],
  ])('gives an invalid result for %s as features', (received, features) => {
    const message = `expected an object with a value for each feature, received ${received}`;
    expect(explain({ id: 'a', features })).toMatchObject({
      ...{ id: 'a', status: 'invalid' },
      reason: { path: 'features', message },
    });
  });

  it('takes a number as id, as NDJSON does', () => {
    const features = { age: 30, income: 100, owner: true, city: 'Köln' };
    expect(explain({ id: 17, features })).toMatchObject({ id: '17', status: 'found' });
  });
});

describe('loading', () => {
  it.each([null, undefined, 'text', 5, [], true])('refuses %j by its path', (value) => {
    expect(() => loadModel(value)).toThrow(expect.objectContaining({ code: 'bad-document', path: 'model' }));
    expect(() => loadPolicy(value)).toThrow(expect.objectContaining({ code: 'bad-document', path: 'policy' }));
  });
});
