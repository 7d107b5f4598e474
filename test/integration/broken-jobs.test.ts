/**
 * Jobs that no producer of ours has made, put into Redis by hand: each becomes a dead letter with a code, none stays, and none keeps
 * others from being answered. What we know of BullMQ's keys is held against BullMQ itself.
 */
import { Queue, Worker } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failedAt, forgetActive, forgetFailed, readStoredJob } from '../../src/jobs/failures/stored-jobs.js';
import { isMalformed } from '../../src/store/events/dead-store.js';
import { until, World } from './queue-world.js';

let world: World;

beforeEach(async () => {
  world = await World.withModel();
});

afterEach(() => world.close());

const GOOD = { schema: 'elsewise.event-job/v1', id: 'good', model: 'credit', features: {} };
const FIELDS = {
  name: 'event',
  data: JSON.stringify({ ...GOOD, model: 'nobody' }),
  opts: '{}',
  timestamp: '1',
  atm: '0',
};
const without = (field: keyof typeof FIELDS) =>
  Object.fromEntries(Object.entries(FIELDS).filter(([name]) => name !== field));
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Id -> fields, and the code that its letter must have. */
const BROKEN: Readonly<Record<string, readonly [code: string, fields: Record<string, string>]>> = {
  'no-json': ['bad-json', { ...FIELDS, data: 'not json' }],
  'no-data': ['bad-document', without('data')],
  'null-data': ['bad-document', { ...FIELDS, data: 'null' }],
  'list-data': ['bad-document', { ...FIELDS, data: '[1]' }],
  'deep-data': ['bad-document', { ...FIELDS, data: deep(100_000) }],
  'no-fields': ['bad-document', { something: 'else' }],
  'bad-options': ['damaged', { ...FIELDS, opts: '{no' }],
  'null-options': ['damaged', { ...FIELDS, opts: 'null' }],
  'bad-progress': ['damaged', { ...FIELDS, progress: '{' }],
  'bad-parent': ['damaged', { ...FIELDS, parent: '{' }],
  'bad-count': ['damaged', { ...FIELDS, atm: 'many', ats: 'more' }],
  'unknown-name': ['not-known', { ...FIELDS, name: 'something-else' }],
  'no-name': ['not-known', without('name')],
  'no-options': ['not-known', without('opts')],
  'no-time': ['not-known', without('timestamp')],
  'a-scheduler': ['not-known', { ...FIELDS, rjk: 'no-such-scheduler' }],
  'odd-attempts': ['not-known', { ...FIELDS, opts: '{"attempts":-5,"backoff":{"type":"odd"}}' }],
  '17': ['not-known', FIELDS],
  'a b\n\u001b[2J': ['not-known', FIELDS],
};

const open = (name: string) =>
  new Queue(name, { connection: world.store.redis, prefix: world.store.settings.queuePrefix });

async function putByHand(queue: Queue, id: string, fields: Record<string, string>): Promise<void> {
  const { redis } = world.store;
  await redis.hset(queue.toKey(id), fields);
  await redis.multi().lpush(queue.toKey('wait'), id).zadd(queue.toKey('marker'), 0, '0').exec();
}

async function codes(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const letter of world.store.dead.list())
    found[letter.id] = isMalformed(letter) ? 'malformed' : letter.code;
  return found;
}

const left = async (queue: Queue) => {
  const counts = await queue.getJobCounts('active', 'waiting', 'delayed', 'failed');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
};

