/** Events of up to a megabyte, good and bad: they are answered as short ones are, and the loop reads none of them. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EventPolicies } from '../../dist/jobs/events/event-policies.js';
import { EventReader } from '../../dist/jobs/events/event-reader.js';
import { type EventForm, parseEvent, readEvent } from '../../dist/jobs/events/read-event.js';
import { ApiWorld, exampleFeatures } from './api-world.js';
import { until } from './queue-world.js';

let api: ApiWorld;

beforeAll(async () => {
  api = await ApiWorld.create();
});

afterAll(() => api.close());

const LONG = 100_000;
const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`extra${i}`, value]));

/** What the loop of this process parses and writes as JSON meanwhile, if it is long. */
async function longJsonDuring(work: () => Promise<void>): Promise<number> {
  const parsed = vi.spyOn(JSON, 'parse');
  const written = vi.spyOn(JSON, 'stringify');
  try {
    await work();
    const read = parsed.mock.calls.filter(([text]) => text.length > LONG).length;
    return read + written.mock.results.filter(({ value }) => value?.length > LONG).length;
  } finally {
    parsed.mockRestore();
    written.mockRestore();
  }
}

describe('a long body', () => {
  const ask = (text: string) =>
    api.fetch('POST', '/v1/explanations?waitMs=20000', { headers: { 'content-type': 'application/json' }, body: text });

  it.each([
    ['wrong types', { features: many(50_000, []) }, 422, 'bad-document'],
    ['unknown keys', { features: {}, ...many(50_000, 1) }, 422, 'bad-document'],
    [
      'a policy of faults',
      { features: {}, policy: { schema: 'elsewise.policy/v1', features: many(40_000, 1) } },
      422,
      'bad-document',
    ],
    [
      'a constraint that is none',
      { features: {}, policy: { constraints: Array(100_000).fill(1) } },
      422,
      'bad-document',
    ],
    ['an unknown model', { features: many(50_000, 1), model: 'nobody' }, 404, 'not-known'],
  ])('with %s is refused, and read by a thread', async (_name, body, status, code) => {
    const text = JSON.stringify({ id: 'x', model: 'credit', ...body });
    let answer = '';
    const count = await longJsonDuring(async () => {
      const response = await ask(text);
      answer = await response.text();
      expect(response.status).toBe(status);
    });
    const { faults = [], ...problem } = JSON.parse(answer);
    expect(problem).toMatchObject({ code });
    expect(JSON.stringify(problem).length).toBeLessThan(3_000);
    // of 50,000 faults the first are told
    expect(faults.length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(faults).length).toBeLessThan(20 * 250);
    expect(count).toBe(0);
  });

  it.each([
    '['.repeat(200_000),
    '{"a":'.repeat(100_000),
    'x'.repeat(200_000),
    `${'['.repeat(90_000)}${']'.repeat(90_000)}`,
  ])('of nonsense is a bad request (%#)', async (text) => {
    const response = await ask(text);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'bad-request']);
  });

  it('with a row that fits is answered as a short one, and stays text on the way', async () => {
    const row = { model: 'credit', target: 'approved' };
    const features = exampleFeatures(api.world);
    const short = await api.call('POST', '/v1/explanations?waitMs=20000', { body: { ...row, id: 'short', features } });
    const text = JSON.stringify({ ...row, id: 'long', features: { ...many(40_000, 1), ...features } });
    const answers: string[] = [];
    const count = await longJsonDuring(async () => {
      answers.push(await (await ask(text)).text());
    });
    const { id, elapsedMs: _, attempts: __, ...long } = JSON.parse(answers[0]);
    expect(id).toBe('long');
    expect(short.json).toMatchObject(long);
    // one by BullMQ, which makes a string of every field of a job before it sees that ours is text
    expect(count).toBeLessThanOrEqual(1);
  });
});

describe('a long entry of the stream', () => {
  it('is answered, or becomes a letter with its code', async () => {
    const { requests, results, dead } = api.world.store;
    const features = { ...many(40_000, 1), ...exampleFeatures(api.world) };
    const good = JSON.stringify({ id: 'stream-long', model: 'credit', target: 'approved', features });
    const bad = JSON.stringify({ id: 'stream-bad', model: 'credit', features: many(50_000, []) });
    const ids: string[] = [];
    const count = await longJsonDuring(async () => {
      for (const body of [good, bad]) ids.push(await requests.add(body));
      await until('the answer', async () => (await results.result('stream-long')) !== undefined);
      await until('the letter', async () => (await dead.find(`requests-${ids[1]}`)) !== undefined);
    });
    expect(await dead.find(`requests-${ids[1]}`)).toMatchObject({ code: 'bad-document' });
    expect(count).toBe(0);
  });
});

describe('a thread', () => {
  it.each(['body', 'job', 'request', 'event'] as const)('reads a %s as the loop does', async (form: EventForm) => {
    const reader = new EventReader();
    const schemas = {
      body: undefined,
      request: undefined,
      job: 'elsewise.event-job/v1',
      event: 'elsewise.event-job/v1',
    };
    const policy = { schema: 'elsewise.policy/v1', maxChanges: 2 };
    const event = { schema: schemas[form], id: 'a', model: 'credit', policy, features: many(5_000, 1), target: ['a'] };
    const bytes = Buffer.from(JSON.stringify(event));
    const here = readEvent(parseEvent(bytes, form), form, new EventPolicies());
    expect(await reader.read(bytes, form)).toEqual(here);
    const broken = Buffer.concat([bytes, Buffer.from('x')]);
    const errorOf = async (read: () => unknown) => {
      const { code, message, path } = await Promise.resolve()
        .then(read)
        .then(
          () => ({}) as never,
          (error) => error,
        );
      return { code, message, path };
    };
    expect(await errorOf(() => reader.read(broken, form))).toEqual(await errorOf(() => parseEvent(broken, form)));
    await reader.close();
  });
});
