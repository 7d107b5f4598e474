/** Heads that no client of good will sends: whatever is wrong with them, the answer is a problem document like every other. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMAS } from '../../dist/api/schemas.js';
import { ApiWorld, SECRETS } from './api-world.js';

let api: ApiWorld;

beforeAll(async () => {
  api = await ApiWorld.create({ headerBytes: 65_536 }, []);
});

afterAll(() => api.close());

const HOST = 'host: localhost\r\n';
const ALLOWED = `${HOST}authorization: Bearer ${SECRETS.admin}\r\nconnection: close\r\n`;
const get = (path: string, headers = ALLOWED) => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body: string) =>
  `POST /v1/explanations HTTP/1.1\r\n${ALLOWED}content-type: application/json\r\n${headers}\r\n${body}`;

const REFUSED: readonly [name: string, text: string, status: number, code: string][] = [
  ['a path with half a character', get('/v1/models/%E0%A4%A'), 400, 'bad-request'],
  ['a path with % alone', get('/%'), 400, 'bad-request'],
  ['a path that is no UTF-8', get('/v1/models/%FF%FE'), 400, 'bad-request'],
  ['the same from a stranger', get('/v1/models/%FF', `${HOST}connection: close\r\n`), 400, 'bad-request'],
  ['a zero byte', get('/v1/models/%00'), 400, 'bad-request'],
  ['a name that is too long', get(`/v1/models/${'a'.repeat(3_000)}`), 414, 'too-large'],
  ['a head that is too long', get(`/${'a'.repeat(70_000)}`), 431, 'too-large'],
  ['a path without a slash', get('v1/models'), 400, 'bad-request'],
  ['a method that does not exist', `BREW / HTTP/1.1\r\n${ALLOWED}\r\n`, 400, 'bad-request'],
  ['a method that is not served', `PROPFIND /v1/models HTTP/1.1\r\n${ALLOWED}\r\n`, 404, 'no-such-route'],
  ['TRACE', `TRACE /v1/models HTTP/1.1\r\n${ALLOWED}\r\n`, 404, 'no-such-route'],
  ['CONNECT', `CONNECT localhost:1 HTTP/1.1\r\n${ALLOWED}\r\n`, 404, 'no-such-route'],
  ['the server itself', `OPTIONS * HTTP/1.1\r\n${ALLOWED}\r\n`, 404, 'no-such-route'],
  ['no host', get('/v1/models', ALLOWED.slice(HOST.length)), 400, 'bad-request'],
  ['headers without end', get('/healthz', 'a: b\r\n'.repeat(3_000) + ALLOWED), 400, 'bad-request'],
  ['another version of HTTP', `GET / HTTP/3.7\r\n${ALLOWED}\r\n`, 400, 'bad-request'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'bad-request'],
  ['no HTTP', '\x16\x03\x01\x02\x00\x01', 400, 'bad-request'],
  ['a header with a zero byte', get('/v1/models', `${ALLOWED}x: a\0b\r\n`), 400, 'bad-request'],
  ['an expectation that nobody knows', post('expect: tea\r\ncontent-length: 2\r\n', '{}'), 422, 'bad-document'],
  ['two lengths', post('content-length: 2\r\ncontent-length: 3\r\n', '{}'), 400, 'bad-request'],
  ['a length and chunks', post('content-length: 2\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n'), 400, 'bad-request'],
  ['a chunk without a length', post('transfer-encoding: chunked\r\n', 'zz\r\n\r\n'), 400, 'bad-request'],
  ['a parameter given twice', get('/v1/batches/b/results?wait=true&wait=false'), 400, 'bad-request'],
  ['a parameter named __proto__', get('/v1/batches/b/results?__proto__=1'), 400, 'bad-request'],
];

describe('a head that is refused', () => {
  it.each(REFUSED)('for %s', async (_name, text, status, code) => {
    const { statusLine, headers, body } = await ask(text);
    expect(statusLine).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const problem = SCHEMAS.problem.zod.parse(JSON.parse(body));
    expect(problem).toMatchObject({ status, code, requestId: headers.get('x-request-id') });
    expect(body).not.toMatch(/FST_|HPE_|%E0/);
  });

  it('is counted and logged without its path, as any other', async () => {
    await ask(get('/v1/explanations/%FF-mustermann'));
    const { text } = await api.call('GET', '/metrics');
    expect(text).toMatch(/elsewise_http_requests_total\{method="GET",route="unknown",status="400"\} [1-9]/);
    expect(text).toMatch(/elsewise_http_requests_open 1$/m);
    expect(api.lines.join('')).not.toContain('mustermann');
  });

  it('is no reason to refuse what is only unusual', async () => {
    const ok = [get('http://elsewhere/healthz'), 'GET /healthz HTTP/1.0\r\n\r\n', get('/v1/models?x=%zz')];
    for (const text of ok) expect((await ask(text)).statusLine).toContain(' 200 ');
  });
});

async function ask(text: string): Promise<{ statusLine: string; headers: Map<string, string>; body: string }> {
  const answer = await new Promise<string>((resolve) => {
    let heard = '';
    const socket = connect(Number(new URL(api.server.address).port), '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (bytes) => {
      heard += bytes;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });
  const [head, body = ''] = answer.split('\r\n\r\n');
  const [statusLine, ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  return { statusLine, headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])), body };
}
