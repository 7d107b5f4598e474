/** The defaults, as data: config/default.json, read and checked once. Environment variables and options go on top of it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseDocument } from './documents/parse.js';

const count = z.int().min(1);

/** A bearer token of the API, by the SHA-256 of its text: the token itself is kept nowhere. */
export const tokenSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'letters, digits, dot, dash and underscore, at most 100'),
  roles: z.array(z.enum(['submit', 'read', 'admin'])).min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits, see `elsewise token`'),
  /** Its own limit in place of `api.ratePerMinute`. */
  ratePerMinute: count.optional(),
});

export const apiSchema = z
  .strictObject({
    host: z.string().min(1).describe('Where it listens; every interface: `0.0.0.0`.'),
    port: z.int().min(0).max(65_535).describe('Of the API and its probes; 0: any free one.'),
    tokens: z.array(tokenSchema).describe('Who may call it: name, roles and the SHA-256 of the token of each.'),
    metricsWithoutToken: z.boolean().describe('Whether `/metrics` is open to everyone who reaches the port.'),
    bodyBytes: count.describe('The longest JSON body, but for models.'),
    modelBytes: count.describe('The longest model document.'),
    headerBytes: count.describe('The longest head of a request; an inline policy of a batch is in it.'),
    receiveMs: count.describe('How long a request may take to arrive; an upload: how long between two pieces of it.'),
    ratePerMinute: count.describe('Requests of one token in a minute, for each process of the API.'),
    waitMs: z.int().min(0).describe('How long an explanation is waited for unless the request says so.'),
    maxWaitMs: z.int().min(0).describe('The longest that a request may ask to wait.'),
    maxWaiting: count.describe(
      'Requests that wait side by side; beyond, they are answered at once or told to come back.',
    ),
    unreadyMs: z.int().min(0).describe('How long it serves on after SIGTERM, unready, until routers have noticed.'),
    drainMs: count.describe('How long requests have to end after that.'),
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).describe('The least that is logged.'),
    logRows: z.boolean().describe('Whether logs may hold personal data: addresses with ids, and bodies.'),
  })
  .describe('`elsewise serve`.');

const schema = z.strictObject({
  store: z.strictObject({
    url: z.string().min(1),
    keyPrefix: z.string().min(1),
    queuePrefix: z.string().min(1),
    batchTtlSeconds: count,
    answerTtlSeconds: count,
    answerStreamLength: count,
  }),
  api: apiSchema,
});

export type Config = z.output<typeof schema>;

const FILE = new URL('../config/default.json', import.meta.url);

export const config: Config = parseDocument(schema, JSON.parse(readFileSync(FILE, 'utf8')), 'config');
