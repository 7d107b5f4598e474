/** The console over HTTP: its files, and the sessions that stand in place of a token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../../dist/api/server.js';
import { apiSettings } from '../../dist/api/settings.js';
import { createToken } from '../../dist/api/tokens.js';
import { ApiWorld, type Asked, SECRETS, TOKENS } from './api-world.js';

let api: ApiWorld;

beforeAll(async () => {
  api = await ApiWorld.create({ failedSignIns: 3 }, []);
});

afterAll(() => api.close());

const ours = (): Record<string, string> => ({ 'x-elsewise-console': '1', origin: api.server.address });

const signIn = (token: string, headers: Record<string, string> = ours()) =>
  api.call('POST', '/console/session', { as: 'nobody', headers, body: { token } });

async function cookieOf(token: string): Promise<string> {
  const { status, headers } = await signIn(token);
  expect(status).toBe(200);
  return headers.get('set-cookie')!.split(';')[0];
}

const withCookie = (cookie: string, headers: Record<string, string> = ours()): Asked => ({
  as: 'nobody',
  headers: { ...headers, cookie },
});

describe('the files', () => {
  it('allow nothing from elsewhere', async () => {
    const { status, headers, text } = await api.call('GET', '/console', { as: 'nobody' });
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:\/\//);
  });

  it('are compressed by the build, and kept by their hashed names', async () => {
    const page = await api.call('GET', '/console', { as: 'nobody' });
    const names = [...page.text.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([name]) => name);
    expect(names).toHaveLength(2);
    for (const name of names)
      for (const encoding of ['br', 'gzip', 'identity']) {
        const headers = { 'accept-encoding': encoding };
        const sent = await api.call('GET', name, { as: 'nobody', headers });
        expect(sent.status).toBe(200);
        expect(sent.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
        expect(sent.headers.get('cache-control')).toContain('immutable');
      }
  });

  it('are only those of the build', async () => {
    for (const name of ['none.js', '..%2findex.html', 'index.html.br']) {
      const { status } = await api.call('GET', `/console/assets/${name}`, { as: 'nobody' });
      expect([400, 404]).toContain(status);
    }
  });

  it('can be switched off', async () => {
    const without = await ApiWorld.create({ console: false }, []);
    try {
      expect((await without.call('GET', '/console', { as: 'nobody' })).status).toBe(404);
    } finally {
      await without.close();
    }
  });
});

describe('a session', () => {
  it('has the name and the roles of its token, in a cookie that scripts cannot read', async () => {
    const { json, headers } = await signIn(SECRETS.read);
    expect(json).toEqual({ schema: 'elsewise.session/v1', name: 'the-read', roles: ['read'] });
    const cookie = headers.get('set-cookie')!;
    expect(cookie).toMatch(/^elsewise-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/);
    expect(cookie).not.toContain(SECRETS.read);
    const asked = withCookie(cookie.split(';')[0]);
    expect((await api.call('GET', '/console/session', asked)).json).toEqual(json);
    expect((await api.call('GET', '/v1/models', asked)).status).toBe(200);
    expect((await api.call('PUT', '/v1/models/credit', { ...asked, body: {} })).json.code).toBe('not-allowed');
  });

  it('is for HTTPS only where the browser came by HTTPS', async () => {
    const host = new URL(api.server.address).host;
    const { headers } = await signIn(SECRETS.read, { ...ours(), origin: `https://${host}` });
    expect(headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  it('counts only beside the header of the console and from its own pages', async () => {
    const cookie = await cookieOf(SECRETS.admin);
    const { origin, ...header } = ours();
    const refused = async (method: string, headers: Record<string, string>) =>
      (await api.call(method, '/v1/models/none/aliases/none', withCookie(cookie, headers))).json.code;
    expect(await refused('DELETE', { origin })).toBe('not-allowed');
    expect(await refused('DELETE', header)).toBe('not-allowed');
    expect(await refused('DELETE', { ...header, origin: 'https://elsewhere.example' })).toBe('not-allowed');
    expect(await refused('DELETE', { ...header, origin: 'null' })).toBe('not-allowed');
    expect(await refused('DELETE', ours())).toBe('not-known');
    const read = (headers: Record<string, string>) => api.call('GET', '/v1/models', withCookie(cookie, headers));
    expect((await read({})).status).toBe(403);
    expect((await read(header)).status).toBe(200);
  });

  it('does not begin from a page of another site', async () => {
    expect(
      (await signIn(SECRETS.read, { 'x-elsewise-console': '1', origin: 'https://elsewhere.example' })).status,
    ).toBe(403);
    expect((await signIn(SECRETS.read, { origin: api.server.address })).status).toBe(403);
  });

  it('ends by signing out', async () => {
    const asked = withCookie(await cookieOf(SECRETS.read));
    const ended = await api.call('DELETE', '/console/session', asked);
    expect(ended.status).toBe(204);
    expect(ended.headers.get('set-cookie')).toMatch(/^elsewise-session=; .*Max-Age=0/);
    expect((await api.call('GET', '/v1/models', asked)).status).toBe(401);
  });

  it('holds on every process that knows its token, and on no other', async () => {
    const cookie = await cookieOf(SECRETS.read);
    const replica = (names: readonly string[]) =>
      ApiServer.start({
        store: api.world.store.settings,
        api: apiSettings({ port: 0, tokens: TOKENS.filter(({ name }) => names.includes(name)) }, {}),
        insecureNoAuth: false,
        log: { write: () => {} },
      });
    const statusOn = async (server: ApiServer) => {
      const headers = { 'x-elsewise-console': '1', cookie };
      return (await fetch(`${server.address}/v1/models`, { headers })).status;
    };
    const [knowing, other] = await Promise.all([replica(['the-read']), replica(['the-admin'])]);
    try {
      expect([await statusOn(knowing), await statusOn(other)]).toEqual([200, 401]);
    } finally {
      await Promise.all([knowing.drain(), other.drain()]);
    }
  });

  it('leaves in Redis nothing that signs in', async () => {
    const cookie = await cookieOf(SECRETS.read);
    const { redis, settings } = api.world.store;
    const keys = await redis.keys(`${settings.keyPrefix}:session:*`);
    expect(keys.length).toBeGreaterThan(0);
    const values = await Promise.all(keys.map((key) => redis.get(key)));
    const stored = [...keys, ...values].join('\n');
    expect(stored).not.toContain(cookie.split('=')[1]);
    expect(stored).not.toContain(SECRETS.read);
    for (const key of keys) expect(await redis.ttl(key)).toBeGreaterThan(0);
  });
});

describe('failed sign-ins', () => {
  it('are refused, and after some of them all sign-ins of the address are', async () => {
    const strict = await ApiWorld.create({ failedSignIns: 3 }, []);
    try {
      const headers = { 'x-elsewise-console': '1', origin: strict.server.address };
      const attempt = async (token: string) =>
        (await strict.call('POST', '/console/session', { as: 'nobody', headers, body: { token } })).status;
      expect(await attempt(SECRETS.admin)).toBe(200);
      for (let k = 0; k < 3; k++) expect(await attempt(createToken())).toBe(401);
      expect(await attempt(SECRETS.admin)).toBe(429);
    } finally {
      await strict.close();
    }
  });
});
