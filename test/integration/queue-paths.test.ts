/** Levers and paths through the queue: a worker builds the graph in a thread, and the stored results are the lines of `explain`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PlanCache } from '../../dist/jobs/worker/plan-cache.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { World, withoutTimes } from './queue-world.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/answers/', import.meta.url));
const INPUT = join(EXAMPLE, 'applicants.csv');
const policyOf = (name: string) => join(EXAMPLE, `policy-${name}.json`);

let world: World;

beforeAll(async () => {
  world = await World.create();
  expect(await world.run('models', 'push', join(EXAMPLE, 'model.json'))).toMatchObject({ code: 0 });
  await world.startWorker();
});

afterAll(() => world.close());

it.each(['levers', 'path', 'count'])('a batch has the results of explain: %s', async (name) => {
  const args = ['--model', 'small-credit', '--policy', policyOf(name), '--input', INPUT];
  const added = await world.run('enqueue', ...args, '--chunk-rows', '2');
  expect(added.code).toBe(0);
  const [stored, direct] = [world.path(`${name}.stored.ndjson`), world.path(`${name}.direct.ndjson`)];
  const id = added.stdout.trim().split('\n').at(-1)!;
  expect(await world.run('batch', 'wait', id, '--output', stored)).toMatchObject({ code: 0 });
  expect(await world.run('explain', ...args, '--output', direct, '--quiet')).toMatchObject({ code: 0 });
  // The registry gives the model a version in both: enqueue and explain resolve the same name.
  expect(withoutTimes(readFileSync(stored, 'utf8'))).toBe(withoutTimes(readFileSync(direct, 'utf8')));
});

it('a worker keeps the graph of a path once, in memory that its threads share', async () => {
  const { name, version, digest } = await world.store.models.resolve('small-credit');
  const plans = new PlanCache(world.store.models, 2 ** 30);
  const policy = loadPolicy(JSON.parse(readFileSync(policyOf('path'), 'utf8')));
  const asked = await Promise.all([1, 2, 3].map(() => plans.get({ name, version, digest }, policy)));
  expect(new Set(asked).size).toBe(1);
  const [, graph] = asked[0].graphs![0];
  for (const array of Object.values(graph)) expect(array.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(graph.order.length).toBe(400);
});

it('a worker builds one graph for the policies of a model that take the same rows', async () => {
  const { name, version, digest } = await world.store.models.resolve('small-credit');
  const plans = new PlanCache(world.store.models, 2 ** 30);
  const document = JSON.parse(readFileSync(policyOf('path'), 'utf8'));
  const graphOf = async (change: object) => {
    const { graphs } = await plans.get({ name, version, digest }, loadPolicy({ ...document, ...change }));
    return graphs![0][1];
  };
  const own = await graphOf({});
  expect(await graphOf({ cost: { norm: 'l2' }, deadlineMs: 700 })).toBe(own);
  expect(await graphOf({ path: { ...document.path, k: 7 } })).not.toBe(own);
});
