/** What `enqueue` asks the registry, as Redis sees it. */
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Keys } from '../../src/store/keys.js';
import { POLICY, World } from './queue-world.js';
import { commandsDuring } from './redis-monitor.js';

let world: World;

beforeAll(async () => {
  world = await World.withModel();
  await world.store.policies.push({ ...JSON.parse(readFileSync(POLICY, 'utf8')), name: 'retail' });
});

afterAll(() => world.close());

it('looks model and policy up once, and reads each document once', async () => {
  const rows = world.writeRows('rows.csv', 1);
  const commands = await commandsDuring(world.store.redis as Redis, () =>
    world.run('enqueue', '--model', 'credit', '--policy', 'retail', '--input', rows),
  );
  const keys = new Keys(world.store.settings.keyPrefix);
  const touching = (key: string) => commands.filter((words) => words.includes(key)).length;
  expect(touching(keys.models.aliases('credit'))).toBe(1);
  expect(touching(keys.policies.aliases('retail'))).toBe(1);
  const reads = (start: string) => commands.filter(([, key]) => key?.startsWith(start)).length;
  expect(reads(`${keys.models.block('credit', 'sha256')}`)).toBe(1);
  expect(reads(`${keys.policies.block('retail', 'sha256')}`)).toBe(1);
});
