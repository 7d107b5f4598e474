/** Scripts go to Redis by their digest; the text is sent only where the server does not know it. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runScript, type Script } from '../../src/store/redis/scripts.js';
import { World } from './queue-world.js';
import { commandsDuring } from './redis-monitor.js';

const ECHO: Script = { lua: "return {KEYS[1], ARGV[1], redis.call('EXISTS', KEYS[1])} -- of this test only" };

let world: World;
beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.close());

it('sends the text once, and again after the server has forgotten it', async () => {
  const redis = world.store.redis as Redis;
  const key = `${world.store.settings.keyPrefix}:none`;
  const commands = await commandsDuring(redis, async () => {
    for (let i = 0; i < 5; i++) expect(await runScript(redis, ECHO, [key], [`${i}`])).toEqual([key, `${i}`, 0]);
    await redis.script('FLUSH');
    const bytes = Buffer.from([0xff, 0x00]);
    expect(await runScript(redis, ECHO, [key], [bytes], 'binary')).toEqual([Buffer.from(key), bytes, 0]);
  });
  const sent = commands.filter(([, first]) => first === ECHO.lua).map(([command]) => command.toLowerCase());
  expect(sent).toEqual(['eval', 'eval']);
});
