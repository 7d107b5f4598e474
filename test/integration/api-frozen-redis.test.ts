/** The API over a Redis that stands still: no connection breaks and nothing is answered. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { startRedis } from '../../scripts/redis.mjs';
import { ApiWorld, credentials, exampleFeatures, POLICY_LINE } from './api-world.js';
import { until } from './queue-world.js';

/** A request that nobody answers fails by name. */
const PATIENCE_MS = 60_000;
const CSV = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };

let api: ApiWorld;
let pid: number;

afterEach(async () => {
  process.kill(pid, 'SIGCONT');
  await api.close();
});

async function create(): Promise<void> {
  const redis = await startRedis();
  pid = redis.pid!;
  api = await ApiWorld.create({}, [], redis);
}

const isReady = async () => (await api.call('GET', '/readyz')).status === 200;
const told = () => ({ signal: AbortSignal.timeout(PATIENCE_MS) });

/** An upload whose first lines are queued and which goes on as it is told. */
async function beginUpload(batch: string, lines: readonly string[]) {
  const { port } = new URL(api.server.address);
  const headers = { ...credentials('submit'), ...CSV };
  const upload = request({ port, path: `/v1/batches?model=credit&batch=${batch}`, method: 'POST', headers });
  upload.on('error', () => {});
  const status = new Promise((resolve) => upload.on('response', (response) => resolve(response.resume().statusCode)));
  upload.write(`${lines.join('\n')}\n`);
  await until('the upload', async () => (await api.call('GET', `/v1/batches/${batch}`)).status === 200);
  return { upload, status };
}

it('tells requests under way and new ones, and goes on by itself with nothing stored twice', async () => {
  await create();
  const { store } = api.world;
  const file = readFileSync(api.world.writeRows('rows.csv', 1), 'utf8');
  const lines = file.trimEnd().split('\n');
  const row = { id: 'waits', model: 'credit', target: 'approved', features: exampleFeatures(api.world) };
  await api.call('POST', '/v1/batches?model=credit&batch=whole', { headers: CSV, body: file });
  const download = (await api.fetch('GET', '/v1/batches/whole/results', told())).text();
  const { upload, status } = await beginUpload('broken', lines.slice(0, 1_000));
  const waiting = api.call('POST', '/v1/explanations?waitMs=60000', { body: row, ...told() });
  await until('the waiting', async () => /waiting 2$/m.test((await api.call('GET', '/metrics')).text));

  process.kill(pid, 'SIGSTOP');
  const [broken, answer, asked] = await Promise.all([
    download.catch((error: Error) => error),
    waiting,
    api.call('GET', '/v1/batches/whole', told()),
  ]);
  expect(broken).toBeInstanceOf(Error); // what is not whole does not look whole
  expect((broken as Error).name).not.toBe('TimeoutError');
  for (const { json } of [answer, asked]) expect(json).toMatchObject({ status: 503, code: 'redis-away' });
  expect(await status).toBe(503);
  expect(await isReady()).toBe(false);
  expect((await api.call('GET', '/metrics')).text).toContain('elsewise_redis_up 0');
  expect((await api.call('GET', '/v1/models', told())).status).toBe(503);
  upload.end(lines.slice(1_000, 1_500).join('\n')); // nobody takes this for the rest of the batch

  process.kill(pid, 'SIGCONT');
  await until('it goes on', isReady);
  expect((await store.batches.status('broken')).isSealed).toBe(false);
  const again = await api.call('POST', '/v1/batches?model=credit&batch=broken', { headers: CSV, body: file });
  expect(again).toMatchObject({ status: 201, json: { rows: 3_000 } });
  const { rows, chunks } = await store.batches.status('broken');
  expect(rows).toBe(3_000);
  expect((await api.call('POST', '/v1/explanations?waitMs=0', { body: row })).status).toBe(202);
  const count = (queue: string) => store.redis.llen(`${store.settings.queuePrefix}:elsewise-${queue}:wait`);
  expect(await count('events')).toBe(1);
  expect(await count('bulk')).toBe(chunks + (await store.batches.status('whole')).chunks);
  expect(api.lines.join('')).not.toContain('"bug"');
});

it('goes down, and tells the request under way', async () => {
  await create();
  process.kill(pid, 'SIGSTOP');
  const asking = api.call('GET', '/v1/models', told());
  await until('the request', async () => /requests_open 2$/m.test((await api.call('GET', '/metrics')).text));
  await api.server.drain();
  expect((await asking).status).toBe(503);
});
