/** The worker's own port: what Prometheus reads, and what an orchestrator asks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningWorker, sumOf, until, World } from './queue-world.js';

let world: World;
let worker: RunningWorker;

beforeAll(async () => {
  world = await World.withModel();
  worker = await world.startWorker();
  const id = await world.add(world.writeRows('rows.csv', 1), { chunkRows: 500 });
  await until('the batch', async () => (await world.store.batches.status(id)).done === 6);
  const active = `${world.store.settings.queuePrefix}:elsewise-bulk:active`;
  await until('its jobs', async () => (await world.store.redis.llen(active)) === 0); // counted before they are let go
});

afterAll(() => world.close());

/** The text format of Prometheus: comments, or a name with labels in braces and a number. */
const SAMPLE = /^[a-zA-Z_:][\w:]*(\{([a-zA-Z_]\w*="([^"\\]|\\.)*",?)*\})? (-?\d[\d.e+-]*|NaN|[+-]Inf)$/;

describe('/metrics', () => {
  it('parses, and every metric of ours says what it is', async () => {
    const { status, text } = await worker.get('/metrics');
    expect(status).toBe(200);
    const lines = text
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.filter((line) => !/^# (HELP|TYPE) \w+ .+/.test(line) && !SAMPLE.test(line))).toEqual([]);
    const names = new Set(lines.map((line) => /^elsewise_\w+/.exec(line)?.[0].replace(/_(bucket|sum|count)$/, '')));
    names.delete(undefined);
    for (const name of names) expect(text).toMatch(new RegExp(`# TYPE ${name} (counter|gauge|histogram)`));
  });

  it('counts every row once, by status, solver, proof and time', async () => {
    const { text } = await worker.get('/metrics');
    const { counts } = await world.store.batches.status((await batchIds())[0]);
    expect(sumOf(text, 'elsewise_rows_total')).toBe(3000);
    for (const [status, count] of Object.entries(counts)) {
      const labels = `queue="elsewise-bulk",family="logistic-regression",status="${status}"`;
      expect(text).toContain(`elsewise_rows_total{${labels}} ${count}`);
    }
    expect(sumOf(text, 'elsewise_found_rows_by_solver_total')).toBe(counts.found);
    expect(sumOf(text, 'elsewise_found_rows_by_proof_total')).toBe(counts.found);
    expect(sumOf(text, 'elsewise_row_seconds_count')).toBe(3000);
    expect(text).toContain('elsewise_jobs_total{queue="elsewise-bulk",outcome="completed"} 6');
    expect(text).toContain('elsewise_plan_cache_total{outcome="miss"} 1');
  });

  it('shows what Redis uses and may use', async () => {
    const { text } = await worker.get('/metrics');
    expect(sumOf(text, 'elsewise_redis_memory_used_bytes')).toBeGreaterThan(100_000);
    expect(text).toMatch(/^elsewise_redis_memory_limit_bytes \d+$/m);
  });

  it('shows the queues as they are', async () => {
    worker.process.kill('SIGSTOP');
    await world.add(world.path('rows.csv'), { chunkRows: 300 });
    const other = await world.startWorker('--queues', 'events');
    worker.process.kill('SIGCONT');
    await until('an empty queue', async () => {
      const { text } = await worker.get('/metrics');
      return text.includes('elsewise_queue_jobs{queue="elsewise-bulk",state="waiting"} 0');
    });
    const { text } = await other.get('/metrics');
    expect(text).toContain('elsewise_queue_oldest_seconds{queue="elsewise-events"} 0');
    expect(text).toContain('elsewise_pool_threads{queue="elsewise-events"} 1');
    expect(text).not.toContain('elsewise_pool_threads{queue="elsewise-bulk"}');
  });
});

describe('the probes', () => {
  it('are good while it works', async () => {
    expect(await worker.get('/healthz')).toEqual({ status: 200, text: 'alive\n' });
    expect(await worker.get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
    expect((await worker.get('/other')).status).toBe(404);
  });

  it('say when the port is taken', async () => {
    const port = new URL(worker.address).port;
    const { code, stderr } = await world.run('worker', '--port', port);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot listen on port ${port}`);
  });
});

async function batchIds(): Promise<string[]> {
  const { redis, settings } = world.store;
  const keys = await redis.keys(`${settings.keyPrefix}:batch:{*}`);
  return keys.map((key) => /\{(.*)\}/.exec(key)![1]);
}
