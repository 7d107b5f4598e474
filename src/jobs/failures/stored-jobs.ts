/**
 * The only file that knows BullMQ's keys and the fields of a job in Redis. BullMQ has no call to remove a failed job only if the job is
 * unchanged, nor to read a job that BullMQ itself cannot read. test/integration/broken-jobs.test.ts compares this file with BullMQ.
 */
import type { Queue } from 'bullmq';
import type { RedisClient } from '../../store/redis/redis.js';
import { runScript, type Script } from '../../store/redis/scripts.js';

/** A job as text, with all fields that exist. */
export interface StoredJob {
  readonly id: string;
  /** Empty if the job has no data. */
  readonly data: string;
  readonly attempts: number;
  /** How often the job lost its worker. */
  readonly stalls: number;
  /** The failure of a failed job. */
  readonly failedReason: string;
  /** The time of adding, in milliseconds; NaN if unknown. */
  readonly timestamp: number;
  /** A field that BullMQ cannot use as a count. */
  readonly badCount: string | undefined;
}

/** BullMQ's names of the fields. */
const FIELDS = ['data', 'atm', 'ats', 'stc', 'failedReason', 'timestamp'] as const;
const COUNTS = ['atm', 'ats', 'stc'] as const;

/** Rejects if the key holds something other than a job. */
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

/** The time of the final failure, in milliseconds. Undefined: the job has not failed, or was removed since. */
export async function failedAt(redis: RedisClient, queue: Queue, id: string): Promise<number | undefined> {
  const time = await redis.zscore(queue.toKey('failed'), id);
  return time === null ? undefined : Number(time);
}

/** KEYS failed jobs by time, job; ARGV its id, the time of its failure. */
const FORGET_FAILED: Script = {
  lua: `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('DEL', KEYS[2])`,
};

/** Returns whether the job was there. A job that was added again under the id meanwhile is another job, and stays. */
export async function forgetFailed(redis: RedisClient, queue: Queue, id: string, finishedOn: number): Promise<boolean> {
  const keys = [queue.toKey('failed'), queue.toKey(id)];
  return (await runScript(redis, FORGET_FAILED, keys, [id, String(finishedOn)])) === 1;
}

/** KEYS active jobs, possibly stalled jobs, job, its lock; ARGV its id. */
const FORGET_ACTIVE: Script = {
  lua: `
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3], KEYS[4])
return redis.call('LREM', KEYS[1], 0, ARGV[1])`,
};

/** Removes an active job that no worker can process. */
export async function forgetActive(redis: RedisClient, queue: Queue, id: string): Promise<void> {
  const keys = [queue.toKey('active'), queue.toKey('stalled'), queue.toKey(id), `${queue.toKey(id)}:lock`];
  await runScript(redis, FORGET_ACTIVE, keys, [id]);
}
