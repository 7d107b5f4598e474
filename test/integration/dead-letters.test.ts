/** What was given up: bounded, listed, shown, replayed to where it came from, dropped. */
import { readFileSync } from 'node:fs';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { duplicateOf } from '../../dist/store/redis/redis.js';
import { config } from '../../src/config.js';
import { queueOptions } from '../../src/jobs/queues.js';
import { DeadStore } from '../../src/store/events/dead-store.js';
import { Keys } from '../../src/store/keys.js';
import { MODEL, type RunningWorker, sumOf, until, World } from './queue-world.js';

let world: World;

beforeAll(async () => {
  world = await World.create();
});

afterAll(() => world.close());

const LETTER = {
  source: 'events',
  code: 'not-known',
  message: 'no model',
  attempts: 1,
  body: Buffer.from('{}'),
} as const;

describe('the store', () => {
  const limited = (
    prefix: string,
    limits: Partial<{ maxCount: number; maxAgeSeconds: number; maxBodyBytes: number }>,
  ) =>
    new DeadStore(world.store.redis, new Keys(`${world.store.settings.keyPrefix}-${prefix}`), {
      ...{ ...config.deadLetters, maxCount: 100, maxAgeSeconds: 60, maxBodyBytes: 100 },
      ...limits,
    });

  const all = async (store: DeadStore) => {
    const found = [];
    for await (const letter of store.list()) found.push(letter);
    return found;
  };

  it('keeps the latest, so many and no more', async () => {
    const store = limited('count', { maxCount: 3 });
    for (let i = 0; i < 5; i++) {
      await store.add({ ...LETTER, origin: `job-${i}` });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect((await all(store)).map(({ id }) => id)).toEqual(['events-job-4', 'events-job-3', 'events-job-2']);
    expect(await store.count()).toBe(3);
    await expect(store.read('events-job-0')).rejects.toThrow('no dead letter "events-job-0"');
  });

  it('forgets what is too old, though nothing new comes', async () => {
    await limited('age', {}).add({ ...LETTER, origin: 'old' });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const store = limited('age', { maxAgeSeconds: 1 });
    expect(await store.count()).toBe(0);
    await expect(store.read('events-old')).rejects.toThrow('no dead letter');
  });

  it('has one letter for one death, however often it is told', async () => {
    const store = limited('once', {});
    await store.add({ ...LETTER, origin: 'same', attempts: 1 });
    await store.add({ ...LETTER, origin: 'same', attempts: 2 });
    expect(await all(store)).toMatchObject([{ attempts: 2 }]);
  });

  it('cuts long bodies, and lists more than a page', async () => {
    const store = limited('long', { maxCount: 2_000 });
    const { id } = await store.add({ ...LETTER, origin: 'long', body: Buffer.alloc(101, 'x') });
    expect(await store.read(id)).toMatchObject({ isCut: true, body: 'x'.repeat(100) });
    await Promise.all(Array.from({ length: 1_200 }, (_, i) => store.add({ ...LETTER, origin: String(i) })));
    expect(await all(store)).toHaveLength(1_201);
    expect([await store.drop(id), await store.drop(id)]).toEqual([true, false]);
    expect(await store.count()).toBe(1_200);
  });
});

describe('elsewise dead', () => {
  const request = { id: 'by-stream', model: 'credit', features: {} };
  const event = { schema: 'elsewise.event-job/v1', id: 'by-queue', model: 'credit', features: {} };
  const workers: RunningWorker[] = [];
  let ids: string[];

  const queueOf = (name: string) => {
    const { redis, settings } = world.store;
    return new Queue(name, { connection: redis, ...queueOptions(settings.queuePrefix) });
  };

  it('lists what a worker gave up, from every source', async () => {
    await world.store.models.push(JSON.parse(readFileSync(MODEL, 'utf8')));
    const batch = await world.add(world.writeRows('rows.csv', 1), { batch: 'b', chunkRows: 3000 });
    // the model is there when the batch is made, and gone when it is worked
    const block = await takeModelAway();
    const [events, bulk] = [queueOf('elsewise-events'), queueOf('elsewise-bulk')];
    await world.store.requests.add(JSON.stringify(request));
    await world.store.requests.add('{"no": "JSON');
    await events.add('event', event, { jobId: 'event-1' });
    await bulk.add('chunk', { garbage: true }, { jobId: 'garbage' });
    const worker = await world.startWorker();
    workers.push(worker);
    await until('five letters', async () => (await world.store.dead.count()) === 5);
    const { stdout, code } = await world.call('dead', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/events-event-1 +\S+ +not-known +1 /);
    expect(stdout).toMatch(/bulk-garbage +\S+ +bad-document +1 /);
    expect(stdout).toMatch(/bulk-chunk-b-0@\S+ +\S+ +not-known +1 /);
    expect(stdout).not.toContain('"no"');
    await until('failed jobs to go', async () => (await jobsFailed(bulk)) + (await jobsFailed(events)) === 0);
    const json = (await world.call('dead', 'list', '--json', '--source', 'requests')).stdout.trimEnd().split('\n');
    ids = json.map((line) => JSON.parse(line).id);
    expect(json.map((line) => JSON.parse(line).code).sort()).toEqual(['bad-json', 'not-known']);
    const { text } = await worker.get('/metrics');
    expect(text).toContain('elsewise_dead_letters_total{source="bulk",code="bad-document"} 1');
    expect(sumOf(text, 'elsewise_dead_letters')).toBe(5);
    expect((await world.store.batches.status(batch)).failed).toBe(1);
    await block.putBack();
    await Promise.all([events.close(), bulk.close()]);
  });

  it('shows one, with its body and what to do', async () => {
    const { stdout } = await world.call('dead', 'show', 'events-event-1');
    expect(stdout).toContain('by-queue');
    expect(stdout).toContain('replay the letter');
    const { code, stderr } = await world.call('dead', 'show', 'nothing');
    expect([code, stderr]).toEqual([2, expect.stringContaining('no dead letter "nothing"')]);
  });

  it('replays one and all, to where they came from', async () => {
    expect((await world.call('dead', 'replay')).code).toBe(2);
    expect((await world.call('dead', 'replay', 'x', '--all')).code).toBe(2);
    expect((await world.call('dead', 'replay', 'events-event-1')).stdout).toBe('replayed 1\n');
    await until('the answer', async () => (await world.store.results.result('by-queue')) !== undefined);
    expect((await world.call('dead', 'replay', '--all')).stdout).toBe('replayed 4\n');
    await until('the other answer', async () => (await world.store.results.result('by-stream')) !== undefined);
    await until('the batch', async () => (await world.store.batches.status('b')).done === 1);
    expect((await world.store.batches.status('b')).failed).toBe(0);
    await until('the two that are bad for ever', async () => (await world.store.dead.count()) === 2);
  });

  it('drops one and all', async () => {
    expect(ids).toHaveLength(2);
    expect((await world.call('dead', 'drop', 'bulk-garbage')).stdout).toBe('dropped 1\n');
    expect((await world.call('dead', 'drop', '--all')).stdout).toBe('dropped 1\n');
    expect((await world.call('dead', 'list')).stdout).toBe('no dead letters\n');
  });

  it('does not replay what was not kept whole', async () => {
    const { id } = await world.store.dead.add({ ...LETTER, source: 'requests', origin: '1-1', body: null });
    const { code, stderr } = await world.call('dead', 'replay', id);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be replayed')]);
    expect((await world.call('dead', 'replay', '--all')).stdout).toBe('replayed 0, 1 stay\n');
  });

  it('lists what is malformed as such, and goes on with the others', async () => {
    await world.call('dead', 'drop', '--all');
    const good = await world.store.dead.add({ ...LETTER, source: 'requests', origin: '1-2', body: Buffer.from('{') });
    await writeByHand('other-program', '{"schema":"something else","\\u001b[2J":1}', Date.now() + 1);
    await writeByHand('no-json', 'plain \u001b[2Jwords', 1e300);
    await writeByHand('a-copy', JSON.stringify(good), Date.now() + 2);
    const job = { ...good, id: 'events-7', source: 'events', origin: '7', body: 'no JSON' };
    await writeByHand('events-7', JSON.stringify(job), Date.now() + 3);

    const { code, stdout } = await world.call('dead', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/no-json +- +damaged +- +malformed: it is no JSON/);
    expect(stdout).toMatch(/other-program +\S+ +damaged +- +malformed: letter\./);
    expect(stdout).toMatch(/a-copy +\S+ +damaged +- +malformed: letter\.id: expected "a-copy"/);
    expect(stdout).toContain(good.id);
    expect((await world.call('dead', 'list', '--json')).stdout.trimEnd().split('\n')).toHaveLength(5);
    const shown = await world.call('dead', 'show', 'no-json');
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('plain \\x1b[2Jwords') });
    expect(stdout + shown.stdout).not.toContain('\u001b');
    expect((await world.call('dead', 'replay', 'no-json')).stderr).toContain('is malformed: it cannot be replayed');
    expect((await world.call('dead', 'replay', '--all')).stdout).toBe('replayed 2, 3 stay\n');
    expect((await world.call('dead', 'drop', 'other-program')).stdout).toBe('dropped 1\n');
    await until('the replayed ones to be given up again', async () => (await world.store.dead.count()) === 4);
    expect((await world.call('dead', 'drop', '--all')).stdout).toBe('dropped 4\n');
  });

  it('replays a job that BullMQ itself had numbered', async () => {
    const body = Buffer.from(JSON.stringify({ ...event, id: 'numbered' }));
    await world.store.dead.add({ ...LETTER, origin: '12', body });
    expect((await world.call('dead', 'replay', 'events-12')).stdout).toBe('replayed 1\n');
    await until('the answer', async () => (await world.store.results.result('numbered')) !== undefined);
  });

  it('has jobs that no worker lives through', async () => {
    const [queue, { redis, settings }] = [queueOf('elsewise-events'), world.store];
    await world.call('dead', 'drop', '--all');
    await stopWorkers();
    // takes a job and is never heard of again, as often as allowed or once more
    const connection = duplicateOf(redis);
    const limits = { lockDuration: 200, stalledInterval: 100, maxStalledCount: config.worker.maxStalls };
    const dying = new Worker(queue.name, null, { connection, prefix: settings.queuePrefix, ...limits });
    await dying.startStalledCheckTimer();
    const die = async (id: string, times: number) => {
      await queue.add('event', { ...event, id }, { jobId: id, lifo: true });
      for (let death = 1; death <= times; death++) {
        expect((await dying.getNextJob(`token-${death}`))?.id).toBe(id);
        await until('its return', async () => (await queue.getJobState(id)) !== 'active');
      }
    };
    await die('unlucky', config.worker.maxStalls);
    await die('killer', config.worker.maxStalls + 1);
    await dying.close();
    connection.disconnect();
    workers.push(await world.startWorker());
    await until('its letter', async () => (await world.store.dead.count()) === 1);
    expect(await world.store.dead.read('events-killer')).toMatchObject({ code: 'too-often' });
    expect(await world.store.results.result('killer')).toBeUndefined();
    await until('the answer', async () => (await world.store.results.result('unlucky')) !== undefined);
    await queue.close();
  });

  it('tells what failed while nobody was there to write it down', async () => {
    await stopWorkers();
    const queue = queueOf('elsewise-events');
    const before = Date.now() - 60_000;
    await queue.add('event', event, { jobId: 'untold' });
    const { redis, settings } = world.store;
    const connection = duplicateOf(redis);
    const dying = new Worker(queue.name, null, { connection, prefix: settings.queuePrefix });
    const job = await dying.getNextJob('token');
    await job!.moveToFailed(new UnrecoverableError('not-known: no such model'), 'token');
    await redis.hset(queue.toKey('untold'), 'finishedOn', before);
    await redis.zadd(queue.toKey('failed'), before, 'untold');
    await dying.close();
    connection.disconnect();
    workers.push(await world.startWorker(), await world.startWorker());
    await until('its letter', async () => (await world.store.dead.find('events-untold')) !== undefined);
    await until('the job to go', async () => (await jobsFailed(queue)) === 0);
    expect(await world.store.dead.read('events-untold')).toMatchObject({ code: 'not-known', message: 'no such model' });
    await queue.close();
  });

  it('is nothing of, once it is dropped', async () => {
    const secret = 'a-name-that-nobody-else-has';
    const queue = queueOf('elsewise-events');
    await queue.add('event', { ...event, id: secret, model: 'nobody' }, { jobId: 'personal' });
    await until('its letter', async () => (await world.store.dead.find('events-personal')) !== undefined);
    await world.call('dead', 'drop', 'events-personal');
    await until('the job to go', async () => (await jobsFailed(queue)) === 0);
    expect(await keysWith(secret)).toEqual([]);
    await queue.close();
  });

  it('is not listed any more when the same is sent again, until it fails again', async () => {
    const producer = new Producer(world.store);
    const sent = {
      id: 'again',
      model: 'credit',
      features: {},
      policy: { schema: 'elsewise.policy/v1', target: 'approved', features: { nobody: {} } },
    } as const;
    const enqueued = await producer.enqueueEvent(sent);
    const id = `events-${enqueued.jobId}`;
    await until('its letter', async () => (await world.store.dead.find(id)) !== undefined);
    const first = await world.store.dead.timeOf(id);
    await producer.enqueueEvent(sent);
    await until('another letter', async () => ![first, undefined].includes(await world.store.dead.timeOf(id)));
  });

  async function writeByHand(id: string, text: string, time: number): Promise<void> {
    const { redis, settings } = world.store;
    const keys = new Keys(settings.keyPrefix);
    await redis.multi().hset(keys.dead(), id, text).zadd(keys.deadTimes(), time, id).exec();
  }

  async function stopWorkers(): Promise<void> {
    for (const worker of workers) worker.process.kill('SIGTERM');
    await Promise.all(workers.splice(0).map(({ ended }) => ended));
  }

  async function keysWith(text: string): Promise<string[]> {
    const { redis, settings } = world.store;
    const keys = await redis.keys(`${settings.keyPrefix}*`);
    const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    return keys.filter((_, i) => dumps[i]?.includes(text));
  }

  const jobsFailed = async (queue: Queue) => (await queue.getJobCounts('failed')).failed;

  async function takeModelAway(): Promise<{ putBack(): Promise<void> }> {
    const { redis, settings } = world.store;
    const key = `${settings.keyPrefix}:model:{credit}:versions`;
    await redis.rename(key, `${key}-away`);
    return { putBack: async () => void (await redis.rename(`${key}-away`, key)) };
  }
});
