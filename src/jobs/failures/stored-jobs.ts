/**
 * The one file that knows BullMQ's keys and the fields of a job in Redis. BullMQ has no call to remove a failed job only if the
 * job is unchanged, nor to read a job that BullMQ itself cannot read. test/integration/broken-jobs.test.ts compares this file with
 * BullMQ.
 */
import type { Queue } from 'bullmq';
import type { RedisClient } from '../../store/redis/redis.js';
import { runScript, type Script } from '../../store/redis/scripts.js';

/** A job as text, with whatever is there of it. */
export interface StoredJob {
  readonly id: string;
  /** Empty when there is none. */
  readonly data: string;
  readonly attempts: number;
  /** How often its worker was lost. */
  readonly stalls: number;
  /** Of a job that failed. */
  readonly failedReason: string;
  /** When it was added, in milliseconds; not a number when that is not known. */
  readonly timestamp: number;
  /** What would keep BullMQ from counting with it. */
  readonly badCount: string | undefined;
}

/** BullMQ's names of the fields. */
const FIELDS = ['data', 'atm', 'ats', 'stc', 'failedReason', 'timestamp'] as const;
const COUNTS = ['atm', 'ats', 'stc'] as const;

/** Rejects where the key is something else than a job. */
export async function readStoredJob(redis: RedisClient, queue: Queue, id: string): Promise<StoredJob> {
  const values = await redis.hmget(queue.toKey(id), ...FIELDS);
  const text = (name: (typeof FIELDS)[number]) => values[FIELDS.indexOf(name)] ?? undefined;
  return {
    id,
    data: text('data') ?? '',
    attempts: Number.parseInt(text('atm') ?? '0', 10) || 0,
    stalls: Number.parseInt(text('stc') ?? '0', 10) || 0,
    failedReason: text('failedReason') ?? '',
    timestamp: Number(text('timestamp') ?? Number.NaN),
    badCount: COUNTS.find((name) => !/^-?\d{1,15}$/.test(text(name) ?? '0')),
  };
}

/** When it failed for good, in milliseconds; undefined: it has not, or was taken away since. */
export async function failedAt(redis: RedisClient, queue: Queue, id: string): Promise<number | undefined> {
  const time = await redis.zscore(queue.toKey('failed'), id);
  return time === null ? undefined : Number(time);
}

/** KEYS failed jobs by time, job; ARGV its id, when it failed. */
const FORGET_FAILED: Script = {
  lua: `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('DEL', KEYS[2])`,
};

/** Gives whether it was there. One that was added again under its id meanwhile is another one, and stays. */
export async function forgetFailed(redis: RedisClient, queue: Queue, id: string, finishedOn: number): Promise<boolean> {
  const keys = [queue.toKey('failed'), queue.toKey(id)];
  return (await runScript(redis, FORGET_FAILED, keys, [id, String(finishedOn)])) === 1;
}

/** KEYS active jobs, those that may have stalled, job, its lock; ARGV its id. */
const FORGET_ACTIVE: Script = {
  lua: `
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3], KEYS[4])
return redis.call('LREM', KEYS[1], 0, ARGV[1])`,
};

/** Removes an active job that no worker can work on. */
export async function forgetActive(redis: RedisClient, queue: Queue, id: string): Promise<void> {
  const keys = [queue.toKey('active'), queue.toKey('stalled'), queue.toKey(id), `${queue.toKey(id)}:lock`];
  await runScript(redis, FORGET_ACTIVE, keys, [id]);
}
