/**
 * The configuration. config/default.json holds the defaults as data. A JSON file (ELSEWISE_CONFIG), environment variables and the caller's
 * values override the defaults, in this order. To add a section: write one object with descriptions here, add its values to
 * config/default.json, and run `npm run configuration` for the page docs/configuration.md.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listOf, recordOf } from './documents/collections.js';
import { DEFAULT_CONFIGURATION } from './places.js';
import { fileLayer } from './settings/configuration-file.js';
import { type Entry, entriesOf } from './settings/entries.js';
import { type Environment, environmentLayers, unknownVariables } from './settings/environment.js';
import { type Layer, mergeLayers, originOf, valueAt } from './settings/layers.js';
import { referencePage } from './settings/reference-page.js';

const count = z.int().min(1);
/** More threads than a machine has cores: each thread takes memory, and thousands of threads take minutes to start. */
export const MOST_THREADS = 512;
const threadCount = count.max(MOST_THREADS);
const text = z.string().min(1);
const port = z.int().min(0).max(65_535);

/** A bearer token of the API, by the SHA-256 of its text: the token itself is not stored. */
export const tokenSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'letters, digits, dot, dash and underscore, at most 100'),
  roles: listOf(z.enum(['submit', 'read', 'admin'])).min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits, see `elsewise token`'),
  /** The token's own limit, in place of `api.ratePerMinute`. */
  ratePerMinute: count.optional(),
});

export const apiSchema = z
  .strictObject({
    host: z.string().min(1).describe('The address that the API listens on; `0.0.0.0`: every interface.'),
    port: z.int().min(0).max(65_535).describe('The port of the API and its probes; 0: any free port.'),
    tokens: z
      .array(tokenSchema)
      .meta({ description: 'The callers: name, roles and the SHA-256 of the token of each.', secret: true }),
    metricsWithoutToken: z.boolean().describe('Whether `/metrics` needs no token.'),
    bodyBytes: count.describe('The longest JSON body, except for models.'),
    modelBytes: count.describe('The longest model document.'),
    headerBytes: count.describe('The longest head of a request; the head holds the inline policy of a batch.'),
    receiveMs: count.describe(
      'How long a request may take to arrive; for an upload, the longest pause between two pieces.',
    ),
    ratePerMinute: count.describe('Requests of one token in a minute, for each process of the API.'),
    waitMs: z.int().min(0).describe('How long a request waits for an explanation unless the request says how long.'),
    maxWaitMs: z.int().min(0).describe('The longest wait that a request may ask for.'),
    maxWaiting: count.describe(
      'Requests that may wait at a time; further requests are answered at once or told to come again.',
    ),
    unreadyMs: z
      .int()
      .min(0)
      .describe('How long the API serves on after SIGTERM while it is unready, until routers have noticed.'),
    drainMs: count.describe('How long requests may take to end after `unreadyMs`.'),
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).describe('The lowest level that is logged.'),
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
    pathDistances: count.describe('Distances between background rows for the graph of a `path`.'),
    pathEdges: count.describe('Pairs of neighbouring background rows in the graph of a `path`.'),
  })
  .describe('How large models and policies may be; what is beyond is refused by name.');

const scoringSettings = z
  .strictObject({
    hosts: z
      .array(text)
      .describe(
        'The hosts that scorers may be asked at, as `host` (its default port) or `host:port`. Other hosts are refused: a model document is untrusted.',
      ),
    privateAddresses: z
      .boolean()
      .describe('Whether these hosts may have loopback, private or link-local addresses, as services of a cluster do.'),
    tokens: recordOf(text).meta({
      description: 'Bearer tokens by host as in `hosts`; a token is sent to its host only.',
      secret: true,
    }),
    modelDirectory: z
      .string()
      .describe('The directory that ONNX files are read from, with its subdirectories; empty: no file is read.'),
    patienceMs: z
      .int()
      .min(0)
      .describe('How long rows wait for a scorer that does not answer before they are answered without it.'),
    maxResponseBytes: count.describe('The longest answer of a scorer that is read.'),
    rowsAtOnce: count.describe('Rows of a black-box model that a thread has under way at a time.'),
  })
  .describe('Scorers of `black-box` models (docs/black-box.md).');

