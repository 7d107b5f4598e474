/**
 * Connections to any kind of Redis, with two retry profiles. A command line or a producer gives up within seconds and reports the failure.
 * A worker outlives its Redis and waits without a limit.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { ElsewiseError } from '../../documents/error.js';
import { LastingRedis } from './lasting-redis.js';
import { type AddressSettings, locate, type RedisAddress, type RedisKind } from './redis-address.js';
import { BROKEN, connectFailure, lastError } from './redis-failure.js';
import { isSaid, notAnswered, says } from './redis-words.js';

/** The client of all stores. A Cluster accepts the same commands if the keys of each command are in one slot. */
export type RedisClient = Redis | Cluster;

/** The behaviour of a connection that cannot be made or breaks. */
interface RetryProfile {
  readonly isLazy: boolean;
  readonly maxRetries: number | null;
  /** For a Cluster: how often, and with which delay, a command searches the node of its slot. */
  readonly redirections: { readonly count: number; readonly delayMs: number };
  /**
   * For a Cluster: whether it counts as connected only when it serves all slots. A connect() that finds slots without a master then never
   * settles, though the client keeps trying, and BullMQ waits for it when it renews a blocking connection.
   */
  readonly isWholeFirst: boolean;
  /** The delay before the next attempt. Null: gives up. */
  delayMs(attempt: number): number | null;
}

const CONNECT_TIMEOUT_MS = 3_000;
const GREETING_MS = 500;
/** With the delays below, a command is given up about 4 s after the connection broke. */
const MAX_RETRIES = 5;

const ONE_ATTEMPT: RetryProfile = {
  isLazy: true,
  maxRetries: 0,
  redirections: { count: 0, delayMs: 0 },
  isWholeFirst: true,
  delayMs: () => null,
};

/** Jitter: clients that lost the same Redis do not reconnect at the same moment. */
const reconnectDelayMs = (attempt: number): number => Math.min(attempt * 200, 1_000) * (0.75 + Math.random() / 4);

/** Resolves when Redis answers. Rejects with advice when it does not. Later breaks are retried for seconds. */
export async function connect(settings: AddressSettings): Promise<RedisClient> {
  let isConnected = false;
  const redis = create(settings, {
    isLazy: true,
    maxRetries: MAX_RETRIES,
    redirections: { count: 16, delayMs: 250 },
    isWholeFirst: true,
    delayMs: (attempt) => (isConnected ? reconnectDelayMs(attempt) : null),
  });
  const cause = firstError(redis);
  try {
    await before(CONNECT_TIMEOUT_MS, redis.connect());
    if (!(await before(CONNECT_TIMEOUT_MS, answersInfo(redis)))) goWithoutInfo(redis);
  } catch (error) {
    redis.disconnect();
    const reason = cause() ?? (error as Error);
    throw connectFailure(settings, await moreExactly(settings, reason));
  }
  isConnected = true;
  return redis;
}

/**
 * For BullMQ's workers, which retry by themselves: no limit of retries and no command timeout, because a blocking read would fail. A
 * Cluster's commands are given up after a minute, which is longer than a failover. Every break is reported to `onBreak`, because a
 * connection without a listener prints to stderr.
 */
export function connectForWorker(
  settings: AddressSettings,
  isInfoAllowed: boolean,
  onBreak: (error: Error) => void,
): RedisClient {
  const redis = create(settings, {
    isLazy: false,
    maxRetries: null,
    redirections: { count: 120, delayMs: 500 },
    isWholeFirst: false,
    delayMs: reconnectDelayMs,
  });
  if (!isInfoAllowed) goWithoutInfo(redis);
  redis.on('error', onBreak);
  return redis;
}

/** Whether the ACL permits INFO. Rejects without any answer. */
export async function answersInfo(redis: RedisClient): Promise<boolean> {
  try {
    await redis.info('server');
    return true;
  } catch (error) {
    if (says(error, 'notPermitted')) return false;
    throw error;
  }
}

/** Neither the client nor BullMQ, which reads the second option, sends INFO on this connection and its duplicates. */
function goWithoutInfo(redis: RedisClient): void {
  const options = redis instanceof Cluster ? redis.options.redisOptions! : redis.options;
  Object.assign(options, { enableReadyCheck: false, skipVersionCheck: true });
}

/** Another connection with the same options, for blocking reads. Its commands report its errors. */
export function duplicateOf(redis: RedisClient): RedisClient {
  const copy = redis instanceof Cluster ? redis.duplicate() : redis.duplicate();
  copy.on('error', () => {});
  return copy;
}

function create(settings: AddressSettings, manner: RetryProfile): RedisClient {
  const address = locate(settings);
  return CREATE[address.kind](address, manner);
}

const CREATE: Readonly<Record<RedisKind, (address: RedisAddress, manner: RetryProfile) => RedisClient>> = {
  single: (address, manner) => new Redis({ ...address.nodes[0], ...singleOptions(address, manner) }),
  sentinel: (address, manner) =>
    new LastingRedis({ ...sentinelOptions(address, manner), ...singleOptions(address, manner) }),
  cluster: createCluster,
};

