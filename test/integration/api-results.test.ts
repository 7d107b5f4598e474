/** Results by `Accept`, uploads of Parquet, and the list of batches: real files and a real Redis. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ParquetSink } from '../../dist/jobs/results/parquet-sink.js';
import { openSink } from '../../dist/jobs/rows/streams.js';
import { parseDocument } from '../../src/documents/parse.js';
import { summarySchema } from '../../src/documents/summary-document.js';
import { ApiWorld, credentials, POLICY_LINE } from './api-world.js';
import { MODEL, POLICY, withoutTimes } from './queue-world.js';

const PARQUET = 'application/vnd.apache.parquet';

interface BatchCounts {
  readonly counts: Readonly<Record<string, number>>;
}

let api: ApiWorld;
/** Without workers: rows are queued and stay. */
let paused: ApiWorld;
let csv: string;

beforeAll(async () => {
  api = await ApiWorld.create({ parquetBytes: 4_000_000, maxTables: 2 });
  paused = await ApiWorld.create({}, []);
  csv = api.world.writeRows('rows.csv', 1);
  const headers = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };
  await api.call('POST', '/v1/batches?model=credit&batch=whole', { headers, body: readFileSync(csv, 'utf8') });
  await api.call('GET', '/v1/batches/whole/results');
});

afterAll(async () => {
  await api.close();
  await paused.close();
});

const results = (id: string, accept: string, query = '') =>
  api.fetch('GET', `/v1/batches/${id}/results${query}`, { as: 'read', headers: { accept } });

/** The same batch as the command writes it. */
async function waited(output: string, ...more: string[]): Promise<Buffer> {
  const path = join(api.world.directory, output);
  const { code, stderr } = await api.world.run('batch', 'wait', 'whole', '--output', path, '--quiet', ...more);
  expect([code, stderr]).toEqual([0, '']);
  return readFileSync(path);
}

describe('a summary', () => {
  const summary = (id: string, query = '', as: 'read' | 'admin' = 'read') =>
    api.fetch('GET', `/v1/batches/${id}/summary${query}`, { as });

  it('has the figures of all results, with groups', async () => {
    const response = await summary('whole', '?by=housing,age');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')]);
    const document = parseDocument(summarySchema, await response.json(), 'summary');
    const { counts } = (await (await api.fetch('GET', '/v1/batches/whole', { as: 'read' })).json()) as BatchCounts;
    expect(document.results).toBe(3000);
    for (const [status, count] of Object.entries(counts)) expect(document.statuses).toHaveProperty([status], count);
    expect(document.models).toEqual([expect.objectContaining({ name: 'credit', version: 1, results: 3000 })]);
    expect(document.groups.map(({ feature, kind }) => [feature, kind])).toEqual([
      ['housing', 'values'],
      ['age', 'ranges'],
    ]);
    expect(document.smallestGroup).toBe(10);
  });

  it('is refused for unknown batches, faulty names and groups that are too small', async () => {
    expect((await summary('nothing')).status).toBe(404);
    expect((await summary('whole', '?by=age,')).status).toBe(400);
    expect((await summary('whole', '?smallestGroup=2')).status).toBe(400);
  });

  it('of a batch without results counts none', async () => {
    const headers = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };
    await paused.call('POST', '/v1/batches?model=credit&batch=waits', { headers, body: readFileSync(csv, 'utf8') });
    const response = await paused.fetch('GET', '/v1/batches/waits/summary', { as: 'read' });
    expect(await response.json()).toMatchObject({ results: 0, cost: null });
  });
});

