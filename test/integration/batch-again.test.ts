/** The id of a batch that has expired is used again: what was made for the earlier batch leaves the new one alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../dist/jobs/batches/reconcile.js';
import { chunkJobId } from '../../dist/jobs/contract.js';
import { queueOptions } from '../../dist/jobs/queues.js';
import { Keys } from '../../dist/store/keys.js';
import { until, World } from './queue-world.js';

const BULK = { lanes: ['bulk'] } as const;

let world: World;
let queue: Queue;
/** The same number of rows each, all different. */
let rows: string;
let others: string;

beforeEach(async () => {
  world = await World.withModel();
  const { redis, settings } = world.store;
  queue = new Queue('elsewise-bulk', { connection: redis, ...queueOptions(settings.queuePrefix) });
  const [header, ...lines] = readFileSync(world.writeRows('all.csv', 1), 'utf8').trimEnd().split('\n');
  rows = write('rows.csv', [header, ...lines.slice(0, 40)]);
  others = write('others.csv', [header, ...lines.slice(40, 80)]);
});

afterEach(async () => {
  await queue.close();
  await world.close();
});

function write(name: string, lines: readonly string[]): string {
  writeFileSync(world.path(name), `${lines.join('\n')}\n`);
  return world.path(name);
}

const add = (input: string) => world.add(input, { batch: 'again', chunkRows: 20 });

/** As Redis does it, but now. */
async function expire(): Promise<void> {
  const { redis, settings } = world.store;
  await redis.del(...(await redis.keys(`${new Keys(settings.keyPrefix).batch('again')}*`)));
}

describe('a batch under the id of one that expired', () => {
  it('is done though the jobs of the earlier one have failed', async () => {
    await add(rows);
    await expire();
    await world.serve(BULK);
    await until('the failures', async () => (await world.store.dead.count()) === 2);
    await add(rows);
    expect(await world.results('again')).toBe(await world.explain(rows));
  });

  it('of other rows is done though the jobs of the earlier one still wait; they end without a letter', async () => {
    await add(rows);
    await expire();
    await add(others);
    await world.serve(BULK);
    expect(await world.results('again')).toBe(await world.explain(others));
    await until('all jobs', async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0);
    expect(await world.store.batches.status('again')).toMatchObject({ done: 2, failed: 0 });
    expect([await queue.getFailedCount(), await world.store.dead.count()]).toEqual([0, 0]);
  });

  it('is read by its own layout', async () => {
    await world.serve(BULK);
    await add(rows);
    await world.results('again');
    await expire();
    const table = readFileSync(others, 'utf8').trimEnd().split('\n');
    const turned = write(
      'turned.csv',
      table.map((line) => line.split(',').reverse().join(',')),
    );
    await add(turned);
    expect(await world.results('again')).toBe(await world.explain(turned));
  });

  it('does not answer for rows of the earlier one', async () => {
    await world.serve(BULK);
    await add(rows);
    await world.results('again');
    await expire();
    await add(others);
    await world.results('again');
    expect(await world.results(await world.add(rows, { batch: 'third' }))).toBe(await world.explain(rows));
  });
});

describe('a job of another producer, whose id says no generation', () => {
  /** In place of the job of a chunk; the data may differ. */
  async function replaceJob(index: number, changes: object = {}): Promise<void> {
    const { manifest } = await world.store.batches.status('again');
    const job = (await queue.getJob(chunkJobId(manifest, index)))!;
    await job.remove();
    await queue.add('chunk', { ...job.data, ...changes }, { jobId: `chunk-again-${index}` });
  }

  it('is worked like any other, also where the chunk gets a second one', async () => {
    await add(rows);
    for (const index of [0, 1]) await replaceJob(index);
    await reconcile(world.store, 'again');
    await world.serve(BULK);
    expect(await world.results('again')).toBe(await world.explain(rows));
    await until('all jobs', async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0);
    expect(await world.store.batches.status('again')).toMatchObject({ done: 2, failed: 0, answered: 40 });
  });

  it('for an earlier batch of other rows or another policy ends without a letter, and the chunk gets its own', async () => {
    await add(rows);
    const other = `sha256:${'0'.repeat(64)}`;
    await replaceJob(0, { policy: other });
    await replaceJob(1, { digest: other });
    await world.serve(BULK);
    expect(await world.results('again')).toBe(await world.explain(rows));
    expect([await queue.getFailedCount(), await world.store.dead.count()]).toEqual([0, 0]);
  });
});
