/**
 * Connections. Two kinds, because they must fail differently: a command line or a producer gives up within seconds and
 * says so; a worker outlives its Redis and waits for it for as long as it takes.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { ElsewiseError } from '../documents/error.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** With the delays below: a command is given up about 4 s after the connection broke. */
const MAX_RETRIES = 5;

/** Of many who lost the same Redis, no two come back at the same moment. */
const reconnectDelayMs = (attempt: number): number => Math.min(attempt * 200, 1_000) * (0.75 + Math.random() / 4);

/** Resolves when Redis answers, rejects with `redis-away` when it does not; later breaks are retried for seconds. */
export async function connect(url: string): Promise<Redis> {
  let isConnected = false;
  const redis = create(url, {
    maxRetriesPerRequest: MAX_RETRIES,
    retryStrategy: (attempt) => (isConnected ? reconnectDelayMs(attempt) : null),
  });
  let cause: Error | undefined; // what connect() itself rejects with is only "Connection is closed."
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await before(CONNECT_TIMEOUT_MS, redis.connect());
    await before(CONNECT_TIMEOUT_MS, redis.ping());
  } catch (error) {
    redis.disconnect();
    throw redisAway(url, cause ?? (error as Error));
  }
  isConnected = true;
  return redis;
}

/**
 * For BullMQ's workers, which retry by themselves: no limit of retries and no timeout of commands, or a blocking read
 * would fail. Reports every break to `onBreak`, because a connection without a listener prints to stderr.
 */
export function connectForWorker(url: string, onBreak: (error: Error) => void): Redis {
  const redis = create(url, { lazyConnect: false, maxRetriesPerRequest: null, retryStrategy: reconnectDelayMs });
  redis.on('error', onBreak);
  return redis;
}

function create(url: string, options: RedisOptions): Redis {
  if (!/^rediss?:\/\//.test(url)) {
    throw new ElsewiseError('usage', `expected redis://host:port or rediss://host:port, got "${withoutPassword(url)}"`);
  }
  return new Redis(url, { lazyConnect: true, connectTimeout: CONNECT_TIMEOUT_MS, ...options });
}

/** A connection that broke while a command ran shows as one of ioredis' own errors: it is `redis-away` all the same. */
export function asRedisAway(url: string, error: unknown): unknown {
  const isBreak =
    error instanceof Error &&
    /MaxRetriesPerRequest|Connection is closed|ECONN|ETIMEDOUT|EPIPE/.test(`${error.name} ${error.message}`);
  return isBreak && !(error instanceof ElsewiseError) ? redisAway(url, error) : error;
}

function redisAway(url: string, cause: Error): ElsewiseError {
  const reason = cause.message || (cause as NodeJS.ErrnoException).code || cause.name;
  const advice = 'start it, or name another one by --redis or REDIS_URL';
  return new ElsewiseError('redis-away', `cannot reach Redis at ${withoutPassword(url)} (${reason}): ${advice}`);
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//***@');
}

async function before<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
