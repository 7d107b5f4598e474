/** Receipts over HTTP, and the removal of a row: from answers, batches and the record, which still verifies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportedLines, readEntry, writeStored } from '../../dist/store/audit/audit-entry.js';
import { leafOf, packLines, redactedLine, unpackRecords } from '../../dist/store/audit/audit-record.js';
import { auditEntries, recordsOf } from '../../dist/store/audit/read-chain.js';
import { verifyStored } from '../../dist/store/audit/verify-chain.js';
import { verifyExport } from '../../dist/store/audit/verify-export.js';
import { Keys } from '../../dist/store/keys.js';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { ApiWorld, exampleFeatures } from './api-world.js';
import { until } from './queue-world.js';

/** The first row of the batch. */
let person: string;
let api: ApiWorld;
let batch: string;
let before: string;
let features: Record<string, string | number | boolean>;

beforeAll(async () => {
  api = await ApiWorld.create({}, []);
  await api.world.serve({ lanes: ['bulk', 'events'], audit: { enabled: true, retentionDays: 30 } });
  features = exampleFeatures(api.world);
  batch = await api.world.add(api.world.writeRows('rows.csv', 1), { chunkRows: 1000 });
  before = await api.world.results(batch);
  person = (JSON.parse(before.split('\n')[0]) as ResultDocument).id;
});
afterAll(() => api.close());

const explain = (id: string) =>
  api.call('POST', '/v1/explanations?waitMs=60000', {
    as: 'submit',
    body: { id, model: 'credit', features, target: 'approved' },
  });

