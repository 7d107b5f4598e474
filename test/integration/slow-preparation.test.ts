/** A policy that takes long to prepare: others do not wait for it, and beyond the limit it is refused by name. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { MODEL, until, World } from './queue-world.js';

const SAMPLES = 1_600;
/** Prepared in milliseconds. */
const CHEAP = { schema: 'elsewise.policy/v1', target: 'approved' };

let world: World;
let producer: Producer;

beforeEach(async () => {
  world = await World.withModel();
  producer = new Producer(world.store);
});

afterEach(() => world.close());

/** The example with a background of many rows, which an isolation forest has to learn and to score. */
async function pushLargeBackground(): Promise<void> {
  const document = JSON.parse(readFileSync(MODEL, 'utf8'));
  const [header, ...lines] = readFileSync(world.writeRows('rows.csv', 1), 'utf8').trimEnd().split('\n');
  const names = header.split(',');
  const read = (text: string) => (/^(true|false|-?[\d.]+)$/.test(text) ? JSON.parse(text) : text);
  const rows = lines.map((line) => new Map(line.split(',').map((text, c) => [names[c], read(text)])));
  const samples = Array.from({ length: SAMPLES }, (_, i) =>
    document.features.map(({ name }: { name: string }) => rows[i % rows.length].get(name)),
  );
  await world.store.models.push({
    ...document,
    name: 'large',
    background: { ...document.background, samples, labels: undefined },
  });
}

const slow = (seed: number) => ({
  ...CHEAP,
  seed,
  plausibility: { method: 'isolation-forest', atLeast: 0.05, trees: 1000, sampleSize: SAMPLES },
});

const send = (id: string, model: string, policy: object, age = 41) =>
  producer.enqueueEvent({ id, model, policy: policy as never, features: { age } });
const isAnswered = async (id: string) => (await world.store.results.result(id)) !== undefined;

it('is refused by name beyond its limit, and holds up nobody meanwhile', async () => {
  await pushLargeBackground();
  await world.startWorkerWith({ ELSEWISE_EVENTS_MAX_PREPARE_MS: '1000' }, '--queues', 'events');
  await send('first', 'credit', CHEAP);
  await until('the first answer', () => isAnswered('first'));

  for (let i = 0; i < 12; i++) await send(`slow-${i}`, 'large', slow(i));
  await sleep(500);
  for (let i = 0; i < 5; i++) {
    await send(`cheap-${i}`, 'credit', CHEAP, 42 + i); // under a policy that is known to be quick
    await until(`answer ${i}`, () => isAnswered(`cheap-${i}`));
  }
  expect(await world.store.dead.count()).toBeLessThan(12); // the slow ones are still at it
  await send('new', 'credit', { ...CHEAP, seed: 99 });
  await until('the answer under a new policy', () => isAnswered('new'));
  await until('a refusal', async () => (await world.store.dead.count()) > 0);
  for await (const letter of world.store.dead.list())
    expect(letter).toMatchObject({ code: 'prepare-limit', message: expect.stringContaining('1000 ms') });
});
