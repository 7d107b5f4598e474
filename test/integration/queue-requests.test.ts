/** The lane of producers without BullMQ: entries of a stream, answered, taken over, given up. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../scripts/redis.mjs';
import { config } from '../../src/config.js';
import { resultSchema } from '../../src/documents/result-document.js';
import { type ReadRow, readRows } from './example-row.js';
import { POLICY, type RunningWorker, sumOf, until, World, withoutTimes } from './queue-world.js';

const GROUP = 'elsewise-workers';
/** What a dead worker took is overdue after 2 s instead of 10. */
const IMPATIENT = { ELSEWISE_REQUESTS_CLAIM_AFTER_MS: '2000' };
const policy = JSON.parse(readFileSync(POLICY, 'utf8'));

let world: World;
let worker: RunningWorker;
let features: ReadRow['features'];

beforeAll(async () => {
  world = await World.withModel();
  [{ features }] = readRows(world.writeRows('one.csv', 1));
  await world.store.requests.add(JSON.stringify(request('early'))); // before there is a group, and a worker
  worker = await world.startWorkerWith(IMPATIENT, '--queues', 'events');
});

afterAll(() => world.close());

function request(id: string, more: object = {}): object {
  return { id, model: 'credit', policy, features, ...more };
}

const stream = () => `${world.store.settings.keyPrefix}:requests`;
const send = (body: unknown) => world.store.requests.add(typeof body === 'string' ? body : JSON.stringify(body));

async function answerTo(id: string): Promise<string> {
  let answer: string | undefined;
  await until(`the answer to ${id}`, async () => {
    answer = await world.store.results.result(id);
    return answer !== undefined;
  });
  return answer!;
}

async function settled(entry: string): Promise<void> {
  await until(
    `${entry} to be settled`,
    async () => (await world.store.redis.xrange(stream(), entry, entry)).length === 0,
  );
  await until(
    'nothing pending',
    async () => ((await world.store.redis.xpending(stream(), GROUP)) as [number])[0] === 0,
  );
}

async function letterOf(entry: string) {
  await settled(entry);
  return world.letter(`requests-${entry}`);
}

describe('a request', () => {
  it('is answered, also when it came before the first worker', async () => {
    expect(resultSchema.parse(JSON.parse(await answerTo('early'))).status).toBe('found');
  });

  it('is answered under its id and on the stream with what explain writes, then deleted', async () => {
    const entry = await send(request('0-a-0001'));
    const answer = await answerTo('0-a-0001');
    expect(withoutTimes(answer)).toBe((await world.explain(world.path('one.csv'))).split('\n')[0]);
    const { redis, settings } = world.store;
    expect(await redis.ttl(`${settings.keyPrefix}:result:0-a-0001`)).toBeGreaterThan(0);
    await settled(entry);
    const published = await redis.xrange(`${settings.keyPrefix}:results`, '-', '+');
    expect(published.filter(([, fields]) => fields[1] === '0-a-0001')).toHaveLength(1);
    expect(published.find(([, fields]) => fields[1] === '0-a-0001')![1][5]).toBe(answer);
  });

  it('can be sent by redis-cli', async () => {
    const { url } = world.store.settings;
    const body = JSON.stringify(request('by-hand'));
    execFileSync('redis-cli', ['-u', url, 'XADD', stream(), '*', 'body', body]);
    expect(JSON.parse(await answerTo('by-hand')).status).toBe('found');
  });

  it('with a bad row is answered with that and is no dead letter', async () => {
    const entry = await send(request('bad-row', { features: { ...features, age: 'old' } }));
    expect(JSON.parse(await answerTo('bad-row'))).toMatchObject({
      status: 'invalid',
      reason: { path: 'features.age' },
    });
    await settled(entry);
    await expect(letterOf(entry)).rejects.toThrow('no dead letter');
  });

  it('that comes twice has one answer, to the byte', async () => {
    await send(request('twice'));
    const first = await answerTo('twice');
    await settled(await send(request('twice')));
    expect(await answerTo('twice')).toBe(first);
  });

  it('comes in hundreds at once: all are answered, none twice', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => `many-${i}`);
    const entries = await Promise.all(
      ids.map((id, i) => send(request(id, { features: { ...features, income: 1000 + i } }))),
    );
    await settled(entries.at(-1)!);
    expect(await world.store.redis.xlen(stream())).toBe(0);
    const published = await world.store.redis.xrange(`${world.store.settings.keyPrefix}:results`, '-', '+');
    const answered = published.map(([, fields]) => fields[1]).filter((id) => id.startsWith('many-'));
    expect(answered.sort()).toEqual([...ids].sort());
    const { text } = await worker.get('/metrics');
    expect(text).toContain('elsewise_queue_jobs{queue="elsewise-requests",state="waiting"} 0');
    expect(text).toContain('elsewise_queue_oldest_seconds{queue="elsewise-requests"} 0');
    expect(sumOf(text, 'elsewise_answer_seconds_count')).toBeGreaterThanOrEqual(300);
  });
});

