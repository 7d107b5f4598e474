/** How the API goes down and what it does while its Redis is away. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../../dist/api/server.js';
import { type ApiSettings, apiSettings } from '../../dist/api/settings.js';
import { startRedis } from '../../scripts/redis.mjs';
import { ApiWorld, credentials, exampleFeatures, POLICY_LINE, TOKENS } from './api-world.js';
import { until } from './queue-world.js';

const CSV = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };

let api: ApiWorld;

afterEach(() => api.close());

const create = async (given: Partial<ApiSettings> = {}): Promise<void> => {
  api = await ApiWorld.create(given, []);
};

describe('going down', () => {
  it('answers who waits with the place of the answer, and accepts nobody else', async () => {
    await create({ maxWaitMs: 600_000 });
    const body = { id: 'waits', model: 'credit', target: 'approved', features: exampleFeatures(api.world) };
    const waiting = api.call('POST', '/v1/explanations?waitMs=600000', { body });
    await until('the waiting', async () => /waiting 1$/m.test((await api.call('GET', '/metrics')).text));
    const drained = api.server.drain();
    const answer = await waiting;
    await drained;
    expect(answer.status).toBe(202);
    expect(answer.headers.get('connection')).toBe('close');
    await expect(fetch(`${api.server.address}/healthz`)).rejects.toThrow();
  });

  it('is unready first, and serves on meanwhile', async () => {
    await create({ unreadyMs: 1_000 });
    expect(await api.call('GET', '/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
    const drained = api.server.drain();
    expect(await api.call('GET', '/readyz')).toMatchObject({ status: 503, text: 'draining\n' });
    expect((await api.call('GET', '/v1/models')).status).toBe(200);
    await drained;
  });

  it('lets an upload end', async () => {
    await create();
    const rows = readFileSync(api.world.writeRows('rows.csv', 1), 'utf8').split('\n');
    const { port } = new URL(api.server.address);
    const headers = { ...credentials('submit'), ...CSV };
    const upload = request({ port, path: '/v1/batches?model=credit&batch=late', method: 'POST', headers });
    const status = new Promise((resolve) => upload.on('response', (response) => resolve(response.resume().statusCode)));
    upload.write(`${rows.slice(0, 300).join('\n')}\n`);
    await until('the upload', async () => (await api.call('GET', '/v1/batches/late')).status === 200);
    const drained = api.server.drain();
    upload.end(rows.slice(300).join('\n'));
    expect(await status).toBe(201);
    await drained;
    expect((await api.world.store.batches.status('late')).rows).toBe(3000);
  });

  it('cuts off what does not end', async () => {
    await create({ drainMs: 300 });
    const body = readFileSync(api.world.writeRows('rows.csv', 1), 'utf8');
    await api.call('POST', '/v1/batches?model=credit&batch=idle', { headers: CSV, body });
    const response = await api.fetch('GET', '/v1/batches/idle/results');
    const reading = response.text();
    reading.catch(() => {});
    await api.server.drain();
    await expect(reading).rejects.toThrow(); // a download that is not whole does not look whole
  });
});

describe('a Redis that may lose what it is given', () => {
  it('is told of at the start, as workers tell it', async () => {
    api = await ApiWorld.create({}, [], await startRedis({ policy: 'allkeys-lru' }));
    const warnings = api.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    const words: string[] = warnings.map(({ msg }) => msg);
    expect(words).toEqual([
      expect.stringContaining('with maxmemory-policy allkeys-lru it drops jobs and results when it is full'),
      expect.stringContaining('it keeps nothing on disk'),
    ]);
  });
});

describe('without Redis', () => {
  it('requests are told to come again, readiness is false, and it goes on when Redis is back', async () => {
    const redis = await startRedis();
    api = await ApiWorld.create({}, [], { url: redis.url, stop: async () => {} });
    await redis.stop('SIGKILL');
    await until('it notices', async () => (await api.call('GET', '/readyz')).status === 503);
    const asked = await api.call('GET', '/v1/models');
    expect(asked.json).toMatchObject({ status: 503, code: 'redis-away' });
    expect(asked.json.detail).not.toContain('127.0.0.1');
    expect(Number(asked.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    expect((await api.call('GET', '/metrics')).text).toContain('elsewise_redis_up 0');
    const back = await startRedis({ port: redis.port });
    await until('it is back', async () => (await api.call('GET', '/v1/models')).status === 200);
    expect((await api.call('GET', '/readyz')).status).toBe(200);
    await back.stop();
  });

  it('a request under way is told so within seconds', async () => {
    const redis = await startRedis();
    api = await ApiWorld.create({}, [], { url: redis.url, stop: async () => {} });
    const body = { id: 'waits', model: 'credit', target: 'approved', features: exampleFeatures(api.world) };
    const waiting = api.call('POST', '/v1/explanations?waitMs=600000', { body });
    await until('the waiting', async () => /waiting 1$/m.test((await api.call('GET', '/metrics')).text));
    await redis.stop('SIGKILL');
    expect((await waiting).json).toMatchObject({ status: 503, code: 'redis-away' });
  });

  it('it does not start', async () => {
    await create();
    const store = { ...api.world.store.settings, url: 'redis://127.0.0.1:1' };
    const options = { store, api: apiSettings({ port: 0, tokens: TOKENS }, {}), insecureNoAuth: false };
    await expect(ApiServer.start({ ...options, log: { write: () => {} } })).rejects.toThrow('cannot reach Redis');
  });
});
