/**
 * The configuration: config/default.json holds the defaults as data; on top of them a JSON file (ELSEWISE_CONFIG), then
 * environment variables, then what the caller gives. To add a section: one object with descriptions here, its values in
 * config/default.json, and `npm run configuration` for the page docs/configuration.md.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listOf } from './documents/collections.js';
import { fileLayer } from './settings/configuration-file.js';
import { type Entry, entriesOf } from './settings/entries.js';
import { type Environment, environmentLayers, unknownVariables } from './settings/environment.js';
import { type Layer, mergeLayers, originOf, valueAt } from './settings/layers.js';
import { referencePage } from './settings/reference-page.js';

const count = z.int().min(1);
const text = z.string().min(1);
const port = z.int().min(0).max(65_535);

/** A bearer token of the API, by the SHA-256 of its text: the token itself is kept nowhere. */
export const tokenSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'letters, digits, dot, dash and underscore, at most 100'),
  roles: listOf(z.enum(['submit', 'read', 'admin'])).min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits, see `elsewise token`'),
  /** Its own limit in place of `api.ratePerMinute`. */
  ratePerMinute: count.optional(),
});

export const apiSchema = z
  .strictObject({
    host: z.string().min(1).describe('Where it listens; every interface: `0.0.0.0`.'),
    port: z.int().min(0).max(65_535).describe('Of the API and its probes; 0: any free one.'),
    tokens: z
      .array(tokenSchema)
      .meta({ description: 'Who may call it: name, roles and the SHA-256 of the token of each.', secret: true }),
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

const boundsSchema = z
  .strictObject({
    columns: count.describe('Columns of a model; a one-hot category takes one for each of its values.'),
    treeLevels: count.max(1000).describe('Levels of splits in a tree.'),
    sampleValues: count.describe('Numbers in `background.samples`: rows times features.'),
    matrixWork: count.describe('Multiply-adds for covariances, their inverses and dense preprocessing steps.'),
    regionNumbers: count.describe("Numbers in the rows of a target's region: pieces times rows times columns."),
    plausibilityLooks: count.describe('Looks of the trees of `plausibility` at samples.'),
  })
  .describe('How large models and policies may be; what is beyond is refused by name.');

export const configSchema = z.strictObject({
  store: z
    .strictObject({
      url: text.meta({
        description: 'Where Redis is, and of what kind (docs/redis.md): redis://host:port, rediss:// for TLS.',
        variable: 'REDIS_URL',
        secret: true,
      }),
      username: z.string().describe('The ACL user; what the URL says wins, here and in the entries below.'),
      password: z.string().meta({ description: 'Its password.', secret: true }),
      passwordFile: z.string().describe('A file with the password, read when a connection is made.'),
      caFile: z.string().describe('The authority of its certificate, PEM; needs `rediss`.'),
      certFile: z.string().describe('Our own certificate, PEM.'),
      keyFile: z.string().describe('The key of that.'),
      serverName: z.string().describe('The name that its certificate is for, if not the host.'),
      sentinelNodes: z.string().describe('Sentinels as `host:port,host:port`, in place of the hosts of the URL.'),
      sentinelMaster: z.string().describe('The name that they know the master by.'),
      sentinelUsername: z.string().describe('The ACL user of the Sentinels themselves.'),
      sentinelPassword: z.string().meta({ description: 'Its password.', secret: true }),
      sentinelPasswordFile: z.string().describe('A file with it.'),
      clusterNodes: z
        .string()
        .describe('Nodes of a Cluster as `host:port,host:port`, in place of the hosts of the URL.'),
      keyPrefix: text.meta({ description: 'First part of every key of ours.', variable: 'ELSEWISE_PREFIX' }),
      queuePrefix: text.meta({
        description: "First part of BullMQ's keys; on a Cluster it is put into braces, a hash tag.",
        variable: 'ELSEWISE_QUEUE_PREFIX',
      }),
      batchTtlSeconds: count.meta({
        description: 'How long a batch and its results stay after they were last written.',
        variable: 'ELSEWISE_BATCH_TTL_SECONDS',
      }),
      answerTtlSeconds: count.meta({
        description: 'How long the answer to an event stays, under its key and on the stream.',
        variable: 'ELSEWISE_ANSWER_TTL_SECONDS',
      }),
      answerStreamLength: count.meta({
        description: 'About how many entries the stream of answers keeps.',
        variable: 'ELSEWISE_ANSWER_STREAM_LENGTH',
      }),
      maxDocumentMb: count.describe('Largest model or policy document in the registry, before compression.'),
      onceTtlSeconds: z.int().min(0).meta({
        description:
          'How long the answer to a row serves equal rows of other batches and events; 0: every row is solved.',
        variable: 'ELSEWISE_ONCE_TTL_SECONDS',
      }),
      memoryShare: z.number().gt(0).max(1).meta({
        description: "Share of Redis' `maxmemory` at which nothing more is added to batches.",
        variable: 'ELSEWISE_MEMORY_SHARE',
      }),
      eventMemoryShare: z.number().gt(0).max(1).meta({
        description: "Share of Redis' `maxmemory` at which single rows are refused; batches stop earlier.",
        variable: 'ELSEWISE_EVENT_MEMORY_SHARE',
      }),
      maxQueuedBytes: z.int().min(0).meta({
        description: 'Rows of a batch that may wait in a Redis without `maxmemory`, in compressed bytes; 0: no limit.',
        variable: 'ELSEWISE_MAX_QUEUED_BYTES',
      }),
    })
    .describe('Redis: where it is, under which prefixes our keys live there, and how long they stay.'),
  worker: z
    .strictObject({
      queues: z
        .array(z.enum(['events', 'bulk', 'schedule']))
        .min(1)
        .describe('Which queues a worker serves.'),
      threads: z
        .union([count, z.literal('auto')])
        .describe(
          'Solver threads for batches; `auto`: one per core. Events have their own. Set it where a CPU limit holds.',
        ),
      port: port.describe('Of /metrics, /healthz and /readyz; 0: any free one.'),
      planMemoryMb: count.describe(
        'Memory for prepared models and policies that a process keeps ready, over all of its threads.',
      ),
      eventThreads: count.describe('Solver threads kept free for single rows.'),
      preparingThreads: count.describe(
        'Events whose model and policy are new or slow to prepare are prepared on so many threads apart, so that no other event waits for them.',
      ),
      maxPrepareMs: count.describe(
        'How long a thread may take to load and prepare model and policy before the first row; for events see `events.maxPrepareMs`.',
      ),
      bulkNice: z.int().min(0).max(19).describe('How much batches give way to them, as `nice` does.'),
      lockMs: count.describe(
        'A job whose worker has not been heard of for so long is free for others. Workers say so every half of it.',
      ),
      stalledCheckMs: count.describe('How often workers look for such jobs, taking turns.'),
      maxStalls: count.describe(
        'A job that was free so often and is so once more is given up: it may be what kills them.',
      ),
    })
    .describe('`elsewise worker`.'),
  events: z
    .strictObject({
      maxDeadlineMs: count.describe(
        'The longest `deadlineMs` that the policy of an event may ask for; one that says nothing asks for 1000.',
      ),
      maxPrepareMs: count.describe('How long model and policy of an event may take to be prepared.'),
    })
    .describe('Single rows, whichever way they come (docs/events.md).'),
  requests: z
    .strictObject({
      concurrency: count.describe('Entries of the stream that one worker answers at a time.'),
      maxBodyBytes: count.describe('A longer body is not even parsed.'),
      claimAfterMs: count.describe(
        'An entry that nobody has answered for so long is taken over from the worker that took it.',
      ),
      maxDeliveries: count.describe('An entry that was taken so often and never answered is given up.'),
      forgetConsumerAfterMs: count.describe(
        'A consumer that has nothing pending and has not asked for so long is gone.',
      ),
    })
    .describe('The stream of requests, for producers without BullMQ.'),
  deadLetters: z
    .strictObject({
      maxCount: count.describe('How many are kept; the oldest go first.'),
      maxAgeSeconds: count.describe('How long they are kept.'),
      maxBodyBytes: count.describe('Of a body; what is longer is cut and cannot be replayed.'),
    })
    .describe('What was given up: `elsewise dead`.'),
  schedule: z
    .strictObject({
      runsKept: count.describe('Records of runs that are kept for each schedule.'),
      rememberDays: count.describe('For so long after a file was last there, its content is known and not done again.'),
    })
    .describe('`elsewise schedule`.'),
  api: apiSchema,
  bounds: boundsSchema,
});

export type Config = z.output<typeof configSchema>;

/** Parts of a configuration; what is undefined is not given. */
export type PartialConfig = { readonly [S in keyof Config]?: { readonly [K in keyof Config[S]]?: Config[S][K] } };

const DEFAULTS = new URL('../config/default.json', import.meta.url);
const FILE_VARIABLE = 'ELSEWISE_CONFIG';
/** Variables of ours that are no entries. */
const OTHER_VARIABLES = [FILE_VARIABLE, 'ELSEWISE_DEBUG'];

export const configEntries = (): Entry[] => entriesOf(configSchema);

export interface EffectiveEntry {
  readonly entry: Entry;
  readonly value: unknown;
  /** `default`, a file, a variable, or `option`. */
  readonly origin: string;
}

export function readConfig(given: PartialConfig = {}, environment: Environment = process.env): Config {
  return mergeLayers(configSchema, layersOf(given, environment));
}

export function explainConfig(given: PartialConfig = {}, environment: Environment = process.env): EffectiveEntry[] {
  const layers = layersOf(given, environment);
  const values = mergeLayers(configSchema, layers);
  return configEntries().map((entry) => ({
    entry,
    value: valueAt(values, entry.path),
    origin: originOf(entry.path, layers) ?? 'unset',
  }));
}

export function strayVariables(environment: Environment = process.env): string[] {
  return unknownVariables(configEntries(), environment, OTHER_VARIABLES);
}

export function readDefaults(): Config {
  return mergeLayers(configSchema, [defaultLayer()]);
}

function layersOf(given: PartialConfig, environment: Environment): Layer[] {
  const file = environment[FILE_VARIABLE];
  return [
    defaultLayer(),
    ...(file ? [fileLayer(file, FILE_VARIABLE)] : []),
    ...environmentLayers(configEntries(), environment),
    { origin: 'option', values: given },
  ];
}

function defaultLayer(): Layer {
  return { origin: 'default', values: JSON.parse(readFileSync(DEFAULTS, 'utf8')) };
}

let effective: Config | undefined;

/** The configuration of this process, read when somebody first asks: importing this file fails for nobody. */
export const config: Config = Object.create(
  null,
  Object.fromEntries(
    Object.keys(configSchema.shape).map((section) => [
      section,
      {
        enumerable: true,
        get: () => {
          effective ??= readConfig();
          return effective[section as keyof Config];
        },
      },
    ]),
  ),
);

const INTRODUCTION = `
# Configuration

<!-- Written by \`npm run configuration\` from the schema in src/config.ts and config/default.json; a test keeps it true. -->

Every value has a default in [config/default.json](../config/default.json). On top of it, each winning over those before:

1. a JSON file named by \`ELSEWISE_CONFIG\`, with the sections and entries that it wants to change;
2. environment variables: \`store.keyPrefix\` is \`ELSEWISE_STORE_KEY_PREFIX\`, and so on for every entry. Some have a second, shorter
   name, which counts where the long one is not set. An empty variable counts as unset. A list is written with commas, anything
   deeper as JSON;
3. command-line options.

A secret can lie in a file instead: \`REDIS_URL_FILE=/run/secrets/redis-url\`. All values are checked together, and a fault is told with the
variable or file that it comes from. \`elsewise config\` prints what holds, where each value comes from, secrets masked, and names
variables that no entry has. On Kubernetes set \`enableServiceLinks: false\`: for a Service called \`elsewise-api\` it would otherwise
set \`ELSEWISE_API_PORT\` to an address of its own.
`;

/** docs/configuration.md */
export function configurationPage(): string {
  const entries = configEntries();
  const sections = Object.entries(configSchema.shape).map(([name, section]) => ({
    name,
    description: section.description ?? '',
    entries: entries.filter(({ path }) => path[0] === name),
  }));
  return referencePage(INTRODUCTION, sections, readDefaults());
}