describe('a bad request is a dead letter with its code, and acknowledged', () => {
  it.each([
    ['no JSON', '{"id": "Jane Doe", ', 'bad-json', /^the body is not valid JSON/],
    ['no object', '42', 'bad-document', /request/],
    ['no features', JSON.stringify({ id: 'x', model: 'credit' }), 'bad-document', /request.features/],
    ['a typo', JSON.stringify({ id: 'x', modle: 'credit', features: {} }), 'bad-document', /did you mean "model"/],
    ['__proto__', '{"id":"x","model":"credit","features":{"__proto__":{"isAdmin":true}}}', 'bad-document', /__proto__/],
    [
      '__proto__ at the top',
      '{"id":"x","model":"credit","features":{},"__proto__":{"a":1}}',
      'bad-document',
      /__proto__/,
    ],
    [
      '__proto__ in the policy',
      '{"id":"x","model":"credit","features":{},"policy":{"__proto__":{}}}',
      'bad-document',
      /__proto__/,
    ],
    ['an unknown model', '{"id":"x","model":"nobody","features":{}}', 'not-known', /no model "nobody"/],
    ['a bad policy', '{"id":"x","model":"credit","features":{},"policy":{"name":7}}', 'bad-document', /policy/],
    ['no policy at all', '{"id":"x","model":"credit","features":{},"policy":null}', 'bad-document', /policy/],
    [
      'a policy for another model',
      '{"id":"x","model":"credit","features":{},"policy":{"schema":"elsewise.policy/v1","features":{"height":{}}}}',
      'bad-document',
      /height/,
    ],
  ])('%s', async (_what, body, code, message) => {
    const letter = await letterOf(await send(body));
    expect(letter).toMatchObject({ source: 'requests', code, body, isCut: false, attempts: 1 });
    expect(letter.message).toMatch(message);
    expect(letter.message).not.toContain('Jane');
  });

  it('no body', async () => {
    const entry = await world.store.redis.xadd(stream(), '*', 'text', '{}');
    expect(await letterOf(entry!)).toMatchObject({ code: 'bad-json', body: null });
  });

  it('bytes that are no text', async () => {
    const entry = await world.store.requests.add(Buffer.from([0x7b, 0xff, 0xfe]));
    expect(await letterOf(entry)).toMatchObject({ code: 'bad-json', message: 'the body is not valid UTF-8' });
  });

  it('nested deeper than any stack, in the row and in the policy', async () => {
    const deep = '['.repeat(2e5) + ']'.repeat(2e5);
    for (const field of ['features', 'policy']) {
      const letter = await letterOf(await send(`{"id":"x","model":"credit","features":{},"${field}":${deep}}`));
      expect(letter).toMatchObject({
        code: 'bad-document',
        message: expect.stringMatching(/^request: nested too deeply/),
        attempts: 1,
      });
    }
  });

  it('100 MB, without parsing them', async () => {
    const entry = await world.store.requests.add(Buffer.alloc(100_000_000, '['));
    const letter = await letterOf(entry);
    expect(letter).toMatchObject({ code: 'too-large', isCut: true });
    expect(letter.body).toHaveLength(config.deadLetters.maxBodyBytes);
    expect((await worker.get('/healthz')).status).toBe(200);
  });

  it('and counted', async () => {
    const { text } = await worker.get('/metrics');
    expect(text).toContain('elsewise_dead_letters_total{source="requests",code="too-large"} 1');
    expect(sumOf(text, 'elsewise_dead_letters')).toBe(await world.store.dead.count());
    expect(sumOf(text, 'elsewise_dead_letters')).toBe(sumOf(text, 'elsewise_dead_letters_total'));
  });
});

