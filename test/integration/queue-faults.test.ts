/** What may die: a worker in two ways, a payload, Redis. Every row is answered once in the end. */
import { readFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../scripts/redis.mjs';
import { until, World, withoutTimes } from './queue-world.js';

const SLOW = 90_000;

let world: World;
let rows: string;
let expected: string;

beforeAll(async () => {
  world = await World.withModel();
  rows = world.writeRows('rows.csv', 4);
  expected = await world.explain(rows);
});

afterAll(() => world.close());

async function waitFor(id: string): Promise<string> {
  const output = world.path(`${id}.ndjson`);
  const { code, stderr } = await world.run('batch', 'wait', id, '--output', output);
  expect(stderr).toContain('12,000 rows');
  expect(code).toBe(0);
  const { counts, done, chunks } = await world.store.batches.status(id);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(12_000);
  expect(done).toBe(chunks);
  return withoutTimes(readFileSync(output, 'utf8'));
}

const doneChunks = (id: string, count: number) =>
  until(`${count} chunks`, async () => (await world.store.batches.status(id)).done >= count);

describe('a worker', () => {
  it('that gets SIGTERM during a batch drains and ends with 0, and another one finishes', async () => {
    const [first, second] = await Promise.all([world.startWorker(), world.startWorker()]);
    const id = await world.enqueue(rows, '--batch', 'drained', '--chunk-rows', '20');
    await doneChunks(id, 10);
    first.process.kill('SIGTERM');
    const { code, stderr } = await first.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('drained');
    const { done, chunks } = await world.store.batches.status(id);
    expect(done).toBeLessThan(chunks);
    const active = await world.store.redis.llen(`${world.store.settings.queuePrefix}:elsewise-bulk:active`);
    expect(active).toBeLessThanOrEqual(2); // those of the second: the first left none behind
    expect(await waitFor(id)).toBe(expected);
    second.process.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });

  it(
    'that is killed loses nothing: its chunks run again within 15 s',
    async () => {
      const first = await world.startWorker();
      const id = await world.enqueue(rows, '--batch', 'killed', '--chunk-rows', '20');
      await doneChunks(id, 10);
      first.process.kill('SIGKILL');
      await first.ended;
      const { redis, settings } = world.store;
      expect(await redis.llen(`${settings.queuePrefix}:elsewise-bulk:active`)).toBeGreaterThan(0);
      const killedMs = performance.now();
      const second = await world.startWorker();
      expect(await waitFor(id)).toBe(expected);
      expect(performance.now() - killedMs).toBeLessThan(25_000);
      second.process.kill('SIGTERM');
      expect((await second.ended).code).toBe(0);
    },
    SLOW,
  );

  it('lives on after bad payloads, which fail at once with what is wrong', async () => {
    const worker = await world.startWorker();
    const { settings, redis } = world.store;
    const queue = new Queue('elsewise-bulk', { connection: redis, prefix: settings.queuePrefix });
    const payloads: Record<string, [data: unknown, reason: RegExp]> = {
      'no-object': [42, /bad-document: job: /],
      'no-schema': [{ batch: 'x' }, /bad-document: job.schema: /],
      'old-schema': [{ schema: 'elsewise.chunk-job/v0' }, /job.schema/],
      'no-batch': [chunkJob('nowhere', 0), /not-known: the rows of chunk 0 of batch "nowhere" are not stored/],
      polluted: [JSON.parse('{"__proto__": {"isAdmin": true}, "schema": 1}'), /bad-document/],
    };
    for (const [jobId, [data]] of Object.entries(payloads)) await queue.add('chunk', data, { jobId, attempts: 4 });
    for (const [jobId, [, reason]] of Object.entries(payloads)) {
      await until(`the failure of ${jobId}`, async () => (await queue.getJobState(jobId)) === 'failed');
      const job = await queue.getJob(jobId);
      expect(job!.failedReason).toMatch(reason);
      expect(job!.attemptsMade).toBe(1);
    }
    const id = await world.enqueue(rows, '--batch', 'after-bad');
    expect(await waitFor(id)).toBe(expected);
    expect((await worker.get('/metrics')).text).toContain(
      'elsewise_jobs_total{queue="elsewise-bulk",outcome="failed"} 5',
    );
    worker.process.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    await queue.close();
  });
});

describe('Redis', () => {
  it('that is not there ends every command with 3, soon', async () => {
    const away = { REDIS_URL: 'redis://127.0.0.1:1' };
    const commands = [
      ['models', 'list'],
      ['batch', 'status', 'x'],
      ['enqueue', '--model', 'credit', '--input', rows],
      ['worker', '--port', '0'],
      ['explain', '--model', 'credit@1', '--input', rows, '--output', world.path('away.ndjson')],
    ];
    for (const command of commands) {
      const startedMs = performance.now();
      const { code, stderr } = await world.runWith(away, ...command);
      expect(stderr).toContain('cannot reach Redis at redis://127.0.0.1:1');
      expect(code).toBe(3);
      expect(performance.now() - startedMs).toBeLessThan(5_000);
    }
  });

  it(
    'that is killed and comes back finds its worker waiting; a worker can be stopped without it',
    async () => {
      const directory = world.path('');
      const first = await startRedis({ appendonly: true, directory, args: ['--appendfsync', 'always'] });
      const own = await World.withModel({ url: first.url, stop: async () => {} });
      const worker = await own.startWorker();
      const id = await own.enqueue(rows, '--chunk-rows', '20');
      await until('10 chunks', async () => (await own.store.batches.status(id)).done >= 10);
      await first.stop('SIGKILL');
      await until('readiness to be false', async () => (await worker.get('/readyz')).status === 503);
      expect((await worker.get('/metrics')).text).toContain('elsewise_redis_up 0');
      expect((await worker.get('/healthz')).status).toBe(200);
      const second = await startRedis({ appendonly: true, directory, port: first.port });
      await until('readiness to be true', async () => (await worker.get('/readyz')).status === 200);
      const output = own.path('back.ndjson');
      expect(await own.run('batch', 'wait', id, '--output', output)).toMatchObject({ code: 0 });
      expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(expected);
      await second.stop('SIGKILL');
      worker.process.kill('SIGTERM');
      const { code, stderr } = await worker.ended;
      expect(code).toBe(3);
      expect(stderr).toContain('left to other workers');
      await own.close();
    },
    SLOW,
  );
});

function chunkJob(batch: string, chunk: number): object {
  const digest = `sha256:${'0'.repeat(64)}`;
  const model = { name: 'credit', version: 1, digest };
  return { schema: 'elsewise.chunk-job/v1', batch, chunk, firstRow: 1, rows: 1, digest, model, policy: digest };
}
