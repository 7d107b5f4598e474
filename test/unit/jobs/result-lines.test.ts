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

  it('in brief has the changes only, and no feature that stays', () => {
    const { header, line } = createResultWriter('brief', model, policy);
    const result = plan.explain({ id: 'a', features: row });
    const [{ changes, score, cost, proof }] = result.counterfactuals;
    const short = line(result);
    const { name, version, digest } = model;
    expect(JSON.parse(header)).toEqual({
      schema: 'elsewise.brief/v1',
      model: { name, version, digest },
      policy: { name: policy.name, digest: policy.digest },
    });
    expect(JSON.parse(short)).toEqual({
      id: 'a',
      status: 'found',
      answers: [
        {
          changes: Object.fromEntries(changes.map(({ feature, to }) => [feature, to])),
          score: expect.closeTo(score, 6),
          cost: expect.closeTo(cost, 6),
          proof: proof.kind,
        },
      ],
    });
    expect(short.length).toBeLessThan(JSON.stringify(result).length / 4);
  });

  it('in brief is the same without the parts that it leaves out', () => {
    const { line } = createResultWriter('brief', model, policy);
    const raw = model.space.features.map(({ name }) => row[name as keyof typeof row]);
    const brief = plan.explainRecord('a', raw, undefined, 'brief');
    expect(brief.factual).toBeNull();
    expect(brief.counterfactuals[0].features).toEqual({});
    expect(line(brief)).toBe(line(plan.explainRecord('a', raw)));
    expect(plan.explainRecord('a', raw).factual?.features).toMatchObject(row);
  });

  it('in brief has six digits of a score and a cost at any size', () => {
    const { line } = createResultWriter('brief', model, policy);
    const result = plan.explain({ id: 'a', features: row });
    const sized = (size: number) => {
      const counterfactuals = result.counterfactuals.map((one) => ({ ...one, score: size, cost: size }));
      return JSON.parse(line({ ...result, counterfactuals })).answers[0];
    };
    for (const size of [1.23456789e-12, 0.123456789, 12.3456789, 1.23456789e12])
      for (const value of [sized(size).score, sized(size).cost])
        expect(Math.abs(value - size)).toBeLessThanOrEqual(5e-6 * size);
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
