/** The record over HTTP: its days, its check, its export, one row by its id, and rows solved again. Letters and reports of answers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditDocument } from '../../src/documents/audit-document.js';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { ApiWorld, exampleFeatures, POLICY_LINE, SECRETS } from './api-world.js';
import { MODEL, POLICY, until } from './queue-world.js';

const ROWS = 40;
const WISHES = { maxChanges: 2, difficulty: { income: 4 } };

let api: ApiWorld;
let batch: string;
let features: Record<string, string | number | boolean>;

const linesOf = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

const auditOf = async (query: string): Promise<AuditDocument[]> =>
  linesOf((await api.call('GET', `/v1/audit${query}`, { as: 'audit' })).text);

beforeAll(async () => {
  api = await ApiWorld.create({}, []);
  await api.world.serve({ lanes: ['events', 'bulk'], audit: { enabled: true, retentionDays: 30 } });
  const policy = JSON.parse(POLICY_LINE);
  await api.call('PUT', `/v1/policies/${policy.name}`, { body: policy });
  const [header, ...rows] = readFileSync(api.world.writeRows('all.csv', 1), 'utf8').split('\n');
  const input = api.world.path('rows.csv');
  writeFileSync(input, `${[header, ...rows.slice(0, ROWS)].join('\n')}\n`);
  batch = await api.world.add(input);
  await api.world.results(batch);
  features = exampleFeatures(api.world);
  const body = { id: 'wished', model: 'credit', policy: policy.name, features, overlay: WISHES };
  await api.call('POST', '/v1/explanations?waitMs=60000', { body });
  await until('all records', async () => (await auditOf('?id=wished')).length === 1);
});

afterAll(() => api.close());

describe('the chain over HTTP', () => {
  it('has days, and an export of the same lines as the pages', async () => {
    const { json } = await api.call('GET', '/v1/audit/days', { as: 'audit' });
    const [day] = json.days as { day: string; records: number; isStored: boolean }[];
    expect(day).toMatchObject({ records: ROWS + 1, isStored: true });
    const exported = await api.call('GET', `/v1/audit/export?from=${day.day}`, { as: 'audit' });
    expect(exported.headers.get('content-disposition')).toBe(`attachment; filename="audit-${day.day}.ndjson"`);
    expect(linesOf(exported.text)).toEqual(await auditOf('?limit=1000'));
  });

  it('is checked with progress, for the days of a span', async () => {
    const check = async (query: string) =>
      linesOf<Record<string, unknown>>((await api.call('GET', `/v1/audit/check${query}`, { as: 'audit' })).text);
    const lines = await check('');
    expect(lines[0]).toMatchObject({ state: 'checking', entries: 1 });
    expect(lines.at(-1)).toMatchObject({ state: 'holds', records: ROWS + 1, entries: lines.at(-1)!.of });
    const { head } = lines.at(-1)!;
    expect((await check(`?head=${head}`)).at(-1)).toMatchObject({ state: 'holds', head });
    const other = `sha256:${'0'.repeat(64)}`;
    expect((await check(`?head=${other}`)).at(-1)).toMatchObject({
      state: 'broken',
      fault: `no entry has the digest ${other}`,
    });
    expect(await check('?to=2020-01-01')).toEqual([expect.objectContaining({ state: 'holds', records: 0, of: 0 })]);
  });

  it('is for auditors', async () => {
    for (const path of ['/v1/audit/days', '/v1/audit/check', '/v1/audit/export'])
      expect((await api.call('GET', path, { as: 'read' })).status).toBe(403);
    expect((await api.call('POST', '/v1/replays', { as: 'read', body: { number: 1, index: 0 } })).status).toBe(403);
  });
});

describe('POST /v1/replays', () => {
  const replay = async (body: object) => (await api.call('POST', '/v1/replays', { as: 'audit', body })).json;
  const first = async () => (await auditOf('?limit=1'))[0];

  it('finds the same answer for the stored row of a batch, and of an answer with wishes', async () => {
    const { number, index } = (await auditOf('?limit=1'))[3];
    expect(await replay({ number, index })).toMatchObject({ verdict: 'same', row: 'stored', differences: [] });
    const [wished] = await auditOf('?id=wished');
    const replayed = await replay({ number: wished.number, index: wished.index });
    expect(replayed).toMatchObject({ verdict: 'same', row: 'stored', solved: wished.record });
  });

  it('tells the keys of a result that was changed', async () => {
    const { json } = await api.call('GET', '/v1/explanations/wished');
    const result = json as unknown as ResultDocument;
    const [wished] = await auditOf('?id=wished');
    const forged = { ...result, counterfactuals: result.counterfactuals.map((one) => ({ ...one, score: 0.99 })) };
    const body = { number: wished.number, index: wished.index };
    expect(await replay({ ...body, result })).toMatchObject({ verdict: 'same', row: 'result' });
    const told = (await replay({ ...body, result: forged })) as unknown as { verdict: string; differences: object[] };
    expect(told.verdict).toBe('differing');
    expect(told.differences).toContainEqual(
      expect.objectContaining({ path: 'counterfactuals[0].score', before: '0.99' }),
    );
  });

  it('takes no flags and no id from a result that the record does not have', async () => {
    const { json } = await api.call('GET', '/v1/explanations/wished');
    const result = json as unknown as ResultDocument;
    const [wished] = await auditOf('?id=wished');
    const body = { number: wished.number, index: wished.index };
    const proof = { kind: 'heuristic', lowerBound: null, gap: null } as const;
    const counterfactuals = result.counterfactuals.map((one) => ({ ...one, proof }));
    const limited = await replay({
      ...body,
      result: { ...result, counterfactuals, limitedBy: 'time', degraded: true },
    });
    expect(limited).toMatchObject({ verdict: 'differing' });
    expect(limited.faults).toContain('the record has degraded false, and the result true');
    expect(limited.excuse).toBeUndefined();
    expect(await replay({ ...body, result: { ...result, id: 'somebody' } })).toMatchObject({ verdict: 'other-row' });
  });

  it('compares a given row with the digest of the record', async () => {
    const { number, index } = await first();
    expect(await replay({ number, index, features })).toMatchObject({ verdict: 'same', row: 'features' });
    const other = { ...features, income: Number(features.income) + 1 };
    expect(await replay({ number, index, features: other })).toMatchObject({ verdict: 'other-row' });
  });

  it('refuses another policy, and a record that does not exist', async () => {
    const { number, index } = await first();
    const body = { number, index, policy: { schema: 'elsewise.policy/v1', name: 'other' } };
    expect(await replay(body)).toMatchObject({ status: 409, path: 'body.policy' });
    expect(await replay({ number: 999, index: 0 })).toMatchObject({ status: 404, path: 'body.number' });
  });
});

describe('GET /v1/explanations/:id/letter', () => {
  const letter = (query = '', headers = {}) =>
    api.call('GET', `/v1/explanations/wished/letter${query}`, { as: 'read', headers });

  it('is the letter of the command line', async () => {
    const { text: result } = await api.call('GET', '/v1/explanations/wished');
    const results = api.world.path('wished.ndjson');
    writeFileSync(results, `${result}\n`);
    const folder = api.world.path('letters');
    const documents = ['--model', MODEL, '--language', 'fr', '--contact', 'Mme Adeyemi'];
    const { code, stderr } = await api.world.call('letters', results, ...documents, '--output', folder);
    expect(stderr).toContain('1 letter written');
    expect(code).toBe(0);
    const { text, headers } = await letter('?language=fr&contact=Mme%20Adeyemi');
    expect(text).toBe(readFileSync(`${folder}/wished.html`, 'utf8'));
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const plain = await letter('?language=fr&contact=Mme%20Adeyemi', { accept: 'text/plain' });
    expect(plain.text).toBe(readFileSync(`${folder}/wished.txt`, 'utf8'));
  });

  it('takes the policy with the wishes, and no other', async () => {
    const overlay = encodeURIComponent(JSON.stringify(WISHES));
    const { name } = JSON.parse(POLICY_LINE) as { name: string };
    expect((await letter(`?policy=${name}&overlay=${overlay}`)).status).toBe(200);
    expect((await letter(`?policy=${name}`)).json).toMatchObject({ status: 409, path: 'query.policy' });
    expect((await letter('?overlay=x')).status).toBe(400);
    expect((await api.call('GET', '/v1/explanations/nobody/letter')).status).toBe(404);
  });
});

describe('GET /v1/batches/:id/report', () => {
  it('is the report of the command line', async () => {
    const { text: results } = await api.call('GET', `/v1/batches/${batch}/results`);
    const file = api.world.path(`batch ${batch}`);
    writeFileSync(file, results);
    const output = api.world.path('report.html');
    const { text } = await api.call('GET', `/v1/batches/${batch}/report?by=housing`, { as: 'read' });
    const documents = ['--model', MODEL, '--policy', POLICY, '--by', 'housing'];
    const { stderr, code } = await api.world.call('report', file, ...documents, '--output', output);
    expect(code, stderr).toBe(0);
    const withoutTime = (page: string) => page.replaceAll(/\d{4}-\d{2}-\d{2}[ T][\d:]+/g, 'then');
    expect(withoutTime(text)).toBe(withoutTime(readFileSync(output, 'utf8')));
  });
});

describe('pages that a browser opens by itself', () => {
  it('take the session without the header of the console, and not from other sites', async () => {
    const signIn = await fetch(`${api.server.address}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-elsewise-console': '1', origin: api.server.address },
      body: JSON.stringify({ token: SECRETS.read }),
    });
    const cookie = signIn.headers.get('set-cookie')!.split(';')[0];
    const open = async (path: string, headers = {}) =>
      (await fetch(api.server.address + path, { headers: { cookie, ...headers } })).status;
    expect(await open('/v1/explanations/wished/letter')).toBe(200);
    expect(await open('/v1/explanations/wished/letter', { 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await open('/v1/explanations/wished/letter', { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await open('/v1/explanations/wished')).toBe(403);
    expect(await open('/v1/audit/export')).toBe(403);
  });
});

describe('a forgotten row', () => {
  it('is told by the check of its days, and cannot be solved again', async () => {
    const [wished] = await auditOf('?id=wished');
    const kept = () => api.world.store.audit.policyOf(wished.day, wished.policy.digest);
    expect(JSON.parse((await kept())!)).toMatchObject({ overlay: WISHES });
    const { json } = await api.call('DELETE', '/v1/explanations/wished');
    expect(json.removed).toContainEqual({ place: 'policies of the audit', count: 1 });
    expect(await kept()).toBeUndefined();
    const place = { number: wished.number, index: wished.index };
    const replay = (body: object) => api.call('POST', '/v1/replays', { as: 'audit', body });
    expect((await replay(place)).json).toMatchObject({
      ...{ status: 404, path: 'body.index' },
      detail: expect.stringContaining('was removed with `elsewise forget`'),
    });
    expect((await replay({ number: wished.number + 1, index: 0 })).json).toMatchObject({
      ...{ status: 404, path: 'body.number' },
      detail: expect.stringContaining('is about a removal of data'),
    });
    const { text } = await api.call('GET', '/v1/audit/check', { as: 'audit' });
    expect(linesOf(text).at(-1)).toMatchObject({ state: 'holds', records: ROWS + 1, redacted: 1 });
  });

  it('leaves the policy while another record needs the policy', async () => {
    const { name } = JSON.parse(POLICY_LINE) as { name: string };
    const body = { model: 'credit', policy: name, features, overlay: WISHES };
    for (const id of ['one', 'two']) await api.call('POST', '/v1/explanations?waitMs=60000', { body: { ...body, id } });
    await until(
      'both records',
      async () => (await auditOf('?id=two')).length + (await auditOf('?id=one')).length === 2,
    );
    const [two] = await auditOf('?id=two');
    const replay = async () =>
      (await api.call('POST', '/v1/replays', { as: 'audit', body: { number: two.number, index: two.index } })).json;
    await api.call('DELETE', '/v1/explanations/one');
    expect(await replay()).toMatchObject({ verdict: 'same', row: 'stored' });
    await api.call('DELETE', '/v1/explanations/two');
    expect(await api.world.store.audit.policyOf(two.day, two.policy.digest)).toBeUndefined();
  });
});
