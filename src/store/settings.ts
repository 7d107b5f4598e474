/**
 * Where Redis is, under which prefixes our keys live there, and how long they stay: an option wins over the environment,
 * which wins over the defaults of config/default.json.
 */
import { config } from '../config.js';
import { ElsewiseError } from '../documents/error.js';
import { type AddressSettings, locate } from './redis-address.js';

export interface StoreSettings extends AddressSettings {
  /** First part of every key of ours (see keys.ts). */
  readonly keyPrefix: string;
  /** First part of BullMQ's keys; on a Cluster it is a hash tag, `{bull}`. */
  readonly queuePrefix: string;
  /** How long a batch and the results of its chunks stay after they were last written. */
  readonly batchTtlSeconds: number;
  /** How long the answer to an event stays. */
  readonly answerTtlSeconds: number;
  /** About how many entries the stream of answers keeps. */
  readonly answerStreamLength: number;
}

const DEFAULTS: StoreSettings = config.store;

const VARIABLES: { readonly [K in keyof StoreSettings]: string } = {
  url: 'REDIS_URL',
  username: 'ELSEWISE_STORE_USERNAME',
  password: 'ELSEWISE_STORE_PASSWORD',
  passwordFile: 'ELSEWISE_STORE_PASSWORD_FILE',
  caFile: 'ELSEWISE_STORE_CA_FILE',
  certFile: 'ELSEWISE_STORE_CERT_FILE',
  keyFile: 'ELSEWISE_STORE_KEY_FILE',
  serverName: 'ELSEWISE_STORE_SERVER_NAME',
  sentinelNodes: 'ELSEWISE_STORE_SENTINEL_NODES',
  sentinelMaster: 'ELSEWISE_STORE_SENTINEL_MASTER',
  sentinelUsername: 'ELSEWISE_STORE_SENTINEL_USERNAME',
  sentinelPassword: 'ELSEWISE_STORE_SENTINEL_PASSWORD',
  sentinelPasswordFile: 'ELSEWISE_STORE_SENTINEL_PASSWORD_FILE',
  clusterNodes: 'ELSEWISE_STORE_CLUSTER_NODES',
  keyPrefix: 'ELSEWISE_PREFIX',
  queuePrefix: 'ELSEWISE_QUEUE_PREFIX',
  batchTtlSeconds: 'ELSEWISE_BATCH_TTL_SECONDS',
  answerTtlSeconds: 'ELSEWISE_ANSWER_TTL_SECONDS',
  answerStreamLength: 'ELSEWISE_ANSWER_STREAM_LENGTH',
};

type Given = { readonly [K in keyof StoreSettings]?: StoreSettings[K] | undefined };

export function storeSettings(given: Given = {}, environment: NodeJS.ProcessEnv = process.env): StoreSettings {
  const read = (name: keyof StoreSettings) => given[name] ?? fromEnvironment(name, environment) ?? DEFAULTS[name];
  const names = Object.keys(DEFAULTS) as (keyof StoreSettings)[];
  const settings = Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as StoreSettings;
  return tagged(given.url ? { ...settings, ...NO_NODES, ...withoutUndefined(given) } : settings);
}

/** Nodes that the environment lists are not those of a URL that was asked for. */
const NO_NODES = { sentinelNodes: '', clusterNodes: '' } as const;

function withoutUndefined(given: Given): Partial<StoreSettings> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** BullMQ's scripts touch many keys of a queue: on a Cluster, what is in braces puts them into one slot. */
function tagged(settings: StoreSettings): StoreSettings {
  const { queuePrefix } = settings;
  const isTagged = /\{[^}]+\}/.test(queuePrefix);
  return isTagged || locate(settings).kind !== 'cluster' ? settings : { ...settings, queuePrefix: `{${queuePrefix}}` };
}

/** An empty variable counts as unset. */
function fromEnvironment(name: keyof StoreSettings, environment: NodeJS.ProcessEnv): string | number | undefined {
  const text = environment[VARIABLES[name]];
  if (!text || typeof DEFAULTS[name] === 'string') return text || undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new ElsewiseError('usage', `expected a whole number above 0, got "${text}"`, VARIABLES[name]);
}
