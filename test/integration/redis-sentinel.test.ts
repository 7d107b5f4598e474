/** Three Sentinels, a master and its replica: a batch goes on over a failover, and nothing is lost that was replicated. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectForWorker } from '../../src/store/redis/redis.js';
import { until, World, withoutTimes } from './queue-world.js';
import { type SentinelServers, startSentinels } from './redis-servers.js';

const PASSWORDS = { redis: 'of-the-servers', sentinel: 'of-the-sentinels' };

const endOf = (redis: Redis) => new Promise<void>((resolve) => void redis.once('end', resolve));

let servers: SentinelServers;
let world: World;

beforeAll(async () => {
  servers = await startSentinels(PASSWORDS);
  const env = { ELSEWISE_STORE_SENTINEL_PASSWORD: PASSWORDS.sentinel };
  world = await World.withModel({ url: servers.url, stop: servers.stop, env });
});

afterAll(() => world.close());

describe('Sentinels', () => {
  it('are asked with their own password, and their addresses may be set by themselves', async () => {
    const wrong = await world.callWith({ ELSEWISE_STORE_SENTINEL_PASSWORD: 'no' }, 'models', 'list');
    expect(wrong.stderr).toMatch(/WRONGPASS.*check user name and password/);
    expect(wrong.code).toBe(3);
    const env = {
      REDIS_URL: '',
      ELSEWISE_STORE_PASSWORD: PASSWORDS.redis,
      ELSEWISE_STORE_SENTINEL_NODES: servers.ports.map((port) => `127.0.0.1:${port}`).join(','),
      ELSEWISE_STORE_SENTINEL_MASTER: 'main',
    };
    expect((await world.callWith(env, 'models', 'list')).stdout).toContain('credit@1');
    const unknown = await world.callWith({ ...env, ELSEWISE_STORE_SENTINEL_MASTER: 'other' }, 'models', 'list');
    expect(unknown.stderr).toContain('the name of the master');
    expect(unknown.code).toBe(3);
  });

  it('are asked again when a question to them was broken off, until the owner closes the connection', async () => {
    const settings = { ...world.store.settings, url: servers.url, sentinelPassword: PASSWORDS.sentinel };
    const redis = connectForWorker(settings, true, () => {}) as Redis;
    await until('a connection', async () => redis.status === 'ready');
    for (const connection of [redis, redis.duplicate()]) {
      connection.on('error', () => {});
      await until('a connection', async () => connection.status === 'ready');
      const ended = endOf(connection);
      connection.once('connecting', () => connection.disconnect(true)); // what a notice of a failover does in this moment
      connection.disconnect(true);
      await ended;
      await until('a new connection', async () => connection.status === 'ready');
      expect(await connection.ping()).toBe('PONG');
      const closed = endOf(connection);
      connection.disconnect();
      await closed;
      await sleep(1_500); // longer than the delay of the next attempt
      expect(connection.status).toBe('end');
    }
  });

  it('name a new master while a batch runs, and it is finished there', async () => {
    const rows = world.writeRows('rows.csv', 2);
    const expected = await world.explain(rows);
    const worker = await world.startWorker();
    const id = await world.add(rows, { chunkRows: 20 });
    await until('10 chunks', async () => (await world.store.batches.status(id)).done >= 10);
    await servers.master.stop('SIGKILL');
    const output = world.path('over.ndjson');
    await until('another master', async () => (await servers.masterPort()) !== servers.master.port);
    await until('readiness', async () => (await worker.get('/readyz')).status === 200);
    expect(await world.run('batch', 'wait', id, '--output', output)).toMatchObject({ code: 0 });
    expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(expected);
    worker.process.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });
});
