/**
 * BullMQ with jobs whose data stay text. BullMQ parses the data of a job when a worker takes the job, outside of any error handling. A job
 * without valid JSON would stay active for ever, and the event of the job that ended before would be lost. A long job would block the loop
 * that renews locks. `Job` is BullMQ's own hook for another class.
 */
import { Job, type JobJson, type MinimalQueue, Queue, type QueueOptions, Worker } from 'bullmq';
import type { RedisClient } from '../store/redis/redis.js';
import { queueOptions } from './queues.js';

/** `data` is the JSON in Redis, unparsed. It may be any text. */
export class TextJob extends Job<string> {
  /** The scheduler's key is left out as well: these jobs have no scheduler, and a wrong key would keep a job active for ever. */
  static override fromJSON<T, R, N extends string>(queue: MinimalQueue, json: JobJson, jobId?: string): Job<T, R, N> {
    const { data, repeatJobKey: _, ...others } = json;
    const job = Reflect.apply(Job.fromJSON, TextJob, [queue, { ...others, data: EMPTY }, jobId]) as Job<T, R, N>;
    job.data = data as T;
    return job;
  }

  override asJSON(): JobJson {
    return { ...super.asJSON(), data: this.data };
  }
}

const EMPTY = '{}';

export class TextQueue extends Queue<string> {
  protected override get Job(): typeof Job {
    return TextJob as typeof Job;
  }
}

export class TextWorker extends Worker<string> {
  protected override get Job(): typeof Job {
    return TextJob as typeof Job;
  }
}

/** A job whose data are parsed; undefined if they are not JSON. BullMQ's schedulers write the data again for the next time. */
class ValueJob extends Job {
  static override fromJSON<T, R, N extends string>(queue: MinimalQueue, json: JobJson, jobId?: string): Job<T, R, N> {
    const value = valueIn(json.data);
    const job = Reflect.apply(Job.fromJSON, ValueJob, [queue, { ...json, data: EMPTY }, jobId]) as Job<T, R, N>;
    job.data = value as T;
    return job;
  }
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads jobs as `ValueWorker` does: both agree on which jobs are broken. */
export class ValueQueue extends Queue {
  protected override get Job(): typeof Job {
    return ValueJob as typeof Job;
  }
}

export class ValueWorker extends Worker<unknown> {
  protected override get Job(): typeof Job {
    return ValueJob as typeof Job;
  }
}

/**
 * One of our queues, over a connection that outlives it. `onError` gets connection errors. Without it, only the failing call reports them.
 * `failedKept`: see `queueOptions`.
 */
export function openQueue(
  name: string,
  connection: RedisClient,
  prefix: string,
  { onError = (_: Error) => {}, failedKept }: { onError?: (error: Error) => void; failedKept?: number } = {},
): TextQueue {
  const options: QueueOptions = { connection, ...queueOptions(prefix, failedKept) };
  return new TextQueue(name, options).on('error', onError);
}
