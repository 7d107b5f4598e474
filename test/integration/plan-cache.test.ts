/** A worker's cache of documents over a real registry. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlanCache } from '../../dist/jobs/worker/plan-cache.js';
import { loadPolicy, type Policy } from '../../src/policy/policy.js';
import type { ModelPin } from '../../src/store/batches/manifest.js';
import { MODEL, World } from './queue-world.js';

const DOCUMENT_BYTES = JSON.stringify(JSON.parse(readFileSync(MODEL, 'utf8'))).length;

let world: World;
let pin: ModelPin;

beforeAll(async () => {
  world = await World.withModel();
  const { name, version, digest } = await world.store.models.resolve('credit');
  pin = { name, version, digest };
});

afterAll(() => world.close());

const policy = (seed: number): Policy => loadPolicy({ schema: 'elsewise.policy/v1', target: 'approved', seed });

describe('the cache of plans', () => {
  it('loads once for many who ask at once', async () => {
    const plans = new PlanCache(world.store.models, 2 ** 30);
    const asked = await Promise.all(Array.from({ length: 10 }, () => plans.get(pin, policy(1))));
    expect(new Set(asked).size).toBe(1);
    expect(plans.use).toMatchObject({ hits: 9, misses: 1, evictions: 0, plans: 1 });
    expect(plans.use.bytes).toBeGreaterThan(DOCUMENT_BYTES);
  });

  it('stays within its budget', async () => {
    const one = new PlanCache(world.store.models, 2 ** 30);
    await one.get(pin, policy(1));
    const budget = 2.5 * one.use.bytes;
    const plans = new PlanCache(world.store.models, budget);
    for (const seed of [1, 2, 1, 3, 1, 2]) await plans.get(pin, policy(seed));
    expect(plans.use).toMatchObject({ hits: 2, misses: 4, evictions: 2, plans: 2 });
    expect(plans.use.bytes).toBeLessThan(budget);
  });

  it('keeps nothing of a load that failed', async () => {
    const plans = new PlanCache(world.store.models, 2 ** 30);
    const wrong = { ...pin, digest: `sha256:${'0'.repeat(64)}` };
    await expect(plans.get(wrong, policy(1))).rejects.toThrow('but the job means sha256:0000');
    await expect(plans.get({ ...pin, version: 9 }, policy(1))).rejects.toThrow('no version "9"');
    expect(plans.use).toMatchObject({ plans: 0, bytes: 0 });
  });
});
