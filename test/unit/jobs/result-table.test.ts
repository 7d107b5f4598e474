import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { prepare } from '../../../src/explain/plan.js';
import { csvLine } from '../../../src/jobs/results/csv-lines.js';
import { createResultWriter } from '../../../src/jobs/results/result-lines.js';
import { splitFields } from '../../../src/jobs/rows/csv.js';
import type { LoadedModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { smallModel } from './small-model.js';

const COLUMNS =
  'id,status,answer,prediction,score,newPrediction,newScore,cost,proof,gap,changes,reason,' +
  'age,income,income (new),owner,owner (new),city,city (new),plan';

const model = smallModel();
const policy = loadPolicy({
  schema: 'elsewise.policy/v1',
  target: 'yes',
  count: 2,
  features: { age: { change: 'never' }, income: { step: 50 } },
});
const plan = await prepare(model, policy);
const row = { age: 30, income: 2000, owner: false, city: 'a "b"' };

/** The lines of a result, by column. */
function read(result: ResultDocument, of: LoadedModel = model): Record<string, string>[] {
  const { header, line } = createResultWriter('csv', of, policy);
  const names = fieldsOf(header);
  const lines = line(result).trimEnd().split('\n');
  return lines.map((text) => Object.fromEntries(fieldsOf(text).map((field, i) => [names[i], field])));
}

function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  expect(splitFields(line.trimEnd(), ',', fields)).toBe(fields.length);
  return fields;
}

describe('a result as lines of CSV', () => {
  it('has a column for a new value where the policy lets the feature change', () => {
    expect(createResultWriter('csv', model, policy).header).toBe(`${COLUMNS}\n`);
  });

  it('has a line per answer, with the values before and after', () => {
    const result = plan.explain({ id: 'a,1', features: row });
    const lines = read(result);
    expect(lines.map(({ answer }) => answer)).toEqual(['1', '2']);
    for (const [k, { prediction, score, cost, proof, changes }] of result.counterfactuals.entries()) {
      expect(lines[k]).toMatchObject({ id: 'a,1', status: 'found', prediction: 'no', newPrediction: prediction });
      expect(lines[k]).toMatchObject({ age: '30', income: '2000', owner: 'false', city: 'a "b"', reason: '' });
      expect([lines[k].newScore, lines[k].cost, lines[k].proof]).toEqual([String(score), String(cost), proof.kind]);
      const changed = Object.fromEntries(changes.map(({ feature, to }) => [`${feature} (new)`, String(to)]));
      for (const name of ['income (new)', 'owner (new)', 'city (new)'])
        expect(lines[k][name]).toBe(changed[name] ?? '');
    }
  });

  it('says the changes in words, with units and numbers as reported', () => {
    const [first] = read(plan.explain({ id: 'a', features: { ...row, owner: true } }));
    expect(first.changes).toBe(`income from 2000 to ${first['income (new)']} EUR/month`);
  });

  it('has one line with the reason in words for a row without an answer', () => {
    const [{ age, reason, status, answer }] = read(
      plan.invalid('b', [{ path: 'features.age', message: 'is "bad", really' }]),
    );
    expect({ age, reason, status, answer }).toEqual({
      age: '',
      reason: 'features.age: is "bad", really',
      status: 'invalid',
      answer: '',
    });
    expect(read(plan.explain({ id: 'c', features: { ...row, income: 9000 } }))).toMatchObject([
      {
        status: 'already',
        reason: 'the row has the target already',
        prediction: 'yes',
        income: '9000',
        'income (new)': '',
      },
    ]);
    const barred = read(plan.explain({ id: 'd', features: row, target: { from: 2 } }));
    expect(barred).toMatchObject([{ status: 'infeasible', answer: '' }]);
    expect(barred[0].reason).toContain('no row within');
  });

  it('keeps features apart from its own columns', () => {
    const names = ['cost', 'rent', 'rent (new)', 'plan'];
    const features = names.map((name) => ({ name, type: 'continuous' }));
    const odd = smallModel({ features, parameters: { weights: [1, 1, 1, 1], bias: 0 } });
    const columns = createResultWriter('csv', odd, loadPolicy({ schema: 'elsewise.policy/v1' }))
      .header.trimEnd()
      .split(',');
    expect(columns.slice(12)).toEqual([
      ...['features.cost', 'cost (new)', 'rent', 'rent (new)', 'features.rent (new)', 'rent (new) (new)'],
      ...['features.plan', 'plan (new)', 'plan'],
    ]);
  });
});

describe('a field of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 221', "'+49 221"],
    ['-cmd', "'-cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['=A1,"b"', '"\'=A1,""b"""'],
  ])('never is a formula: %j', (text, expected) => {
    expect(csvLine([text])).toBe(`${expected}\n`);
  });

  it('stays as it is where a spreadsheet would run nothing', () => {
    expect(csvLine(['-', '-17', '+3.5e2', -4, 'a=b', null, true])).toBe('-,-17,+3.5e2,-4,a=b,,true\n');
  });
});
