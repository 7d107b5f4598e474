/** The store's promises on a real Redis: results are written once, whoever writes them and however often. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { generationOf } from '../../src/store/batches/manifest.js';
import { ResultStore } from '../../src/store/batches/result-store.js';
import { pack } from '../../src/store/codec/block.js';
import { packLines } from '../../src/store/codec/result-block.js';
import { Keys } from '../../src/store/keys.js';
import { manifestOf } from './batch-manifest.js';
import { World } from './queue-world.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;

let world: World;

beforeAll(async () => {
  world = await World.create();
});

afterAll(() => world.close());

/** A batch of one chunk, and what its worker would store. */
async function addBatch(id: string) {
  const rows = await pack(Buffer.from('{"id":"a"}\n{"id":"b"}\n'), 'passing');
  const manifest = manifestOf(id);
  await world.store.batches.create(manifest);
  const facts = { digest: rows.digest, firstRow: 1, rows: 2 };
  await world.store.batches.addChunk(id, 0, facts, rows);
  await world.store.batches.seal(id, 1, rows.digest);
  const costs = { buckets: new Map([[3, 1]]), sum: 1.06 };
  return { batch: id, generation: generationOf(manifest), index: 0, facts, counts: { found: 1, already: 1 }, costs };
}

/** The smallest result there is. */
const lineOf = (id: string) =>
  `${JSON.stringify({
    schema: 'elsewise.result/v1',
    id,
    status: 'invalid',
    model: { name: 'credit', version: 1, digest: 'sha256:1' },
    policy: { name: 'retail', digest: 'sha256:2' },
    target: null,
    factual: null,
    counterfactuals: [],
    attempts: [],
    degraded: false,
    seed: 0,
    elapsedMs: 0,
  } satisfies ResultDocument)}\n`;

const failed = (digest: string) =>
  ({ state: 'failed', digest, firstRow: 1, rows: 2, code: 'thread-lost', message: 'x' }) as const;

describe('a chunk', () => {
  it('keeps its first results when a job is delivered twice', async () => {
    const { batches, results } = world.store;
    const finished = await addBatch('once');
    expect(await results.finishChunk(finished, packLines(lineOf('first')))).toBe('touch');
    expect(await results.finishChunk(finished, packLines(lineOf('second')))).toBe('known');
    const chunk = await batches.chunk('once', 0);
    expect(chunk).toMatchObject({ state: 'done', rows: 2 });
    expect(String(await results.chunkResults('once', 0, (chunk as { results: string }).results))).toBe(lineOf('first'));
    expect(await batches.status('once')).toMatchObject({ done: 1, failed: 0, counts: { found: 1, already: 1 } });
    expect(await batches.rows('once', 0, finished.facts.digest)).toBeUndefined();
  });

  it('has one winner when many finish it at the same time', async () => {
    const finished = await addBatch('race');
    const racers = Array.from({ length: 20 }, (_, i) =>
      world.store.results.finishChunk(finished, packLines(lineOf(`${i}`))),
    );
    const outcomes = await Promise.all(racers);
    expect(outcomes.filter((outcome) => outcome === 'touch').length).toBe(1);
    expect((await world.store.batches.status('race')).counts).toEqual({ found: 1, already: 1 });
  });

  it('can fail and be finished later, but not fail when it is done', async () => {
    const { batches, results } = world.store;
    const finished = await addBatch('failed');
    await batches.fail('failed', 0, failed(finished.facts.digest));
    await batches.fail('failed', 0, failed(finished.facts.digest));
    expect(await batches.status('failed')).toMatchObject({ done: 0, failed: 1 });
    expect(await results.finishChunk(finished, packLines(lineOf('late')))).toBe('touch');
    await batches.fail('failed', 0, failed(finished.facts.digest));
    expect(await batches.status('failed')).toMatchObject({ done: 1, failed: 0 });
  });

  it('of a batch that is gone is not brought back', async () => {
    const { redis, results, settings, batches } = world.store;
    const finished = await addBatch('gone');
    await redis.del(...(await redis.keys(`${settings.keyPrefix}:batch:{gone}*`)));
    expect(await results.finishChunk(finished, packLines(lineOf('late')))).toBe('gone');
    await batches.fail('gone', 0, failed(finished.facts.digest));
    expect(await redis.keys(`${settings.keyPrefix}:batch:{gone}*`)).toEqual([]);
  });

  it('whose rows are gone when its results come has them all the same', async () => {
    const { redis, results, settings, batches } = world.store;
    const finished = await addBatch('rowless');
    await redis.del(new Keys(settings.keyPrefix).batchRows('rowless', 0));
    expect(await results.finishChunk(finished, packLines(lineOf('first')))).toBe('touch');
    expect(await batches.status('rowless')).toMatchObject({ done: 1, answered: 2 });
  });

  it('of another batch that has the same id now is left alone', async () => {
    const { batches, results } = world.store;
    const finished = await addBatch('again');
    const { facts, generation } = finished;
    const other = { ...facts, digest: DIGEST };
    expect(await results.finishChunk({ ...finished, generation: 'earlier' }, packLines(lineOf('late')))).toBe('stale');
    expect(await results.finishChunk({ ...finished, facts: other }, packLines(lineOf('late')))).toBe('stale');
    await batches.fail('again', 0, failed(facts.digest), 'earlier');
    await batches.fail('again', 0, failed(other.digest), generation);
    expect(await batches.status('again')).toMatchObject({ done: 0, failed: 0, answered: 0 });
    await batches.fail('again', 0, failed(facts.digest), generation);
    const { manifest } = await batches.status('again');
    expect(await batches.revive({ ...manifest, created: '2020-01-01T00:00:00.000Z' }, 0, facts)).toBe(false);
    expect(await batches.revive(manifest, 0, facts)).toBe(true);
    expect(await results.finishChunk(finished, packLines(lineOf('own')))).toBe('touch');
  });

  it('whose results are damaged or expired is not given out', async () => {
    const { redis, results, settings } = world.store;
    const finished = await addBatch('damaged');
    await results.finishChunk(finished, packLines(lineOf('first')));
    const { digest } = packLines(lineOf('first'));
    const key = `${settings.keyPrefix}:batch:{damaged}:results:0`;
    await redis.set(key, (await pack(Buffer.from('forged\n'), 'passing')).data);
    await expect(results.chunkResults('damaged', 0, digest)).rejects.toThrow('damaged');
    await redis.del(key);
    await expect(results.chunkResults('damaged', 0, digest)).rejects.toThrow('have expired');
  });
});

