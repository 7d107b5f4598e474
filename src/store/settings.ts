/**
 * Where Redis is, under which prefixes our keys live there, and how long they stay: an option wins over the environment,
 * which wins over the defaults of config/default.json.
 */
import { config } from '../config.js';
import { ElsewiseError } from '../documents/error.js';

export interface StoreSettings {
  readonly url: string;
  /** First part of every key of ours (see keys.ts). */
  readonly keyPrefix: string;
  /** First part of BullMQ's keys; on a Cluster it has to be a hash tag such as `{bull}`. */
  readonly queuePrefix: string;
  /** How long a batch and the results of its chunks stay after they were last written. */
  readonly batchTtlSeconds: number;
  /** How long the answer to an event stays. */
  readonly answerTtlSeconds: number;
  /** About how many entries the stream of answers keeps. */
  readonly answerStreamLength: number;
  /** How long the answer to a row serves equal rows of other batches and events; 0: every row is solved. */
  readonly onceTtlSeconds: number;
  /** Share of Redis' `maxmemory` at which nothing more is added to batches. */
  readonly memoryShare: number;
  /** Rows of a batch that may wait in a Redis without `maxmemory`, in compressed bytes; 0: no limit. */
  readonly maxQueuedBytes: number;
}

const DEFAULTS: StoreSettings = config.store;

const VARIABLES: { readonly [K in keyof StoreSettings]: string } = {
  url: 'REDIS_URL',
  keyPrefix: 'ELSEWISE_PREFIX',
  queuePrefix: 'ELSEWISE_QUEUE_PREFIX',
  batchTtlSeconds: 'ELSEWISE_BATCH_TTL_SECONDS',
  answerTtlSeconds: 'ELSEWISE_ANSWER_TTL_SECONDS',
  answerStreamLength: 'ELSEWISE_ANSWER_STREAM_LENGTH',
  onceTtlSeconds: 'ELSEWISE_ONCE_TTL_SECONDS',
  memoryShare: 'ELSEWISE_MEMORY_SHARE',
  maxQueuedBytes: 'ELSEWISE_MAX_QUEUED_BYTES',
};

interface Range {
  readonly words: string;
  has(value: number): boolean;
}

const ABOVE_ZERO: Range = { words: 'a whole number above 0', has: (value) => Number.isInteger(value) && value > 0 };
const ZERO_OR_MORE: Range = {
  words: 'a whole number, 0 or more',
  has: (value) => Number.isInteger(value) && value >= 0,
};
const SHARE: Range = { words: 'a number above 0, at most 1', has: (value) => value > 0 && value <= 1 };

/** What a number may be, if not any whole one above 0. */
const RANGES: { readonly [K in keyof StoreSettings]?: Range } = {
  onceTtlSeconds: ZERO_OR_MORE,
  maxQueuedBytes: ZERO_OR_MORE,
  memoryShare: SHARE,
};

type Given = { readonly [K in keyof StoreSettings]?: StoreSettings[K] | undefined };

export function storeSettings(given: Given = {}, environment: NodeJS.ProcessEnv = process.env): StoreSettings {
  const read = (name: keyof StoreSettings) => given[name] ?? fromEnvironment(name, environment) ?? DEFAULTS[name];
  const names = Object.keys(DEFAULTS) as (keyof StoreSettings)[];
  return Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as StoreSettings;
}

/** An empty variable counts as unset. */
function fromEnvironment(name: keyof StoreSettings, environment: NodeJS.ProcessEnv): string | number | undefined {
  const text = environment[VARIABLES[name]];
  if (!text || typeof DEFAULTS[name] === 'string') return text || undefined;
  const number = Number(text);
  const range = RANGES[name] ?? ABOVE_ZERO;
  if (range.has(number)) return number;
  throw new ElsewiseError('usage', `expected ${range.words}, got "${text}"`, VARIABLES[name]);
}
