/** What can be done to a batch over HTTP besides adding and reading it: cancelled, retried, put under a policy of the registry. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../src/store/keys.js';
import { ApiWorld, POLICY_LINE } from './api-world.js';
import { until, withoutTimes } from './queue-world.js';

const CSV = { 'content-type': 'text/csv' };
const POLICY = JSON.parse(POLICY_LINE);
/** Several answers with regions: a row takes so long that a batch can be met while it is worked on. */
const SLOW_POLICY = JSON.stringify({ ...POLICY, name: 'slow', count: 6, region: true });

let api: ApiWorld;
let queue: Queue;
let rows: string;
let expected: string;

beforeAll(async () => {
  api = await ApiWorld.create({}, ['bulk']);
  const { redis, settings } = api.world.store;
  queue = new Queue('elsewise-bulk', { connection: redis, prefix: settings.queuePrefix });
  const file = api.world.writeRows('rows.csv', 1);
  rows = readFileSync(file, 'utf8');
  expected = await api.world.explain(file);
});

afterEach(() => queue.resume()); // a test that fails must not leave the next ones waiting

afterAll(async () => {
  await queue.close();
  await api.close();
});

const upload = (id: string, policy: string = POLICY_LINE, body = rows) =>
  api.call('POST', `/v1/batches?model=credit&batch=${id}`, {
    as: 'submit',
    headers: { ...CSV, 'x-elsewise-policy': policy },
    body,
  });
const stateOf = async (id: string) => (await api.call('GET', `/v1/batches/${id}`, { as: 'read' })).json;
const cancel = (id: string) => api.call('DELETE', `/v1/batches/${id}`, { as: 'submit' });
const retry = (id: string) => api.call('POST', `/v1/batches/${id}/retry`, { as: 'submit' });
const download = async (id: string, query = '') =>
  withoutTimes((await api.call('GET', `/v1/batches/${id}/results${query}`, { as: 'read' })).text);
const countJobs = () => queue.getJobCountByTypes('waiting', 'active', 'delayed');
const noJobs = () => until('the end of all jobs', async () => (await countJobs()) === 0);

describe('DELETE /v1/batches/:id', () => {
  it('stops a batch that is worked on, keeps what is done, and leaves the worker alive', async () => {
    await upload('stopped', SLOW_POLICY, readFileSync(api.world.writeRows('long.csv', 4), 'utf8'));
    await until('first results', async () => (await download('stopped', '?wait=false')) !== '');
    const { status, json } = await cancel('stopped');
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { id: 'stopped', state: 'cancelled', rows: 12_000 },
    });
    expect(await queue.getWaitingCount()).toBe(0);
    await noJobs();
    const { redis, settings } = api.world.store;
    expect(await redis.keys(`${settings.keyPrefix}:batch:{stopped}:rows:*`)).toEqual([]); // those of running chunks too
    const { chunksDone, answered, chunks } = await stateOf('stopped');
    expect(Number(chunksDone)).toBeLessThan(Number(chunks));
    await sleep(300);
    expect(await stateOf('stopped')).toMatchObject({ state: 'cancelled', chunksDone, answered });
    const kept = (await download('stopped', '?wait=false')).split('\n').length - 1; // up to the first gap
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(Number(answered));
    const broken = await api.fetch('GET', '/v1/batches/stopped/results', { as: 'read' });
    await expect(broken.text()).rejects.toThrow(); // waiting for the rest would never end
    await upload('after');
    expect((await download('after')) === expected).toBe(true);
  });

  it('of a batch that is done changes nothing: its results stay', async () => {
    await upload('finished');
    await download('finished');
    const before = await stateOf('finished');
    expect(before).toMatchObject({ state: 'done', answered: 3000 });
    expect(await cancel('finished')).toMatchObject({ status: 200, json: before });
    expect(await stateOf('finished')).toEqual(before);
    expect((await download('finished')) === expected).toBe(true);
  });

  it('can be repeated, and what was cancelled is neither retried nor uploaded again', async () => {
    await queue.pause();
    await upload('unbegun');
    for (let time = 0; time < 2; time++)
      expect(await cancel('unbegun')).toMatchObject({ status: 200, json: { state: 'cancelled', chunksDone: 0 } });
    expect(await countJobs()).toBe(0);
    await queue.resume();
    expect(await retry('unbegun')).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(await upload('unbegun')).toMatchObject({ status: 409, json: { code: 'conflict' } });
    const results = await api.call('GET', '/v1/batches/unbegun/results', { as: 'read' });
    expect(results).toMatchObject({ status: 410, json: { code: 'cancelled' } });
    expect(await stateOf('unbegun')).toMatchObject({ state: 'cancelled', answered: 0 });
  });
});

