/** What can happen to a batch besides being worked on: interrupted, shared, cancelled, retried, left behind, expired. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelBatch, retryBatch } from '../../dist/jobs/batches/batch-control.js';
import { summariseBatch } from '../../dist/jobs/batches/batch-summary.js';
import { BatchSweep } from '../../dist/jobs/batches/batch-sweep.js';
import { reconcile } from '../../dist/jobs/batches/reconcile.js';
import { chunkJobId } from '../../dist/jobs/contract.js';
import { Producer } from '../../dist/jobs/producer.js';
import { duplicateOf } from '../../dist/store/redis/redis.js';
import { Keys } from '../../src/store/keys.js';
import { POLICY, until, World, withoutTimes } from './queue-world.js';

const PROGRAM = join(fileURLToPath(new URL('../..', import.meta.url)), 'dist', 'cli', 'main.js');

let world: World;
let queue: Queue;
let rows: string;
let expected: string;

beforeAll(async () => {
  world = await World.withModel();
  const { redis, settings } = world.store;
  queue = new Queue('elsewise-bulk', { connection: redis, prefix: settings.queuePrefix });
  rows = world.writeRows('rows.csv', 1);
  expected = await world.explain(rows);
});

afterAll(async () => {
  await queue.close();
  await world.close();
});

const status = (id: string) => world.store.batches.status(id);
const open = async () => [...(await world.store.batches.open()).keys()];

async function waitFor(id: string, ...options: string[]): Promise<string> {
  const output = world.path(`${id}.ndjson`);
  expect(await world.call('batch', 'wait', id, '--output', output, ...options)).toMatchObject({ code: 0 });
  return withoutTimes(readFileSync(output, 'utf8'));
}

describe('an enqueue', () => {
  it('that is killed and repeated ends as if nothing had happened', async () => {
    const many = world.writeRows('many.csv', 10);
    const args = ['enqueue', '--model', 'credit', '--policy', POLICY, '--input', many, '--batch', 'killed'];
    const { redis, settings } = world.store;
    const env = {
      ...process.env,
      REDIS_URL: settings.url,
      ELSEWISE_PREFIX: settings.keyPrefix,
      ELSEWISE_QUEUE_PREFIX: settings.queuePrefix,
    };
    const child = spawn(process.execPath, [PROGRAM, ...args, '--chunk-rows', '100'], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until('some chunks', async () => (await redis.hlen(new Keys(settings.keyPrefix).batchChunks('killed'))) > 20);
    child.kill('SIGKILL');
    await ended;
    expect((await status('killed')).isSealed).toBe(false);
    expect(await open()).toContain('killed');
    const again = await Promise.all([1, 2].map(() => world.run(...args, '--chunk-rows', '100')));
    expect(again.map(({ code }) => code)).toEqual([0, 0]);
    expect(await status('killed')).toMatchObject({ isSealed: true, rows: 30_000, chunks: 300 });
    expect(await queue.getJobCountByTypes('waiting')).toBe(300);
    await cancelBatch(world.store, 'killed');
  });

  it('says who and when, and cuts chunks by how long rows take', async () => {
    const id = await world.enqueue(rows, '--batch', 'probed', '--by', 'night shift', '--ttl', '2h');
    const { manifest, input } = await status(id);
    expect(manifest).toMatchObject({ by: 'night shift', ttlSeconds: 7200, probe: { rows: 32 } });
    expect(manifest.chunkRows).toBeGreaterThan(1);
    expect(input).toMatch(/^sha256:/);
    expect(await world.enqueue(rows, '--batch', id)).toBe(id); // another measurement, the same cut
    const { redis, settings } = world.store;
    for (const key of await redis.keys(`${settings.keyPrefix}:batch:{probed}*`)) {
      expect(await redis.ttl(key)).toBeLessThanOrEqual(7200);
      expect(await redis.ttl(key)).toBeGreaterThan(7000);
    }
    const conflict = ['--model', 'credit', '--policy', POLICY, '--input', rows, '--batch', id, '--chunk-rows', '7'];
    expect(await world.call('enqueue', ...conflict)).toMatchObject({ code: 2 });
    await cancelBatch(world.store, id);
  });

  it('refuses a time that is none', async () => {
    const args = ['enqueue', '--model', 'credit', '--input', rows, '--ttl', 'soon'];
    expect(await world.call(...args)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a cancelled batch', () => {
  it('has no jobs and no rows, keeps what is done, and is not waited for', async () => {
    const id = await world.add(rows, { batch: 'cancelled', chunkRows: 100 });
    const worker = await world.startWorker('--queues', 'bulk');
    await until('some chunks', async () => (await status(id)).done > 3);
    worker.process.kill('SIGTERM');
    await worker.ended;
    const { done } = await status(id);
    expect(await world.call('batch', 'cancel', id)).toMatchObject({ code: 0 });
    expect(await queue.getJobCountByTypes('waiting', 'delayed', 'active')).toBe(0);
    const keys = await world.store.redis.keys(`${world.store.settings.keyPrefix}:batch:{cancelled}:rows:*`);
    expect(keys).toEqual([]);
    expect((await status(id)).queuedBytes).toBe(0);
    const output = world.path('cancelled.ndjson');
    const { code, stderr } = await world.run('batch', 'wait', id, '--output', output);
    expect({ code, says: stderr.includes('was cancelled') }).toEqual({ code: 2, says: true });
    const written = withoutTimes(readFileSync(output, 'utf8'));
    expect(expected.startsWith(written)).toBe(true);
    expect(written.split('\n').length - 1).toBe(100 * done);
    expect(await summariseBatch(world.store, id)).toMatchObject({ state: 'cancelled', done });
    expect(await open()).not.toContain(id);
    expect(await world.call('batch', 'retry', id)).toMatchObject({ code: 2 });
    const again = ['enqueue', '--model', 'credit', '--policy', POLICY, '--input', rows, '--batch', id];
    expect((await world.call(...again)).stderr).toContain('was cancelled');
  });

  it('has no rows of chunks that failed either', async () => {
    const { batches } = world.store;
    const id = await world.add(rows, { batch: 'half-failed', chunkRows: 1000 });
    const { digest, firstRow, rows: count } = (await batches.chunk(id, 1))!;
    await batches.fail(id, 1, { state: 'failed', digest, firstRow, rows: count, code: 'failed', message: 'x' });
    expect((await status(id)).queuedBytes).toBeGreaterThan(0);
    expect(await cancelBatch(world.store, id)).toEqual({ outcome: 'cancelled', dropped: 3 });
    expect(await cancelBatch(world.store, id)).toMatchObject({ outcome: 'cancelled' });
    expect((await status(id)).queuedBytes).toBe(0);
    await expect(cancelBatch(world.store, 'never-there')).rejects.toThrow('no batch "never-there" is stored');
  });

  it('has its running chunks stopped', async () => {
    const worker = await world.startWorker('--queues', 'bulk');
    const id = await world.enqueue(rows, '--batch', 'running', '--chunk-rows', '3000', '--count', '6', '--region');
    await until('a running chunk', async () => (await queue.getActiveCount()) > 0);
    await sleep(1_000);
    expect((await status(id)).done).toBe(0);
    await world.call('batch', 'cancel', id);
    await until('the chunk to stop', async () => (await queue.getActiveCount()) === 0);
    expect(await status(id)).toMatchObject({ done: 0, failed: 0 });
    const next = await world.add(rows, { batch: 'after-running', chunkRows: 500 });
    expect(await waitFor(next)).toBe(expected); // the worker lives
    expect(await open()).not.toContain(next);
    expect(await world.call('batch', 'cancel', next)).toMatchObject({ stdout: `${next}: was done already\n` });
    worker.process.kill('SIGTERM');
    await worker.ended;
  });
});

describe('a batch with failed chunks', () => {
  it('is whole after a retry, and all of it expires at the same time', async () => {
    const { redis, settings, batches } = world.store;
    const keys = new Keys(settings.keyPrefix);
    const id = await world.add(rows, { batch: 'mended', chunkRows: 500 });
    const good = await redis.getBuffer(keys.batchRows(id, 3));
    await redis.set(keys.batchRows(id, 3), 'damaged');
    const worker = await world.startWorker('--queues', 'bulk');
    await until('the others', async () => (await status(id)).done === 5 && (await status(id)).failed === 1);
    expect(await summariseBatch(world.store, id)).toMatchObject({ state: 'failed' });
    expect(await open()).toContain(id);
    await redis.set(keys.batchRows(id, 3), good!);
    expect(await retryBatch(world.store, id)).toBe(1);
    expect(await waitFor(id)).toBe(expected);
    expect(await batches.status(id)).toMatchObject({ done: 6, failed: 0, queuedBytes: expect.any(Number) });
    await until('the end', async () => !(await open()).includes(id));
    const left = await Promise.all((await redis.keys(`${keys.batch(id)}*`)).map((key) => redis.expiretime(key)));
    expect(left.length).toBe(10);
    expect(Math.max(...left) - Math.min(...left)).toBeLessThanOrEqual(1);
    worker.process.kill('SIGTERM');
    await worker.ended;
  });
});

describe('chunks that a dead worker left behind', () => {
  it('without a job get one, and with a failed one are failed: waiting ends', async () => {
    const id = await world.add(rows, { batch: 'lost', chunkRows: 1000 });
    const { manifest } = await status(id);
    await (await queue.getJob(chunkJobId(manifest, 0)))!.remove();
    const failing = (await queue.getJob(chunkJobId(manifest, 2)))!;
    await failing.remove();
    // a job that fails while nobody is there to write it down, as one that stalled too often does
    const { Worker } = await import('bullmq');
    const broken = await queue.add('chunk', failing.data, { jobId: failing.id, attempts: 1, lifo: true });
    const { redis, settings } = world.store;
    const connection = duplicateOf(redis);
    const thief = new Worker('elsewise-bulk', null, { connection, prefix: settings.queuePrefix, autorun: false });
    const taken = await thief.getNextJob('token');
    expect(taken!.id).toBe(broken.id);
    await taken!.moveToFailed(new Error('job stalled more than allowable limit'), 'token', false);
    await thief.close();
    connection.disconnect();
    await reconcile(world.store, id);
    expect(await status(id)).toMatchObject({ failed: 1 });
    expect(await queue.getJobState(chunkJobId(manifest, 0))).toBe('waiting');
    const worker = await world.startWorker('--queues', 'bulk');
    const output = world.path('lost.ndjson');
    const ended = await world.run('batch', 'wait', id, '--output', output);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('stalled more than');
    expect(readFileSync(output, 'utf8').split('\n').length - 1).toBe(2000);
    await retryBatch(world.store, id);
    expect(await waitFor(id, '--resume')).toBe(expected);
    worker.process.kill('SIGTERM');
    await worker.ended;
  });

  it('of a batch that expired are off the list of open ones after a sweep', async () => {
    const { redis, settings } = world.store;
    const keys = new Keys(settings.keyPrefix);
    const producer = new Producer(world.store);
    await redis.hset(keys.openBatches(), 'ghost', JSON.stringify({ model: 'credit@1', since: 'long ago' }));
    await producer.enqueueBatch({
      source: pieces(readFileSync(rows)),
      name: 'rows.csv',
      model: 'credit',
      policy: JSON.parse(readFileSync(POLICY, 'utf8')),
      batch: 'short',
      ttlSeconds: 3,
    });
    expect(await open()).toContain('short');
    await until('it to expire', async () => (await redis.keys(`${keys.batch('short')}*`)).length === 0);
    await new BatchSweep(world.store).run();
    expect(await open()).not.toContain('ghost');
    expect(await open()).not.toContain('short');
  });
});

describe('the status of a batch', () => {
  it('has counts, speed and what answers cost', async () => {
    const summary = await summariseBatch(world.store, 'after-running');
    expect(summary).toMatchObject({ state: 'done', rows: 3000, answered: 3000, secondsLeft: null });
    const costs = expected
      .trimEnd()
      .split('\n')
      .flatMap((line) => JSON.parse(line).counterfactuals.slice(0, 1))
      .map(({ cost }: { cost: number }) => cost)
      .sort((a: number, b: number) => a - b);
    const near = (value: number, wanted: number) => expect(Math.abs(value / wanted - 1)).toBeLessThan(0.011);
    near(summary.cost!.min, costs[0]);
    near(summary.cost!.median, costs[Math.ceil(costs.length / 2) - 1]);
    near(summary.cost!.max, costs.at(-1)!);
    expect(summary.cost!.mean).toBeCloseTo(
      costs.reduce((sum: number, cost: number) => sum + cost, 0) / costs.length,
      6,
    );
    const { stdout } = await world.call('batch', 'status', 'after-running');
    for (const word of ['speed', 'rows/s', 'median', 'found', 'added']) expect(stdout).toContain(word);
  });
});

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
