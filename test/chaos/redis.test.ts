/** Redis that is killed, cut off, frozen or full. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRedis } from '../../scripts/redis.mjs';
import { readMemory } from '../../src/store/redis/memory.js';
import { until } from '../integration/queue-world.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { isLong, ROUNDS, SEED, Trial } from './trial.js';

const EVENTS = isLong ? 1_500 : 400;
const FEW_EVENTS = 100;
/** More than a finished row takes, and less than is expected of one before any is finished. */
const ROW_BYTES = 250;
/** Longer than a lock. */
const CUT_MS = isLong ? 20_000 : 12_000;

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

console.log(`chaos: seed ${SEED} (CHAOS_SEED=${SEED} replays it)`);

describe.each(rounds)('round %i', (round) => {
  it('Redis is killed and restarted from its log', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'elsewise-chaos-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const first = await startRedis({ appendonly: true, directory, args: ['--appendfsync', 'always'] });
    const trial = await Trial.begin('Redis restarted', round, { url: first.url, stop: async () => {} });
    const workers = await trial.startWorkers(2);
    const id = await trial.enqueue('restarted');
    await trial.midway(id);
    await trial.strike(() => first.stop('SIGKILL'));
    await sleep(trial.dice.integer(100, 3000));
    const since = Date.now();
    const second = await startRedis({ appendonly: true, directory, port: first.port });
    await trial.recovery(id, since);
    await trial.conclude(id);
    await second.stop('SIGKILL');
    workers[0].process.kill('SIGTERM');
    const { code, stderr } = await workers[0].ended;
    expect(code).toBe(3); // without Redis nothing can be handed over: it is left to others, and said so
    expect(stderr).toContain('left to other workers');
    await trial.end(workers.slice(1));
  });

  it.each(isLong ? (['cut', 'freeze'] as const) : (['cut'] as const))(
    'the network is gone for longer than a lock: %s',
    async (way) => {
      const redis = await startRedis({});
      const proxy = await TcpProxy.start(redis.port);
      const trial = await Trial.begin(`network ${way}`, round, { url: proxy.url, stop: () => redis.stop() });
      const workers = await trial.startWorkers(2);
      const id = await trial.enqueue('unplugged');
      await trial.midway(id);
      await trial.strike(() => proxy[way]());
      if (way === 'cut')
        await until('readiness to be false', async () => (await workers[0].get('/readyz')).status === 503);
      await sleep(CUT_MS);
      expect((await workers[0].get('/healthz')).status).toBe(200);
      const since = Date.now();
      proxy.restore();
      await trial.recovery(id, since);
      await trial.conclude(id);
      await trial.end(workers);
      await proxy.close();
    },
  );

  it('Redis is nearly full: events are refused, workers drain, all is answered', async () => {
    const redis = await startRedis({ maxmemory: isLong ? '20mb' : '7mb' });
    const trial = await Trial.begin('maxmemory', round, { url: redis.url, stop: () => redis.stop() });
    const enqueued = trial.enqueue('full');
    await sleep(trial.dice.integer(500, 3000));
    const sent = trial.sendEvents(EVENTS);
    await sleep(trial.dice.integer(500, 1000));
    const workers = await trial.startWorkers(1);
    trial.say(`events were refused ${await sent} times before they were taken`);
    const id = await enqueued;
    await trial.conclude(id);
    await trial.concludeEvents(EVENTS);
    await trial.end(workers);
  });

  // a Redis that is smaller than the rows of the short form is filled by its connections and scripts alone
  it.each(isLong ? ['a batch larger than its share'] : [])(
    'Redis fills up by %s: it waits, events go by, workers drain, all is answered',
    async () => {
      const redis = await startRedis({ maxmemory: '100mb' });
      const trial = await Trial.begin('maxmemory', round, { url: redis.url, stop: () => redis.stop() });
      const { store } = trial.world;
      const workers = await trial.startWorkers(1);
      workers[0].process.kill('SIGSTOP'); // its connections take room too
      const { usedBytes } = await readMemory(store.redis);
      const limit = Math.round((usedBytes + trial.rowCount * ROW_BYTES) / store.settings.memoryShare);
      await store.redis.config('SET', 'maxmemory', limit);
      const enqueued = trial.enqueue('full');
      await until('rows', async () => (await store.batches.load('full')).rows > 0);
      await sleep(trial.dice.integer(1500, 3000));
      expect((await store.batches.status('full')).isSealed).toBe(false);
      await trial.sendEvents(FEW_EVENTS);
      workers[0].process.kill('SIGCONT');
      await trial.concludeEvents(FEW_EVENTS);
      const id = await enqueued;
      await trial.conclude(id);
      await trial.end(workers);
    },
  );
});