describe('results', () => {
  it('come as CSV, with the bytes that batch wait writes', async () => {
    const response = await results('whole', 'text/csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('vary')).toBe('accept');
    const text = await response.text();
    expect(text === (await waited('out.csv')).toString()).toBe(true);
    expect(text.trimEnd().split('\n').length).toBeGreaterThan(3000);
  });

  it('come as Parquet, with the table that batch wait writes', async () => {
    const response = await results('whole', `${PARQUET}, text/csv;q=0.5`);
    expect(response.headers.get('content-type')).toBe(PARQUET);
    const table = await parquetReadObjects({ file: await response.arrayBuffer() });
    const own = await parquetReadObjects({ file: new Uint8Array(await waited('out.parquet')).buffer });
    expect(table).toEqual(own);
    expect(table).toHaveLength(3000);
  });

  it('come as short lines', async () => {
    const text = await (await results('whole', '*/*', '?detail=brief')).text();
    expect(text === (await waited('out.ndjson', '--detail', 'brief')).toString()).toBe(true);
    const [header, first] = text.split('\n').map((line) => line && JSON.parse(line));
    expect(header).toMatchObject({
      schema: 'elsewise.brief/v1',
      model: { digest: expect.stringContaining('sha256:') },
    });
    expect(first).toMatchObject({ id: '0-a-0001', status: 'found' });
  });

  it('come as NDJSON unless another type is preferred', async () => {
    for (const accept of ['*/*', 'application/*', 'text/csv;q=0.1, application/x-ndjson']) {
      const response = await results('whole', accept);
      expect(response.headers.get('content-type')).toBe('application/x-ndjson');
      expect(withoutTimes(await response.text()) === (await api.world.explain(csv))).toBe(true);
    }
  });

  it('are refused in other types, and brief in tables', async () => {
    const headers = { accept: 'text/html' };
    const refused = await api.call('GET', '/v1/batches/whole/results', { headers });
    expect(refused.json).toMatchObject({ status: 406, code: 'not-acceptable', path: 'headers.accept' });
    const brief = await api.call('GET', '/v1/batches/whole/results?detail=brief', { headers: { accept: 'text/csv' } });
    expect(brief.json).toMatchObject({ status: 400, path: 'query.detail' });
  });
});

/** The rows of the example over and over, as Parquet. */
async function writeParquet(name: string, rows: number): Promise<string> {
  const [header, ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  const { features } = JSON.parse(readFileSync(MODEL, 'utf8')) as { features: { name: string; type: string }[] };
  const types = { continuous: 'number', integer: 'integer', boolean: 'boolean', categorical: 'text' } as const;
  const columns = header.split(',').map((column) => ({
    name: column,
    type: types[features.find((feature) => feature.name === column)?.type as keyof typeof types] ?? 'text',
  }));
  const read = (text: string, c: number) => (columns[c].type === 'text' ? text : JSON.parse(text));
  const cells = lines.map((line) => JSON.stringify(line.split(',').map(read)));
  const path = join(api.world.directory, name);
  const sink = await ParquetSink.open(await openSink(path), columns);
  for (let done = 0; done < rows; done += cells.length)
    await sink.write(Buffer.from(`${cells.slice(0, rows - done).join('\n')}\n`));
  await sink.close();
  return path;
}

const upload = (id: string, body: Uint8Array, { server }: Pick<ApiWorld, 'server'> = api) =>
  fetch(`${server.address}/v1/batches?model=credit&batch=${id}`, {
    method: 'POST',
    headers: { ...credentials('submit'), 'content-type': PARQUET, 'x-elsewise-policy': POLICY_LINE },
    body,
  } as RequestInit).then(async (response) => ({ status: response.status, json: await response.json() }));

const temporaryFiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('elsewise-parquet-'));
/** Names of files that are open and have no name any more. */
const openTemporaryFiles = () =>
  readdirSync('/proc/self/fd')
    .map((fd) => targetOf(`/proc/self/fd/${fd}`))
    .filter((target) => target.includes('elsewise-parquet-'));

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return ''; // closed since
  }
}

describe('an upload of Parquet', () => {
  it('is the same batch as CSV, also by enqueue, and leaves no file behind', async () => {
    const path = await writeParquet('rows.parquet', 3000);
    expect(await upload('columns', readFileSync(path))).toMatchObject({ status: 201, json: { rows: 3000 } });
    const same = await (await results('columns', '*/*')).text();
    expect(withoutTimes(same) === (await api.world.explain(csv))).toBe(true);
    const enqueue = ['enqueue', '--model', 'credit', '--policy', POLICY, '--input', path, '--batch', 'file', '--quiet'];
    expect((await api.world.run(...enqueue)).code).toBe(0);
    const file = await (await results('file', '*/*')).text();
    expect(withoutTimes(file) === withoutTimes(same)).toBe(true);
    expect([temporaryFiles(), openTemporaryFiles()]).toEqual([[], []]);
  });

  it('is refused beyond the limit, damaged, or under a taken id, and leaves no file behind', async () => {
    const path = await writeParquet('rows.parquet', 3000);
    const long = await upload('long', new Uint8Array(4_000_001).fill(80));
    expect(long).toMatchObject({ status: 413, json: { code: 'too-large', path: 'body.parquet' } });
    const cut = await upload('cut', readFileSync(path).subarray(0, 5000));
    expect(cut).toMatchObject({ status: 422, json: { code: 'bad-input', path: 'body.parquet' } });
    const taken = await upload('whole', readFileSync(path));
    expect(taken).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect([temporaryFiles(), openTemporaryFiles()]).toEqual([[], []]);
  });

  it('in one large row group takes no more memory of the server than a small one', async () => {
    const small = await peakOf(40_000);
    const growth = async (name: string) => (await peakOf(200_000, name)) - small;
    // A peak depends on the moments of garbage collection. Rows that are kept show in each run, with 160 MB.
    const first = await growth('first');
    expect(first < MOST_GROWTH ? first : await growth('second')).toBeLessThan(MOST_GROWTH);
  });
});

