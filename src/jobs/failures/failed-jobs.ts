/**
 * Failed jobs of BullMQ go once what came of them is written down: a dead letter is then the only trace, and dropping it leaves no
 * person's data behind. A job that was added again under its id meanwhile is another one, and stays.
 */
import type { Job, Queue } from 'bullmq';
import type { RedisClient } from '../../store/redis/redis.js';
import { runScript, type Script } from '../../store/redis/scripts.js';

/** KEYS failed jobs by time, job; ARGV its id, when it failed. */
const FORGET_FAILED: Script = {
  lua: `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('DEL', KEYS[2])`,
};

export async function forgetFailed(redis: RedisClient, queue: Queue, job: Job): Promise<void> {
  const keys = [queue.toKey('failed'), queue.toKey(job.id!)];
  await runScript(redis, FORGET_FAILED, keys, [job.id!, String(job.finishedOn)]);
}
