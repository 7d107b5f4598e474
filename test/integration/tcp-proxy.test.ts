/** The bad network of the fault tests does what it says, seen by a Redis client. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { provideRedis } from '../../scripts/redis.mjs';
import { TcpProxy } from '../support/tcp-proxy.js';

let server: Awaited<ReturnType<typeof provideRedis>>;
let proxy: TcpProxy;
let redis: Redis;

beforeEach(async () => {
  server = await provideRedis();
  proxy = await TcpProxy.start(server.url);
  redis = new Redis(proxy.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => {});
  await redis.ping();
});

afterEach(async () => {
  redis.disconnect();
  await proxy.close();
  await server.stop();
});

it('passes everything on, until it is cut and after it is restored', async () => {
  proxy.cut();
  await new Promise((resolve) => redis.once('close', resolve));
  const answer = redis.ping();
  expect(await Promise.race([answer, sleep(150, 'nothing')])).toBe('nothing');
  proxy.restore();
  expect(await answer).toBe('PONG');
});

it('holds everything back while it is frozen, without a break', async () => {
  proxy.freeze();
  const answer = redis.ping();
  expect(await Promise.race([answer, sleep(150, 'nothing')])).toBe('nothing');
  expect(redis.status).toBe('ready');
  proxy.restore();
  expect(await answer).toBe('PONG');
  expect(proxy.connections).toBe(1);
});

it('is as late as asked for, and keeps the order', async () => {
  proxy.delay(40);
  const order: string[] = [];
  sleep(30).then(() => order.push('30 ms'));
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => redis.echo(String(i))));
  expect(answers).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
  expect(order).toEqual(['30 ms']);
});

it('keeps the order also when it is restored while bytes are on their way', async () => {
  for (let round = 0; round < 10; round++) {
    proxy.delay(20);
    const late = redis.echo('late');
    await sleep(5);
    proxy.restore();
    expect(await Promise.all([late, redis.echo('next')])).toEqual(['late', 'next']);
  }
});
