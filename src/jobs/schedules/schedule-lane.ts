/** The lane of a worker that serves schedules. It reads files and adds batches. It solves nothing and needs no threads. */
import { DelayedError, type Job, type Queue, WaitingError } from 'bullmq';
import { ElsewiseError } from '../../documents/error.js';
import type { RedisClient } from '../../store/redis/redis.js';
import type { Store } from '../../store/store.js';
import type { Metrics, QueueDepth } from '../../telemetry/metrics.js';
import { SCHEDULE_QUEUE } from '../contract.js';
import { BrokenJobs } from '../failures/broken-jobs.js';
import type { FailedJob } from '../failures/dead-letters.js';
import { asJobError, codeOf, reasonOf } from '../failures/job-failure.js';
import { Producer } from '../producer.js';
import { workerOptions } from '../queues.js';
import { ValueWorker } from '../text-jobs.js';
import type { JobRun } from '../worker/lane.js';
import { openScheduleQueue, readScheduleJob, type ScheduleJob } from './schedule.js';
import { deliver, recordFailure } from './schedule-delivery.js';
import { ScheduleRunner } from './schedule-run.js';

export interface ScheduleLaneOptions {
  /** A job was taken or has ended. */
  onProgress(): void;
  /** Any other error. */
  onError(error: Error): void;
  /** A foreign job, or an unreadable job. */
  bury(job: FailedJob, error: Error): Promise<void>;
}

/** A large file that is being added does not delay the next run. */
const CONCURRENCY = 4;
const COUNTED = ['waiting', 'delayed', 'active', 'failed'] as const;

export class ScheduleLane {
  readonly queue = SCHEDULE_QUEUE;
  readonly #store: Store;
  readonly #metrics: Metrics;
  readonly #options: ScheduleLaneOptions;
  readonly #queue: Queue;
  readonly #runner: ScheduleRunner;
  readonly #worker: ValueWorker;
  readonly #broken: BrokenJobs;
  readonly #draining = new AbortController();
  readonly #runs = new Map<Job, Pick<JobRun, 'id' | 'started'>>();

  constructor(connection: RedisClient, store: Store, metrics: Metrics, options: ScheduleLaneOptions) {
    this.#store = store;
    this.#metrics = metrics;
    this.#options = options;
    this.#queue = openScheduleQueue(store);
    this.#runner = new ScheduleRunner(store, new Producer(store), this.#queue);
    this.#worker = new ValueWorker(SCHEDULE_QUEUE, (job, token) => this.#process(job, token), {
      connection,
      ...workerOptions(store.settings.queuePrefix, CONCURRENCY),
    });
    const { bury, onError } = options;
    this.#broken = new BrokenJobs({ redis: connection, queue: this.#queue, bury, onError });
    this.#worker.on('error', (error) => {
      onError(error);
      this.#broken.lookSoon();
    });
    this.#worker.on('failed', (job, error) => void this.#recordFailure(job, error));
  }

  async depth(): Promise<QueueDepth> {
    return { queue: SCHEDULE_QUEUE, jobs: await this.#queue.getJobCounts(...COUNTED), oldestSeconds: 0 };
  }

  get hasRoom(): boolean {
    return this.#runs.size < CONCURRENCY;
  }

  get running(): Pick<JobRun, 'id' | 'started'>[] {
    return [...this.#runs.values()];
  }

  /** The number of jobs that the lane could take. */
  async takeable(): Promise<number> {
    return (await this.#queue.isPaused()) ? 0 : this.#queue.getWaitingCount();
  }

  /** Takes no more jobs and resolves when the running ones have ended. A job that waits for room is left to other workers. */
  async drain(): Promise<void> {
    this.#draining.abort(new ElsewiseError('interrupted', 'the worker is going down'));
    this.#broken.stop();
    await this.#worker.close();
    await this.#queue.close();
  }

  /** Buries jobs that no worker can process. */
  sweep(): Promise<void> {
    return this.#broken.look();
  }

  async #process(job: Job<unknown>, token: string | undefined): Promise<void> {
    const started = performance.now();
    this.#runs.set(job, { id: job.id!, started: Date.now() });
    this.#options.onProgress();
    try {
      await this.#work(readScheduleJob(job), job, token);
      this.#metrics.countJob(SCHEDULE_QUEUE, 'completed');
    } catch (error) {
      throw asJobError(error);
    } finally {
      this.#runs.delete(job);
      this.#options.onProgress();
      this.#metrics.timeJob(SCHEDULE_QUEUE, performance.now() - started);
    }
  }

  async #work(asked: ScheduleJob, job: Job, token: string | undefined): Promise<void> {
    if (asked.kind === 'deliver') {
      const { again } = await deliver(this.#store, asked.data);
      if (again === undefined) return;
      await job.moveToDelayed(Date.now() + again, token);
      throw new DelayedError();
    }
    const { schedule, at, again = false } = asked.data;
    const { signal } = this.#draining;
    const request = { schedule, at: asked.at, kind: at ? 'manual' : 'scheduled', again, signal } as const;
    await this.#runner.run(request).catch((error) => this.#handBack(job, token, error));
  }

  /** A run that the drain interrupted goes back to the queue at once and without counting as an attempt. Other errors stay. */
  async #handBack(job: Job, token: string | undefined, error: unknown): Promise<never> {
    if (error !== this.#draining.signal.reason) throw error;
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /** Also called for a job whose workers all died. This worker then never ran it. */
  async #recordFailure(job: Job<unknown> | undefined, error: Error): Promise<void> {
    const isFinal = job?.finishedOn !== undefined;
    this.#metrics.countJob(SCHEDULE_QUEUE, isFinal ? 'failed' : 'retried');
    if (isFinal) await this.#giveUp(job, error).catch(this.#options.onError);
  }

  async #giveUp(job: Job<unknown>, error: Error): Promise<void> {
    const asked = readIfGood(job);
    if (!asked) {
      const data = JSON.stringify(job.data) ?? '';
      return this.#options.bury({ id: job.id!, data, attempts: job.attemptsMade }, error);
    }
    const { schedule } = asked.data;
    this.#options.onError(new Error(`schedule "${schedule}": ${error.message}`));
    if (asked.kind === 'run') return this.#runner.giveUp(schedule, asked.at, error);
    return recordFailure(this.#store, asked.data, { code: codeOf(error), message: reasonOf(error) });
  }
}

function readIfGood(job: Job<unknown>): ScheduleJob | undefined {
  try {
    return readScheduleJob(job);
  } catch {
    return undefined;
  }
}
