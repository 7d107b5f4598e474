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
  /** Largest model or policy document, before compression: refused at push, and not decompressed further at load. */
  readonly maxDocumentMb: number;
}

const DEFAULTS: StoreSettings = config.store;

const VARIABLES: { readonly [K in keyof StoreSettings]: string } = {
  url: 'REDIS_URL',
  keyPrefix: 'ELSEWISE_PREFIX',
  queuePrefix: 'ELSEWISE_QUEUE_PREFIX',
  batchTtlSeconds: 'ELSEWISE_BATCH_TTL_SECONDS',
  answerTtlSeconds: 'ELSEWISE_ANSWER_TTL_SECONDS',
  answerStreamLength: 'ELSEWISE_ANSWER_STREAM_LENGTH',
  maxDocumentMb: 'ELSEWISE_STORE_MAX_DOCUMENT_MB',
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
  if (Number.isInteger(number) && number > 0) return number;
  throw new ElsewiseError('usage', `expected a whole number above 0, got "${text}"`, VARIABLES[name]);
}
