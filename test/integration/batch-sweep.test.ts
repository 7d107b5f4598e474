/** Lost jobs come back however many batches are open, and however many chunks they have. */
import { Queue } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BatchSweep } from '../../dist/jobs/batches/batch-sweep.js';
import { Keys } from '../../dist/store/keys.js';
import { manifestOf } from './batch-manifest.js';
import { World } from './queue-world.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;

let world: World;
let queue: Queue;

beforeEach(async () => {
  world = await World.create();
  const { redis, settings } = world.store;
  queue = new Queue('elsewise-bulk', { connection: redis, prefix: settings.queuePrefix });
});

afterEach(async () => {
  await queue.close();
  await world.close();
});

const facts = { digest: DIGEST, firstRow: 1, rows: 1 };

/** Chunks that wait, and no jobs. */
async function addLost(id: string, chunks: number): Promise<void> {
  const { batches } = world.store;
  await batches.create(manifestOf(id));
  const data = Buffer.from('rows');
  const block = { data, digest: DIGEST, bytes: data.length };
  await Promise.all(Array.from({ length: chunks }, (_, i) => batches.addChunk(id, i, facts, block)));
  await batches.seal(id, chunks, DIGEST);
}

async function addFailed(id: string): Promise<void> {
  await addLost(id, 1);
  await world.store.batches.fail(id, 0, { state: 'failed', ...facts, code: 'failed', message: 'x' });
}

describe('sweeps', () => {
  it('reach every batch, past those that have failed and those that were healed before', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, i) => addFailed(`failed-${i}`)));
    await Promise.all(Array.from({ length: 45 }, (_, i) => addLost(`lost-${i}`, 1)));
    const sweep = new BatchSweep(world.store);
    const healed: number[] = [];
    for (let i = 0; i < 4; i++) {
      await sweep.run();
      healed.push(await queue.getWaitingCount());
    }
    expect(healed).toEqual([20, 40, 45, 45]);
    expect(await world.store.batches.status('failed-0')).toMatchObject({ failed: 1 });
  });

  it('reach every chunk of a batch, and those that are lost later', async () => {
    await addLost('long', 20 * 256 + 10);
    const sweep = new BatchSweep(world.store);
    await sweep.run();
    expect(await queue.getWaitingCount()).toBe(20 * 256);
    await sweep.run();
    expect(await queue.getWaitingCount()).toBe(20 * 256 + 10);
    await queue.drain();
    await sweep.run();
    await sweep.run();
    expect(await queue.getWaitingCount()).toBe(20 * 256 + 10);
  });

  it('go on after a batch that cannot be read', async () => {
    const { redis, settings } = world.store;
    for (const id of ['a', 'b', 'c']) await addLost(id, 1);
    await redis.hset(new Keys(settings.keyPrefix).batchChunks('b'), '0', 'no JSON');
    const sweep = new BatchSweep(world.store);
    await expect(sweep.run()).rejects.toThrow();
    await sweep.run().catch(() => {}); // it comes round to it again
    expect((await queue.getWaiting()).map(({ data }) => data.batch).sort()).toEqual(['a', 'c']);
  });
});