async function exported(): Promise<string[]> {
  const lines: string[] = [];
  for await (const entry of auditEntries(api.world.store.audit, {})) lines.push(...exportedLines(entry));
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** All keys whose content has the text, compressed blocks aside. */
async function keysWith(text: string): Promise<string[]> {
  const { redis } = api.world.store;
  const found: string[] = [];
  for (const key of await redis.keys('*')) {
    // Redis keeps the bytes of a deleted entry of a stream for a while, out of reach of commands
    const isStream = (await redis.type(key)) === 'stream';
    const entries = isStream ? Buffer.from(JSON.stringify(await redis.xrange(key, '-', '+'))) : undefined;
    const bytes = entries ?? (await redis.dumpBuffer(key)) ?? Buffer.alloc(0);
    if (key.includes(text) || bytes.includes(text)) found.push(key);
  }
  return found;
}

describe('DELETE /v1/explanations/:id', () => {
  it('removes a row everywhere, and only this row', async () => {
    await explain(person);
    await explain('other');
    const rows = before.trimEnd().split('\n').length;
    await until('all records', async () => (await exported()).length === rows + 2);
    expect((await api.call('DELETE', `/v1/explanations/${person}`, { as: 'submit' })).status).toBe(403);
    const { status, json } = await api.call('DELETE', `/v1/explanations/${person}`);
    expect([status, json.remaining]).toEqual([200, []]);
    const removed = Object.fromEntries(
      (json.removed as { place: string; count: number }[]).map((one) => [one.place, one.count]),
    );
    expect(removed).toMatchObject({
      'answers under the id': 1,
      'entries of the stream of answers': 1,
      'results of batches': 1,
      'records of the audit': 2,
    });
    expect((await api.call('GET', `/v1/explanations/${person}`)).status).toBe(404);
    expect((await api.call('GET', '/v1/explanations/other')).status).toBe(200);
    expect(await keysWith(person)).toEqual([]);
    const [first, ...others] = (await api.world.results(batch)).trimEnd().split('\n');
    expect(JSON.parse(first)).toMatchObject({ id: 'forgotten', status: 'invalid', factual: null, target: null });
    expect(others).toEqual(before.trimEnd().split('\n').slice(1));
    const { counts } = await api.world.store.batches.status(batch);
    expect(counts.invalid).toBe(1);
  });

  it('leaves no trace in later answers to equal rows', async () => {
    const again = await api.world.add(api.world.writeRows('again.csv', 1), { chunkRows: 1000 });
    const bare = (line: string) => ({ ...(JSON.parse(line) as ResultDocument), elapsedMs: 0, attempts: [] });
    const [first] = (await api.world.results(again)).split('\n');
    expect(bare(first)).toEqual(bare(before.split('\n')[0]));
    expect((await explain('later')).json).toMatchObject({ id: 'later', status: 'found' });
    await until('no work', async () => (await recordsOf(api.world.store.audit, 'later')).length === 1);
    await api.call('DELETE', `/v1/explanations/${person}`);
  });

  it('leaves a chain that verifies, names the removal and counts the redacted records', async () => {
    const verdict = await verifyStored(api.world.store.audit);
    expect([verdict.fault, verdict.redacted]).toEqual([undefined, 3]);
    const lines = await exported();
    expect(await verifyExport(each(lines))).toMatchObject({
      records: verdict.records,
      redacted: 3,
      head: verdict.head,
    });
    expect(lines.join()).not.toContain(person);
    expect(JSON.parse(lines.find((line) => line.includes('audit-redaction'))!)).toMatchObject({
      by: 'the-admin',
      redacted: [{ index: 0 }, { index: 0 }],
    });
    expect(await recordsOf(api.world.store.audit, person)).toEqual([]);
    const page = await api.call('GET', '/v1/audit?limit=1000', { as: 'audit' });
    expect(page.text.trimEnd().split('\n')).toEqual(lines);
    // a file that ends before the redaction cannot explain the missing records
    const until = lines.findIndex((line) => line.includes('audit-redaction'));
    expect((await verifyExport(each(lines.slice(0, until)))).fault).toMatch(
      /was redacted, and no later entry of the file/,
    );
    const { stdout } = await api.world.call('audit', 'verify');
    expect(stdout).toContain('3 redacted: their digests hold');
  });

  it('tells a redaction that is not on record', async () => {
    const { audit, redis, settings } = api.world.store;
    const [{ day }] = await audit.days();
    const list = new Keys(settings.keyPrefix).auditEntries(day);
    const bytes = (await redis.lindexBuffer(list, 0))!;
    const { headText, data } = readEntry(bytes);
    const lines = unpackRecords(data);
    lines[4] = redactedLine(leafOf(lines[4]));
    await redis.lset(list, 0, writeStored(headText, packLines(lines)));
    expect((await verifyStored(audit)).fault).toMatch(
      /^entry 1 of .*: record 4: was redacted, and no later entry of the chain/,
    );
    expect((await api.world.call('audit', 'verify')).code).toBe(1);
    lines[4] = redactedLine(`sha256:${'1'.repeat(64)}`);
    await redis.lset(list, 0, writeStored(headText, packLines(lines)));
    expect((await verifyStored(audit)).fault).toContain('its 1000 records are not the 1000 records of the entry');
    await redis.lset(list, 0, bytes);
    expect((await verifyStored(audit)).fault).toBeUndefined();
  });
});

describe('elsewise forget', () => {
  it('removes requests and dead letters, and reports rows that wait', async () => {
    const { world } = api;
    const { dead } = world.store;
    const body = Buffer.from(JSON.stringify({ id: 'gone', model: 'credit', features }));
    await dead.add({ source: 'requests', origin: '1-1', code: 'not-known', message: 'no', attempts: 1, body });
    const other = { source: 'requests', code: 'bad-event', message: 'no', attempts: 1 } as const;
    await explain('gone');
    const kept = await world.call('forget', 'gone', '--keep-record');
    expect([kept.code, kept.stdout]).toEqual([
      0,
      expect.stringMatching(/removed: 1 dead letters[\s\S]*stays: records of the audit/),
    ]);
    expect(await recordsOf(world.store.audit, 'gone')).toHaveLength(1);
    expect((await world.call('forget', 'gone')).stdout).toContain('removed: 1 records of the audit');
    const texts = [
      '{"id":77,"features":{"income":1}}',
      '{"id":"77","id":"x"}',
      '{"id":"x", "id" : 77}',
      '{"id":"7\\u0037","a":',
    ];
    const strangers = [
      '{"id":7,"features":{"id":"77"}}',
      '{"id":"x","features":{"income":77}}',
      '{"id":"770","id":"177"}',
    ];
    for (const [k, text] of [...texts, ...strangers].entries())
      await dead.add({ ...other, origin: `2-${k}`, body: Buffer.from(text) });
    expect((await world.call('forget', '77')).stdout).toContain(`removed: ${texts.length} dead letters`);
    const nothing = await world.call('forget', 'nobody');
    expect([nothing.code, nothing.stdout]).toEqual([0, expect.stringContaining('nothing of "nobody" was stored')]);
    expect((await verifyStored(world.store.audit)).fault).toBeUndefined();
  });
});
