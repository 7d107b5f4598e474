/** Scripts go to Redis by their digest; the text is sent only where the server does not know it. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runScript, type Script } from '../../src/store/redis/scripts.js';
import { World } from './queue-world.js';

const ECHO: Script = { lua: "return {KEYS[1], ARGV[1], redis.call('EXISTS', KEYS[1])} -- of this test only" };

let world: World;
beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.close());

it('sends the text once, and again after the server has forgotten it', async () => {
  const redis = world.store.redis as Redis;
  const monitor = await redis.duplicate().monitor();
  const sent: string[] = [];
  monitor.on('monitor', (_time: string, [command, first]: string[]) => {
    if (first === ECHO.lua) sent.push(command.toLowerCase());
  });
  const key = `${world.store.settings.keyPrefix}:none`;
  for (let i = 0; i < 5; i++) expect(await runScript(redis, ECHO, [key], [`${i}`])).toEqual([key, `${i}`, 0]);
  await redis.script('FLUSH');
  const bytes = Buffer.from([0xff, 0x00]);
  expect(await runScript(redis, ECHO, [key], [bytes], 'binary')).toEqual([Buffer.from(key), bytes, 0]);
  await redis.ping();
  monitor.disconnect();
  expect(sent).toEqual(['eval', 'eval']);
});
