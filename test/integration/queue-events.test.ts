/** Single rows: by the producer of the package, and as raw jobs like those of producers in other languages. */
import { readFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { resultSchema } from '../../src/documents/result-document.js';
import { loadModel, loadPolicy, prepare } from '../../src/index.js';
import { type ReadRow, readRows } from './example-row.js';
import { POLICY, until, World, withoutTimes } from './queue-world.js';

const TREE_MODEL = new URL('../fixtures/forests/sklearn-tree.model.json', import.meta.url);
const policy = JSON.parse(readFileSync(POLICY, 'utf8'));

let world: World;
let producer: Producer;
let features: ReadRow['features'];

beforeAll(async () => {
  world = await World.withModel();
  producer = new Producer(world.store);
  [{ features }] = readRows(world.writeRows('one.csv', 1));
  await world.startWorker();
});

afterAll(() => world.close());

async function answerTo(id: string): Promise<string> {
  let answer: string | undefined;
  await until(`the answer to ${id}`, async () => {
    answer = await world.store.results.result(id);
    return answer !== undefined;
  });
  return answer!;
}

async function published(): Promise<{ id: string; key: string; body: string }[]> {
  const entries = await world.store.redis.xrange(`${world.store.settings.keyPrefix}:results`, '-', '+');
  return entries.map(([, [, id, , key, , body]]) => ({ id, key, body }));
}

describe('an event', () => {
  it('is answered under its id and on the stream, with what explain writes', async () => {
    await producer.enqueueEvent({ id: '0-a-0001', model: 'credit', policy, features });
    const answer = await answerTo('0-a-0001');
    expect(resultSchema.parse(JSON.parse(answer)).status).toBe('found');
    expect(`${withoutTimes(answer)}`).toBe((await world.explain(world.path('one.csv'))).split('\n')[0]);
    const { redis, settings } = world.store;
    expect(await redis.ttl(`${settings.keyPrefix}:result:0-a-0001`)).toBeGreaterThan(0);
    await until('its place on the stream', async () => (await published()).length === 1);
    expect((await published())[0]).toMatchObject({ id: '0-a-0001', body: answer });
  });

  it('that comes again has the same answer to the byte', async () => {
    const before = await answerTo('0-a-0001');
    await producer.enqueueEvent({ id: '0-a-0001', model: 'credit@1', policy, features });
    await until('its second place on the stream', async () => (await published()).length === 2);
    const [first, second] = await published();
    expect(second).toEqual(first);
    expect(await answerTo('0-a-0001')).toBe(before);
  });

  it('with the same id and other content replaces the answer', async () => {
    const before = await answerTo('0-a-0001');
    await producer.enqueueEvent({ id: '0-a-0001', model: 'credit', policy, features: { ...features, income: 1500 } });
    await until('the other answer', async () => (await answerTo('0-a-0001')) !== before);
    expect(JSON.parse(await answerTo('0-a-0001')).factual.features.income).toBe(1500);
  });

  it('may be bad itself: then that is its answer', async () => {
    await producer.enqueueEvent({ id: 'bad', model: 'credit', policy, features: { ...features, age: 'old' } });
    expect(JSON.parse(await answerTo('bad'))).toMatchObject({ status: 'invalid', reason: { path: 'features.age' } });
  });

  it('is refused by the producer when it is no event', async () => {
    await expect(producer.enqueueEvent({ id: '', model: 'credit', features })).rejects.toThrow('event.id');
    await expect(producer.enqueueEvent({ id: 'x', model: 'nobody', features })).rejects.toThrow('no model "nobody"');
  });
});

describe('a model of trees', () => {
  it('answers as in one process, under every policy', async () => {
    const document = JSON.parse(readFileSync(TREE_MODEL, 'utf8'));
    await world.store.models.push(document);
    const model = loadModel(document, { version: 1 });
    const values: number[] = document.probes.rows[0];
    const row = Object.fromEntries(values.map((value, f) => [document.features[f].name, value]));
    const target = model.classes.find((label) => label !== model.predict(row).prediction);
    for (const norm of ['l1', 'l2'] as const) {
      const treePolicy = { schema: 'elsewise.policy/v1' as const, cost: { norm }, target };
      const id = `tree-${norm}`;
      await producer.enqueueEvent({ id, model: document.name, policy: treePolicy, features: row });
      const plan = await prepare(model, loadPolicy(treePolicy));
      const own = plan.explain({ id, features: row });
      expect(own.status).toBe('found');
      expect(withoutTimes(await answerTo(id))).toBe(withoutTimes(JSON.stringify(own)));
    }
  });
});

describe('a raw job', () => {
  it('is answered when it fits the schema and fails with the path when it does not', async () => {
    const { redis, settings } = world.store;
    const queue = new Queue('elsewise-events', { connection: redis, prefix: settings.queuePrefix });
    const raw = { schema: 'elsewise.event-job/v1', model: 'credit', features, target: 'approved' };
    await queue.add('event', { ...raw, id: 'raw' });
    expect(JSON.parse(await answerTo('raw'))).toMatchObject({ status: 'found', model: { version: 1 } });
    await queue.add('event', { ...raw, id: 'typo', taget: 'approved' }, { jobId: 'typo' });
    await until('its failure', async () => (await world.store.dead.find('events-typo')) !== undefined);
    expect(await world.store.dead.read('events-typo')).toMatchObject({
      code: 'bad-document',
      message: 'job.taget: unknown key, did you mean "target"?',
    });
    await queue.close();
  });
});
