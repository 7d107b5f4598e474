/** The registries over HTTP: policies and aliases of both kinds, beside what the commands and batches see of them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld, POLICY_LINE } from './api-world.js';
import { MODEL } from './queue-world.js';

let api: ApiWorld;

beforeAll(async () => {
  api = await ApiWorld.create();
});

afterAll(() => api.close());

const policy = (more: object = {}) => ({ ...JSON.parse(POLICY_LINE), name: 'retail', ...more });
const put = (path: string, body: object) => api.call('PUT', path, { body });

describe('policies', () => {
  it('are pushed, listed, shown with their document, and used by a batch', async () => {
    const first = await put('/v1/policies/retail', policy());
    expect(first).toMatchObject({ status: 201, json: { name: 'retail', version: 1 } });
    expect((await put('/v1/policies/retail', policy())).status).toBe(200);
    const second = await put('/v1/policies/retail', policy({ maxChanges: 2 }));
    expect(second.json).toMatchObject({ version: 2 });
    const location = second.headers.get('location')!;
    expect((await api.call('GET', location, { as: 'read' })).json).toEqual(second.json);
    const listed = (await api.call('GET', '/v1/policies/retail', { as: 'read' })).json.policies;
    expect(listed).toEqual([second.json, first.json]);
    expect((await api.call('GET', '/v1/policies')).json.policies).toEqual(listed);
    const { json } = await api.call('GET', `${location}/document`, { as: 'read' });
    expect(json).toMatchObject({ schema: 'elsewise.policy/v1', name: 'retail', maxChanges: 2 });
    const rows = readFileSync(api.world.writeRows('few.csv', 1), 'utf8').split('\n').slice(0, 5).join('\n');
    const headers = { 'content-type': 'text/csv' };
    const batch = await api.call('POST', '/v1/batches?model=credit&policy=retail@1', { headers, body: rows });
    expect((await api.call('GET', `/v1/batches/${batch.json.id}`)).json.policy).toMatchObject({
      name: 'retail',
      digest: first.json.digest,
    });
  });

  it('are refused with all their faults, under another name, and to callers without the role', async () => {
    const faulty = await put('/v1/policies/retail', { ...policy(), maxChange: 3, conut: 1 });
    expect(faulty.json).toMatchObject({ status: 422, code: 'bad-document' });
    expect(faulty.json.faults).toEqual([
      { path: 'policy.maxChange', message: expect.stringContaining('did you mean "maxChanges"?') },
      { path: 'policy.conut', message: expect.stringContaining('did you mean "count"?') },
    ]);
    expect((await put('/v1/policies/other', policy())).json).toMatchObject({ status: 422, path: 'policy.name' });
    const body = policy();
    expect((await api.call('PUT', '/v1/policies/retail', { as: 'submit', body })).status).toBe(403);
    expect((await api.call('GET', '/v1/policies/retial')).json.detail).toContain('did you mean "retail"?');
  });
});

describe('aliases', () => {
  const document = JSON.parse(readFileSync(MODEL, 'utf8'));

  it('name a version, move only from the expected one, and are dropped', async () => {
    await put('/v1/models/aliased', { ...document, name: 'aliased' });
    await put('/v1/models/aliased', { ...document, name: 'aliased', description: 'again' });
    const path = '/v1/models/aliased/aliases';
    expect((await put(`${path}/production`, { version: 1 })).json.aliases).toEqual({ production: 1 });
    expect((await put(`${path}/fallback`, { version: 'production' })).json.aliases).toMatchObject({ fallback: 1 });
    expect((await put(`${path}/production`, { from: 2 })).json).toMatchObject({ status: 409, code: 'conflict' });
    expect((await put(`${path}/production`, { from: 1 })).json.aliases).toMatchObject({ production: 2 });
    expect((await api.call('GET', '/v1/models/aliased/versions/production')).json.version).toBe(2);
    const used = await api.call('DELETE', '/v1/models/aliased/versions/1');
    expect(used.json).toMatchObject({ status: 409, detail: expect.stringContaining('used by alias fallback') });
    const left = await api.call('DELETE', `${path}/fallback`);
    expect(left).toMatchObject({ status: 200, json: { aliases: { production: 2 } } });
    expect((await api.call('DELETE', '/v1/models/aliased/versions/1')).json.version).toBe(1);
    expect((await api.call('GET', path)).json.aliases).toEqual({ production: 2 });
  });

  const REFUSED: [method: string, path: string, body: object | undefined, status: number, place: string][] = [
    ['PUT', '/v1/policies/retail/aliases/9', { version: 1 }, 400, 'params.alias'],
    ['PUT', '/v1/policies/retail/aliases/latest', { version: 1 }, 400, 'params.alias'],
    ['PUT', '/v1/policies/retail/aliases/a', { version: 9 }, 404, ''],
    ['PUT', '/v1/policies/retail/aliases/a', { version: '-' }, 400, 'body.version'],
    ['PUT', '/v1/policies/retail/aliases/a', { vresion: 1 }, 422, 'body.vresion'],
    ['DELETE', '/v1/policies/retail/aliases/nobody', undefined, 404, ''],
    ['DELETE', '/v1/policies/retail/versions/latest', undefined, 400, 'params.version'],
    ['GET', '/v1/policies/nobody/aliases', undefined, 404, ''],
  ];

  it.each(REFUSED)('%s %s %j is refused', async (method, path, body, status, place) => {
    expect((await api.call(method, path, { body })).json).toMatchObject({ status, path: place });
  });
});

describe('the description', () => {
  it('is written once and sent again only when it has changed', async () => {
    const first = await api.call('GET', '/openapi.json', { as: 'nobody' });
    const etag = first.headers.get('etag')!;
    const again = await api.fetch('GET', '/openapi.json', { as: 'nobody', headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await api.call('GET', '/openapi.json', { as: 'nobody', headers: { 'if-none-match': '"x"' } });
    expect([other.status, other.text === first.text]).toEqual([200, true]);
    expect(first.headers.get('cache-control')).toBe('no-cache');
  });
});
