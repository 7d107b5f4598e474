/** A policy that would let one event hold the thread of all events for long is refused, whichever way the event comes. */
import { readFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { ApiWorld, exampleFeatures } from './api-world.js';
import { POLICY, until } from './queue-world.js';

const policyOf = (deadlineMs: number, name = 'patient') => ({
  ...JSON.parse(readFileSync(POLICY, 'utf8')),
  name,
  deadlineMs,
});
const REFUSED = policyOf(10_001);
const WHY = 'policy.deadlineMs: 10001 ms are too many for an event: events.maxDeadlineMs is 10000';

let api: ApiWorld;
let producer: Producer;
let queue: Queue;
let features: ReturnType<typeof exampleFeatures>;

beforeAll(async () => {
  api = await ApiWorld.create({}, ['events']);
  const { redis, settings, policies } = api.world.store;
  producer = new Producer(api.world.store);
  queue = new Queue('elsewise-events', { connection: redis, prefix: settings.queuePrefix });
  features = exampleFeatures(api.world);
  await policies.push(REFUSED);
});

afterAll(async () => {
  await queue.close();
  await api.close();
});

describe.each([
  ['brought along', REFUSED, 'body.policy.deadlineMs'],
  ['named', 'patient@1', 'policy.deadlineMs'],
])('a policy that asks for too long, %s', (how, policy, path) => {
  it('is refused where it is enqueued', async () => {
    const event = { id: `enqueued-${how}`, model: 'credit', features, policy };
    await expect(producer.enqueueEvent(event)).rejects.toMatchObject({ code: 'bad-document', message: WHY });
    await expect(producer.explain(event, { waitMs: 100 })).rejects.toThrow(WHY);
    expect(await queue.getJobCounts()).toMatchObject({ waiting: 0, active: 0, failed: 0, completed: 0 });
  });

  it('is refused by the API', async () => {
    const body = { model: 'credit', features, policy };
    const { status, json } = await api.call('POST', '/v1/explanations', { as: 'submit', body });
    expect(status).toBe(422);
    expect(json).toMatchObject({ path, type: 'urn:elsewise:error:bad-document' });
    expect(json.detail).toContain('events.maxDeadlineMs');
  });

  it('makes a job of others fail at once, for good', async () => {
    const job = { schema: 'elsewise.event-job/v1', id: `raw-${how}`, model: 'credit', features, policy };
    const { id } = await queue.add('event', job, { attempts: 3 });
    const { dead } = api.world.store;
    await until('its letter', async () => (await dead.find(`events-${id}`)) !== undefined);
    expect(await dead.read(`events-${id}`)).toMatchObject({ attempts: 1, code: 'bad-document', message: WHY });
  });

  it('makes a dead letter of a request', async () => {
    const { redis, settings, dead } = api.world.store;
    const body = JSON.stringify({ id: `asked-${how}`, model: 'credit', features, policy });
    const entry = await redis.xadd(`${settings.keyPrefix}:requests`, '*', 'body', body);
    await until('its end', async () => (await redis.xlen(`${settings.keyPrefix}:requests`)) === 0);
    expect(await dead.read(`requests-${entry}`)).toMatchObject({ code: 'bad-document', message: WHY, attempts: 1 });
  });
});

it('takes a policy that asks for all that there is', async () => {
  const event = { id: 'just', model: 'credit', features, policy: policyOf(10_000) };
  expect(await producer.explain(event, { waitMs: 60_000 })).toMatchObject({ status: 'found' });
});
