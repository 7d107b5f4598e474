/** Everything that uses Redis, once: the same on every kind of it. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { MODEL, POLICY, sumOf, until, type World, withoutTimes } from './queue-world.js';

/** Registry, batches (on a Cluster several, so that they are on several nodes), waiting, an event, metrics, draining. */
export async function checkFlows(world: World, batches: readonly string[]): Promise<void> {
  expect(await world.call('models', 'push', MODEL)).toMatchObject({ code: 0 });
  expect((await world.call('models', 'list')).stdout).toContain('credit@1');
  const rows = world.writeRows('rows.csv', 1);
  const expected = await world.explain(rows);
  const worker = await world.startWorker();
  const [first, ...others] = batches;
  await world.enqueue(rows, '--batch', first, '--chunk-rows', '250');
  const output = world.path(`${first}.ndjson`);
  expect(await world.run('batch', 'wait', first, '--output', output)).toMatchObject({ code: 0 });
  expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(expected);
  for (const id of others)
    expect(await world.results(await world.add(rows, { batch: id, chunkRows: 250 }))).toBe(expected);
  expect((await world.call('batch', 'status', first)).stdout).toContain('3,000');
  await checkEvent(world, JSON.parse(expected.split('\n')[0]));
  expect(await worker.rows()).toBe(3_000 * batches.length + 1);
  const { text } = await worker.get('/metrics');
  expect(text).toContain('elsewise_redis_up 1');
  expect(text).toContain('elsewise_queue_jobs{queue="elsewise-bulk",state="waiting"} 0');
  expect(sumOf(text, 'elsewise_jobs_total')).toBe(12 * batches.length + 1);
  worker.process.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
}

async function checkEvent(world: World, expected: { id: string; factual: { features: object } }): Promise<void> {
  const { redis, settings, results } = world.store;
  const policy = JSON.parse(readFileSync(POLICY, 'utf8'));
  const features = expected.factual.features as Record<string, string | number | boolean>;
  await new Producer(world.store).enqueueEvent({ id: expected.id, model: 'credit', policy, features });
  await until('the answer', async () => (await results.result(expected.id)) !== undefined);
  const answer = await results.result(expected.id);
  expect(JSON.parse(withoutTimes(answer!))).toEqual(expected);
  await until('its place on the stream', async () => (await redis.xlen(`${settings.keyPrefix}:results`)) === 1);
}
