/**
 * What the tests of the API run in: the queue's world, a worker and a server in this process, a token for each role, and
 * a client that holds every answer against the table of routes.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Route } from '../../dist/api/route.js';
import { routes } from '../../dist/api/routes/index.js';
import { SCHEMAS } from '../../dist/api/schemas.js';
import { type ApiOptions, ApiServer } from '../../dist/api/server.js';
import { type ApiSettings, apiSettings } from '../../dist/api/settings.js';
import { createToken, hashToken, ROLES, type Role } from '../../dist/api/tokens.js';
import { QueueWorker } from '../../dist/jobs/worker/worker.js';
import { POLICY, World } from './queue-world.js';

export type Caller = Role | 'nobody' | 'stranger';

export interface Asked {
  readonly as?: Caller;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON. */
  readonly body?: object | string | ReadableStream;
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export const SECRETS: Readonly<Record<Role, string>> = {
  submit: createToken(),
  read: createToken(),
  audit: createToken(),
  admin: createToken(),
};

export const TOKENS = ROLES.map((role) => ({ name: `the-${role}`, roles: [role], sha256: hashToken(SECRETS[role]) }));

export const POLICY_LINE = JSON.stringify(JSON.parse(readFileSync(POLICY, 'utf8')));

export class ApiWorld {
  private constructor(
    readonly world: World,
    readonly server: ApiServer,
    readonly worker: QueueWorker | undefined,
    /** Of the log. */
    readonly lines: readonly string[],
  ) {}

  /** `lanes`: which queues the worker in this process serves; with none there is no worker. */
  static async create(
    given: Partial<ApiSettings> = {},
    lanes: readonly ('events' | 'bulk')[] = ['events', 'bulk'],
    redis?: { url: string; stop(): Promise<void> },
    receipts?: ApiOptions['receipts'],
  ): Promise<ApiWorld> {
    const world = await World.withModel(redis);
    const { settings } = world.store;
    const options = { settings, lanes, threads: 1, port: 0, notice: () => {} };
    const worker = lanes.length > 0 ? await QueueWorker.start(options) : undefined;
    const lines: string[] = [];
    const server = await ApiServer.start({
      store: settings,
      api: apiSettings({ port: 0, tokens: TOKENS, ...given }, {}),
      insecureNoAuth: false,
      ...(receipts && { receipts }),
      log: { write: (line: string) => void lines.push(line) },
    });
    return new ApiWorld(world, server, worker, lines);
  }

  async close(): Promise<void> {
    await this.server.drain();
    await this.worker?.drain().catch(() => {}); // some tests take its Redis away
    await this.world.close();
  }

  /** The raw answer of fetch; `call` reads and checks it. */
  fetch(method: string, path: string, { as = 'admin', headers = {}, body, signal }: Asked = {}): Promise<Response> {
    const isPlain = body === undefined || typeof body === 'string' || body instanceof ReadableStream;
    return fetch(this.server.address + path, {
      method,
      signal,
      headers: { ...credentials(as), ...(isPlain ? {} : { 'content-type': 'application/json' }), ...headers },
      body: isPlain ? (body as string) : JSON.stringify(body),
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit);
  }

  async call(method: string, path: string, asked: Asked = {}): Promise<Answered> {
    const response = await this.fetch(method, path, asked);
    const text = await response.text();
    checkAnswer(method, path, response, text);
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && !/ndjson/.test(typeOf(response));
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
  }
}

const typeOf = (response: Response): string => response.headers.get('content-type') ?? '';

export function credentials(as: Caller): Record<string, string> {
  if (as === 'nobody') return {};
  return { authorization: `Bearer ${as === 'stranger' ? createToken() : SECRETS[as]}` };
}

export function routeOf(method: string, path: string): Route | undefined {
  const [address] = path.split('?');
  const fits = (route: Route) => new RegExp(`^${route.path.replaceAll(/\/:\w+/g, '/[^/:]+')}$`).test(address);
  return routes.find((route) => route.method === method && fits(route));
}

/** Every answer is what the table says of it, and carries what all carry. */
function checkAnswer(method: string, path: string, response: Response, text: string): void {
  const { status, headers } = response;
  expect(headers.get('x-request-id')).toMatch(/^[\w.-]+$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('access-control-allow-origin')).toBeNull();
  const spec = routeOf(method, path)?.responses[status];
  if (typeOf(response).startsWith('application/problem+json')) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(SCHEMAS.problem.zod.parse(JSON.parse(text))).toMatchObject({
      status,
      requestId: headers.get('x-request-id'),
    });
    return;
  }
  expect(spec, `${method} ${path} answered ${status}, which its route does not name`).toBeDefined();
  if (spec!.isEmpty) {
    expect(text).toBe('');
    return;
  }
  const types = [spec!.type ?? 'application/json', ...(spec!.others ?? [])].map((type) => type.split(';')[0]);
  const type = typeOf(response).split(';')[0];
  expect(types).toContain(type);
  if (!spec!.schema || type !== types[0]) return;
  const documents = /ndjson/.test(typeOf(response)) ? text.split('\n').filter(Boolean) : [text];
  // of thousands of results, which one function writes, some
  const checked = documents.filter((_, i) => i < 100 || i % 20 === 0);
  for (const document of checked) spec!.schema.zod.parse(JSON.parse(document));
}

/** The first row of the example, as an event has it. */
export function exampleFeatures(world: World): Record<string, string | number | boolean> {
  const [header, row] = readFileSync(world.writeRows('one.csv', 1), 'utf8')
    .split('\n')
    .map((line) => line.split(','));
  const read = (text: string) => (/^(true|false|-?[\d.]+)$/.test(text) ? JSON.parse(text) : text);
  return Object.fromEntries(header.map((name, c) => [name, read(row[c])]).slice(1));
}
