/** A row is solved once, whoever asks for it and under whatever name; everybody gets the answer as `explain` gives it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { POLICY, type RunningWorker, sumOf, until, World, withoutTimes } from './queue-world.js';

let world: World;
let worker: RunningWorker;
let producer: Producer;
let rows: string;

beforeAll(async () => {
  world = await World.withModel();
  producer = new Producer(world.store);
  worker = await world.startWorker();
  rows = world.writeRows('rows.csv', 1);
});

afterAll(() => world.close());

const reused = async () => sumOf((await worker.get('/metrics')).text, 'elsewise_once_hits_total');
const policy = () => JSON.parse(readFileSync(POLICY, 'utf8'));

/** The rows of a CSV file with other ids, in another order. */
function renamed(path: string): string {
  const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const other = world.path('renamed.csv');
  writeFileSync(other, `${[header, ...lines.reverse().map((line) => `again-${line}`)].join('\n')}\n`);
  return other;
}

describe('a batch of rows that another had', () => {
  it('is answered without solving, under its own ids and in its own order', async () => {
    // few blocks on any machine: of many small ones only some are worth opening
    expect(await world.results(await world.add(rows, { chunkRows: 500 }))).toBe(await world.explain(rows));
    const before = await reused();
    const other = renamed(rows);
    const answered = await world.results(await world.add(other, { chunkRows: 700 }));
    expect(answered).toBe(await world.explain(other));
    expect((await reused()) - before).toBe(3000);
    expect((await worker.get('/metrics')).text).toContain('elsewise_once_hits_total{queue="elsewise-bulk"} 3000');
  });

  it('is solved when the policy differs', async () => {
    const before = await reused();
    await world.results(await world.enqueue(rows, '--count', '2'));
    expect(await reused()).toBe(before);
  });

  it('is counted like any other', async () => {
    const [first, second] = await Promise.all(
      (await world.store.redis.keys(`${world.store.settings.keyPrefix}:batch:{*}`))
        .slice(0, 2)
        .map((key) => world.store.batches.status(/\{(.*)\}/.exec(key)![1])),
    );
    expect(first.answered).toBe(second.answered);
  });
});

describe('an event', () => {
  const features = () => {
    const [header, row] = readFileSync(rows, 'utf8')
      .split('\n', 2)
      .map((line) => line.split(','));
    return Object.fromEntries(header.map((name, c) => [name, spelt(row[c])]).slice(1));
  };
  const ask = async (id: string, asked: Record<string, string | number | boolean>) => {
    await producer.enqueueEvent({ id, model: 'credit', policy: policy(), features: asked });
    await until(`the answer to ${id}`, async () => (await world.store.results.result(id)) !== undefined);
    return (await world.store.results.result(id))!;
  };

  it('with a row of a batch has that answer, under its own id', async () => {
    const before = await reused();
    const answer = await ask('event-1', features());
    const [line] = (await world.explain(rows)).split('\n');
    const { id, ...content } = JSON.parse(withoutTimes(answer));
    const { id: other, ...wanted } = JSON.parse(line);
    expect(id).toBe('event-1');
    expect(other).not.toBe(id);
    expect(content).toEqual(wanted);
    expect((await reused()) - before).toBe(1);
  });

  it('that is asked by two has two answers that differ in the id only', async () => {
    const asked = { ...features(), age: 33 };
    const before = await reused();
    const first = await ask('twin-1', asked);
    const second = await ask('twin-2', asked);
    expect(second).toBe(first.replace('"id":"twin-1"', '"id":"twin-2"'));
    expect((await reused()) - before).toBe(1);
  });

  it('serves a batch that comes later', async () => {
    const asked = { ...features(), age: 34 };
    await ask('first', asked);
    const before = await reused();
    const file = world.path('one.ndjson');
    writeFileSync(file, `${JSON.stringify({ id: 'later', features: asked })}\n`);
    const answered = await world.results(await world.add(file));
    expect(answered).toBe(await world.explain(file));
    expect((await reused()) - before).toBe(1);
  });
});

describe('switched off', () => {
  it('every row is solved and nothing kept', async () => {
    const off = await World.withModel();
    const solving = await off.startWorkerWith({ ELSEWISE_ONCE_TTL_SECONDS: '0' }, '--queues', 'bulk');
    const input = off.writeRows('rows.csv', 1);
    for (const batch of ['one', 'two']) {
      const id = await off.add(input, { batch });
      await until('its end', async () => (await off.store.batches.status(id)).answered === 3000);
    }
    expect(sumOf((await solving.get('/metrics')).text, 'elsewise_once_hits_total')).toBe(0);
    expect(await off.store.redis.keys(`${off.store.settings.keyPrefix}:known-rows:*`)).toEqual([]);
    await off.close();
  });
});

function spelt(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}
