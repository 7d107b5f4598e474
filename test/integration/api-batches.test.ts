/** Batches over HTTP: streamed in, streamed out, broken off and repeated. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startRedis } from '../../scripts/redis.mjs';
import { ApiWorld, credentials, POLICY_LINE } from './api-world.js';
import { MODEL, until, withoutTimes } from './queue-world.js';

const CSV = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };
const MANY = 20_000;

let api: ApiWorld;
let file: string;

beforeAll(async () => {
  api = await ApiWorld.create();
  file = api.world.writeRows('rows.csv', 1);
});

afterAll(() => api.close());

const upload = (id: string, body: string, headers: Record<string, string> = CSV) =>
  api.call('POST', `/v1/batches?model=credit&batch=${id}`, { as: 'submit', headers, body });

describe('a batch', () => {
  it('is uploaded, followed and downloaded, with what explain writes', async () => {
    const accepted = await upload('first', readFileSync(file, 'utf8'));
    expect(accepted).toMatchObject({
      status: 201,
      json: { id: 'first', rows: 3000, done: 0, warnings: [] },
    });
    expect(accepted.headers.get('location')).toBe('/v1/batches/first');
    const results = await api.call('GET', '/v1/batches/first/results', { as: 'read' });
    expect(withoutTimes(results.text) === (await api.world.explain(file))).toBe(true);
    const { json } = await api.call('GET', '/v1/batches/first', { as: 'read' });
    expect(json).toMatchObject({ state: 'done', rows: 3000, answered: 3000, model: { name: 'credit', version: 1 } });
    expect((await api.world.store.batches.status('first')).manifest.by).toBe('the-submit');
  });

  it('may be NDJSON, with a made-up id and without a policy', async () => {
    const body = '{"id":"x","target":"approved","features":{"age":"old"}}\n{"id":"y","features":{}}\n';
    const headers = { 'content-type': 'application/x-ndjson; charset=utf-8' };
    const { status, json } = await api.call('POST', '/v1/batches?model=credit@1', { headers, body });
    expect(status).toBe(201);
    const { text } = await api.call('GET', `/v1/batches/${json.id}/results`);
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(['x', 'y']);
  });

  it('without a target in policy and rows is refused before anything is stored', async () => {
    const csv = { headers: { 'content-type': 'text/csv' }, body: readFileSync(file, 'utf8') };
    const ndjson = { headers: { 'content-type': 'application/x-ndjson' }, body: '{"features":{"age":30}}\n' };
    for (const asked of [csv, ndjson]) {
      const { json } = await api.call('POST', '/v1/batches?model=credit&batch=aimless', asked);
      expect(json).toMatchObject({ status: 422, code: 'bad-input' });
      expect(json.detail).toBe(
        'no target is named: give "target" in the policy or a target in each row; the classes of the model are rejected, approved',
      );
      expect((await api.call('GET', '/v1/batches/aimless')).status).toBe(404);
    }
  });

  it('says that its column of targets replaces the target of the policy', async () => {
    const [header, ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n').slice(0, 4);
    const body = [`${header},target`, ...rows.map((row) => `${row},rejected`)].join('\n');
    const { json } = await upload('labelled', body);
    expect(json.warnings).toEqual([
      'the column target gives rows their own target, in place of approved (3 of the first 3 with a target have another, such as rejected); rename or remove a column of training labels',
    ]);
  });

  it('may be a CSV with semicolons and decimal commas, found or given', async () => {
    const german = readFileSync(file, 'utf8').split('\n').slice(0, 20).join('\n').replaceAll(',', ';');
    const headers = CSV;
    const found = await api.call('POST', '/v1/batches?model=credit&batch=german', { headers, body: german });
    const told = (found.json.warnings as string[]).join('\n');
    expect(told).toContain('semicolons');
    expect(told).toContain('?delimiter');
    expect(told).not.toContain('--');
    const path = '/v1/batches?model=credit&batch=given&delimiter=%3B&decimal=,&encoding=latin1';
    expect(await api.call('POST', path, { headers, body: german })).toMatchObject({ status: 201, json: { rows: 19 } });
    const none = await api.call('POST', `${path}x`, { headers, body: german });
    expect(none.json).toMatchObject({ status: 400, code: 'bad-request' });
  });

  it('sent again is the same batch; other rows under its id are refused', async () => {
    const again = await upload('first', readFileSync(file, 'utf8'));
    expect(again.status).toBe(201);
    expect(again.json.done).toBe(again.json.chunks);
    const other = await upload('first', `${readFileSync(file, 'utf8').replace('a-0001', 'b-0001')}`);
    expect(other).toMatchObject({ status: 409, json: { code: 'conflict' } });
    const otherPolicy = { ...CSV, 'x-elsewise-policy': '{"schema":"elsewise.policy/v1","target":"approved"}' };
    expect(await upload('first', readFileSync(file, 'utf8'), otherPolicy)).toMatchObject({ status: 409 });
  });

  const FAULTS: Record<
    string,
    [path: string, headers: Record<string, string>, body: string, status: number, where: string]
  > = {
    'rows of another model': ['?model=credit', CSV, 'a,b\n1,2\n', 422, 'body.csv'],
    'no model': ['', CSV, 'a\n1\n', 400, 'query.model'],
    'a model nobody knows': ['?model=nobody', CSV, 'a\n1\n', 404, ''],
    'a model that is no reference': ['?model=credit@', CSV, 'a\n1\n', 400, 'query.model'],
    'a policy that is no reference': ['?model=credit&policy=a/b', CSV, 'a\n1\n', 400, 'query.policy'],
    'a bad id': ['?model=credit&batch=a:b', CSV, 'a\n1\n', 400, 'query.batch'],
    'another content type': ['?model=credit', { 'content-type': 'text/html' }, 'a', 415, 'headers.content-type'],
    'a compressed body': [
      '?model=credit',
      { ...CSV, 'content-encoding': 'gzip' },
      'a',
      415,
      'headers.content-encoding',
    ],
    'a policy that is no JSON': [
      '?model=credit',
      { ...CSV, 'x-elsewise-policy': '{' },
      'a',
      400,
      'headers.x-elsewise-policy',
    ],
    'a policy that is none': ['?model=credit', { ...CSV, 'x-elsewise-policy': '{}' }, 'a', 422, 'policy.schema'],
  };

  it.each(Object.entries(FAULTS))('with %s is refused', async (_name, [query, headers, body, status, path]) => {
    const { json } = await api.call('POST', `/v1/batches${query}`, { headers, body });
    expect(json).toMatchObject({ status, path });
    expect(json.title).not.toContain('command line');
  });

  it('may have a policy with any characters, as bytes or escaped', async () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    const escaped = (text: string) => text.replaceAll('ä', '\\u00e4');
    for (const write of [bytes, escaped]) {
      const policy = write(JSON.stringify({ ...JSON.parse(POLICY_LINE), name: 'Verträge' }));
      const headers = { ...CSV, 'x-elsewise-policy': policy };
      const { json } = await api.call('POST', '/v1/batches?model=credit', {
        headers,
        body: readFileSync(file, 'utf8'),
      });
      expect((await api.call('GET', `/v1/batches/${json.id}`)).json.policy).toMatchObject({ name: 'Verträge' });
    }
  });

  it('that nobody knows is 404 everywhere', async () => {
    for (const path of ['/v1/batches/none', '/v1/batches/none/results'])
      expect((await api.call('GET', path)).json).toMatchObject({ status: 404, code: 'not-known' });
  });
});

/** Rows of the example, over and over, as they are asked for. */
async function* endlessRows(rows: number): AsyncGenerator<Uint8Array> {
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  yield Buffer.from(`${header}\n`);
  for (let done = 0; done < rows; done += lines.length) {
    const part = lines.slice(0, rows - done).map((line) => `${done}-${line}\n`);
    yield Buffer.from(part.join(''));
  }
}

