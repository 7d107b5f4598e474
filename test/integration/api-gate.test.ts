/** Who gets in, how much and how often; and what the log and the metrics say of it. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../../dist/api/openapi.js';
import { routes } from '../../dist/api/routes/index.js';
import { ApiServer } from '../../dist/api/server.js';
import { apiSettings } from '../../dist/api/settings.js';
import { ApiWorld, type Caller, credentials, exampleFeatures, SECRETS, TOKENS } from './api-world.js';
import { until } from './queue-world.js';

const LIMIT = 10_000;

let api: ApiWorld;

beforeAll(async () => {
  api = await ApiWorld.create({ bodyBytes: LIMIT, receiveMs: 500, headerBytes: 8192 });
});

afterAll(() => api.close());

const patternOf = ({ path }: (typeof routes)[number]) => new RegExp(`^${path.replaceAll(/\/:\w+/g, '/[^/]+')}$`);

describe('the roles', () => {
  const ALLOWED: Record<string, readonly Caller[]> = {
    anyone: ['nobody', 'stranger', 'submit', 'read', 'audit', 'admin'],
    known: ['submit', 'read', 'audit', 'admin'],
    submit: ['submit', 'admin'],
    read: ['read', 'admin'],
    audit: ['audit', 'admin'],
    admin: ['admin'],
  };
  const callers = ALLOWED.anyone;
  const matrix = routes.flatMap((route) => callers.map((as) => [route.method, route.path, as, route.access] as const));

  it.each(matrix)('%s %s as %s (needs %s)', async (method, path, as, access) => {
    const { status, headers, json } = await api.call(method, path.replaceAll(/\/:\w+/g, '/none'), { as });
    expect(json.code).not.toBe('no-such-route');
    const isIn = ALLOWED[access].includes(as);
    const isKnown = as !== 'nobody' && as !== 'stranger';
    if (isIn) expect([401, 403]).not.toContain(status);
    else expect(status).toBe(isKnown ? 403 : 401);
    expect(headers.get('www-authenticate') !== null).toBe(status === 401);
  });

  it.each(['/healthz', '/readyz', '/openapi.json'])(
    'are not asked for by HEAD %s, which answers as GET',
    async (path) => {
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) => fetch(`${api.server.address}${path}`, { method })),
      );
      expect(head.status).toBe(get.status);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(await head.text()).toBe('');
    },
  );

  it('are asked for on no route but those of the table', async () => {
    for (const path of new Set(routes.map((route) => route.path)))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const address = path.replaceAll(/\/:\w+/g, '/none');
        if (routes.some((route) => route.method === method && patternOf(route).test(address))) continue;
        const { json } = await api.call(method, address);
        expect(json, `${method} ${path}`).toMatchObject({ status: 404, code: 'no-such-route' });
      }
  });

  it('leave /metrics open where that is asked for', async () => {
    const open = await ApiWorld.create({ metricsWithoutToken: true }, []);
    try {
      expect((await open.call('GET', '/metrics', { as: 'nobody' })).status).toBe(200);
      expect((await open.call('GET', '/v1/models', { as: 'nobody' })).status).toBe(401);
    } finally {
      await open.close();
    }
  });

  it('hide from strangers which routes there are', async () => {
    expect((await api.call('GET', '/v1/none', { as: 'nobody' })).status).toBe(401);
    expect((await api.call('GET', '/v1/none', { as: 'submit' })).json).toMatchObject({
      status: 404,
      code: 'no-such-route',
    });
    expect((await api.call('OPTIONS', '/v1/models')).status).toBe(404);
  });

  it.each(['Basic abc', 'Bearer', `Bearer ${SECRETS.admin}x`, SECRETS.admin, `Bearer ${SECRETS.admin} x`])(
    'are not for "%s"',
    async (authorization) => {
      expect((await api.call('GET', '/v1/models', { as: 'nobody', headers: { authorization } })).status).toBe(401);
    },
  );
});

describe('a server', () => {
  const start = (given: object, insecureNoAuth: boolean) =>
    ApiServer.start({
      store: api.world.store.settings,
      api: apiSettings({ port: 0, ...given }, {}),
      insecureNoAuth,
      log: { write: () => {} },
    });

  it('without tokens does not start', async () => {
    await expect(start({}, false)).rejects.toThrow('no token is configured');
    await expect(start({ host: '0.0.0.0' }, true)).rejects.toThrow('for the loopback only');
    await expect(start({ tokens: TOKENS }, true)).rejects.toThrow('exclude each other');
    await expect(start({ tokens: [TOKENS[0], TOKENS[0]] }, false)).rejects.toThrow('two tokens');
  });

  it('without tokens on purpose serves its own machine only', async () => {
    const open = await start({}, true);
    const ask = (host: string) =>
      new Promise<number>((resolve) => {
        const { port } = new URL(open.address);
        request({ port, path: '/v1/models', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        }).end();
      });
    expect(await ask(`localhost:${new URL(open.address).port}`)).toBe(200);
    expect(await ask('elsewhere.example')).toBe(403);
    await open.drain();
  });
});

describe('limits', () => {
  const explain = (body: string | ReadableStream) =>
    api.call('POST', '/v1/explanations', { headers: { 'content-type': 'application/json' }, body });

  it('refuse a long body by its declared length and by its true one', async () => {
    expect((await explain('x'.repeat(LIMIT + 1))).json).toMatchObject({ status: 413, code: 'too-large' });
    expect((await explain(ReadableStream.from(endless(LIMIT + 1, 1000)) as ReadableStream)).status).toBe(413);
    expect((await explain('x'.repeat(LIMIT))).status).toBe(400); // just no JSON
  });

  it('refuse 100 MB before they have arrived', async () => {
    const { status, sentBytes } = await sendSlowly(100 * 2 ** 20);
    expect(status).toBe(413);
    expect(sentBytes).toBeLessThan(2 ** 20);
  });

  it('give up on a body that does not come', async () => {
    const { status } = await sendSlowly(100);
    expect(status).toBe(408);
  });

  it('refuse a long head', async () => {
    const { port } = new URL(api.server.address);
    const text = await rawRequest(Number(port), `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(10_000)}\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(text).toContain('application/problem+json');
    expect(await rawRequest(Number(port), 'what is this?\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('let only so many wait', async () => {
    const narrow = await ApiWorld.create({ maxWaiting: 1 }, []);
    try {
      const ask = (id: string, signal?: AbortSignal) =>
        narrow.call('POST', '/v1/explanations?waitMs=60000', {
          body: { id, model: 'credit', target: 'approved', features: {} },
          signal,
        });
      const waiting = async () => Number(/waiting (\d+)$/m.exec((await narrow.call('GET', '/metrics')).text)![1]);
      const headers = { 'content-type': 'application/x-ndjson' };
      await narrow.call('POST', '/v1/batches?model=credit&batch=b', {
        headers,
        body: '{"id":"x","target":"approved"}\n',
      });
      const patience = new AbortController();
      const first = ask('first', patience.signal).catch((error: Error) => error.name);
      await until('it waits', async () => (await waiting()) === 1);
      expect(await Promise.race([first, ask('second')])).toMatchObject({ status: 202 });
      expect(await waiting()).toBe(1); // the first still does
      const results = await narrow.call('GET', '/v1/batches/b/results');
      expect(results.json).toMatchObject({ status: 429, code: 'too-many-requests' });
      expect(results.headers.get('retry-after')).toBe('1');
      patience.abort();
      expect(await first).toBe('AbortError');
      await until('its slot', async () => (await waiting()) === 0);
      expect((await narrow.call('GET', '/v1/batches/b/results?wait=false')).status).toBe(200);
    } finally {
      await narrow.close();
    }
  });

  it('count the requests of each token for itself', async () => {
    const few = [{ ...TOKENS[0], ratePerMinute: 2 }, TOKENS[1]];
    const small = await ApiWorld.create({ tokens: few, ratePerMinute: 3 }, []);
    try {
      const ask = async (as: Caller) => small.call('GET', '/v1/models', { as });
      expect([(await ask('read')).status, (await ask('read')).status, (await ask('read')).status]).toEqual([
        200, 200, 200,
      ]);
      const fourth = await ask('read');
      expect(fourth.json).toMatchObject({ status: 429, code: 'too-many-requests' });
      expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0);
      const submit = async () => (await small.call('POST', '/v1/batches', { as: 'submit' })).status;
      expect([await submit(), await submit(), await submit()]).toEqual([400, 400, 429]);
      expect((await small.call('GET', '/healthz')).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});

describe('a request', () => {
  it('keeps its id if it is a sane one', async () => {
    const idOf = async (id: string) =>
      (await api.call('GET', '/healthz', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idOf('trace-17.a_b')).toBe('trace-17.a_b');
    expect(await idOf('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('x'.repeat(200))).toMatch(/^[0-9a-f-]{36}$/);
    await until('its line', async () => api.lines.some((line) => JSON.parse(line).requestId === 'trace-17.a_b'));
  });

  it('leaves nothing of a person in the log, nor its token', async () => {
    const features = { ...exampleFeatures(api.world), income: 4242.4242 };
    const body = { id: 'erika-mustermann', model: 'credit', features, target: 'approved' };
    await api.call('POST', '/v1/explanations?waitMs=20000', { body });
    await api.call('GET', '/v1/explanations/erika-mustermann');
    await api.call('POST', '/v1/explanations', {
      body: { ...body, features: { ...features, age: { mustermann: 1 } } },
    });
    const log = api.lines.join('');
    for (const word of ['mustermann', '4242.4242', SECRETS.admin, TOKENS[2].sha256]) expect(log).not.toContain(word);
    expect(log).toContain('"route":"/v1/explanations/:id"');
    expect(log).toContain('"caller":"the-admin"');
  });

  it('is logged whole where that is asked for', async () => {
    const chatty = await ApiWorld.create({ logRows: true }, []);
    try {
      await chatty.call('POST', '/v1/explanations?waitMs=0', {
        body: { id: 'erika', model: 'credit', features: { age: 41 } },
      });
      expect(chatty.lines.join('')).toContain('"features":{"age":41}');
      expect(chatty.lines.join('')).not.toContain(SECRETS.admin);
    } finally {
      await chatty.close();
    }
  });

  it('is counted by its route', async () => {
    await api.call('GET', '/v1/batches/none');
    const { text } = await api.call('GET', '/metrics', { as: 'read' });
    expect(text).toMatch(/elsewise_http_requests_total\{method="GET",route="\/v1\/batches\/:id",status="404"\} [1-9]/);
    expect(text).toContain('elsewise_http_request_seconds_bucket');
    expect(text).toContain('elsewise_redis_up 1');
    expect(text).not.toContain('none');
  });
});

describe('GET /openapi.json', () => {
  it('describes every route', async () => {
    const { json } = await api.call('GET', '/openapi.json', { as: 'nobody' });
    expect(json).toEqual(JSON.parse(JSON.stringify(openApi(routes))));
    const described = Object.entries(json.paths as object).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path.replaceAll(/\/:(\w+)/g, '/{$1}')}`).sort(),
    );
  });
});

async function* endless(bytes: number, step: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += step) yield Buffer.alloc(step, 'x');
}

/** Declares a length, sends a little of it and waits for the answer. */
function sendSlowly(bytes: number): Promise<{ status: number; sentBytes: number }> {
  const { port } = new URL(api.server.address);
  const headers = { ...credentials('submit'), 'content-type': 'application/json', 'content-length': bytes };
  return new Promise((resolve) => {
    const upload = request({ port, path: '/v1/explanations', method: 'POST', headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode!, sentBytes: upload.socket!.bytesWritten });
      upload.destroy();
    });
    upload.on('error', () => {});
    upload.write('{"model"');
  });
}

function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}
