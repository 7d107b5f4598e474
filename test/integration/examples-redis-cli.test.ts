/** The example for redis-cli, as its page tells to run it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXAMPLES, firstApplicant } from './example-row.js';
import { POLICY, World } from './queue-world.js';

const run = promisify(execFile);

let world: World;

beforeAll(async () => {
  world = await World.withModel();
  await world.startWorker();
});

afterAll(() => world.close());

it('sends a row and prints its answer', async () => {
  const { url, keyPrefix } = world.store.settings;
  const env = { ...process.env, REDIS_URL: url, ELSEWISE_PREFIX: keyPrefix };
  const args = ['a-0001', 'credit@1', POLICY, JSON.stringify(firstApplicant())];
  const { stdout } = await run(join(EXAMPLES, 'redis-cli', 'explain.sh'), args, { env });
  expect(JSON.parse(stdout)).toMatchObject({ schema: 'elsewise.result/v1', id: 'a-0001', status: 'found' });
});
