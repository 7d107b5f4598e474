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
import { type Environment, environmentLayers, unknownNames, unknownVariables } from './settings/environment.js';
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
  roles: listOf(z.enum(['submit', 'read', 'audit', 'admin'])).min(1),
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
    modelMemoryMb: count.describe('Memory for models that predictions and pages ask about. The models used last stay.'),
    parquetBytes: count.describe('The longest Parquet upload. An upload is first copied to the temporary folder.'),
    maxInstances: count.describe('The most rows of one request to `POST /v1/models/:name:explain`.'),
    maxTables: count.describe(
      'Threads that convert tables: uploads of Parquet, and downloads other than whole NDJSON. Further requests are told to come again.',
    ),
    maxReplays: count.describe(
      'Rows of the record that are solved again at the same time. Further requests are told to come again.',
    ),
    comparisonRows: count.describe('The largest number of rows that a comparison or a what-if question solves.'),
    comparisonMs: count.describe('How long such a question may take. A longer one is refused.'),
    comparisonThreads: threadCount.describe('Solver threads for such questions.'),
    maxComparisons: count.describe(
      'The number of such questions at the same time. Further ones are told to come again.',
    ),
    headerBytes: count.describe('The longest head of a request. The head contains the inline policy of a batch.'),
    receiveMs: count.describe(
      'How long a request may take to arrive; for an upload, the longest pause between two pieces.',
    ),
    ratePerMinute: count.describe('Requests of one token in a minute, for each process of the API.'),
    waitMs: z.int().min(0).describe('How long a request without `waitMs` waits for an explanation.'),
    maxWaitMs: z.int().min(0).describe('The longest wait that a request may ask for.'),
    maxWaiting: count.describe(
      'The number of requests that may wait at the same time. A further request gets its answer at once, or 503 with `Retry-After`.',
    ),
    unreadyMs: z
      .int()
      .min(0)
      .describe(
        'How long the API still accepts requests after SIGTERM. `/readyz` is false in this time, so that routers stop sending requests.',
      ),
    drainMs: count.describe('How long running requests may take to end after `unreadyMs`.'),
    console: z.boolean().describe('Whether `/console` serves pages for people (docs/console.md).'),
    sessionSeconds: count.describe('How long a sign-in to the console holds.'),
    failedSignIns: count.describe(
      'Failed sign-ins to the console from one address in a minute. Further ones are refused.',
    ),
    secureCookies: z
      .boolean()
      .describe(
        'Whether browsers send the cookie of the console over HTTPS only. A browser that signs in over HTTPS gets such a cookie in any case.',
      ),
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).describe('The lowest level that is logged.'),
    logRows: z.boolean().describe('Whether logs may contain personal data: paths with ids, and bodies.'),
  })
  .describe('`elsewise serve`.');

const boundsSchema = z
  .strictObject({
    columns: count.describe('Columns of a model. A one-hot feature has a column for each category.'),
    treeLevels: count.max(1000).describe('Levels of splits in a tree.'),
    sampleValues: count.describe('Numbers in `background.samples`: rows times features.'),
    matrixWork: count.describe('Multiply-adds for covariances, their inverses and dense preprocessing steps.'),
    regionNumbers: count.describe("Numbers in the rows of a target's region: pieces times rows times columns."),
    plausibilityLooks: count.describe('Visits of samples by the trees of `plausibility`.'),
    pathDistances: count.describe('Distances between background rows for the graph of a `path`.'),
    pathEdges: count.describe('Pairs of neighbouring background rows in the graph of a `path`.'),
  })
  .describe('How large models and policies may be. A larger document is refused, and the message names the limit.');

const scoringSettings = z
  .strictObject({
    hosts: z
      .array(text)
      .describe(
        'The hosts of scorers, as `host` (default port) or `host:port`. Other hosts are refused: a model document may come from anybody.',
      ),
    privateAddresses: z
      .boolean()
      .describe(
        'Whether these hosts may have loopback, private or link-local addresses. Services of a cluster have private addresses.',
      ),
    tokens: recordOf(text).meta({
      description: 'Bearer tokens by host, written as in `hosts`. A token is sent to its host only.',
      secret: true,
    }),
    modelDirectory: z
      .string()
      .describe('The directory of ONNX files, with its subdirectories. Empty: no file is read.'),
    patienceMs: z
      .int()
      .min(0)
      .describe(
        'How long rows wait for a scorer that does not answer. After this time the rows get the status `not-found`.',
      ),
    maxResponseBytes: count.describe('The longest answer of a scorer that is read.'),
    rowsAtOnce: count.describe('The number of rows of a black-box model that a thread works on at the same time.'),
  })
  .describe('Scorers of `black-box` models (docs/black-box.md).');

