/**
 * A lane of a worker: one queue, its own solver threads, and BullMQ's worker between them. Lanes share no threads: a single row
 * never waits behind chunks of a batch. The main loop only moves buffers.
 */
import { DelayedError, type Job } from 'bullmq';
import { ElsewiseError } from '../../documents/error.js';
import type { Policy } from '../../policy/policy.js';
import type { RedisClient } from '../../store/redis/redis.js';
import { isRedisTrouble, throughTrouble } from '../../store/redis/redis-trouble.js';
import type { Metrics, PoolUse, QueueDepth } from '../../telemetry/metrics.js';
import { BrokenJobs } from '../failures/broken-jobs.js';
import type { FailedJob } from '../failures/dead-letters.js';
import { asJobError, failureOf, JobFailure } from '../failures/job-failure.js';
import { failedAt, forgetFailed, readStoredJob } from '../failures/stored-jobs.js';
import { workerOptions } from '../queues.js';
import { quantile, type Tally } from '../results/tally.js';
import { openQueue, type TextQueue, TextWorker } from '../text-jobs.js';
import type { ChunkAnswer, ChunkTask } from '../threads/messages.js';
import { rowLimitMs, SolverPool } from '../threads/pool.js';
import type { CachedPlan } from './plan-cache.js';
import { NotNow, PlanGate } from './plan-gate.js';

export type Rows = Pick<ChunkTask, 'layout' | 'bytes' | 'firstRow' | 'rows'>;

/** What else a task may say, see messages.ts. */
export type TaskOptions = Partial<Pick<ChunkTask, 'kind' | 'known' | 'isKeyed' | 'isPacked'>> & {
  readonly signal?: AbortSignal;
};

/** Rows through the threads of the lane. */
export type Solve = (plan: CachedPlan, policy: Policy, rows: Rows, options?: TaskOptions) => Promise<ChunkAnswer>;

export interface LaneOptions {
  readonly queue: string;
  readonly prefix: string;
  readonly threads: number;
  /** Jobs taken at a time. */
  readonly concurrency: number;
  readonly niceIncrement: number;
  /** Of prepared plans that each of its threads may keep. */
  readonly planBytes: number;
  /** The file that runs in the threads; another one than ours only in tests. */
  readonly threadFile: string | undefined;
  /** Whether slow preparations are kept away from its threads. */
  readonly isGated: boolean;
  /** `text`: the data of the job. */
  answer(text: string, solve: Solve, jobId: string): Promise<{ outcome?: string; isNew?: boolean }>;
  /** The job will not be tried again. */
  onFailed(job: FailedJob, error: Error): Promise<void>;
  /** A job was taken or has ended. */
  onProgress(): void;
  /** Anything else that goes wrong. */
  onError(error: Error): void;
}