function singleOptions(address: RedisAddress, manner: RetryProfile): RedisOptions {
  return {
    ...nodeOptions(address, manner),
    db: address.database,
    lazyConnect: manner.isLazy,
    retryStrategy: (attempt) => manner.delayMs(attempt),
  };
}

/** The certificates and the retry profile of the master also apply to its Sentinels. User name and password do not. */
function sentinelOptions({ nodes, master, isEncrypted, settings }: RedisAddress, manner: RetryProfile): RedisOptions {
  const { sentinelUsername, sentinelPassword, sentinelPasswordFile } = settings;
  return {
    sentinels: [...nodes],
    name: master,
    sentinelUsername: sentinelUsername || undefined,
    sentinelPassword: secret(sentinelPassword, sentinelPasswordFile),
    sentinelRetryStrategy: (attempt) => manner.delayMs(attempt),
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    failoverDetector: true,
    ...(isEncrypted && { enableTLSForSentinelMode: true, sentinelTLS: tlsOptions(settings) }),
  };
}

function createCluster(address: RedisAddress, manner: RetryProfile): Cluster {
  const { count, delayMs } = manner.redirections;
  return new Cluster([...address.nodes], {
    lazyConnect: manner.isLazy,
    enableReadyCheck: manner.isWholeFirst,
    clusterRetryStrategy: (attempt) => manner.delayMs(attempt),
    maxRedirections: count,
    retryDelayOnFailover: delayMs,
    retryDelayOnClusterDown: delayMs,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    redisOptions: nodeOptions(address, manner),
    // a certificate is checked against the requested name, not against its resolved address
    ...(address.isEncrypted && { dnsLookup: (name, done) => done(null, name) }),
  });
}

function nodeOptions({ isEncrypted, settings }: RedisAddress, manner: RetryProfile): RedisOptions {
  return {
    username: settings.username || undefined,
    password: secret(settings.password, settings.passwordFile),
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: manner.maxRetries,
    // after a failover the connection may still be to the old master: reconnect and repeat the command there
    reconnectOnError: (error) => (says(error, 'readOnly') ? 2 : false),
    ...(isEncrypted && { tls: tlsOptions(settings) }),
  };
}

function tlsOptions({ caFile, certFile, keyFile, serverName }: AddressSettings): ConnectionOptions {
  return {
    ...(caFile && { ca: readSetting('caFile', caFile) }),
    ...(certFile && { cert: readSetting('certFile', certFile) }),
    ...(keyFile && { key: readSetting('keyFile', keyFile) }),
    ...(serverName && { servername: serverName }),
  };
}

/** A secret given directly or in a file, as orchestrators mount it. A trailing line end is removed. */
function secret(text: string, file: string): string | undefined {
  return text || (file && readSetting('passwordFile', file).replace(/\r?\n$/, '')) || undefined;
}

function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ElsewiseError('usage', `cannot read ${file} (${(error as NodeJS.ErrnoException).code})`, `redis.${name}`);
  }
}

async function moreExactly(settings: AddressSettings, known: Error): Promise<Error> {
  const { kind, isEncrypted, nodes } = locate(settings);
  if (kind === 'cluster') return reasonOfNode(settings, known);
  return kind === 'single' && !isEncrypted && isSaid(known.message, BROKEN) ? reasonOfRefusal(nodes[0], known) : known;
}

/** A server in protected mode sends its reason to every client and hangs up, before ioredis listens. */
async function reasonOfRefusal({ host, port }: { host: string; port: number }, known: Error): Promise<Error> {
  const socket = createConnection({ host, port });
  try {
    const [greeting] = (await before(GREETING_MS, once(socket, 'data'))) as [Buffer];
    const [, refusal] = /^-(.+?)[.\r]/.exec(greeting.toString()) ?? []; // only the first sentence of a long message
    return refusal ? new Error(refusal) : known;
  } catch {
    return known;
  } finally {
    socket.destroy();
  }
}

/** A Cluster's client reports an unreachable node only as closed. The first node is therefore asked directly. */
async function reasonOfNode(settings: AddressSettings, known: Error): Promise<Error> {
  if (!says(lastError(known), 'closed', 'silent')) return known;
  const address = locate(settings);
  const options = { ...address.nodes[0], ...nodeOptions(address, ONE_ATTEMPT), lazyConnect: true, retryStrategy: null };
  const node = new Redis(options);
  const cause = firstError(node);
  try {
    await before(CONNECT_TIMEOUT_MS, node.connect());
    const state = await before(CONNECT_TIMEOUT_MS, node.cluster('INFO'));
    return /cluster_state:ok/.test(String(state)) ? known : new Error('CLUSTERDOWN its state is not ok');
  } catch (error) {
    return cause() ?? (error as Error);
  } finally {
    node.disconnect();
  }
}

/**
 * `connect` rejects only with "Connection is closed."; the events have the cause. Of several errors, one that says more than a broken
 * connection is taken.
 */
function firstError(redis: RedisClient): () => Error | undefined {
  const errors: Error[] = [];
  const keep = (error: Error) => void errors.push(error);
  redis.on('error', keep);
  redis.on('node error', keep);
  return () => errors.find((error) => !isSaid(lastError(error).message, BROKEN)) ?? errors[0];
}

async function before<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(notAnswered(timeoutMs)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
