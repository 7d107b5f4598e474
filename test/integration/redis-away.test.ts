/** A worker behind a bad network: it waits, says so, stays alive, and goes on where it was. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { POLICY, type RunningWorker, until, World } from './queue-world.js';

const policy = JSON.parse(readFileSync(POLICY, 'utf8'));

let world: World;
let proxy: TcpProxy;
let worker: RunningWorker;
let producer: Producer;

beforeAll(async () => {
  world = await World.withModel();
  proxy = await TcpProxy.start(world.store.settings.url);
  worker = await world.startWorker('--redis', proxy.url);
  producer = new Producer(world.store);
});

afterAll(async () => {
  await world.close();
  await proxy.close();
});

const isReady = async () => (await worker.get('/readyz')).status === 200;

/** By both ways, straight to Redis. */
async function sendBoth(name: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const row = { model: 'credit', policy, features: { income: 1000 + i } };
    await producer.enqueueEvent({ id: `${name}-queue-${i}`, ...row });
    await world.store.requests.add(JSON.stringify({ id: `${name}-stream-${i}`, ...row }));
    ids.push(`${name}-queue-${i}`, `${name}-stream-${i}`);
  }
  return ids;
}

async function answered(ids: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(ids.map((id) => world.store.results.result(id)));
  return answers.every((answer) => answer !== undefined);
}

it('works through a slow network', async () => {
  proxy.delay(20);
  const ids = await sendBoth('slow', 5);
  await until('the answers', () => answered(ids));
  proxy.restore();
});

it('waits while Redis is away, and goes on when it is back', async () => {
  expect(await isReady()).toBe(true);
  const before = await sendBoth('before', 10);
  proxy.cut();
  await until('not ready', async () => !(await isReady()));
  const during = await sendBoth('during', 10);
  await sleep(3_000);
  expect(await worker.get('/healthz')).toEqual({ status: 200, text: 'alive\n' });
  expect(await worker.get('/readyz')).toEqual({ status: 503, text: 'Redis is away\n' });
  expect((await worker.get('/metrics')).text).toContain('elsewise_redis_up 0');
  proxy.restore();
  await until('ready', isReady);
  await until('all answers', () => answered([...before, ...during]));
  expect(await world.store.dead.count()).toBe(0);
});

it('notices that nothing passes though no connection broke', async () => {
  proxy.freeze();
  const ids = await sendBoth('frozen', 5);
  await until('not ready', async () => !(await isReady()));
  expect((await worker.get('/healthz')).status).toBe(200);
  proxy.restore();
  await until('ready', isReady);
  await until('all answers', () => answered(ids));
});

it('says once that it waits and once that it is over, and drains in the end', async () => {
  worker.process.kill('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code).toBe(0);
  const lines = stderr.split('\n').filter((line) => line.includes('Redis is '));
  expect(stderr).not.toContain('ECONN'); // what breaks with the connection is not told one by one
  expect(lines).toEqual(
    Array.from({ length: 2 }, () => ['elsewise: Redis is away: waiting for it', 'elsewise: Redis is back']).flat(),
  );
});