export const configSchema = z.strictObject({
  store: z
    .strictObject({
      url: text.meta({
        description: 'The address and kind of Redis (docs/redis.md): redis://host:port, rediss:// for TLS.',
        variable: 'REDIS_URL',
        secret: true,
      }),
      username: z.string().describe('The ACL user. A part of the URL wins over this entry and the entries below.'),
      password: z.string().meta({ description: 'The password of the ACL user.', secret: true }),
      passwordFile: z.string().describe('A file with the password, read when a connection is made.'),
      caFile: z.string().describe('The authority of the server certificate, PEM; needs `rediss`.'),
      certFile: z.string().describe('Our own certificate, PEM.'),
      keyFile: z.string().describe('The key of our own certificate.'),
      serverName: z.string().describe('The name in the server certificate, if not the host.'),
      sentinelNodes: z.string().describe('Sentinels as `host:port,host:port`, in place of the hosts of the URL.'),
      sentinelMaster: z.string().describe('The name of the master in the Sentinels.'),
      sentinelUsername: z.string().describe('The ACL user of the Sentinels.'),
      sentinelPassword: z
        .string()
        .meta({ description: 'The password of the ACL user of the Sentinels.', secret: true }),
      sentinelPasswordFile: z.string().describe('A file with the password of the Sentinels.'),
      clusterNodes: z
        .string()
        .describe('Nodes of a Cluster as `host:port,host:port`, in place of the hosts of the URL.'),
      keyPrefix: text.meta({ description: 'The first part of every key of elsewise.', variable: 'ELSEWISE_PREFIX' }),
      queuePrefix: text.meta({
        description:
          "The first part of BullMQ's keys; on a Cluster elsewise puts braces around the prefix, which make a hash tag.",
        variable: 'ELSEWISE_QUEUE_PREFIX',
      }),
      batchTtlSeconds: count.meta({
        description: 'How long a batch and its results stay after the last write.',
        variable: 'ELSEWISE_BATCH_TTL_SECONDS',
      }),
      answerTtlSeconds: count.meta({
        description: 'How long the answer to an event stays, under its key and on the stream.',
        variable: 'ELSEWISE_ANSWER_TTL_SECONDS',
      }),
      answerStreamLength: count.meta({
        description: 'The approximate number of entries that the stream of answers keeps.',
        variable: 'ELSEWISE_ANSWER_STREAM_LENGTH',
      }),
      maxDocumentMb: count.describe('The largest model or policy document in the registry, before compression.'),
      onceTtlSeconds: z.int().min(0).meta({
        description:
          'How long the answer to a row serves equal rows of other batches and events; 0: every row is solved.',
        variable: 'ELSEWISE_ONCE_TTL_SECONDS',
      }),
      memoryShare: z.number().gt(0).max(1).meta({
        description: "The share of Redis' `maxmemory` at which batches wait for room.",
        variable: 'ELSEWISE_MEMORY_SHARE',
      }),
      eventMemoryShare: z.number().gt(0).max(1).meta({
        description: "The share of Redis' `maxmemory` at which single rows are refused; batches stop earlier.",
        variable: 'ELSEWISE_EVENT_MEMORY_SHARE',
      }),
      maxQueuedBytes: z.int().min(0).meta({
        description: 'Rows of a batch that may wait in a Redis without `maxmemory`, in compressed bytes; 0: no limit.',
        variable: 'ELSEWISE_MAX_QUEUED_BYTES',
      }),
    })
    .describe('Redis: its address, the prefixes of our keys, and how long keys stay.'),
  worker: z
    .strictObject({
      queues: z
        .array(z.enum(['events', 'bulk', 'schedule']))
        .min(1)
        .describe('The queues that a worker serves.'),
      threads: z
        .union([threadCount, z.literal('auto')])
        .describe(
          'Solver threads for batches; `auto`: one per core. Events have threads of their own. Set a number where a CPU limit holds.',
        ),
      port: port.describe('The port of /metrics, /healthz and /readyz; 0: any free port.'),
      planMemoryMb: count.describe('Memory for the prepared plans that a process keeps, over all threads.'),
      eventThreads: threadCount.describe('Solver threads for events only.'),
      preparingThreads: threadCount.describe(
        'Threads for events whose model and policy are new or slow to prepare; other events do not wait for these.',
      ),
      maxPrepareMs: count.describe(
        'How long a thread may take to load and prepare model and policy before the first row; for events see `events.maxPrepareMs`.',
      ),
      bulkNice: z
        .int()
        .min(0)
        .max(19)
        .describe('The nice value of the threads of batches, which gives events the cores first.'),
      lockMs: count.describe(
        'A job whose worker has not renewed its lock for this time is free for other workers. Workers renew locks twice in this time.',
      ),
      stalledCheckMs: count.describe('How often workers look for jobs with an expired lock, taking turns.'),
      maxStalls: count.describe(
        'A job whose lock expires more often than this is given up: the job may be what kills the workers.',
      ),
    })
    .describe('`elsewise worker`.'),
  events: z
    .strictObject({
      maxDeadlineMs: count.describe(
        'The longest `deadlineMs` that the policy of an event may ask for; the default of a policy is 1000.',
      ),
      maxPrepareMs: count.describe('How long a thread may take to prepare model and policy of an event.'),
    })
    .describe('Single rows from all sources (docs/events.md).'),
  requests: z
    .strictObject({
      concurrency: count.describe('Entries of the stream that one worker answers at a time.'),
      maxBodyBytes: count.describe('The longest body that is parsed.'),
      claimAfterMs: count.describe('Another worker takes over an entry that has had no answer for this time.'),
      maxDeliveries: count.describe('An entry that was delivered this often without an answer is given up.'),
      forgetConsumerAfterMs: count.describe(
        'A consumer without pending entries that has not asked for this time is removed.',
      ),
    })
    .describe('The stream of requests, for producers without BullMQ.'),
  deadLetters: z
    .strictObject({
      maxCount: count.describe('The number of dead letters that are kept; the oldest are dropped first.'),
      maxAgeSeconds: count.describe('How long dead letters are kept.'),
      maxBodyBytes: count.describe('The longest body that is kept; a longer body is cut and cannot be replayed.'),
    })
    .describe('Requests and jobs that were given up: `elsewise dead`.'),
  schedule: z
    .strictObject({
      runsKept: count.describe('The number of runs on record for each schedule.'),
      rememberDays: count.describe(
        'How long the content of a file stays known after the file was last seen; known content makes no second batch.',
      ),
    })
    .describe('`elsewise schedule`.'),
  scoring: scoringSettings,
  api: apiSchema,
  bounds: boundsSchema,
});

