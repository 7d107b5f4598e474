import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { createResultWriter, statusOf, withId } from '../../../src/jobs/results/result-lines.js';
import { splitFields } from '../../../src/jobs/rows/csv.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { smallModel } from './small-model.js';

const model = smallModel();
const policy = loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes' });
const plan = await prepare(model, policy);
const row = { age: 30, income: 2000, owner: false, city: 'a "b"' };

function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  splitFields(line.trimEnd(), ',', fields);
  return fields;
}

describe('a result as a line', () => {
  it('of NDJSON is the document', () => {
    const result = plan.explain({ id: 'a', features: row });
    const { header, line } = createResultWriter('ndjson', model, policy);
    expect(header).toBe('');
    expect(JSON.parse(line(result))).toEqual(result);
  });

  it('of CSV has the columns of its header', () => {
    const { header, line } = createResultWriter('csv', model, policy);
    const result = plan.explain({ id: 'a,1', features: row });
    const names = fieldsOf(header);
    const fields = fieldsOf(line(result));
    const shown = Object.fromEntries(names.map((name, i) => [name, fields[i]]));
    expect(fields).toHaveLength(names.length);
    expect(shown).toMatchObject({ id: 'a,1', status: 'found', target: 'yes', degraded: 'false', reason: '' });
    expect(Number(shown.cost)).toBe(result.counterfactuals[0].cost);
    expect(Number(shown.income)).toBe(result.counterfactuals[0].features.income);
    expect(shown.city).toBe(result.counterfactuals[0].features.city);
  });

  it('of CSV leaves empty what there is not', () => {
    const { line } = createResultWriter('csv', model, policy);
    const fields = fieldsOf(line(plan.invalid('b', 'features.age', 'is "bad", really\nbad')));
    expect(fields.slice(0, 10)).toEqual(['b', 'invalid', '', '', '', '', '', '', '', '']);
    expect(fields[11]).toBe('invalid: is "bad", really\nbad');
  });

  it('of CSV keeps features apart from its own columns', () => {
    const features = [
      { name: 'cost', type: 'continuous' },
      { name: 'rent', type: 'continuous' },
    ];
    const odd = smallModel({ features, parameters: { weights: [1, 1], bias: 0 } });
    const { header } = createResultWriter('csv', odd, policy);
    expect(header).toBe('id,status,target,cost,proof,solver,features.cost,rent,degraded,reason,plan\n');
  });

  it.each(['b', '', '"', '\\', 'a\\"b', '","status":"already"', '{"id":"x"}', 'ä\n'])(
    'of NDJSON is that of another row by its id: %j',
    (id) => {
      const { line } = createResultWriter('ndjson', model, policy);
      const result = plan.explain({ id, features: row });
      expect(withId(line(plan.explain({ id: 'other', features: row })), id)).toBe(line({ ...result, elapsedMs: 0 }));
      expect(withId(line(result), 'other')).toBe(line({ ...result, id: 'other' }));
      expect(statusOf(line(result))).toBe('found');
    },
  );

  it('is not changed when it is no result', () => {
    expect(() => withId('{"id":"a","status":"found"}', 'b')).toThrow('no result');
    expect(() => statusOf('{"schema":"elsewise.result/v1","id":7}')).toThrow('no result');
  });
});
