import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { createResultWriter, statusOf, withId } from '../../../src/jobs/results/result-lines.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { smallModel } from './small-model.js';

const model = smallModel();
const policy = loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes' });
const plan = await prepare(model, policy);
const row = { age: 30, income: 2000, owner: false, city: 'a "b"' };

describe('a result as a line', () => {
  it('of NDJSON is the document', () => {
    const result = plan.explain({ id: 'a', features: row });
    const { header, line } = createResultWriter('ndjson', model, policy);
    expect(header).toBe('');
    expect(JSON.parse(line(result))).toEqual(result);
  });

  it('of NDJSON has the status of its row', () => {
    const { line } = createResultWriter('ndjson', model, policy);
    expect(statusOf(line(plan.explain({ id: 'a', features: row })))).toBe('found');
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
