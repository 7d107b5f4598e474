/**
 * Jobs that BullMQ takes and cannot read. BullMQ makes such a job active, fails on its fields, and takes the job again when its lock
 * expires, without end. This class turns broken jobs into dead letters and removes them. A broken job has no owner, even while a lock
 * exists. A job on which only the scheduler fails is recognised by its number of stalls, at which BullMQ would have ended a healthy job.
 */
import type { Queue } from 'bullmq';
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import type { RedisClient } from '../../store/redis/redis.js';
import { isRedisTrouble } from '../../store/redis/redis-trouble.js';
import type { FailedJob } from './dead-letters.js';
import { forgetActive, readStoredJob, type StoredJob } from './stored-jobs.js';

export interface BrokenJobsOptions {
  readonly redis: RedisClient;
  readonly queue: Queue;
  /** Records the end of a job. */
  bury(job: FailedJob, error: ElsewiseError): Promise<void>;
  onError(error: Error): void;
}

/** Errors come in bursts: one look serves all errors of a burst. */
const LOOK_AFTER_MS = 100;
/** BullMQ gives up a job at its limit, in two steps. */
const SPARE_STALLS = 2;

export class BrokenJobs {
  readonly #options: BrokenJobsOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BrokenJobsOptions) {
    this.#options = options;
  }

  /** A job caused an error: looks at all active jobs soon. */
  lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.look().catch(this.#options.onError);
    }, LOOK_AFTER_MS);
  }

  /** Buries the active jobs that are broken. */
  async look(): Promise<void> {
    const { queue } = this.#options;
    for (const id of await queue.getRanges(['active'], 0, -1)) await this.#lookAt(id);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #lookAt(id: string): Promise<void> {
    const { redis, queue, bury } = this.#options;
    const job = await readStoredJob(redis, queue, id).catch(unlessTrouble);
    const error = job instanceof Error ? noJob(job) : await this.#faultOf(job);
    if (!error) return;
    const { data = '', attempts = 0 } = job instanceof Error ? {} : job;
    await bury({ id, data, attempts }, error);
    await forgetActive(redis, queue, id);
  }

  async #faultOf(job: StoredJob): Promise<ElsewiseError | undefined> {
    if (job.badCount) return new ElsewiseError('damaged', `the job's field "${job.badCount}" is no whole number`);
    const read = await this.#options.queue.getJob(job.id).then(() => undefined, unlessTrouble);
    if (read) return new ElsewiseError('damaged', `the fields of the job cannot be read (${read.message})`);
    if (job.stalls <= config.worker.maxStalls + SPARE_STALLS) return undefined;
    return new ElsewiseError('too-often', `${job.stalls} workers took the job and none began it`);
  }
}

/** Trouble with Redis does not mean that the job is broken. */
function unlessTrouble(error: unknown): Error {
  if (isRedisTrouble(error) || !(error instanceof Error)) throw error;
  return error;
}

function noJob({ message }: Error): ElsewiseError {
  return new ElsewiseError('damaged', `the key of the job holds something else (${message})`);
}
