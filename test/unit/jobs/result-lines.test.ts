import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { createResultWriter, statusOf, withId } from '../../../src/jobs/results/result-lines.js';
import { planDigest } from '../../../src/jobs/threads/shared-documents.js';
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

  it('in brief has the changes only, and no feature that stays', () => {
    const { header, line } = createResultWriter('brief', model, policy);
    const result = plan.explain({ id: 'a', features: row });
    const [{ changes, score, cost, proof }] = result.counterfactuals;
    const short = line(result);
    expect(header).toBe('');
    expect(JSON.parse(short)).toEqual({
      id: 'a',
      status: 'found',
      answers: [
        {
          changes: Object.fromEntries(changes.map(({ feature, to }) => [feature, to])),
          score,
          cost,
          proof: proof.kind,
        },
      ],
      plan: planDigest(model.digest, policy.digest),
    });
    expect(short.length).toBeLessThan(JSON.stringify(result).length / 4);
  });

  it('in brief keeps the reason of a row without an answer', () => {
    const { line } = createResultWriter('brief', model, policy);
    const reason = { code: 'invalid', path: 'features.age', message: 'is "bad"' };
    expect(JSON.parse(line(plan.invalid('b', [reason])))).toMatchObject({
      status: 'invalid',
      reason,
    });
    expect(JSON.parse(line(plan.explain({ id: 'c', features: { ...row, income: 9000 } }))).status).toBe('already');
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
