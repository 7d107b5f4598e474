/** Ids and keys of jobs: what BullMQ accepts, and the same for the same content only. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf } from '../../../src/documents/digest.js';
import {
  answerKey,
  type CanonicalRow,
  chunkJobId,
  eventJobId,
  eventJobSchema,
  eventJobText,
  generationOfJob,
} from '../../../src/jobs/contract.js';
import { batchIdSchema, generationOf } from '../../../src/store/batches/manifest.js';

const batchId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
const index = fc.nat();
const created = fc.date({ min: new Date(0), noInvalidDate: true }).map((date) => date.toISOString());

describe('job ids', () => {
  it('are no integers and have no colon', () => {
    fc.assert(
      fc.property(batchId, index, created, (batch, chunk, created) => {
        const id = chunkJobId({ id: batch, created }, chunk);
        expect(id).not.toContain(':');
        expect(`${Number.parseInt(id, 10)}`).not.toBe(id);
      }),
    );
  });

  it('differ where batch, chunk or generation differ, and say which generation it is', () => {
    const batch = fc.record({ id: batchId, created });
    fc.assert(
      fc.property(batch, index, batch, index, (batch, chunk, otherBatch, otherChunk) => {
        fc.pre(batch.id !== otherBatch.id || batch.created !== otherBatch.created || chunk !== otherChunk);
        expect(chunkJobId(batch, chunk)).not.toBe(chunkJobId(otherBatch, otherChunk));
        expect(generationOfJob(chunkJobId(batch, chunk))).toBe(generationOf(batch));
        expect(generationOfJob(`chunk-${batch.id}-${chunk}`)).toBeUndefined();
      }),
    );
    const made = (id: string) => ({ id, created: '2026-01-15T09:30:42.000Z' });
    expect(chunkJobId(made('a-1'), 2)).not.toBe(chunkJobId(made('a'), 12));
  });

  it('refuse batches that could not be part of them', () => {
    for (const id of ['', 'a:b', '{a}', 'a b', '-a', 'a'.repeat(101), '../a']) {
      expect(batchIdSchema.safeParse(id).success, id).toBe(false);
    }
  });
});

describe('an answer key', () => {
  const canonical = (features: object, target?: string): CanonicalRow => ({
    features: canonicalJson(features),
    target: target === undefined ? undefined : canonicalJson(target),
  });
  const features = { age: 1, income: 2 };
  const row = canonical(features, 'yes');
  const key = answerKey({ digest: 'm' }, 'p', row);

  it('is the digest of model, policy, row and target', () => {
    const digest = digestOf({ model: 'm', policy: 'p', features, target: 'yes' });
    expect(digest).toBe(`sha256:${key}${digest.slice('sha256:'.length + key.length)}`);
    expect(digestOf({ model: 'm', policy: 'p', features })).toContain(
      answerKey({ digest: 'm' }, 'p', canonical(features)),
    );
  });

  it('does not depend on the order of the features', () => {
    expect(answerKey({ digest: 'm' }, 'p', canonical({ income: 2, age: 1 }, 'yes'))).toBe(key);
  });

  it.each([
    ['model', answerKey({ digest: 'n' }, 'p', row)],
    ['policy', answerKey({ digest: 'm' }, 'q', row)],
    ['row', answerKey({ digest: 'm' }, 'p', canonical({ age: 1, income: 3 }, 'yes'))],
    ['target', answerKey({ digest: 'm' }, 'p', canonical(features, 'no'))],
    ['no target', answerKey({ digest: 'm' }, 'p', canonical(features))],
  ])('depends on the %s', (_what, other) => {
    expect(other).not.toBe(key);
    expect(eventJobId(other, 'a')).not.toContain(':');
  });

  it('does not depend on who asks, but the job does', () => {
    expect(answerKey({ digest: 'm' }, 'p', { ...row, id: 'b' } as typeof row)).toBe(key);
    expect(eventJobId(key, 'a')).not.toBe(eventJobId(key, 'b'));
    expect(eventJobId(key, 'a')).toBe(eventJobId(key, 'a'));
  });
});

describe('the text of an event job', () => {
  const model = { name: 'credit', version: 3, digest: `sha256:${'0'.repeat(64)}` };

  it('is a job of its parts', () => {
    const row = { id: 'a "quoted" id', features: '{"age":1}', target: '["yes","no"]' };
    const job = { schema: 'elsewise.event-job/v1', id: row.id, model, features: { age: 1 } };
    expect(JSON.parse(eventJobText({ ...row, target: undefined }, model, undefined))).toEqual(job);
    const policy = { schema: 'elsewise.policy/v1' };
    const whole = JSON.parse(eventJobText(row, model, JSON.stringify(policy)));
    expect(whole).toEqual({ ...job, policy, target: ['yes', 'no'] });
    expect(eventJobSchema.safeParse(whole).success).toBe(true);
  });
});
