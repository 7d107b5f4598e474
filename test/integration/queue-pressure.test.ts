/** A Redis that is too small for a batch: adding stops in time, says so, and goes on when there is room. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { whileFull } from '../../dist/jobs/batches/backpressure.js';
import { Producer } from '../../dist/jobs/producer.js';
import { storeSettings } from '../../dist/store/settings.js';
import { storeOver } from '../../dist/store/store.js';
import { startRedis } from '../../scripts/redis.mjs';
import { readMemory } from '../../src/store/redis/memory.js';
import { POLICY, until, World } from './queue-world.js';

const memory = async ({ store }: World) => (await readMemory(store.redis)).usedBytes;

async function* file(path: string): AsyncGenerator<Buffer> {
  const bytes = readFileSync(path);
  for (let at = 0; at < bytes.length; at += 1 << 16) yield bytes.subarray(at, at + (1 << 16));
}

describe('back-pressure', () => {
  it('leaves room for the results, tells, and ends when there is more', async () => {
    const maxmemory = 6_000_000;
    const world = await World.withModel(await startRedis({ maxmemory: String(maxmemory) }));
    const rows = world.writeRows('rows.csv', 10);
    const reasons: string[] = [];
    let added = 0;
    let isOver = false;
    const adding = new Producer(world.store)
      .enqueueBatch({
        source: file(rows),
        name: 'rows.csv',
        model: 'credit',
        policy: JSON.parse(readFileSync(POLICY, 'utf8')),
        batch: 'large',
        chunkRows: 500,
        onProgress: (count) => {
          added = count;
        },
        onWait: (reason) => reasons.push(reason),
      })
      .finally(() => {
        isOver = true;
      });
    await until('it to wait', async () => reasons.length > 2);
    const stoppedAt = added;
    await sleep(1_000);
    expect(isOver).toBe(false);
    expect(added).toBe(stoppedAt);
    expect(await memory(world)).toBeLessThan(0.7 * maxmemory);
    expect(reasons[0]).toContain('Redis holds');
    const worker = await world.startWorker('--queues', 'bulk');
    await until('what is there to be done', async () => {
      const { answered } = await world.store.batches.status('large');
      return answered >= stoppedAt;
    });
    expect(await memory(world)).toBeLessThan(maxmemory);
    await world.store.redis.config('SET', 'maxmemory', 200_000_000);
    expect(await adding).toMatchObject({ rows: 30_000 });
    await until('the rest', async () => (await world.store.batches.status('large')).answered === 30_000);
    worker.process.kill('SIGTERM');
    await worker.ended;
    await world.close();
  });

  it('counts the bytes of a batch when Redis has no limit', async () => {
    const world = await World.withModel();
    const settings = { ...storeSettings({}, {}), ...world.store.settings, maxQueuedBytes: 100_000 };
    const reasons: string[] = [];
    const adding = new Producer(storeOver(world.store.redis, settings)).enqueueBatch({
      source: file(world.writeRows('rows.csv', 3)),
      name: 'rows.csv',
      model: 'credit',
      policy: JSON.parse(readFileSync(POLICY, 'utf8')),
      batch: 'capped',
      chunkRows: 100,
      onWait: (reason) => reasons.push(reason),
    });
    await until('it to wait', async () => reasons.length > 0);
    expect((await world.store.batches.status('capped')).isSealed).toBe(false);
    await world.serve({ lanes: ['bulk'] });
    expect(await adding).toMatchObject({ rows: 9_000 });
    await world.close();
  });
});

describe('a full Redis', () => {
  it('is asked again until it takes what it is given', async () => {
    const world = await World.withModel(await startRedis({ maxmemory: '3mb' }));
    const { redis } = world.store;
    await redis.config('SET', 'maxmemory', 1_000_000);
    const waits: string[] = [];
    const writing = whileFull(() => redis.set('key', 'x'), { onWait: (reason) => waits.push(reason) });
    await until('a refusal', async () => waits.length > 0);
    await expect(whileFull(() => redis.set('key', 'y'), { patienceMs: 600 })).rejects.toThrow('OOM');
    await redis.config('SET', 'maxmemory', 100_000_000);
    expect(await writing).toBe('OK');
    await world.close();
  });
});
