/** Who waits for room in Redis waits for somebody: when the client, the server or the worker goes, the waiting ends. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Schedules } from '../../dist/jobs/schedules/schedule.js';
import { loadPolicy } from '../../dist/policy/policy.js';
import { readMemory } from '../../dist/store/redis/memory.js';
import type { Store } from '../../dist/store/store.js';
import { startRedis } from '../../scripts/redis.mjs';
import { ApiWorld, POLICY_LINE } from './api-world.js';
import { until, World } from './queue-world.js';

const CSV = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };
const ROOM = 500_000_000;
/** Of the example's rows: so many that a part of the upload is still to be read when it begins to wait. */
const COPIES = 4;
const ROWS = 3_000 * COPIES;

let ending: (() => Promise<void>) | undefined;

afterEach(() => ending?.());

const limitMemory = (store: Store, bytes: number) => store.redis.config('SET', 'maxmemory', Math.round(bytes));

/** More than the share of batches is used, and all else is still taken. */
async function leaveNoRoom(store: Store): Promise<void> {
  await store.redis.setrange('filler', 20_000_000, 'x');
  await limitMemory(store, 1.25 * (await readMemory(store.redis)).usedBytes);
}

/** How often Redis is asked, for more than a round of who waits: how full it is, beyond our own question, and for hashes. */
async function looksInAWhile(store: Store): Promise<{ info: number; hgetall: number }> {
  const count = async () => {
    const stats = await store.redis.info('commandstats');
    return (name: string) => Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
  };
  const before = await count();
  await sleep(1_500);
  const after = await count();
  return { info: after('info') - before('info') - 1, hgetall: after('hgetall') - before('hgetall') };
}

const NONE = { info: 0, hgetall: 0 };

describe('an upload', () => {
  async function create() {
    const api = await ApiWorld.create({}, [], await startRedis());
    ending = () => api.close();
    const file = readFileSync(api.world.writeRows('rows.csv', COPIES), 'utf8');
    const upload = (id: string, signal?: AbortSignal) =>
      api.call('POST', `/v1/batches?model=credit&batch=${id}`, { headers: CSV, body: file, signal });
    return { api, upload };
  }

  it('stops waiting when its client is gone, and the same again completes it', async () => {
    const { api, upload } = await create();
    const { store } = api.world;
    await leaveNoRoom(store);
    const patience = new AbortController();
    const left = [1, 2, 3].map((i) => upload(`left-${i}`, patience.signal).catch((error: Error) => error.name));
    await until('all to wait', async () => (await store.batches.open()).size === 3);
    const { info, hgetall } = await looksInAWhile(store);
    expect(info).toBeGreaterThan(0);
    expect(info).toBeLessThanOrEqual(2 * left.length);
    expect(hgetall).toBe(0); // nothing of a batch can make room where too much is used already
    patience.abort();
    expect(await Promise.all(left)).toEqual(['AbortError', 'AbortError', 'AbortError']);
    await until('no upload to look any more', async () => isDeepStrictEqual(await looksInAWhile(store), NONE));
    expect(api.lines.join('')).not.toContain('"level":"error"');
    await limitMemory(store, ROOM);
    expect(await upload('left-1')).toMatchObject({ status: 201, json: { rows: ROWS } });
    expect((await store.batches.status('left-1')).rows).toBe(ROWS);
  });

  it('is told to come again when the server goes down', async () => {
    const { api, upload } = await create();
    await leaveNoRoom(api.world.store);
    const waiting = upload('cut');
    await until('it to wait', async () => (await api.world.store.batches.open()).size === 1);
    await api.server.drain();
    const { json, headers } = await waiting;
    expect(json).toMatchObject({ status: 503, code: 'interrupted' });
    expect(headers.get('retry-after')).toBe('1');
  });
});

it('a run of a schedule is left to the next worker, which goes on with its batch', async () => {
  const world = await World.withModel(await startRedis());
  ending = () => world.close();
  const { store } = world;
  const inbox = world.path('inbox');
  mkdirSync(inbox);
  writeFileSync(join(inbox, 'a.csv'), readFileSync(world.writeRows('rows.csv', 1)));
  const schedules = new Schedules(store);
  const policy = { document: loadPolicy(JSON.parse(POLICY_LINE)).document };
  const fixed = { schema: 'elsewise.schedule/v1', timeZone: 'UTC', model: 'credit', isPaused: false } as const;
  const plan = {
    name: 'nightly',
    policy,
    cron: '0 2 29 2 *',
    input: join(inbox, '*.csv'),
    created: new Date().toISOString(),
  };
  await schedules.add({ ...fixed, ...plan }, { replace: false });
  const first = await world.serve({ schedules: true });
  await leaveNoRoom(store);
  const id = await schedules.run('nightly', { again: false });
  await until('it to wait', async () => (await store.batches.open()).size === 1);
  const [batch] = (await store.batches.open()).keys();

  await first.drain();
  expect(await store.schedules.run('nightly', id)).toMatchObject({ outcome: 'running', files: [] });
  expect(await looksInAWhile(store)).toEqual(NONE);

  await limitMemory(store, ROOM);
  await world.serve({ schedules: true });
  await until('the run', async () => (await store.schedules.run('nightly', id))?.outcome !== 'running');
  expect(await store.schedules.run('nightly', id)).toMatchObject({ outcome: 'added', files: [{ batch, rows: 3_000 }] });
  expect([...(await store.batches.open()).keys()]).toEqual([batch]);
  const { rows, manifest } = await store.batches.status(batch);
  expect(rows).toBe(3_000);
  expect(manifest.by).toBe('schedule:nightly');
});
