/** The lane of a worker that serves schedules: it reads files and adds batches, and solves nothing, so it keeps no threads. */
import { DelayedError, type Job, type Queue, WaitingError, Worker } from 'bullmq';
import { ElsewiseError } from '../../documents/error.js';
import type { RedisClient } from '../../store/redis/redis.js';
import type { Store } from '../../store/store.js';
import type { Metrics, QueueDepth } from '../../telemetry/metrics.js';
import { asJobError, codeOf, reasonOf } from '../failures/job-failure.js';
import { Producer } from '../producer.js';
import { workerOptions } from '../queues.js';
import { type DeliveryJob, openScheduleQueue, type RunJob, SCHEDULE_QUEUE } from './schedule.js';
import { deliver, recordFailure } from './schedule-delivery.js';
import { ScheduleRunner } from './schedule-run.js';

export interface ScheduleLaneOptions {
  /** A job was taken or has ended. */
  onProgress(): void;
  /** Anything that goes wrong, in words. */
  onError(error: Error): void;
}

/** A large file that is being added does not hold up the next run. */
const CONCURRENCY = 4;
const COUNTED = ['waiting', 'delayed', 'active', 'failed'] as const;

interface JobKind {
  work(job: Job, token: string | undefined): Promise<void>;
  /** The job will not be tried again. */
  giveUp(job: Job, error: Error): Promise<void>;
}

export class ScheduleLane {
  readonly queue = SCHEDULE_QUEUE;
  readonly #store: Store;
  readonly #metrics: Metrics;
  readonly #options: ScheduleLaneOptions;
  readonly #queue: Queue;
  readonly #runner: ScheduleRunner;
  readonly #worker: Worker;
  readonly #draining = new AbortController();
  #jobs = 0;

  constructor(connection: RedisClient, store: Store, metrics: Metrics, options: ScheduleLaneOptions) {
    this.#store = store;
    this.#metrics = metrics;
    this.#options = options;
    this.#queue = openScheduleQueue(store);
    this.#runner = new ScheduleRunner(store, new Producer(store), this.#queue);
    this.#worker = new Worker(SCHEDULE_QUEUE, (job, token) => this.#process(job, token), {
      connection,
      ...workerOptions(store.settings.queuePrefix, CONCURRENCY),
    });
    this.#worker.on('error', options.onError);
    this.#worker.on('failed', (job, error) => void this.#recordFailure(job, error));
  }

  async depth(): Promise<QueueDepth> {
    return { queue: SCHEDULE_QUEUE, jobs: await this.#queue.getJobCounts(...COUNTED), oldestSeconds: 0 };
  }

  get hasRoom(): boolean {
    return this.#jobs < CONCURRENCY;
  }

  /** Jobs that it could take. */
  async takeable(): Promise<number> {
    return (await this.#queue.isPaused()) ? 0 : this.#queue.getWaitingCount();
  }

  /** Takes no more jobs and resolves when the running ones have ended; one that waits for room is left to other workers. */
  async drain(): Promise<void> {
    this.#draining.abort(new ElsewiseError('interrupted', 'the worker is going down'));
    await this.#worker.close();
    await this.#queue.close();
  }

  async #process(job: Job, token: string | undefined): Promise<void> {
    const started = performance.now();
    this.#jobs++;
    this.#options.onProgress();
    try {
      await this.#kinds[job.name].work(job, token);
      this.#metrics.countJob(SCHEDULE_QUEUE, 'completed');
    } catch (error) {
      throw asJobError(error);
    } finally {
      this.#jobs--;
      this.#options.onProgress();
      this.#metrics.timeJob(SCHEDULE_QUEUE, performance.now() - started);
    }
  }

  readonly #kinds: Readonly<Record<string, JobKind>> = {
    run: {
      work: async (job, token) => {
        const { schedule, at, again = false } = job.data as RunJob;
        const { signal } = this.#draining;
        const request = { schedule, at: timeOf(job), kind: at ? 'manual' : 'scheduled', again, signal } as const;
        await this.#runner.run(request).catch((error) => this.#handBack(job, token, error));
      },
      giveUp: (job, error) => this.#runner.giveUp((job.data as RunJob).schedule, timeOf(job), error),
    },
    deliver: {
      work: async (job, token) => {
        const { again } = await deliver(this.#store, job.data as DeliveryJob);
        if (again === undefined) return;
        await job.moveToDelayed(Date.now() + again, token);
        throw new DelayedError();
      },
      giveUp: (job, error) => {
        const failure = { code: codeOf(error), message: reasonOf(error) };
        return recordFailure(this.#store, job.data as DeliveryJob, failure);
      },
    },
  };

  /** A run that drain broke off is the next worker's, at once and as if nothing had been; what else it ended with stays. */
  async #handBack(job: Job, token: string | undefined, error: unknown): Promise<never> {
    if (error !== this.#draining.signal.reason) throw error;
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /** Also called for a job that no worker lives through: then this worker never ran it. */
  async #recordFailure(job: Job | undefined, error: Error): Promise<void> {
    const isFinal = job?.finishedOn !== undefined;
    this.#metrics.countJob(SCHEDULE_QUEUE, isFinal ? 'failed' : 'retried');
    if (!isFinal) return;
    this.#options.onError(new Error(`schedule "${job.data.schedule}": ${error.message}`));
    await this.#kinds[job.name]?.giveUp(job, error).catch(this.#options.onError);
  }
}

/** The time a job is for: when it was asked for by hand, or what BullMQ's scheduler made it for. */
function timeOf(job: Job): Date {
  return new Date((job.data as RunJob).at ?? job.opts.prevMillis ?? job.timestamp);
}