describe('a consumer that died', () => {
  /** Added and taken in one step, before any worker can. */
  const takenBy = async (consumer: string, body: unknown, deliveries = 1): Promise<string> => {
    const { redis } = world.store;
    const added = redis.multi().xadd(stream(), '*', 'body', JSON.stringify(body));
    const replies = await added.xreadgroup('GROUP', GROUP, consumer, 'STREAMS', stream(), '>').exec();
    const entry = replies![0][1] as string;
    await redis.call('XCLAIM', stream(), GROUP, consumer, 0, entry, 'RETRYCOUNT', deliveries);
    return entry;
  };

  it('leaves its entries to others', async () => {
    const entry = await takenBy('dead', request('orphan'));
    expect(JSON.parse(await answerTo('orphan')).status).toBe('found');
    await settled(entry);
  });

  it('again and again on the same entry ends it as a dead letter', async () => {
    const letter = await letterOf(await takenBy('dead', request('killer'), config.requests.maxDeliveries));
    expect(letter).toMatchObject({ code: 'too-often', attempts: config.requests.maxDeliveries + 1 });
    expect(await world.store.results.result('killer')).toBeUndefined();
  });

  it('is forgotten when it has nothing pending, and only then', async () => {
    const { redis, requests } = world.store;
    const names = async () =>
      ((await redis.xinfo('CONSUMERS', stream(), GROUP)) as string[][]).map((fields) => fields[1]);
    await takenBy('holds', request('held'));
    await sleep(20);
    expect(await requests.removeConsumers(20)).toContain('dead');
    expect(await names()).toContain('holds');
    expect(await names()).not.toContain('dead');
  });
});

describe('Redis', () => {
  it('that comes back empty has its group again', async () => {
    await world.store.redis.unlink(stream());
    await send(request('after-loss', { features: { ...features, income: 4000 } }));
    expect(JSON.parse(await answerTo('after-loss')).id).toBe('after-loss');
  });

  it('that is full delays answers and costs none', async () => {
    const full = await World.withModel(await startRedis());
    const { redis, requests, dead, results } = full.store;
    try {
      await full.startWorkerWith(IMPATIENT, '--queues', 'events');
      const memory = (await redis.info('memory')).match(/used_memory:(\d+)/)![1];
      const bodies = Array.from({ length: 50 }, (_, i) => JSON.stringify(request(`full-${i}`)));
      const sent = redis.multi();
      for (const body of bodies) sent.xadd(`${full.store.settings.keyPrefix}:requests`, '*', 'body', body);
      await sent.config('SET', 'maxmemory', memory).exec();
      await sleep(2_000);
      expect(await redis.xlen(`${full.store.settings.keyPrefix}:requests`)).toBeGreaterThan(0);
      await redis.config('SET', 'maxmemory', '0');
      const isDone = async () => (await redis.xlen(`${full.store.settings.keyPrefix}:requests`)) === 0;
      await until('all settled', isDone);
      expect(await dead.count()).toBe(0);
      const answers = await Promise.all(bodies.map((_, i) => results.result(`full-${i}`)));
      expect(answers.filter((answer) => answer === undefined)).toEqual([]);
      expect(await requests.removeConsumers(60_000)).toEqual([]);
    } finally {
      await full.close();
    }
  });
});

describe('a worker', () => {
  it('that drains ends what it took and takes its name off the group', async () => {
    const { redis } = world.store;
    const entries = await Promise.all(Array.from({ length: 40 }, (_, i) => send(request(`drain-${i}`))));
    worker.process.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    const left = await redis.xlen(stream());
    const [pending] = (await redis.xpending(stream(), GROUP)) as [number];
    expect(pending).toBeLessThanOrEqual(1); // `held` of the test before
    expect(left).toBeLessThanOrEqual(entries.length + 1);
    const consumers = (await redis.xinfo('CONSUMERS', stream(), GROUP)) as unknown[];
    expect(consumers.length).toBeLessThanOrEqual(1);
  });

  it('that is killed while it answers loses nothing', async () => {
    const first = await world.startWorkerWith(IMPATIENT, '--queues', 'events');
    const ids = Array.from({ length: 600 }, (_, i) => `killed-${i}`);
    const sending = Promise.all(ids.map((id, i) => send(request(id, { features: { ...features, income: 1000 + i } }))));
    await until('some answers', async () => (await first.rows()) > 50);
    first.process.kill('SIGKILL');
    await sending;
    await world.startWorkerWith(IMPATIENT, '--queues', 'events');
    await until('all entries settled', async () => (await world.store.redis.xlen(stream())) === 0);
    const answers = await Promise.all(ids.map((id) => world.store.results.result(id)));
    expect(answers.filter((answer) => answer === undefined)).toEqual([]);
  });
});
