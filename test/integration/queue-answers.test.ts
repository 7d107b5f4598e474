/** Producers that wait for the answer to an event, and events whose solver thread comes to grief. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EventJobInput } from '../../dist/jobs/contract.js';
import { Producer } from '../../dist/jobs/producer.js';
import { QueueWorker } from '../../dist/jobs/worker/worker.js';
import { duplicateOf } from '../../dist/store/redis/redis.js';
import { startRedis } from '../../scripts/redis.mjs';
import { config } from '../../src/config.js';
import { until, World } from './queue-world.js';
import { MODEL, POLICY } from './small-task.js';

const features = { income: 1000, age: 30, city: 'Paris' };
type Event = Omit<EventJobInput, 'schema'>;
const event = (id: string, more: Partial<Event> = {}): Event => ({
  id,
  model: 'small',
  policy: POLICY,
  features,
  ...more,
});

let world: World;
let producer: Producer;
let worker: QueueWorker | undefined;

beforeAll(async () => {
  world = await World.create(await startRedis()); // of its own: a test cuts off all subscribers of the server
  await world.store.models.push(MODEL);
  producer = new Producer({ ...world.store, redis: duplicateOf(world.store.redis) });
});

afterEach(async () => {
  await worker?.drain();
  worker = undefined;
});

afterAll(async () => {
  await producer.close();
  await world.close();
});

async function startWorker(threads?: 'misbehaving' | 'stillborn'): Promise<void> {
  worker = await QueueWorker.start({
    settings: world.store.settings,
    lanes: ['events'],
    threads: 1,
    port: 0,
    requests: { ...config.requests, claimAfterMs: 300, maxDeliveries: 3 },
    notice: () => {},
    ...(threads && { threadFile: new URL(`./threads/${threads}.mjs`, import.meta.url).href }),
  });
}

describe('a producer that waits', () => {
  it('has the answer as soon as it is stored, many at a time', async () => {
    await startWorker();
    const ids = Array.from({ length: 50 }, (_, i) => `waited-${i}`);
    const rows = ids.map((id, i) => event(id, { features: { ...features, income: 1000 + i } }));
    const answers = await Promise.all(rows.map((row) => producer.explain(row, { waitMs: 60_000 })));
    expect(answers.map((answer) => answer?.id)).toEqual(ids);
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set(['found']));
    const stored = await Promise.all(ids.map((id) => world.store.results.result(id)));
    expect(stored.map((text) => JSON.parse(text!))).toEqual(answers);
  });

  it('has the answer to what it asked, not an older one under the same id', async () => {
    await startWorker();
    await producer.explain(event('same'), { waitMs: 60_000 });
    const second = await producer.explain(event('same', { features: { ...features, age: 55 } }), { waitMs: 60_000 });
    expect(second?.factual?.features.age).toBe(55);
  });

  it('is told when the time is over, and the answer comes later', async () => {
    expect(
      await producer.explain(event('late', { features: { ...features, age: 21 } }), { waitMs: 50 }),
    ).toBeUndefined();
    await startWorker();
    await until('the answer', async () => (await world.store.results.result('late')) !== undefined);
  });

  it('finds the answer without being woken', async () => {
    const waiting = producer.explain(event('unheard', { features: { ...features, age: 22 } }), { waitMs: 60_000 });
    await until('a subscriber', async () => (await subscribers()).length > 0);
    for (const id of await subscribers()) await world.store.redis.call('CLIENT', 'KILL', 'ID', id);
    await startWorker();
    expect((await waiting)?.id).toBe('unheard');
  });

  it('hears that there will be no answer, and why', async () => {
    await startWorker();
    const bad = event('bad-policy', { policy: { ...POLICY, features: { height: { change: 'never' } } } });
    await expect(producer.explain(bad, { waitMs: 60_000 })).rejects.toMatchObject({ code: 'bad-document' });
    expect(await world.store.dead.count()).toBe(1);
  });

  async function subscribers(): Promise<string[]> {
    const clients = String(await world.store.redis.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
    return [...clients.matchAll(/^id=(\d+) .*cmd=subscribe/gm)].map(([, id]) => id);
  }
});

/** A thread is given up after seconds of its own computing time. On a busy machine these seconds take minutes. */
const BUSY_MS = 240_000;

describe('an event that its thread does not survive', () => {
  const quick = { policy: { ...POLICY, deadlineMs: 1 } };

  it.each([
    ['exit', 'thread-lost', 2001],
    ['throw', 'failed', 2002],
    ['hang', 'overran', 2003],
  ])('(%s) is answered with that, and the next one is answered well', async (misdeed, code, income) => {
    await startWorker('misbehaving');
    const own = { ...quick, features: { ...features, income } }; // equal rows would be answered once
    const byQueue = producer.explain(event(`${misdeed}-queue`, own), { waitMs: BUSY_MS });
    await world.store.requests.add(JSON.stringify(event(`${misdeed}-stream`, own)));
    expect(await byQueue).toMatchObject({ status: 'not-found', reason: { code }, degraded: true });
    await until('the other', async () => (await world.store.results.result(`${misdeed}-stream`)) !== undefined);
    const other = JSON.parse((await world.store.results.result(`${misdeed}-stream`))!);
    expect(other).toMatchObject({ status: 'not-found', reason: { code }, degraded: true });
    const next = event(`after-${misdeed}`, { features: { ...features, income: 2000 } });
    expect(await producer.explain(next, { waitMs: BUSY_MS })).toMatchObject({ status: 'found' });
  });

  it('before it has even begun is tried again, then given up, and can be replayed', async () => {
    await startWorker('stillborn');
    const born = { features: { ...features, income: 3000 } };
    const entry = await world.store.requests.add(JSON.stringify(event('dead-stream', born)));
    const byQueue = producer.explain(event('dead-queue', born), { waitMs: 60_000 });
    await expect(byQueue).rejects.toMatchObject({ code: 'thread-lost' });
    await until('its letter', async () => (await world.store.dead.count()) >= 3);
    expect(await world.store.dead.read(`requests-${entry}`)).toMatchObject({ code: 'thread-lost', attempts: 3 });
    await worker!.drain();
    await startWorker();
    const env = { ELSEWISE_DEBUG: '1' };
    expect((await world.runWith(env, 'dead', 'replay', `requests-${entry}`)).stdout).toBe('replayed 1\n');
    await until('the answer', async () => (await world.store.results.result('dead-stream')) !== undefined);
  });
});
