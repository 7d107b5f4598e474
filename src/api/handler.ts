/**
 * Turns a route into a handler of fastify: checks the request by the route's schemas, calls the route and sends the answer. A request ends
 * at once when its client disconnects or when Redis no longer answers. Its pending work is abandoned.
 */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';
import { parseUntrusted } from '../documents/untrusted-json.js';
import { receive, receiveWhole } from './request-body.js';
import type { BodySpec, Call, HttpAnswer, Route } from './route.js';
import type { Service } from './service.js';

type AnyCall = Call<never, never, never, never>;

/** The longest body of a few lines. */
const SMALL_JSON_BYTES = 16_384;
/** A stream without data sends its head after this time, to show that the server is alive. */
const HEAD_AFTER_MS = 1_000;

export function handlerOf(route: Route, service: Service) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!route.worksAlone && !service.redis.isUp) throw new ElsewiseError('redis-away', 'Redis is not connected');
    const gone = goneSignal(reply, service.redis.silence);
    const call = {
      params: check(route.params, request.params, 'params'),
      query: check(route.query, request.query, 'query'),
      headers: check(route.headers, request.headers, 'headers'),
      body: route.body && (await readBody(route.body, request, service, gone)),
      service,
      caller: request.caller?.name,
      roles: request.caller?.roles ?? [],
      address: request.ip,
      gone,
    };
    gone.throwIfAborted();
    return send(reply, await unlessGone(gone, route.answer(call as AnyCall)), gone);
  };
}

/** Without a schema nothing is read. A fault outside of the body concerns the request, not a document. */
function check(schema: z.ZodObject | undefined, value: unknown, root: string): unknown {
  try {
    return schema ? parseDocument(schema, value, root) : undefined;
  } catch (error) {
    const { detail, path, faults } = error as ElsewiseError;
    throw new ElsewiseError('bad-request', detail, path, faults);
  }
}

async function readBody(
  spec: BodySpec,
  request: FastifyRequest,
  { settings, reader }: Service,
  gone: AbortSignal,
): Promise<unknown> {
  refuseEncoding(request.headers['content-encoding']);
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
  if (spec.kind === 'bytes') {
    if (!Object.hasOwn(spec.types, type)) throw otherType(Object.keys(spec.types));
    return { bytes: receive(request.raw, settings.receiveMs, gone), name: spec.types[type] };
  }
  if (type !== 'application/json') throw otherType(['application/json']);
  const limit = spec.limit === undefined ? SMALL_JSON_BYTES : settings[spec.limit];
  const bytes = await receiveWhole(request.raw, limit, settings.receiveMs);
  if (spec.kind === 'document') return bytes;
  if (spec.kind === 'json') return parseDocument(spec.schema.zod, parseUntrusted(bytes), 'body');
  request.taken = bytes;
  return reader.read(bytes, 'body');
}

function refuseEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return;
  throw new ElsewiseError('unsupported-type', 'send the body uncompressed', 'headers.content-encoding');
}

function otherType(types: readonly string[]): ElsewiseError {
  return new ElsewiseError('unsupported-type', `expected ${types.join(', ')}`, 'headers.content-type');
}

/** Aborted when the connection ends before the answer, or when Redis does not answer. */
function goneSignal({ raw }: FastifyReply, silence: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const onSilence = () => controller.abort(silence.reason);
  silence.addEventListener('abort', onSilence);
  raw.once('close', () => {
    silence.removeEventListener('abort', onSilence);
    if (!raw.writableFinished) controller.abort(new ElsewiseError('interrupted', 'the client is gone'));
  });
  return controller.signal;
}

/** A late answer is discarded. */
function unlessGone(gone: AbortSignal, answering: Promise<HttpAnswer>): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(gone.reason);
      answering.then(
        ({ body }) => isStream(body) && body.destroy(),
        () => {},
      );
    };
    gone.addEventListener('abort', leave, { once: true });
    answering.then(resolve, reject).finally(() => gone.removeEventListener('abort', leave));
  });
}

const isStream = (body: HttpAnswer['body']): body is Readable => typeof body === 'object' && 'pipe' in body;

function send(reply: FastifyReply, { status, body, type, headers = {} }: HttpAnswer, gone: AbortSignal): FastifyReply {
  if (isStream(body)) {
    sendHeadSoon(reply);
    gone.addEventListener('abort', () => reply.raw.destroy()); // a truncated answer must not look complete
  }
  return reply
    .code(status)
    .headers(headers)
    .type(type ?? 'application/json; charset=utf-8')
    .send(isStream(body) || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
}

function sendHeadSoon({ raw }: FastifyReply): void {
  const timer = setTimeout(() => raw.headersSent || raw.destroyed || raw.flushHeaders(), HEAD_AFTER_MS);
  raw.once('close', () => clearTimeout(timer));
}
