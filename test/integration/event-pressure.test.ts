/** A Redis that is too small for the events: they are refused in time, and what was taken is answered, whoever filled it. */
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { startRedis } from '../../scripts/redis.mjs';
import { eventJobSchema, QUEUES } from '../../src/jobs/contract.js';
import { queueOptions } from '../../src/jobs/queues.js';
import { readMemory } from '../../src/store/redis/memory.js';
import { firstApplicant } from './example-row.js';
import { until, World } from './queue-world.js';

const MAX_MEMORY = 5_000_000;
const AT_ONCE = 25;
/** What is told, rightly, where the machine is so busy that answers and renewals come too late. */
const BUSY = /^Redis is (away: waiting for it|back)$|: its lock expired /;

/** The first applicant with other savings each time, so that each is solved. */
const eventOf = (n: number) => ({
  id: `e-${n}`,
  model: 'credit',
  target: 'approved',
  features: { ...firstApplicant(), savings: n },
});

/** Sends until it is refused; gives how many were taken, and the refusal. */
async function sendUntilRefused(send: (n: number) => Promise<unknown>): Promise<{ taken: string[]; refusal: Error }> {
  const taken: string[] = [];
  for (let n = 0; ; n += AT_ONCE) {
    const sent = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, i) => send(n + i)));
    for (const [i, { status }] of sent.entries()) if (status === 'fulfilled') taken.push(`e-${n + i}`);
    const refused = sent.find((one) => one.status === 'rejected');
    if (refused) return { taken, refusal: refused.reason as Error };
  }
}

/** Asks again only for those that had no answer: each question costs the worker time. */
async function untilAnswered(world: World, ids: readonly string[]): Promise<void> {
  let left = ids;
  await until('all answers', async () => {
    const found = await Promise.all(left.map((id) => world.store.results.result(id)));
    left = left.filter((_, i) => found[i] === undefined);
    return left.length === 0;
  });
}

const usedMemory = async ({ store }: World) => (await readMemory(store.redis)).usedBytes;

describe('events and a Redis that fills up', () => {
  it('are refused while there is room for the answers to those that were taken', async () => {
    const world = await World.withModel(await startRedis({ maxmemory: String(MAX_MEMORY) }));
    const producer = new Producer(world.store);
    const { taken, refusal } = await sendUntilRefused((n) => producer.enqueueEvent(eventOf(n)));
    expect(refusal).toMatchObject({ code: 'redis-full', message: expect.stringContaining('Redis') });
    expect(taken.length).toBeGreaterThan(50);
    await world.serve({ lanes: ['events'] });
    await untilAnswered(world, taken);
    expect(await usedMemory(world)).toBeLessThan(MAX_MEMORY);
    expect(await world.store.dead.count()).toBe(0);
    await world.close();
  });

  it('that somebody else filled are kept until it has room again, and told of in words', async () => {
    const world = await World.withModel(await startRedis({ maxmemory: '100mb' }));
    const { redis, settings, dead } = world.store;
    const { name, version, digest } = await world.store.models.resolve('credit');
    const queue = new Queue(QUEUES.events, { connection: redis, ...queueOptions(settings.queuePrefix) });
    queue.on('error', () => {});
    const told: string[] = [];
    const worker = await world.serve({ lanes: ['events'], notice: (text) => told.push(text) });
    await redis.config('SET', 'maxmemory', (await usedMemory(world)) + 600_000);
    const { taken, refusal } = await sendUntilRefused((n) => {
      const job = { schema: 'elsewise.event-job/v1', ...eventOf(n), model: { name, version, digest } };
      return queue.add('event', eventJobSchema.parse(job), { jobId: `foreign-${n}` });
    });
    expect(refusal.message).toContain('OOM');
    await until('it to be told', async () => told.some((text) => text.includes('full')));
    await new Promise((resolve) => setTimeout(resolve, 8_000)); // longer than all attempts of a job
    await redis.config('SET', 'maxmemory', 100_000_000);
    await untilAnswered(world, taken);
    const besides = told.slice(1).filter((text) => !BUSY.test(text));
    expect(besides).toEqual([expect.stringContaining('Redis is full')]); // the first is of persistence
    expect(await dead.count()).toBe(0);
    expect(await queue.getJobCountByTypes('failed')).toBe(0);
    await queue.close();
    await worker.drain();
    await world.close();
  });
});