describe('a batch that has expired', () => {
  const left = (id: string) => world.store.redis.keys(`${world.store.settings.keyPrefix}:batch:{${id}}*`);

  it('is not brought back by who cancels or seals it', async () => {
    const { batches } = world.store;
    await expect(batches.cancel('expired')).rejects.toThrow('no batch "expired" is stored');
    await expect(batches.seal('expired', 0, DIGEST)).rejects.toThrow('batch "expired" expired');
    expect(await left('expired')).toEqual([]);
  });

  it('but for some of its keys is not written to', async () => {
    const { redis, batches, results, settings } = world.store;
    const finished = await addBatch('half');
    const { facts } = finished;
    const { manifest } = await batches.status('half');
    const [chunk, rows] = await Promise.all([batches.chunk('half', 0), pack(Buffer.from('x\n'), 'passing')]);
    expect(chunk).toBeDefined();
    const batch = `${settings.keyPrefix}:batch:{half}`;
    await redis.del(batch);
    const others = await left('half');
    await batches.fail('half', 0, failed(facts.digest));
    expect(await results.finishChunk(finished, packLines(lineOf('late')))).toBe('gone');
    await redis.hset(`${batch}:chunks`, '0', JSON.stringify(failed(facts.digest)));
    expect(await batches.revive(manifest, 0, facts)).toBe(false);
    await batches.dropRows('half', [0]);
    await expect(batches.addChunk('half', 1, facts, rows)).rejects.toThrow('expired while it was added to');
    await expect(batches.seal('half', 1, DIGEST)).rejects.toThrow('expired while it was added to');
    expect((await left('half')).sort()).toEqual(others.sort());
  });
});

describe('an answer', () => {
  it('is the first one for its key', async () => {
    const { results } = world.store;
    const kept = await Promise.all(['one', 'two', 'three'].map((answer) => results.keepAnswer('key', answer, true)));
    expect(new Set(kept).size).toBe(1);
    expect(await results.answer('key')).toBe(kept[0]);
  });

  it('that lasts stays as long as the settings say, one that does not for a minute', async () => {
    const { redis, settings } = world.store;
    const keys = new Keys(settings.keyPrefix);
    const results = new ResultStore(redis, keys, { ...settings, answerTtlSeconds: 4321 });
    const secondsLeft = (jobKey: string) => redis.ttl(keys.answer(jobKey));
    await results.keepAnswer('lasting', 'sure', true);
    expect(await secondsLeft('lasting')).toBeGreaterThan(4300);
    expect(await secondsLeft('lasting')).toBeLessThanOrEqual(4321);
    await results.keepAnswer('passing', 'degraded', false);
    expect(await secondsLeft('passing')).toBeGreaterThan(40);
    expect(await secondsLeft('passing')).toBeLessThanOrEqual(60);
    await redis.expire(keys.answer('passing'), 30);
    expect(await results.keepAnswer('passing', 'sure', true)).toBe('degraded');
    expect(await secondsLeft('passing')).toBeLessThanOrEqual(30); // who comes later does not prolong it
  });

  it('leaves the stream when it is too old, however few come', async () => {
    const { redis, settings } = world.store;
    const keys = new Keys(`${settings.keyPrefix}-aged`);
    const results = new ResultStore(redis, keys, { ...settings, answerTtlSeconds: 60 });
    await redis.xadd(keys.results(), `${Date.now() - 61_000}-0`, 'id', 'old', 'key', 'k', 'body', '{}');
    await results.publishAnswer('new', 'k', '{}');
    expect(await redis.xlen(keys.results())).toBe(2);
    await results.forgetOldAnswers();
    expect((await redis.xrange(keys.results(), '-', '+')).map(([, fields]) => fields[1])).toEqual(['new']);
  });
});