const webhookSettings = z
  .strictObject({
    hosts: z
      .array(text)
      .describe(
        'The hosts that may be told of the end of a batch, as `host` (its default port) or `host:port`. Other hosts are refused. Empty: no webhooks.',
      ),
    privateAddresses: z
      .boolean()
      .describe('Whether these hosts may have loopback, private or link-local addresses, as services of a cluster do.'),
    secret: z.string().meta({
      description: 'The key of the signatures: `whsec_` and at least 24 random bytes as base64.',
      secret: true,
    }),
    timeoutMs: count.describe('How long a receiver may take to answer.'),
    attempts: count.describe(
      'Requests until a webhook is given up; the pauses grow from 2 seconds, twice as long each time.',
    ),
  })
  .describe('Messages at the end of a batch (docs/api.md), for the API and for workers of batches.');

const auditSettings = z
  .strictObject({
    enabled: z
      .boolean()
      .describe(
        'Whether workers record every answer. The record outlives the answers and takes memory of Redis, so the operator decides.',
      ),
    retentionDays: count.describe(
      'How many days records stay. The digests of dropped days stay: later days still verify.',
    ),
  })
  .describe('The record of answers (docs/record.md).');

const receiptSettings = z
  .strictObject({
    keys: z
      .string()
      .describe(
        'The file of keys, as `elsewise receipts keys` writes it. The file is read again when it changes. Empty: no receipts.',
      ),
    validDays: count.max(36_500).describe('The number of days that the API stands by a receipt.'),
    issuer: z.string().describe('The name of the operator in receipts. Empty: no name.'),
    maxBytes: count.describe('The longest receipt that is written or checked.'),
  })
  .describe('Signed receipts (docs/receipts.md).');

