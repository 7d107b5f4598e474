/** Bad payloads, and no Redis at all. What dies in the middle of work is in test/chaos. */
import { readFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until, World, withoutTimes } from './queue-world.js';

let world: World;
let rows: string;
let expected: string;

beforeAll(async () => {
  world = await World.withModel();
  rows = world.writeRows('rows.csv', 1);
  expected = await world.explain(rows);
});

afterAll(() => world.close());

async function waitFor(id: string): Promise<string> {
  const output = world.path(`${id}.ndjson`);
  const { code, stderr } = await world.run('batch', 'wait', id, '--output', output);
  expect(stderr).toContain('3,000 rows');
  expect(code).toBe(0);
  const { counts, done, chunks } = await world.store.batches.status(id);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(3_000);
  expect(done).toBe(chunks);
  return withoutTimes(readFileSync(output, 'utf8'));
}

describe('a worker', () => {
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
      const id = `bulk-${jobId}`;
      await until(`the failure of ${jobId}`, async () => (await world.store.dead.find(id)) !== undefined);
      const { code, message, attempts } = await world.letter(id);
      expect(`${code}: ${message}`).toMatch(reason);
      expect(attempts).toBe(1);
    }
    const id = await world.add(rows, { batch: 'after-bad' });
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
  it('that is not there ends every command with 3', async () => {
    const away = { REDIS_URL: 'redis://127.0.0.1:1' };
    const commands = [
      ['models', 'list'],
      ['batch', 'status', 'x'],
      ['enqueue', '--model', 'credit', '--input', rows],
      ['worker', '--port', '0'],
      ['explain', '--model', 'credit@1', '--input', rows, '--output', world.path('away.ndjson')],
    ];
    for (const command of commands) {
      const { code, stderr } = await world.runWith(away, ...command);
      expect(stderr).toContain('cannot reach Redis at redis://127.0.0.1:1');
      expect(code).toBe(3);
    }
  });
});

function chunkJob(batch: string, chunk: number): object {
  const digest = `sha256:${'0'.repeat(64)}`;
  const model = { name: 'credit', version: 1, digest };
  return { schema: 'elsewise.chunk-job/v1', batch, chunk, firstRow: 1, rows: 1, digest, model, policy: digest };
}
