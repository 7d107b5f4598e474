/** Webhooks at the end of a batch: signed, repeated, only to hosts of the settings, and no redirects. A real receiver and a real Redis. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { config } from '../../dist/config.js';
import { webhookSchema } from '../../dist/jobs/webhooks/webhook-document.js';
import { ApiWorld, POLICY_LINE } from './api-world.js';
import { until } from './queue-world.js';

const KEY = Buffer.alloc(32, 7);

interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly atMs: number;
}

let receiver: Server;
let api: ApiWorld;
let rows: string;
/** Other files use the settings of this process as well. */
const before = { ...config.webhooks };
const received: Received[] = [];
/** Statuses to answer with, by path; after the last one 204. */
const statuses = new Map<string, number[]>();

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const path = request.url!;
    received.push({ path, headers: request.headers as Record<string, string>, body, atMs: performance.now() });
    const status = statuses.get(path)?.shift() ?? 204;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  }).listen(0, '127.0.0.1');
  await until('the receiver', async () => receiver.listening);
  const secret = `whsec_${KEY.toString('base64')}`;
  Object.assign(config.webhooks, { hosts: [host()], privateAddresses: true, secret, attempts: 3 });
  api = await ApiWorld.create();
  rows = readFileSync(api.world.writeRows('rows.csv', 1), 'utf8').split('\n').slice(0, 101).join('\n');
});

afterAll(async () => {
  await api.close();
  receiver.close();
  Object.assign(config.webhooks, before);
});

const host = () => `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const at = (path: string) => received.filter((one) => one.path === path);

const upload = (id: string, address = `http://${host()}/${id}`) =>
  api.call('POST', `/v1/batches?model=credit&batch=${id}&webhook=${encodeURIComponent(address)}`, {
    headers: { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE },
    body: rows,
  });

const webhookOf = async (id: string) =>
  (await api.call('GET', `/v1/batches/${id}`)).json.webhook as { outcome: string } | undefined;

const settled = (id: string) => until(`the webhook of ${id}`, async () => (await webhookOf(id))?.outcome !== 'waiting');

it('tells the end of a batch once, with a signature over its time and body', async () => {
  expect((await upload('first')).status).toBe(201);
  await settled('first');
  expect(await webhookOf('first')).toMatchObject({ host: host(), outcome: 'delivered', attempts: 1 });
  const [{ headers, body }, ...others] = at('/first');
  expect(others).toEqual([]);
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  const own = createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest('base64');
  expect(signature).toBe(`v1,${own}`);
  const seconds = Date.now() / 1000 - Number(timestamp);
  expect(Math.abs(seconds)).toBeLessThan(120);
  expect(headers['content-type']).toBe('application/json');
  expect(JSON.parse(body)).toMatchObject({
    schema: 'elsewise.webhook/v1',
    type: 'batch.done',
    batch: { id: 'first', state: 'done', rows: 100, answered: 100, results: '/v1/batches/first/results' },
  });
  expect(webhookSchema.safeParse(JSON.parse(body)).error).toBeUndefined();
  expect(body).not.toContain('a-0001'); // no data of a person
});

it('is repeated with pauses under the same id until it is taken', async () => {
  statuses.set('/later', [500, 404]);
  await upload('later');
  await settled('later');
  const all = at('/later');
  expect(all.map(({ headers }) => headers['webhook-id'])).toEqual([1, 2, 3].map(() => all[0].headers['webhook-id']));
  expect(await webhookOf('later')).toMatchObject({ outcome: 'delivered', attempts: 3 });
  const [first, second] = [all[1].atMs - all[0].atMs, all[2].atMs - all[1].atMs];
  expect(first).toBeGreaterThan(1500);
  expect(second).toBeGreaterThan(3500);
});

it('is given up after its attempts, and redirects are not followed', async () => {
  statuses.set('/away', [302, 302, 302]);
  await upload('away');
  await settled('away');
  expect(await webhookOf('away')).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('redirects') });
  expect(at('/elsewhere')).toEqual([]);
  const { stdout } = await api.world.run('batch', 'status', 'away', '--once');
  expect(stdout).toContain(`${host()}: failed`);
});

it('is counted by outcome', async () => {
  const metrics = await (await fetch(`http://127.0.0.1:${api.worker!.port}/metrics`)).text();
  const count = (outcome: string) =>
    Number(new RegExp(`^elsewise_webhook_deliveries_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
  expect(['delivered', 'retried', 'failed'].map(count)).toEqual([2, 2, 1]); // later was retried twice, away was given up
});

it('tells of a batch that was cancelled', async () => {
  const stop = new AbortController();
  // more lines than the format of a table is detected by, and no end
  const [header, ...lines] = rows.split('\n');
  const many = [header, ...Array.from({ length: 300 }, (_, i) => lines[i % lines.length])].join('\n');
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(`${many}\n`)) });
  const headers = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };
  const address = encodeURIComponent(`http://${host()}/cancelled`);
  const path = `/v1/batches?model=credit&batch=cancelled&webhook=${address}`;
  const uploading = api.fetch('POST', path, { headers, body, signal: stop.signal }).catch(() => {});
  await until('the batch', async () => (await api.call('GET', '/v1/batches/cancelled')).status === 200);
  expect((await api.call('DELETE', '/v1/batches/cancelled')).json).toMatchObject({ state: 'cancelled' });
  await until('the webhook', async () => at('/cancelled').length > 0);
  expect(JSON.parse(at('/cancelled')[0].body)).toMatchObject({ type: 'batch.cancelled' });
  stop.abort();
  await uploading;
});

it('is told by the next sweep where the process died before it was queued', async () => {
  await upload('forgotten');
  await settled('forgotten');
  const { store } = api.world;
  const key = `${store.settings.keyPrefix}:batch:{forgotten}`;
  await store.redis.hdel(key, 'announced');
  const entry = JSON.stringify({ model: 'credit@1', since: new Date().toISOString() });
  await store.redis.hset(`${store.settings.keyPrefix}:batches`, 'forgotten', entry);
  const { BatchSweep } = await import('../../dist/jobs/batches/batch-sweep.js');
  await new BatchSweep(store).run();
  await until('the webhook', async () => at('/forgotten').length === 2);
  expect((await store.batches.open()).has('forgotten')).toBe(false);
});

it('goes to hosts of the settings only', async () => {
  const other = await upload('other', 'https://example.com/hook');
  expect(other.json).toMatchObject({ status: 400, code: 'bad-request', path: 'query.webhook' });
  expect(other.json.detail).toContain('example.com:443 is not in the setting webhooks.hosts');
  expect((await api.call('GET', '/v1/batches/other')).status).toBe(404);
});
