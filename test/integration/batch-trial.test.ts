/** Before a batch is made, model, policy and first rows are tried: off the main loop, within limits, with the same refusals. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../dist/index.js';
import { Producer } from '../../dist/jobs/producer.js';
import { SLOW_FOREST, SLOW_ROW, slowPolicy } from '../support/slow-forest.js';
import { ApiWorld } from './api-world.js';
import { MODEL, POLICY } from './queue-world.js';

/** Longer than a test may last, so that a trial that waits for the row is found out. */
const DEADLINE_MS = 600_000;

let api: ApiWorld;
let producer: Producer;

beforeAll(async () => {
  api = await ApiWorld.create({}, []);
  producer = new Producer(api.world.store);
  await api.world.store.models.push(SLOW_FOREST);
});

afterAll(() => api.close());

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** How often the loop of this process came round meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  await work();
  clearInterval(timer);
  return turns;
}

describe('rows that take long', () => {
  it('hold up nothing else in the process, are given up, and make chunks of one', async () => {
    const batch = { source: bytesOf(SLOW_ROW), name: 'slow.csv', model: 'slow', batch: 'slow' };
    const turns = await turnsDuring(() => producer.enqueueBatch({ ...batch, policy: slowPolicy(DEADLINE_MS) }));
    expect(turns).toBeGreaterThan(20);
    const { manifest } = await api.world.store.batches.status('slow');
    expect(manifest).toMatchObject({ chunkRows: 1, probe: { rows: 32, msPerRow: 2_000 } });
  });

  it('leave the API free to answer others, and rows before them count as well', async () => {
    let asked = 0;
    const upload = api.call('POST', '/v1/batches?model=slow&batch=mixed', {
      as: 'submit',
      headers: { 'content-type': 'text/csv', 'x-elsewise-policy': JSON.stringify(slowPolicy(DEADLINE_MS)) },
      body: SLOW_ROW.replace('\n', '\nno row\nno row\nno row\n'),
    });
    for (let isDone = false; !isDone; asked++) {
      await api.call('GET', '/healthz', { as: 'nobody' });
      isDone = await Promise.race([upload.then(() => true), sleep(50, false)]);
    }
    expect((await upload).status).toBe(201);
    expect(asked).toBeGreaterThan(10);
    expect((await api.world.store.batches.status('mixed')).manifest.probe).toEqual({ rows: 32, msPerRow: 500 });
  });
});

describe('a batch of rows that do not', () => {
  it('is cut once, and the same when it is added again', async () => {
    const { batches } = api.world.store;
    const rows = readFileSync(api.world.writeRows('fast.csv', 1), 'utf8');
    const add = () =>
      producer.enqueueBatch({ source: bytesOf(rows), name: 'fast.csv', model: 'credit', batch: 'fast', policy: fast });
    const fast = JSON.parse(readFileSync(POLICY, 'utf8'));
    const first = await add();
    const { chunkRows, probe } = (await batches.status('fast')).manifest;
    expect(probe!.rows).toBe(32);
    expect(first).toMatchObject({ rows: 3_000, chunks: 1 + Math.ceil((3_000 - 32) / chunkRows) });
    expect(await add()).toEqual(first);
  });
});

describe('a policy that does not go with the model', () => {
  it.each([
    ['a feature', { features: { agee: { change: 'never' } } }],
    ['a target', { target: 'perhaps' }],
    ['a constraint', { constraints: ['age <= incme'] }],
    ['a solver', { solvers: ['magic'] }],
  ])('is refused as `prepare` refuses it: %s', async (_, part) => {
    const policy = { schema: 'elsewise.policy/v1', ...part };
    const model = loadModel(JSON.parse(readFileSync(MODEL, 'utf8')));
    const { code, path, message } = await prepare(model, loadPolicy(policy)).catch((error) => error);
    expect(path).not.toBe('');
    const added = producer.enqueueBatch({ source: bytesOf('age\n1\n'), name: 'rows.csv', model: 'credit', policy });
    await expect(added).rejects.toMatchObject({ code, path, message });
  });
});