const MOST_GROWTH = 80e6;

/** The most memory that a server of its own had until an upload of this many rows in one row group was queued. */
async function peakOf(rows: number, name = ''): Promise<number> {
  const body = writeOneGroup(rows);
  const { pid, address } = await paused.world.startServer();
  const server = { address } as ApiWorld['server'];
  expect(await upload(`one-group-${rows}${name}`, body, { server })).toMatchObject({ json: { rows } });
  const peak = 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  process.kill(pid);
  return peak;
}

/** As pandas writes a frame: optional columns, all rows in one row group. */
function writeOneGroup(rows: number): Uint8Array {
  const [header, ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  const cells = lines.map((line) => line.split(','));
  const columnData = header.split(',').map((name, c) => {
    const [isWhole, isBoolean] = [/^\d+$/, /^(true|false)$/].map((form) => cells.every((row) => form.test(row[c])));
    const type: BasicType = isWhole ? 'INT64' : isBoolean ? 'BOOLEAN' : 'STRING';
    const read = (text: string) => (isWhole ? BigInt(text) : isBoolean ? text === 'true' : text);
    const values = cells.map((row) => read(row[c]));
    const value = (i: number) => (name === 'id' ? `r-${i}` : values[i % values.length]);
    return { name, type, offsetIndex: false, data: Array.from({ length: rows }, (_, i) => value(i)) };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: rows, pageSize: 20_000 }));
}

describe('the list of batches', () => {
  it('has all batches, newest first, in pages', async () => {
    const whole = await api.call('GET', '/v1/batches?limit=100', { as: 'read' });
    const { batches, next } = whole.json as { batches: { id: string; created: string; by: string }[]; next?: string };
    expect(next).toBeUndefined();
    expect(batches.map(({ id }) => id)).toContain('whole');
    const times = batches.map(({ created }) => created);
    expect(times).toEqual([...times].sort().reverse());
    const paged: string[] = [];
    for (let address: string | undefined = '/v1/batches?limit=2'; address; ) {
      const { json } = await api.call('GET', address, { as: 'read' });
      paged.push(...(json.batches as { id: string }[]).map(({ id }) => id));
      address = json.next as string | undefined;
    }
    expect(paged).toEqual(batches.map(({ id }) => id));
    const { stdout } = await api.world.run('batch', 'list', '--limit', '2');
    expect(stdout).toContain(paged[0]);
    expect(stdout).toMatch(/more: elsewise batch list --after \d+\.\S+\n$/);
    const after = /--after (\S+)/.exec(stdout)![1];
    const second = await api.world.run('batch', 'list', '--limit', '1', '--json', '--after', after);
    expect(JSON.parse(second.stdout)).toMatchObject({ id: paged[2] });
  });

  it('forgets batches that have expired, and refuses a place that is none', async () => {
    const { store } = api.world;
    const times = `${store.settings.keyPrefix}:batch-times`;
    await store.redis.zadd(times, Date.now(), 'young', Date.now() - 3_600_000, 'gone');
    const listed = await api.call('GET', '/v1/batches?limit=100');
    const ids = (listed.json.batches as { id: string }[]).map(({ id }) => id);
    expect(ids).not.toContain('young');
    expect(ids).not.toContain('gone');
    expect(await store.redis.zscore(times, 'gone')).toBeNull();
    expect(await store.redis.zscore(times, 'young')).not.toBeNull(); // its batch may be about to be stored
    expect((await api.call('GET', '/v1/batches?after=x')).json).toMatchObject({ status: 400, path: 'query.after' });
    expect((await api.call('GET', '/v1/batches?limit=101')).json).toMatchObject({ status: 400, path: 'query.limit' });
  });
});