/** Failed jobs that one sweep looks at, and how long the worker that saw one fail has to write that down. */
const SWEPT = 100;
const SETTLING_MS = 20_000;
/** The same after an error: BullMQ reports no failure of a job when it cannot read the next job in the same step. */
const SHADOW_MS = 1_000;
/** After which a job comes again for which there was no place. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;
const COUNTED = ['waiting', 'prioritized', 'delayed', 'active', 'failed'] as const;

export class Lane {
  readonly #options: LaneOptions;
  readonly #redis: RedisClient;
  readonly #metrics: Metrics;
  readonly #pool: SolverPool;
  #scoredPool: SolverPool | undefined;
  readonly #gate: PlanGate | undefined;
  readonly #queue: TextQueue;
  readonly #worker: TextWorker;
  readonly #broken: BrokenJobs;
  #isDraining = false;
  #sweepSoon: NodeJS.Timeout | undefined;
  #jobs = 0;
  #tasks = 0;

  constructor(connection: RedisClient, metrics: Metrics, options: LaneOptions) {
    const { queue, prefix, threads, niceIncrement, planBytes, concurrency, threadFile } = options;
    this.#options = options;
    this.#redis = connection;
    this.#metrics = metrics;
    this.#pool = new SolverPool({ threads, niceIncrement, planBytes, file: threadFile });
    this.#gate = options.isGated ? new PlanGate({ niceIncrement, planBytes, file: threadFile }) : undefined;
    this.#queue = openQueue(queue, connection, prefix, options.onError);
    this.#worker = new TextWorker(queue, (job, token) => this.#process(job, token), {
      connection,
      ...workerOptions(prefix, concurrency),
    });
    const { onFailed, onError } = options;
    this.#broken = new BrokenJobs({
      ...{ redis: connection, queue: this.#queue, onError },
      bury: (job, error) => this.#persist(() => onFailed(job, error)),
    });
    this.#worker.on('error', (error) => {
      onError(error);
      this.#broken.lookSoon();
      this.#sweepShadowSoon();
    });
    this.#worker.on('failed', (job, error) => void this.#recordFailure(job, error));
  }

  get queue(): string {
    return this.#options.queue;
  }

  get hasRoom(): boolean {
    return this.#jobs < this.#options.concurrency;
  }

  poolUse(): PoolUse {
    const { queue, threads } = this.#options;
    const busy = Math.min(this.#tasks, threads);
    return { queue, threads, busy, queued: Math.max(0, this.#tasks - threads), prepared: this.#pool.planUse() };
  }

  async depth(): Promise<QueueDepth> {
    const [jobs, oldestSeconds] = await Promise.all([
      this.#queue.getJobCounts(...COUNTED),
      this.#oldestSeconds().catch(() => 0), // it is no job
    ]);
    return { queue: this.#options.queue, jobs, oldestSeconds };
  }

  /** How long the oldest job waits. */
  async #oldestSeconds(): Promise<number> {
    const [oldest] = await this.#queue.getRanges(['waiting', 'prioritized'], 0, 0, true);
    if (oldest === undefined) return 0;
    const { timestamp } = await readStoredJob(this.#redis, this.#queue, oldest);
    return Math.max(0, Date.now() - timestamp || 0) / 1000;
  }

  /** Jobs that a worker with room should take; those of a paused queue are not. */
  async takeable(): Promise<number> {
    const [isPaused, count] = await Promise.all([
      this.#queue.isPaused(),
      this.#queue.getJobCountByTypes('waiting', 'prioritized'),
    ]);
    return isPaused ? 0 : count;
  }

  /** Takes no more jobs and resolves when the running ones have ended, and what else uses the threads has. */
  async drain(others: Promise<void> = Promise.resolve()): Promise<void> {
    this.#isDraining = true;
    this.#broken.stop();
    clearTimeout(this.#sweepSoon);
    await Promise.all([this.#worker.close(), others]);
    await Promise.all([this.#pool.close(), this.#scoredPool?.close(), this.#gate?.close(), this.#queue.close()]);
  }

  async #process(job: Job<string>, token: string | undefined): Promise<unknown> {
    const { queue, onProgress, answer } = this.#options;
    const started = performance.now();
    this.#jobs++;
    onProgress();
    try {
      const returned = await this.#persist(() => answer(job.data, this.solve, job.id!));
      const isKnown = returned.outcome === 'known' || returned.isNew === false;
      this.#metrics.countJob(queue, isKnown ? 'known' : 'completed');
      this.#metrics.timeAnswer(queue, job.timestamp);
      return returned;
    } catch (error) {
      if (error instanceof NotNow) await this.#comeAgain(job, token);
      throw asJobError(error);
    } finally {
      this.#metrics.timeJob(queue, performance.now() - started);
      this.#jobs--;
      onProgress();
    }
  }

  /** Without counting as an attempt; later each time, so that many of them cost little. */
  async #comeAgain(job: Job<string>, token: string | undefined): Promise<never> {
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(job.attemptsStarted, 10));
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  /** Also for rows that came another way than the queue. */
  readonly solve: Solve = async (plan, policy, rows, { signal, ...options } = {}) => {
    this.#tasks++;
    try {
      const { family, ...reference } = plan;
      const { queue } = this.#options;
      const task: ChunkTask = { kind: 'explain', ...reference, output: 'ndjson', ...rows, ...options };
      const limits = { rowLimitMs: rowLimitMs(policy.document.deadlineMs), signal };
      const pool = this.#poolOf(task);
      const answer = await (this.#gate?.run(task, limits, pool) ?? pool.run(task, limits));
      if (answer.tally.rows !== rows.rows) throw new Error(`${answer.tally.rows} results for ${rows.rows} rows`);
      if (task.kind !== 'explain') return answer;
      this.#metrics.countRows({ queue, family, ...answer.tally, elapsedMs: values(answer.tally) });
      this.#metrics.countReused(queue, answer.reused);
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ElsewiseError || error instanceof NotNow) throw error;
      throw new JobFailure('failed', (error as Error).message);
    } finally {
      this.#tasks--;
    }
  };

  /** Single rows that mostly wait for a scorer share a thread of their own, and their requests. Chunks have rows enough to share. */
  #poolOf({ model, rows }: ChunkTask): SolverPool {
    if (!model.scored || rows > 1) return this.#pool;
    const { niceIncrement, planBytes, threadFile, concurrency } = this.#options;
    this.#scoredPool ??= new SolverPool({
      ...{ threads: 1, tasksPerThread: concurrency, niceIncrement, planBytes, file: threadFile },
    });
    return this.#scoredPool;
  }

  /** Also called for a job that no worker lives through: then this worker never ran it. */
  async #recordFailure(job: Job<string> | undefined, error: Error): Promise<void> {
    const isFinal = job?.finishedOn !== undefined;
    this.#metrics.countJob(this.#options.queue, isFinal ? 'failed' : 'retried');
    if (!isFinal) return;
    const failed = { id: job.id!, data: job.data, attempts: job.attemptsMade };
    await this.#giveUp(failed, job.finishedOn!, error).catch(this.#options.onError); // the sweep comes back to it
  }

  /** A failed job is there until what came of it is written down, so that its failure is never lost with a worker. */
  async #giveUp(job: FailedJob, since: number, error: Error): Promise<void> {
    await this.#persist(() => this.#options.onFailed(job, error));
    await this.#persist(() => forgetFailed(this.#redis, this.#queue, job.id, since));
  }

  /** Failures without a record, and jobs that no worker can work on. */
  async sweep(): Promise<void> {
    await this.#sweepFailed(SETTLING_MS);
    await this.#broken.look();
  }

  #sweepShadowSoon(): void {
    this.#sweepSoon ??= setTimeout(() => {
      this.#sweepSoon = undefined;
      this.#sweepShadow().catch(this.#options.onError);
    }, SHADOW_MS);
  }

  async #sweepShadow(): Promise<void> {
    const left = await this.#sweepFailed(SHADOW_MS);
    if (left > 0 && !this.#isDraining) this.#sweepShadowSoon();
  }

  /** Gives the number of jobs that failed just now; the process that saw the failure records it. */
  async #sweepFailed(settlingMs: number): Promise<number> {
    const ids = await this.#queue.getRanges(['failed'], 0, SWEPT - 1, true);
    let left = 0;
    for (const id of ids) left += (await this.#tellOf(id, settlingMs)) ? 0 : 1;
    return left;
  }

  async #tellOf(id: string, settlingMs: number): Promise<boolean> {
    const since = await failedAt(this.#redis, this.#queue, id);
    if (since === undefined) return true; // it was replayed
    if (since > Date.now() - settlingMs) return false;
    const stored = await readStoredJob(this.#redis, this.#queue, id).catch(unreadable);
    const { data, attempts } = stored;
    await this.#giveUp({ id, data, attempts }, since, failureOf(stored.failedReason));
    return true;
  }

  #persist<T>(work: () => Promise<T>): Promise<T> {
    return throughTrouble(work, { isLeft: () => this.#isDraining, onFull: this.#options.onError });
  }
}

/** What can be said of something under the key of a failed job that is none. */
function unreadable(error: Error): { data: string; attempts: number; failedReason: string } {
  if (isRedisTrouble(error)) throw error;
  return { data: '', attempts: 0, failedReason: `damaged: there is something else than a job (${error.message})` };
}

/** The row times of a tally: the middle of each bucket and how many rows are in it. */
function* values({ elapsedMs }: Tally): Generator<readonly [number, number]> {
  for (const [bucket, count] of elapsedMs.buckets) {
    const one = { buckets: new Map([[bucket, 1]]), count: 1, sum: 0 };
    yield [quantile(one, 1) ?? 0, count];
  }
}
