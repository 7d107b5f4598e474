/** A connection that is taken and never greeted: the kernel has it, the server behind does not answer. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectForWorker, type RedisClient } from '../../src/store/redis/redis.js';
import { RedisWatch } from '../../src/store/redis/redis-watch.js';
import { storeSettings } from '../../src/store/settings.js';
import { until } from './queue-world.js';

const taken: Socket[] = [];
const silent = createServer((socket) => void taken.push(socket.on('error', () => {}).resume()));
let redis: RedisClient;
let watch: RedisWatch;

beforeEach(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  redis = connectForWorker(storeSettings({ url: `redis://127.0.0.1:${port}` }, {}), true, () => {});
});

afterEach(() => {
  watch.stop();
  redis.disconnect();
  for (const socket of taken) socket.destroy();
  silent.close();
});

it('is given up and made anew, and whoever waits is told', async () => {
  let silences = 0;
  watch = new RedisWatch(redis, [redis], () => silences++);
  await until('the connection', async () => taken.length === 1);
  expect(watch.isUp).toBe(false);
  await until('another one', async () => taken.length === 2);
  expect(silences).toBe(1);
});