export const configSchema = z.strictObject({
  store: z
    .strictObject({
      url: text.meta({
        description: 'The address and kind of Redis (docs/redis.md): redis://host:port, rediss:// for TLS.',
        variable: 'REDIS_URL',
        secret: true,
      }),
      username: z.string().describe('The ACL user. The URL overrides this entry and the entries below.'),
      password: z.string().meta({ description: 'The password of the ACL user.', secret: true }),
      passwordFile: z.string().describe('A file with the password, read when a connection is made.'),
      caFile: z.string().describe('The authority of the server certificate, PEM; needs `rediss`.'),
      certFile: z.string().describe('The certificate of elsewise, PEM.'),
      keyFile: z.string().describe('The key of the certificate of elsewise.'),
      serverName: z.string().describe('The name in the server certificate. Empty: the host.'),
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
          "The first part of BullMQ's keys. On a Cluster elsewise puts braces around the prefix: all queues then have one hash tag.",
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
          'How long the answer to a row is used again for equal rows of other batches and events. 0: every row is solved.',
        variable: 'ELSEWISE_ONCE_TTL_SECONDS',
      }),
      memoryShare: z.number().gt(0).max(1).meta({
        description: "The used share of Redis' `maxmemory` from which on batches wait.",
        variable: 'ELSEWISE_MEMORY_SHARE',
      }),
      eventMemoryShare: z.number().gt(0).max(1).meta({
        description:
          "The used share of Redis' `maxmemory` from which on single rows are refused. Batches wait earlier.",
        variable: 'ELSEWISE_EVENT_MEMORY_SHARE',
      }),
      maxQueuedBytes: z.int().min(0).meta({
        description:
          'The compressed bytes of rows of a batch that may wait in a Redis without `maxmemory`. 0: no limit.',
        variable: 'ELSEWISE_MAX_QUEUED_BYTES',
      }),
    })
    .describe('Redis: its address, the prefixes of keys, and how long keys stay.'),
  worker: z
    .strictObject({
      queues: z
        .array(z.enum(['events', 'bulk', 'schedule']))
        .min(1)
        .describe('The queues that a worker serves.'),
      threads: z
        .union([threadCount, z.literal('auto')])
        .describe(
          'Solver threads for batches. `auto`: one per core. Events have other threads. Set a number if the process has a CPU limit.',
        ),
      port: port.describe('The port of /metrics, /healthz and /readyz; 0: any free port.'),
      planMemoryMb: count.describe('Memory for the prepared plans that a process keeps, over all threads.'),
      eventThreads: threadCount.describe('Solver threads for events only.'),
      preparingThreads: threadCount.describe(
        'Threads for events whose model and policy are new or slow to prepare. Other events do not wait for these threads.',
      ),
      maxPrepareMs: count.describe(
        'How long a thread may take to load and prepare model and policy before the first row. `events.maxPrepareMs` is the limit for events.',
      ),
      bulkNice: z
        .int()
        .min(0)
        .max(19)
        .describe('The nice value of the threads of batches. With a higher value, events get the cores first.'),
      lockMs: count.describe(
        'How long a job stays locked without a renewal. A worker renews its locks twice in this time. Other workers may take a job without a lock.',
      ),
      stalledCheckMs: count.describe('How often the workers, in turns, look for jobs with an expired lock.'),
      maxStalls: count.describe(
        'How often the lock of a job may expire. A job beyond this number is given up: the job itself may kill workers.',
      ),
      heartbeatMs: count.describe('How often a worker says that it lives and what it does.'),
      goneAfterMs: count.describe('A worker without a heartbeat for this long counts as gone.'),
      rememberGoneMs: count.describe('How long the record of a worker that died stays.'),
    })
    .describe('`elsewise worker`.'),
  events: z
    .strictObject({
      maxDeadlineMs: count.describe(
        'The largest `deadlineMs` in the policy of an event. The default of a policy is 1000.',
      ),
      maxPrepareMs: count.describe('How long a thread may take to prepare model and policy of an event.'),
    })
    .describe('Single rows from all sources (docs/events.md).'),
  requests: z
    .strictObject({
      concurrency: count.describe('The number of entries of the stream that one worker answers at the same time.'),
      maxBodyBytes: count.describe('The longest body that is parsed.'),
      claimAfterMs: count.describe(
        'How long a worker may take for an entry. After this time another worker takes over.',
      ),
      maxDeliveries: count.describe(
        'How often an entry is delivered. An entry without an answer after this many deliveries is given up.',
      ),
      forgetConsumerAfterMs: count.describe(
        'How long a consumer without pending entries stays in the group after its last request.',
      ),
    })
    .describe('The stream of requests, for producers without BullMQ.'),
  deadLetters: z
    .strictObject({
      maxCount: count.describe('The number of dead letters that are kept; the oldest are dropped first.'),
      maxAgeSeconds: count.describe('How long dead letters are kept.'),
      maxBodyBytes: count.describe('The longest body that is kept. A longer body is cut and cannot be replayed.'),
      maxGroups: count.describe(
        'Groups of letters by code, model and policy. Letters beyond count to one group for each code.',
      ),
      lettersAtOnce: count.describe('Letters of a bulk replay or a bulk drop between two records of its progress.'),
    })
    .describe('Requests and jobs that were given up: `elsewise dead`.'),
  actions: z
    .strictObject({
      retentionDays: count.describe('How many days actions stay in the log.'),
      maxCount: count.describe('The approximate number of actions that the log keeps; the oldest are dropped first.'),
    })
    .describe('The log of actions on queues, batches, schedules and dead letters (docs/console.md).'),
  schedule: z
    .strictObject({
      runsKept: count.describe('The number of runs on record for each schedule.'),
      rememberDays: count.describe(
        'How many days a schedule remembers the content of a file after the file was last seen. Known content makes no second batch.',
      ),
    })
    .describe('`elsewise schedule`.'),
  scoring: scoringSettings,
  webhooks: webhookSettings,
  audit: auditSettings,
  receipts: receiptSettings,
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

/** The same without the variables that Kubernetes sets for a Service such as `elsewise-api`: `ELSEWISE_API_SERVICE_HOST`. */
export const misspeltVariables = (environment: Environment = process.env): string[] =>
  strayVariables(withoutNames(environment, (name) => SERVICE_LINK.test(name)));

/** The environment without variables that no entry has. */
export function withoutStrays(environment: Environment = process.env): Environment {
  const strays = new Set(unknownNames(configEntries(), environment, OTHER_VARIABLES));
  return withoutNames(environment, (name) => strays.has(name));
}

const SERVICE_LINK = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_\w+)?)$/;

const withoutNames = (environment: Environment, isLeftOut: (name: string) => boolean): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isLeftOut(name)));

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