describe('a broken job', () => {
  it('becomes a dead letter, whatever is wrong with it, and holds nobody up', async () => {
    const queue = open('elsewise-events');
    for (const [id, [, fields]] of Object.entries(BROKEN)) {
      await putByHand(queue, id, fields);
      await putByHand(queue, `good-after-${id}`, { ...FIELDS, data: JSON.stringify({ ...GOOD, id: `after-${id}` }) });
    }
    await world.store.redis.set(queue.toKey('no-hash'), 'text');
    await world.store.redis.lpush(queue.toKey('wait'), 'no-hash');
    const worker = await world.serve({ lanes: ['events'] });
    for (const id of Object.keys(BROKEN))
      await until(
        `the answer after ${id}`,
        async () => (await world.store.results.result(`after-${id}`)) !== undefined,
      );
    const expected = Object.fromEntries(Object.entries(BROKEN).map(([id, [code]]) => [`events-${id}`, code]));
    await until('all letters', async () => Object.keys(await codes()).length > Object.keys(BROKEN).length);
    expect(await codes()).toEqual({ ...expected, 'events-no-hash': 'damaged' });
    await until('nothing to be left', async () => (await left(queue)) === 0);
    const { status } = await fetch(`http://127.0.0.1:${worker.port}/metrics`);
    expect(status).toBe(200);
    await queue.close();
  });

  it('of a batch belongs to none', async () => {
    const queue = open('elsewise-bulk');
    await putByHand(queue, 'no-json', { ...FIELDS, data: '{' });
    await putByHand(queue, 'deep', { ...FIELDS, data: deep(100_000) });
    await world.serve({ lanes: ['bulk'] });
    await until('its letters', async () => Object.keys(await codes()).length === 2);
    expect(await codes()).toEqual({ 'bulk-no-json': 'bad-json', 'bulk-deep': 'bad-document' });
    await queue.close();
  });

  it('of the queue of schedules is told of as well, and cannot be replayed', async () => {
    const queue = open('elsewise-schedule');
    await putByHand(queue, 'no-json', { ...FIELDS, name: 'run', data: '{' });
    await putByHand(queue, 'unknown-name', { ...FIELDS, data: '{"schedule":"x"}' });
    await putByHand(queue, 'bad-options', { ...FIELDS, name: 'run', opts: '[' });
    await putByHand(queue, 'no-time', { ...FIELDS, name: 'run', data: '{"schedule":"x"}', timestamp: 'never' });
    await putByHand(queue, 'bad-output', { ...FIELDS, name: 'deliver', data: '{"schedule":"x","batch":"b"}' });
    await world.serve({ schedules: true });
    await until('its letters', async () => Object.keys(await codes()).length === 5);
    expect(await codes()).toEqual({
      'schedule-no-json': 'bad-document',
      'schedule-unknown-name': 'bad-document',
      'schedule-bad-options': 'damaged',
      'schedule-no-time': 'bad-document',
      'schedule-bad-output': 'bad-document',
    });
    expect((await world.call('dead', 'replay', '--all')).stdout).toBe('replayed 0, 5 stay\n');
    expect((await world.call('dead', 'list', '--source', 'schedule')).stdout).toContain('schedule-bad-output');
    await queue.close();
  });
});

describe("BullMQ's keys are where we look for them", () => {
  const work = (queue: Queue, process: () => Promise<void>) =>
    new Worker(queue.name, process, { connection: queue.opts.connection, prefix: queue.opts.prefix, autorun: false });

  it('of a job that failed', async () => {
    const queue = open('trial');
    const { redis } = world.store;
    const added = await queue.add('x', { some: 'data' }, { jobId: 'one', attempts: 2, backoff: 1 });
    const worker = work(queue, () => Promise.reject(new Error('no good')));
    worker.on('error', () => {});
    void worker.run();
    await until('it to fail', () => added.isFailed());
    const job = (await queue.getJob('one'))!;
    expect(await readStoredJob(redis, queue, 'one')).toEqual({
      id: 'one',
      data: '{"some":"data"}',
      attempts: job.attemptsMade,
      stalls: 0,
      failedReason: 'no good',
      timestamp: job.timestamp,
      badCount: undefined,
    });
    expect(job.attemptsMade).toBe(2);
    expect(await failedAt(redis, queue, 'one')).toBe(job.finishedOn);
    expect(await forgetFailed(redis, queue, 'one', job.finishedOn! + 1)).toBe(false);
    expect(await forgetFailed(redis, queue, 'one', job.finishedOn!)).toBe(true);
    expect([await failedAt(redis, queue, 'one'), await queue.getJob('one'), await left(queue)]).toEqual([
      undefined,
      undefined,
      0,
    ]);
    await Promise.all([worker.close(), queue.close()]);
  });

  it('of a job that is active, with its lock and its mark', async () => {
    const queue = open('trial');
    const { redis } = world.store;
    await queue.add('x', {}, { jobId: 'two' });
    const worker = work(queue, async () => {});
    const job = await worker.getNextJob('token');
    await redis.sadd(queue.toKey('stalled'), 'two');
    await redis.hincrby(queue.toKey('two'), 'stc', 3);
    expect([job?.id, (await readStoredJob(redis, queue, 'two')).stalls]).toEqual(['two', 3]);
    expect((await queue.getJob('two'))!.stalledCounter).toBe(3);
    expect(await redis.exists(`${queue.toKey('two')}:lock`)).toBe(1);
    await forgetActive(redis, queue, 'two');
    const keys = await redis.keys(queue.toKey('two*'));
    expect([keys, await left(queue), await redis.scard(queue.toKey('stalled'))]).toEqual([[], 0, 0]);
    await Promise.all([worker.close(true), queue.close()]);
  });
});
