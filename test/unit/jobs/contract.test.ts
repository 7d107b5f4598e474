/** Ids and keys of jobs: what BullMQ accepts, and the same for the same content only. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerKey, chunkJobId, eventJobId, formerChunkJobId, makingOfJob } from '../../../src/jobs/contract.js';
import { batchIdSchema, makingOf } from '../../../src/store/batches/manifest.js';

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

  it('differ where batch, chunk or making differ, and say which making it is', () => {
    const batch = fc.record({ id: batchId, created });
    fc.assert(
      fc.property(batch, index, batch, index, (batch, chunk, otherBatch, otherChunk) => {
        fc.pre(batch.id !== otherBatch.id || batch.created !== otherBatch.created || chunk !== otherChunk);
        expect(chunkJobId(batch, chunk)).not.toBe(chunkJobId(otherBatch, otherChunk));
        expect(chunkJobId(batch, chunk)).not.toBe(formerChunkJobId(otherBatch.id, otherChunk));
        expect(makingOfJob(chunkJobId(batch, chunk))).toBe(makingOf(batch));
        expect(makingOfJob(formerChunkJobId(batch.id, chunk))).toBeUndefined();
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
  const event = { id: 'a', features: { age: 1, income: 2 }, target: 'yes' };
  const key = answerKey('m', 'p', event);

  it('does not depend on the order of the features', () => {
    expect(answerKey('m', 'p', { ...event, features: { income: 2, age: 1 } })).toBe(key);
  });

  it.each([
    ['model', answerKey('n', 'p', event)],
    ['policy', answerKey('m', 'q', event)],
    ['row', answerKey('m', 'p', { ...event, features: { age: 1, income: 3 } })],
    ['target', answerKey('m', 'p', { ...event, target: 'no' })],
    ['no target', answerKey('m', 'p', { ...event, target: undefined })],
  ])('depends on the %s', (_what, other) => {
    expect(other).not.toBe(key);
    expect(eventJobId(other, 'a')).not.toContain(':');
  });

  it('does not depend on who asks, but the job does', () => {
    expect(answerKey('m', 'p', { ...event, id: 'b' } as typeof event)).toBe(key);
    expect(eventJobId(key, 'a')).not.toBe(eventJobId(key, 'b'));
  });
});