describe('a stream', () => {
  it(`of ${MANY} rows goes in and comes out in order while it is worked`, async () => {
    const body = ReadableStream.from(endlessRows(MANY)) as ReadableStream;
    const path = '/v1/batches?model=credit&batch=many';
    const sending = api.call('POST', path, { as: 'submit', headers: CSV, body });
    await until('the first chunk', async () => (await api.call('GET', '/v1/batches/many')).status === 200);
    const early = await api.call('GET', '/v1/batches/many/results?wait=false', { as: 'read' });
    expect(early.text.split('\n').length).toBeLessThan(MANY);
    const response = await api.fetch('GET', '/v1/batches/many/results', { as: 'read' });
    const ids = await idsOf(response.body!);
    expect(await sending).toMatchObject({ status: 201, json: { rows: MANY } });
    const sent = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    const expected = Array.from({ length: MANY }, (_, i) => `${i - (i % sent.length)}-${sent[i % sent.length]}`);
    expect(ids).toEqual(expected);
  });

  it('that is broken off leaves a batch that the same upload completes', async () => {
    const long = api.world.writeRows('long.csv', 4);
    await breakOff('broken', readFileSync(long, 'utf8').split('\n').slice(0, 10_001));
    await until('the log of it', async () => api.lines.some((line) => JSON.parse(line).aborted));
    expect(api.lines.join('')).not.toContain('"level":"error"');
    const { json } = await api.call('GET', '/v1/batches/broken');
    expect(json.state).toBe('adding');
    expect(json.rows).toBeLessThanOrEqual(10_000);
    const again = await upload('broken', readFileSync(long, 'utf8'));
    expect(again).toMatchObject({ status: 201, json: { rows: 12_000 } });
    const results = await api.call('GET', '/v1/batches/broken/results');
    expect(withoutTimes(results.text) === (await api.world.explain(long))).toBe(true);
  });

  it('of results ends with its reader, and gives its connection back', async () => {
    const paused = await ApiWorld.create({}, [], await startRedis()); // whose connections are ours alone
    try {
      await paused.call('POST', '/v1/batches?model=credit&batch=waiting', {
        headers: CSV,
        body: readFileSync(file, 'utf8'),
      });
      const clients = async () => ((await paused.world.store.redis.client('LIST')) as string).split('\n').length;
      const before = await clients();
      const address = `${paused.server.address}/v1/batches/waiting/results`;
      const reading = get(address, { headers: credentials('read') }).on('error', () => {});
      const [response] = await once(reading, 'response'); // the head comes although no result is there
      expect(response.statusCode).toBe(200);
      expect(await clients()).toBeGreaterThan(before);
      response.on('error', () => {});
      reading.destroy();
      await until('its connection gone', async () => (await clients()) <= before);
    } finally {
      await paused.close();
    }
  });
});

