/** Batches on a real Redis: worker processes share one, and what comes out is what `explain` writes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { Keys } from '../../src/store/keys.js';
import { POLICY, type RunningWorker, until, World, withoutTimes } from './queue-world.js';

let world: World;
let producer: Producer;

beforeAll(async () => {
  world = await World.withModel();
  producer = new Producer(world.store);
});

afterAll(() => world.close());

async function jobsLeft(): Promise<number> {
  const { redis, settings } = world.store;
  return redis.llen(`${settings.queuePrefix}:elsewise-bulk:wait`);
}

describe('before there is a worker', () => {
  it('adds the same batch twice without duplicates, and other content under its id not at all', async () => {
    const rows = world.writeRows('twice.csv', 1);
    const options = ['--batch', 'twice', '--chunk-rows', '400'];
    expect(await world.enqueue(rows, ...options)).toBe('twice');
    expect(await jobsLeft()).toBe(8);
    expect(await world.enqueue(rows, ...options)).toBe('twice');
    expect(await jobsLeft()).toBe(8);
    expect(await world.store.batches.status('twice')).toMatchObject({ rows: 3000, chunks: 8, isSealed: true });

    const conflict = async (input: string, ...more: string[]) => {
      const { code, stderr } = await world.call(
        ...['enqueue', '--model', 'credit', '--policy', POLICY, '--input', input, ...options, ...more],
      );
      expect(code).toBe(2);
      return stderr;
    };
    expect(await conflict(world.writeRows('longer.csv', 2))).toContain('holds other rows');
    expect(await conflict(rows, '--target', 'rejected')).toContain('another policy');
    expect(await jobsLeft()).toBe(8);
  });

  it('goes on where an interrupted one stopped, wherever the pieces of the input end', async () => {
    const rows = readFileSync(world.path('twice.csv'));
    const batch = { ...batchOf('torn'), chunkRows: 40 };
    await expect(producer.enqueueBatch({ ...batch, source: broken(rows) })).rejects.toThrow('the disk is gone');
    const { isSealed, chunks } = await world.store.batches.status('torn');
    expect(isSealed).toBe(false);
    expect(chunks).toBeGreaterThan(0);
    const jobsBefore = (await jobsLeft()) - chunks;
    await producer.enqueueBatch({ ...batch, source: inPieces(rows, 0) });
    expect(await world.store.batches.status('torn')).toMatchObject({ rows: 3000, chunks: 75, isSealed: true });
    expect((await jobsLeft()) - jobsBefore).toBe(75);
  });

  it('refuses what cannot be right before it writes anything', async () => {
    const rows = world.path('twice.csv');
    const policy = world.path('policy.json');
    writeFileSync(policy, JSON.stringify({ schema: 'elsewise.policy/v1', features: { agee: { change: 'never' } } }));
    const bad = [
      ['--model', 'credit@7', '--input', rows],
      ['--model', 'credit', '--input', rows, '--policy', policy],
      ['--model', 'credit', '--input', world.path('none.csv')],
      ['--model', 'credit', '--input', rows, '--target', 'approved', '--batch', 'a:b'],
    ];
    const keysBefore = await world.countKeys();
    for (const args of bad) expect(await world.call('enqueue', ...args)).toMatchObject({ code: 2, stdout: '' });
    expect(await world.countKeys()).toBe(keysBefore);
    expect(await world.call('batch', 'status', 'none')).toMatchObject({ code: 2 });
    expect(await world.run('batch', 'wait', 'none', '--output', world.path('none'))).toMatchObject({ code: 2 });
  });
});

describe('two worker processes', () => {
  let workers: RunningWorker[];

  beforeAll(async () => {
    workers = await Promise.all([1, 2].map(() => world.startWorker('--queues', 'bulk')));
  });

  it('share a batch, and the results are those of explain', async () => {
    const rows = world.writeRows('shared.csv', 2);
    const before = await Promise.all(workers.map((worker) => worker.rows()));
    const id = await world.enqueue(rows, '--chunk-rows', '50');
    const output = world.path('shared.ndjson');
    expect(await world.run('batch', 'wait', id, '--output', output)).toMatchObject({ code: 0 });
    expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(await world.explain(rows));
    const after = await Promise.all(workers.map((worker) => worker.rows()));
    for (const [i, count] of after.entries()) expect(count - before[i]).toBeGreaterThan(0);
  });

  it('answer NDJSON with bad rows among the good ones as explain does', async () => {
    const lines = readFileSync(world.writeRows('source.csv', 1), 'utf8').trimEnd().split('\n');
    const [header, ...rows] = lines.map((line) => line.split(','));
    const objects = rows.slice(0, 300).map((row, i) => {
      const values = row.map((text) => (text === 'true' || text === 'false' ? text === 'true' : text));
      const features = Object.fromEntries(header.map((name, c) => [name, numeric(values[c])]).slice(1));
      return JSON.stringify(
        i % 7 === 0 ? { id: row[0], features: { ...features, age: 'old' } } : { id: row[0], features },
      );
    });
    const input = world.path('mixed.ndjson');
    writeFileSync(input, `\n${objects.join('\n')}\n\n{"id": "torn", "feat`);
    const id = await world.add(input, { chunkRows: 32 });
    const output = world.path('mixed-out.ndjson');
    expect(await world.run('batch', 'wait', id, '--output', output, '--quiet')).toMatchObject({ code: 0, stderr: '' });
    expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(await world.explain(input));
    const { counts } = await world.store.batches.status(id);
    expect(counts.invalid).toBe(44);
  });

  it('leave results, not rows, and everything with a time to live', async () => {
    const { redis, settings } = world.store;
    await until('the first batch', async () => (await world.store.batches.status('twice')).done === 8);
    const keys = await redis.keys(`${settings.keyPrefix}:batch:{twice}*`);
    expect(keys.filter((key) => key.includes(':rows:'))).toEqual([]);
    expect(keys.filter((key) => key.includes(':results:')).length).toBe(8);
    for (const key of keys) expect(await redis.ttl(key)).toBeGreaterThan(0);
    const status = await world.call('batch', 'status', 'twice', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({
      state: 'done',
      rows: 3000,
      answered: 3000,
      chunks: 8,
      failed: 0,
    });
  });

  it('do a batch once: enqueued again when done, it is left as it is', async () => {
    const rows = world.path('twice.csv');
    const digests = async () => (await world.store.batches.chunks('twice', 0, 8)).map((chunk) => JSON.stringify(chunk));
    const before = await digests();
    const again = await world.call(
      ...[
        'enqueue',
        '--model',
        'credit',
        '--policy',
        POLICY,
        '--input',
        rows,
        '--batch',
        'twice',
        '--chunk-rows',
        '400',
      ],
    );
    expect(again.stderr).toContain('8 of them done before');
    expect(await digests()).toEqual(before);
    expect(await jobsLeft()).toBe(0);
  });

  it('answer an empty file with an empty one', async () => {
    const header = readFileSync(world.path('twice.csv'), 'utf8').split('\n')[0];
    writeFileSync(world.path('empty.csv'), `${header}\n`);
    const id = await world.enqueue(world.path('empty.csv'));
    const output = world.path('empty.ndjson');
    expect(await world.run('batch', 'wait', id, '--output', output)).toMatchObject({ code: 0 });
    expect(readFileSync(output, 'utf8')).toBe('');
  });

  it('report a chunk whose rows are damaged, and the waiting ends with what was before it', async () => {
    const { redis, settings, batches } = world.store;
    const keys = new Keys(settings.keyPrefix);
    for (const { process } of workers) process.kill('SIGSTOP');
    const rows = world.path('twice.csv');
    const id = await world.add(rows, { chunkRows: 1000 });
    await redis.set(keys.batchRows(id, 2), 'damaged');
    for (const { process } of workers) process.kill('SIGCONT');
    const output = world.path('damaged.ndjson');
    const { code, stderr } = await world.run('batch', 'wait', id, '--output', output);
    expect(code).toBe(2);
    expect(stderr).toContain('chunk 2');
    expect(stderr).toContain('damaged');
    expect(readFileSync(output, 'utf8').trimEnd().split('\n').length).toBe(2000);
    expect(await batches.status(id)).toMatchObject({ done: 2, failed: 1 });
    expect((await world.call('batch', 'status', id)).stdout).toContain('1 failed');
  });

  it('are waited for in order while the rows still come', async () => {
    const rows = readFileSync(world.writeRows('slow.csv', 2));
    const output = world.path('slow-out.csv');
    const adding = producer.enqueueBatch({ ...batchOf('slow'), source: inPieces(rows, 40), chunkRows: 100 });
    await until(
      'the batch to exist',
      async () => (await world.store.batches.status('slow').catch(() => null)) !== null,
    );
    expect(await world.run('batch', 'wait', 'slow', '--output', output)).toMatchObject({ code: 0 });
    await adding;
    const ids = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(',')[0]);
    expect(ids(readFileSync(output, 'utf8'))).toEqual(ids(rows.toString()));
  });
});

function numeric(value: string | boolean): string | number | boolean {
  return typeof value === 'boolean' || Number.isNaN(Number(value)) ? value : Number(value);
}

const batchOf = (batch: string) => ({
  name: 'rows.csv',
  model: 'credit',
  policy: JSON.parse(readFileSync(POLICY, 'utf8')),
  batch,
});

async function* inPieces(bytes: Buffer, pauseMs: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1 << 16) {
    await sleep(pauseMs);
    yield bytes.subarray(at, at + (1 << 16));
  }
}

async function* broken(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, bytes.length / 2);
  throw new Error('the disk is gone');
}