describe('POST /v1/batches/:id/retry', () => {
  it('gives failed chunks another try, and the batch is whole', async () => {
    const { redis, settings } = api.world.store;
    await queue.pause();
    const { chunks } = (await upload('mended')).json;
    expect(Number(chunks)).toBeGreaterThan(1);
    const key = new Keys(settings.keyPrefix).batchRows('mended', 1);
    const good = (await redis.getBuffer(key))!;
    await redis.set(key, 'damaged');
    await queue.resume();
    await until('its end', async () => (await stateOf('mended')).state === 'failed');
    expect(await stateOf('mended')).toMatchObject({ chunksFailed: 1, chunksDone: Number(chunks) - 1 });
    await redis.set(key, good);
    expect(await retry('mended')).toMatchObject({ status: 200, json: { id: 'mended', chunksFailed: 0 } });
    expect((await download('mended')) === expected).toBe(true);
    expect(await stateOf('mended')).toMatchObject({ state: 'done', answered: 3000, chunksFailed: 0 });
  });

  it('that fails again says so again', async () => {
    const { redis, settings } = api.world.store;
    await queue.pause();
    await upload('spoilt');
    await redis.set(new Keys(settings.keyPrefix).batchRows('spoilt', 0), 'damaged');
    await queue.resume();
    for (let time = 0; time < 2; time++) {
      await until('its end', async () => (await stateOf('spoilt')).state === 'failed');
      const { json } = await api.call('GET', '/v1/batches/spoilt/results', { as: 'read' });
      expect(json.detail).toMatch(/^chunk 0 of batch "spoilt" failed, .* damaged/);
      await queue.pause();
      expect(await retry('spoilt')).toMatchObject({ status: 200, json: { state: 'working', chunksFailed: 0 } });
      await queue.resume();
    }
  });

  it('of a batch that is done does nothing', async () => {
    await upload('whole');
    await download('whole');
    const before = await stateOf('whole');
    await noJobs(); // the last one ends a little after its results are there
    expect(await retry('whole')).toMatchObject({ status: 200, json: before });
    expect(await countJobs()).toBe(0);
  });
});

describe('a batch under a policy of the registry', () => {
  const uploadUnder = (id: string, reference: string) =>
    api.call('POST', `/v1/batches?model=credit&batch=${id}&policy=${reference}`, {
      as: 'submit',
      headers: CSV,
      body: rows,
    });

  const { name } = POLICY;

  it('is answered as under the same document, by version, by alias and by name', async () => {
    const { policies } = api.world.store;
    const { digest } = (await policies.push(POLICY)).version;
    await policies.setAlias(name, 'production', '1');
    const references = { 'by-version': `${name}@1`, 'by-alias': `${name}@production`, 'by-name': name };
    for (const [id, reference] of Object.entries(references)) {
      expect(await uploadUnder(id, reference)).toMatchObject({ status: 201, json: { id, rows: 3000 } });
      expect(await stateOf(id)).toMatchObject({ policy: { name, digest } });
      expect((await download(id)) === expected).toBe(true);
    }
  });

  it('that nobody knows is refused, and there is no batch', async () => {
    for (const reference of ['nobody', `${name}@9`, `${name}@staging`]) {
      const { status, json } = await uploadUnder('refused', reference);
      expect({ status, json }).toMatchObject({ status: 404, json: { code: 'not-known' } });
      expect((await api.call('GET', '/v1/batches/refused')).status).toBe(404);
    }
    expect((await uploadUnder('refused', `${name}s`)).json.detail).toContain(`did you mean "${name}"?`);
  });
});

describe('a batch that nobody knows', () => {
  it('is neither cancelled nor retried', async () => {
    for (const answer of [await cancel('none'), await retry('none')])
      expect(answer).toMatchObject({ status: 404, json: { code: 'not-known' } });
  });
});
