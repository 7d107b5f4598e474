/** Makes BullMQ and piscina say the words that we go by where they have no code; those of Redis are in redis-words.test.ts. */
import { Queue, Worker, type WorkerOptions } from 'bullmq';
import { Piscina } from 'piscina';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLockLost, isStalledTooOften } from '../../src/jobs/failures/bullmq-words.js';
import { codeOf } from '../../src/jobs/failures/job-failure.js';
import { threadLoss } from '../../src/jobs/threads/thread-loss.js';
import { until, World } from './queue-world.js';

describe('BullMQ', () => {
  let world: World;
  let queue: Queue;
  const workers: Worker[] = [];

  beforeEach(async () => {
    world = await World.create();
    const { redis, settings } = world.store;
    queue = new Queue('trial', { connection: redis, prefix: settings.queuePrefix });
  });

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close(true)));
    await queue.close();
    await world.close();
  });

  function work(process: () => Promise<void>, options: Partial<WorkerOptions>): { worker: Worker; errors: string[] } {
    const { redis, settings } = world.store;
    const worker = new Worker('trial', process, { connection: redis, prefix: settings.queuePrefix, ...options });
    const errors: string[] = [];
    worker.on('error', ({ message }) => errors.push(message));
    worker.on('failed', (_job, { message }) => errors.push(message));
    workers.push(worker);
    return { worker, errors };
  }

  it('says of a job that no worker lives through that it stalled too often', async () => {
    await queue.add('x', {});
    const { worker: dying } = work(async () => {}, { autorun: false, lockDuration: 50, skipLockRenewal: true });
    await dying.getNextJob('token');
    const { errors } = work(async () => {}, { stalledInterval: 50, maxStalledCount: 0 });
    await until('it to be given up', async () => errors.some(isStalledTooOften));
    expect(codeOf(new Error(errors.find(isStalledTooOften)))).toBe('too-often');
  });

  const LOSSES: Readonly<Record<string, (keys: { job: string; lock: string; active: string }) => Promise<unknown>>> = {
    'Missing lock': ({ lock }) => world.store.redis.del(lock),
    'Lock mismatch': ({ lock }) => world.store.redis.set(lock, 'of another worker'),
    'Missing key': ({ job, lock }) => world.store.redis.del(job, lock),
    'not in the active': ({ active }) => world.store.redis.del(active),
  };

  it.each(Object.keys(LOSSES))('says at the end of a job that is not of the worker any more: %s', async (words) => {
    const job = await queue.add('x', {});
    let end: (() => void) | undefined;
    const running = () =>
      new Promise<void>((resolve) => {
        end = resolve;
      });
    const { errors } = work(running, { lockDuration: 300, stalledInterval: 60_000 });
    await until('it to run', async () => end !== undefined);
    const key = queue.toKey(job.id!);
    await LOSSES[words]({ job: key, lock: `${key}:lock`, active: queue.toKey('active') });
    if (words === 'Missing lock') await until('the renewal', async () => errors.length > 0);
    end!();
    await until('the end', async () => errors.some((message) => message.includes(words)));
    expect(errors.filter((message) => !isLockLost(message))).toEqual([]);
  });
});

describe('piscina', () => {
  const lossOf = async (how: string) => {
    const pool = new Piscina({
      filename: new URL('./threads/ending.mjs', import.meta.url).href,
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    });
    pool.on('error', () => {});
    try {
      return await pool.run(how).then(
        () => 'it went well',
        (error) => threadLoss(error),
      );
    } finally {
      await pool.destroy();
    }
  };

  it('says of a thread that it ended, or ran out of memory, and of a task only what it threw', async () => {
    expect(await lossOf('exit')).toMatchObject({ code: 'thread-lost', message: expect.stringContaining('ended') });
    expect(await lossOf('memory')).toMatchObject({ code: 'thread-lost', message: expect.stringContaining('memory') });
    expect(await lossOf('throw')).toBeUndefined();
  });
});
