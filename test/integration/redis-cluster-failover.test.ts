/** Three masters with a replica each: one is killed while a batch and events are worked on, and both go on over the failover. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { POLICY, until, World } from './queue-world.js';
import { ask, startCluster } from './redis-servers.js';

const policy = JSON.parse(readFileSync(POLICY, 'utf8'));
const CASES: [name: string, lateMs: number][] = [
  ['at once', 0],
  ['later than BullMQ waits on one connection', 8_000],
];

it.each(CASES)('a replica that takes over %s loses no row and no event', async (_, lateMs) => {
  const servers = await startCluster(3, { hasReplicas: true, nodeTimeoutMs: 1_000 });
  const world = await World.withModel(servers);
  onTestFinished(() => world.close());
  const { settings, batches, requests, results } = world.store;
  const producer = new Producer(world.store);

  /** By both ways. */
  const sendBoth = async (name: string): Promise<string[]> => {
    const row = { model: 'credit', policy, features: { income: 1_000 + name.length } };
    await producer.enqueueEvent({ id: `${name}-queue`, ...row });
    await requests.add(JSON.stringify({ id: `${name}-stream`, ...row }));
    return [`${name}-queue`, `${name}-stream`];
  };
  const answered = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await until(`the answer to ${id}`, async () => (await results.result(id)) !== undefined);
  };

  const rows = world.writeRows('rows.csv', 1);
  const expected = await world.explain(rows);
  const worker = await world.startWorker();
  await answered(await sendBoth('before'));
  const id = await world.add(rows, { batch: 'over', chunkRows: 20 });
  await until('some chunks', async () => (await batches.status(id)).done >= 10);

  const { master, replica } = await servers.pairOf(`${settings.queuePrefix}:elsewise-bulk:wait`);
  await ask(replica.url, 'CONFIG', 'SET', 'cluster-replica-no-failover', lateMs > 0 ? 'yes' : 'no');
  const during = sendBoth('during');
  await master.stop('SIGKILL');
  await sleep(lateMs);
  await ask(replica.url, 'CONFIG', 'SET', 'cluster-replica-no-failover', 'no');
  await until('another master', async () => String(await ask(replica.url, 'INFO')).includes('role:master'));

  expect(await world.results(id)).toBe(expected);
  const { done, chunks, failed, answered: count } = await batches.status(id);
  expect({ done, failed, count }).toEqual({ done: chunks, failed: 0, count: 3_000 });
  await answered(await during);
  await answered(await sendBoth('afterwards'));
  worker.process.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
});