async function idsOf(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const ids: string[] = [];
  let rest = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    for (const line of lines) ids.push(JSON.parse(line).id);
  }
  expect(rest).toBe('');
  return ids;
}

/** Sends these lines, waits until some of them are queued, and drops the connection. */
async function breakOff(batch: string, lines: readonly string[]): Promise<void> {
  const { hostname, port } = new URL(api.server.address);
  const path = `/v1/batches?model=credit&batch=${batch}`;
  const headers = { ...credentials('submit'), ...CSV };
  const upload = request({ hostname, port, path, method: 'POST', headers });
  upload.on('error', () => {});
  upload.write(`${lines.join('\n')}\n`);
  await until('the batch', async () => (await api.call('GET', `/v1/batches/${batch}`)).status === 200);
  upload.destroy();
}

describe('a chunk that failed', () => {
  it('is said where nothing was sent, and breaks the download off where something was', async () => {
    await upload('failing', readFileSync(file, 'utf8'));
    await api.call('GET', '/v1/batches/failing/results');
    const { store } = api.world;
    const key = `${store.settings.keyPrefix}:batch:{failing}:chunks`;
    const fail = async (index: number) => {
      const chunk = JSON.parse((await store.redis.hget(key, String(index)))!);
      const { results: _, ...rest } = chunk;
      const failed = { ...rest, state: 'failed', code: 'thread-lost', message: 'lost' };
      await store.redis.hset(key, String(index), JSON.stringify(failed));
    };
    await fail(3);
    const response = await api.fetch('GET', '/v1/batches/failing/results');
    await expect(response.text()).rejects.toThrow();
    await fail(0);
    const { json } = await api.call('GET', '/v1/batches/failing/results');
    expect(json).toMatchObject({ status: 503, code: 'thread-lost' });
  });
});

