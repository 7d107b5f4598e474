/**
 * The table of routes on fastify, and the rules that all routes share: request ids, authentication, rate limits, common headers,
 * the form of errors, logs and counts.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { ElsewiseError } from '../documents/error.js';
import {
  answerForNode,
  refuseBrokenRequest,
  refuseMissingHost,
  routerRefusal,
  SECURITY_HEADERS,
} from './early-refusal.js';
import { handlerOf } from './handler.js';
import { HTTP_STATUS } from './http-status.js';
import { logEnd } from './log.js';
import { asCoded, problemOf } from './problem.js';
import { linger } from './request-body.js';
import type { Route } from './route.js';
import type { Service } from './service.js';
import { type Access, type Caller, mayDo, type TokenTable } from './tokens.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** The code of the error in the answer. */
    failure: string | undefined;
    /** The body; only kept for a log with `logRows`. */
    taken: Buffer | undefined;
  }
  interface FastifyContextConfig {
    access?: Access;
    pattern?: string;
    isPage?: boolean;
  }
}

const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;
const MINUTE_MS = 60_000;
const HEAD_TIMEOUT_MS = 10_000;
/** The length of a path parameter: longer than any valid id, with every character escaped. */
const MAX_PARAMETER = 2_000;
/** A parameter with a colon behind it. */
const BEFORE_COLON = /\/:(\w+):/g;

export interface AppOptions {
  readonly service: Service;
  readonly routes: readonly Route[];
  readonly tokens: TokenTable;
  readonly log: Logger;
  /** The permitted names in `Host`. Omitted: all. */
  readonly hosts?: RegExp;
}

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { service, routes, log } = options;
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: ({ headers }: IncomingMessage) => saneId(headers['x-request-id']),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: 0, // uploads may take any time; see request-body.ts
    routerOptions: { maxParamLength: MAX_PARAMETER },
    http: {
      maxHeaderSize: service.settings.headerBytes,
      headersTimeout: HEAD_TIMEOUT_MS,
      requireHostHeader: false, // see refuseMissingHost
    },
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      admit(request, reply, service);
      tellProblem(error, request, reply);
    },
  }) as unknown as FastifyInstance;
  app.decorateRequest('caller', undefined).decorateRequest('failure', undefined).decorateRequest('taken', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null)); // routes read bodies themselves
  addHooks(app, options);
  await addRateLimit(app, service);
  for (const route of routes) addRoute(app, route, service);
  answerForNode(app.server);
  app.setErrorHandler((error, request, reply) => tellProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    tellProblem(new ElsewiseError('no-such-route', 'GET /openapi.json lists the routes'), request, reply),
  );
  return app;
}

const saneId = (given: unknown): string => (typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID());

function addRoute(app: FastifyInstance, route: Route, service: Service): void {
  const access = route.path === '/metrics' && service.settings.metricsWithoutToken ? 'anyone' : route.access;
  app.route({
    method: methodsOf(route.method, access),
    url: route.path.replaceAll(BEFORE_COLON, '/:$1([^:]+)::'), // fastify's own form
    config: { access, pattern: route.path, isPage: route.isPage, ...(access === 'anyone' && { rateLimit: false }) },
    handler: handlerOf(route, service),
  });
}

/** Probes and load balancers may ask for the head alone, where anyone may read. */
const methodsOf = (method: Route['method'], access: Access): Route['method'] | ['GET', 'HEAD'] =>
  method === 'GET' && access === 'anyone' ? ['GET', 'HEAD'] : method;

function addHooks(app: FastifyInstance, { service, tokens, hosts }: AppOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    admit(request, reply, service);
    refuseMissingHost(request.raw.httpVersion, request.headers.host);
    if (hosts && !hosts.test(request.headers.host ?? ''))
      throw new ElsewiseError('not-allowed', 'a server without tokens is for this machine only', 'headers.host');
    await authorise(request, tokens, service);
  });
  app.addHook('onSend', async (_request, reply) => {
    if (service.closing.aborted) reply.header('connection', 'close');
  });
}

/** Counts the request now, and its end later. */
function admit(request: FastifyRequest, reply: FastifyReply, service: Service): void {
  service.metrics.begin();
  reply.raw.once('close', () => conclude(request, reply, service));
  reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
}

/** Called for every end of a request: fastify's own hook misses clients that disconnect. */
function conclude(request: FastifyRequest, reply: FastifyReply, { metrics, settings }: Service): void {
  const route = request.routeOptions.config.pattern ?? 'unknown';
  metrics.end({ method: request.method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
  logEnd(request, reply, route, settings.logRows);
  linger(request.raw);
}

/** Only a caller with a token learns that a route does not exist. */
async function authorise(request: FastifyRequest, tokens: TokenTable, { sessions, redis }: Service): Promise<void> {
  const { access = 'read', isPage } = request.routeOptions.config;
  if (access === 'anyone') return;
  const { headers } = request;
  request.caller = tokens.identify(headers.authorization);
  if (!request.caller && headers.authorization === undefined && headers.cookie !== undefined) {
    if (!redis.isUp) throw new ElsewiseError('redis-away', 'Redis is not connected');
    request.caller = await sessions.identify(request.method, headers, isPage);
  }
  if (!request.caller)
    throw new ElsewiseError('not-authenticated', 'expected a known token: Authorization: Bearer TOKEN');
  if (request.is404 || mayDo(request.caller, access)) return;
  throw new ElsewiseError('not-allowed', `"${request.caller.name}" does not have the role ${access}`);
}

async function addRateLimit(app: FastifyInstance, { settings }: Service): Promise<void> {
  await app.register(rateLimit, {
    timeWindow: MINUTE_MS,
    max: ({ caller }: FastifyRequest) => caller?.ratePerMinute ?? settings.ratePerMinute,
    keyGenerator: ({ caller }: FastifyRequest) => caller?.name ?? '',
    errorResponseBuilder: (_request, { max }) =>
      new ElsewiseError('too-many-requests', `${max} requests a minute are the limit of this token`),
  });
}

function tellProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = routerRefusal(error as { code?: string });
  const coded = refusal?.error ?? asCoded(error);
  const problem = problemOf(coded, request.id, refusal?.status);
  const { retryAfterSeconds } = HTTP_STATUS[coded.code];
  if (coded.code === 'internal') request.log.error({ err: error }, 'bug');
  request.failure = coded.code;
  if (retryAfterSeconds && !reply.hasHeader('retry-after')) reply.header('retry-after', String(retryAfterSeconds));
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="elsewise"');
  return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}
