/**
 * Requests that are refused before any route is found: by the router (an invalid path), by Node's parser (no HTTP, a head that is too long
 * or too late), or because the method is not served (CONNECT). All get a problem document with the headers of every answer.
 */
import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ElsewiseError } from '../documents/error.js';
import { type ProblemDetails, problemOf } from './problem.js';

export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A refusal, and its HTTP status if it differs from that of the code. */
export interface EarlyRefusal {
  readonly error: ElsewiseError;
  readonly status?: number;
}

const refusal = (code: 'too-large' | 'too-slow' | 'bad-request' | 'no-such-route', text: string, status?: number) =>
  ({ error: new ElsewiseError(code, text), status }) satisfies EarlyRefusal;

/** By the codes of fastify's router. */
const BY_ROUTER: Readonly<Record<string, EarlyRefusal>> = {
  FST_ERR_BAD_URL: refusal('bad-request', 'the path is not valid: % stands before two hexadecimal digits of UTF-8'),
  FST_ERR_MAX_PARAM_LENGTH: refusal('too-large', 'a part of the path is too long', 414),
};

/** Undefined: the router did not refuse the request. */
export function routerRefusal(error: { readonly code?: string }): EarlyRefusal | undefined {
  return BY_ROUTER[error.code ?? ''];
}

/** By the codes of Node's parser. All other codes mean no HTTP. */
const BY_PARSER: Readonly<Record<string, EarlyRefusal>> = {
  HPE_HEADER_OVERFLOW: refusal('too-large', 'the head of the request is too long', 431),
  ERR_HTTP_REQUEST_TIMEOUT: refusal('too-slow', 'the head of the request did not arrive in time', 408),
};
const NO_HTTP = refusal('bad-request', 'the head of the request was refused', 400);
const NO_TUNNEL = refusal('no-such-route', 'this is no proxy', 404);

export function refuseBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  endWith(socket, BY_PARSER[error.code ?? ''] ?? NO_HTTP);
}

/** Handles requests that Node would answer in its own form, or not at all. An unknown expectation may be ignored. */
export function answerForNode(server: Server): void {
  server.on('connect', (_request, socket: Duplex) => endWith(socket, NO_TUNNEL));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** HTTP/1.1 requires the header, and Node would refuse without a message. */
export function refuseMissingHost(httpVersion: string, host: string | undefined): void {
  if (httpVersion !== '1.1' || host !== undefined) return;
  throw new ElsewiseError('bad-request', 'this header is missing', 'headers.host');
}

/** Writes directly to the connection, because there is no parsed request. */
function endWith(socket: Duplex, { error, status }: EarlyRefusal): void {
  const problem = problemOf(error, randomUUID(), status);
  const body = JSON.stringify(problem);
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': problem.requestId,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  socket.end(`${headOf(problem, headers)}\r\n\r\n${body}`);
}

function headOf({ status }: ProblemDetails, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n');
}