describe('models', () => {
  const document = JSON.parse(readFileSync(MODEL, 'utf8'));

  it('are pushed, listed and shown', async () => {
    const body = { ...document, name: 'second' };
    const first = await api.call('PUT', '/v1/models/second', { body });
    expect(first).toMatchObject({ status: 201, json: { name: 'second', version: 1 } });
    expect((await api.call('PUT', '/v1/models/second', { body })).status).toBe(200);
    const location = first.headers.get('location')!;
    expect((await api.call('GET', location)).json).toEqual(first.json);
    expect((await api.call('GET', '/v1/models/second/versions/latest')).json).toEqual(first.json);
    expect((await api.call('GET', '/v1/models/second')).json.models).toEqual([first.json]);
    const { models } = (await api.call('GET', '/v1/models')).json as { models: { name: string }[] };
    expect(models.map(({ name }) => name)).toEqual(['credit', 'second']);
  });

  it('are refused under another name, with other probes, or when nobody knows them', async () => {
    const other = await api.call('PUT', '/v1/models/other', { body: document });
    expect(other.json).toMatchObject({ status: 422, path: 'model.name' });
    const probes = { rows: document.probes.rows, scores: document.probes.scores.map(() => [0.5, 0.5]) };
    const bad = await api.call('PUT', '/v1/models/credit', { body: { ...document, probes } });
    expect(bad.json).toMatchObject({ status: 422, code: 'bad-probe' });
    expect((await api.call('GET', '/v1/models/credot')).json.detail).toContain('did you mean "credit"?');
    expect((await api.call('GET', '/v1/models/credit/versions/9')).json).toMatchObject({ status: 404 });
    const noVersion = await api.call('GET', '/v1/models/credit/versions/-9');
    expect(noVersion.json).toMatchObject({ status: 400, code: 'bad-request', path: 'params.version' });
  });

  it('that are no JSON are refused without being repeated', async () => {
    const headers = { 'content-type': 'application/json' };
    const put = async (body: string) => (await api.call('PUT', '/v1/models/credit', { headers, body })).json;
    const torn = await put('{"name": "Erika Mustermann"');
    expect(torn).toMatchObject({ status: 400, code: 'bad-request', path: 'body' });
    expect(JSON.stringify(torn)).not.toContain('Erika');
    expect(await put('['.repeat(2e5) + ']'.repeat(2e5))).toMatchObject({ status: 400, code: 'bad-request' });
  });

  it('that are large keep nobody waiting while they are checked', async () => {
    const { background } = document;
    const copies = <T>(list: T[]): T[] => Array.from({ length: 400 }, () => list).flat();
    const large = { ...background, samples: copies(background.samples), labels: copies(background.labels) };
    const body = JSON.stringify({ ...document, name: 'large', background: large });
    expect(body.length).toBeGreaterThan(5e6);
    const parse = vi.spyOn(JSON, 'parse');
    const headers = { 'content-type': 'application/json' };
    const { status } = await api.call('PUT', '/v1/models/large', { headers, body });
    const longest = Math.max(0, ...parse.mock.calls.map(([text]) => String(text).length));
    parse.mockRestore();
    expect(status).toBe(201);
    expect(longest).toBeLessThan(1e5); // a thread parses and checks the document
  });
});
