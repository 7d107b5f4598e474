/** Batches on a real Redis: worker processes share one, and what comes out is what `explain` writes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../src/store/keys.js';
import { POLICY, type RunningWorker, until, World, withoutTimes } from './queue-world.js';

let world: World;

beforeAll(async () => {
  world = await World.withModel();
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
      const { code, stderr } = await world.run(
        ...['enqueue', '--model', 'credit', '--policy', POLICY, '--input', input, ...options, ...more],
      );
      expect(code).toBe(2);
      return stderr;
    };
    expect(await conflict(world.writeRows('longer.csv', 2))).toContain('holds other rows');
    expect(await conflict(rows, '--target', 'rejected')).toContain('another policy');
    expect(await jobsLeft()).toBe(8);
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
    const keysBefore = await world.store.redis.dbsize();
    for (const args of bad) expect(await world.run('enqueue', ...args)).toMatchObject({ code: 2, stdout: '' });
    expect(await world.store.redis.dbsize()).toBe(keysBefore);
    expect(await world.run('batch', 'status', 'none')).toMatchObject({ code: 2 });
    expect(await world.run('batch', 'wait', 'none', '--output', world.path('none'))).toMatchObject({ code: 2 });
  });
});

describe('two worker processes', () => {
  let workers: RunningWorker[];

  beforeAll(async () => {
    workers = await Promise.all([world.startWorker(), world.startWorker('--queues', 'bulk')]);
  });

  it('share a batch, and the results are those of explain', async () => {
    const rows = world.writeRows('shared.csv', 4);
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
    const id = await world.enqueue(input, '--chunk-rows', '32');
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
    const status = await world.run('batch', 'status', 'twice', '--json');
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
    const again = await world.run(
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
    const id = await world.enqueue(rows, '--chunk-rows', '1000');
    await redis.set(keys.batchRows(id, 2), 'damaged');
    for (const { process } of workers) process.kill('SIGCONT');
    const output = world.path('damaged.ndjson');
    const { code, stderr } = await world.run('batch', 'wait', id, '--output', output);
    expect(code).toBe(2);
    expect(stderr).toContain('chunk 2');
    expect(stderr).toContain('damaged');
    expect(readFileSync(output, 'utf8').trimEnd().split('\n').length).toBe(2000);
    expect(await batches.status(id)).toMatchObject({ done: 2, failed: 1 });
    expect((await world.run('batch', 'status', id)).stdout).toContain('1 failed');
  });

  it('are waited for in order while the rows still come', async () => {
    const output = world.path('early.csv');
    const rows = world.writeRows('early-rows.csv', 2);
    await world.enqueue(rows, '--batch', 'early', '--chunk-rows', '100');
    expect(await world.run('batch', 'wait', 'early', '--output', output)).toMatchObject({ code: 0 });
    const ids = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]);
    expect(ids(readFileSync(output, 'utf8'))).toEqual(ids(readFileSync(rows, 'utf8')));
  });
});

function numeric(value: string | boolean): string | number | boolean {
  return typeof value === 'boolean' || Number.isNaN(Number(value)) ? value : Number(value);
}
