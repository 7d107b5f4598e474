/**
 * Jobs that BullMQ takes and cannot read. BullMQ makes such a job active, fails on its fields, and takes the job again when its
 * lock expires, without end. Here broken jobs become dead letters and are removed. A broken job has no owner, even while a lock
 * exists. A job on which only the scheduler fails is known by its count of stalls, at which BullMQ would have ended a healthy job.
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
  /** Writes down what became of a job. */
  bury(job: FailedJob, error: ElsewiseError): Promise<void>;
  onError(error: Error): void;
}

/** Errors come in numbers: one look serves those of a moment. */
const LOOK_AFTER_MS = 100;
/** BullMQ gives a job up at its limit, in two steps. */
const SPARE_STALLS = 2;

export class BrokenJobs {
  readonly #options: BrokenJobsOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BrokenJobsOptions) {
    this.#options = options;
  }

  /** Something went wrong with a job: soon, all are looked at. */
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

/** Trouble with Redis says nothing of the job. */
function unlessTrouble(error: unknown): Error {
  if (isRedisTrouble(error) || !(error instanceof Error)) throw error;
  return error;
}

function noJob({ message }: Error): ElsewiseError {
  return new ElsewiseError('damaged', `the key of the job holds something else (${message})`);
}
