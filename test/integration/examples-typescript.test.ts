/** The examples for TypeScript, compiled and run against the packed package. */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstApplicant } from './example-row.js';
import { compile, installInto } from './packed.js';
import { POLICY, World, withoutTimes } from './queue-world.js';

const run = promisify(execFile);

let world: World;
let project: string;

beforeAll(async () => {
  world = await World.withModel();
  await world.startWorker();
  project = installInto('typescript');
  compile(project);
});

afterAll(async () => {
  rmSync(project, { recursive: true, force: true });
  await world.close();
});

function runExample(name: string, ...args: string[]) {
  const { url, keyPrefix, queuePrefix } = world.store.settings;
  const own = { REDIS_URL: url, ELSEWISE_PREFIX: keyPrefix, ELSEWISE_QUEUE_PREFIX: queuePrefix };
  return run(process.execPath, [join(project, 'dist', `${name}.js`), ...args], { env: { ...process.env, ...own } });
}

it('queues a batch and writes its results', async () => {
  const rows = world.writeRows('rows.csv', 1);
  const output = world.path('results.ndjson');
  const { stdout } = await runExample('batch', 'credit@1', POLICY, rows, output);
  expect(stdout).toContain('3000 rows in batch credit-');
  expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(await world.explain(rows));
});

it('sends one row and waits for its answer', async () => {
  const { stdout } = await runExample('event', 'credit@1', POLICY, 'a-0001', JSON.stringify(firstApplicant()));
  expect(stdout).toMatch(/^found\n\w+: .+ -> .+\n/);
});