export type Config = z.output<typeof configSchema>;

/** A partial configuration. An undefined entry counts as absent. */
export type PartialConfig = { readonly [S in keyof Config]?: { readonly [K in keyof Config[S]]?: Config[S][K] } };

const FILE_VARIABLE = 'ELSEWISE_CONFIG';
/** Our environment variables that are no entries. */
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
  return { origin: 'default', values: JSON.parse(readFileSync(DEFAULT_CONFIGURATION, 'utf8')) };
}

let effective: Config | undefined;

/** The configuration of this process, read on first use: importing this file never fails. */
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

Every value has a default in [config/default.json](../config/default.json). Three sources override the defaults. A later source wins over
an earlier one:

1. a JSON file that \`ELSEWISE_CONFIG\` names, with the sections and entries to change;
2. environment variables: \`store.keyPrefix\` is \`ELSEWISE_STORE_KEY_PREFIX\`, and likewise for every entry. Some entries have a second, shorter
   name, which counts where the long name is not set. An empty variable counts as unset. A list is written with commas, a deeper
   value as JSON;
3. command-line options.

A file can hold a secret instead: \`REDIS_URL_FILE=/run/secrets/redis-url\`. All values are checked together. An error names the
variable or file of the wrong value. \`elsewise config\` prints every value with its source, masks secrets, and names
variables that belong to no entry. On Kubernetes set \`enableServiceLinks: false\`: a Service called \`elsewise-api\` would otherwise
set \`ELSEWISE_API_PORT\` in every pod.
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
