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

/** Further options of a task, see messages.ts. */
export type TaskOptions = Partial<Pick<ChunkTask, 'kind' | 'known' | 'isKeyed' | 'isPacked' | 'isAudited'>> & {
  readonly signal?: AbortSignal;
};

/** Solves rows in the threads of the lane. */
export type Solve = (plan: CachedPlan, policy: Policy, rows: Rows, options?: TaskOptions) => Promise<ChunkAnswer>;

/** One run of a job. */
export interface JobRun {
  readonly id: string;
  /** In ms. */
  readonly started: number;
  /** The id of the worker. */
  readonly worker: string;
  /** This attempt and those before. */
  readonly attempts: number;
}

export interface LaneOptions {
  readonly queue: string;
  readonly prefix: string;
  readonly threads: number;
  /** The number of jobs taken at a time. */
  readonly concurrency: number;
  readonly niceIncrement: number;
  /** Memory for prepared plans in each thread. */
  readonly planBytes: number;
  /** The file that runs in the threads. Only tests set another file. */
  readonly threadFile: string | undefined;
  /** Whether slow preparations run outside its threads. */
  readonly isGated: boolean;
  /** The id of the worker. */
  readonly worker: string;
  /** `text`: the data of the job. */
  answer(text: string, solve: Solve, run: JobRun): Promise<{ outcome?: string; isNew?: boolean }>;
  /** The job will not be tried again. */
  onFailed(job: FailedJob, error: Error): Promise<void>;
  /** A job was taken or has ended. */
  onProgress(): void;
  /** Any other error. */
  onError(error: Error): void;
}

/** The number of failed jobs in one sweep, and the time that the worker that saw a failure has to record it. */
const SWEPT = 100;
const SETTLING_MS = 20_000;
/** The same time after an error: BullMQ does not report a job's failure if it cannot read the next job in the same step. */
const SHADOW_MS = 1_000;
/** The delays before a job without a free place comes again. */
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
  readonly #runs = new Map<Job, JobRun>();
  #tasks = 0;

  constructor(connection: RedisClient, metrics: Metrics, options: LaneOptions) {
    const { queue, prefix, threads, niceIncrement, planBytes, concurrency, threadFile } = options;
    this.#options = options;
    this.#redis = connection;
    this.#metrics = metrics;
    this.#pool = new SolverPool({ threads, niceIncrement, planBytes, file: threadFile });
    this.#gate = options.isGated ? new PlanGate({ niceIncrement, planBytes, file: threadFile }) : undefined;
    this.#queue = openQueue(queue, connection, prefix, { onError: options.onError });
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
    return this.#runs.size < this.#options.concurrency;
  }

  /** The jobs under way, the oldest first. */
  get running(): JobRun[] {
    return [...this.#runs.values()];
  }

  poolUse(): PoolUse {
    const { queue, threads } = this.#options;
    const busy = Math.min(this.#tasks, threads);
    return { queue, threads, busy, queued: Math.max(0, this.#tasks - threads), prepared: this.#pool.planUse() };
  }

  async depth(): Promise<QueueDepth> {
    const [jobs, oldestSeconds] = await Promise.all([
      this.#queue.getJobCounts(...COUNTED),
      this.#oldestSeconds().catch(() => 0), // the oldest entry is no job
    ]);
    return { queue: this.#options.queue, jobs, oldestSeconds };
  }

  /** The waiting time of the oldest job. */
  async #oldestSeconds(): Promise<number> {
    const [oldest] = await this.#queue.getRanges(['waiting', 'prioritized'], 0, 0, true);
    if (oldest === undefined) return 0;
    const { timestamp } = await readStoredJob(this.#redis, this.#queue, oldest);
    return Math.max(0, Date.now() - timestamp || 0) / 1000;
  }

  /** The number of jobs that an idle worker should take; 0 for a paused queue. */
  async takeable(): Promise<number> {
    const [isPaused, count] = await Promise.all([
      this.#queue.isPaused(),
      this.#queue.getJobCountByTypes('waiting', 'prioritized'),
    ]);
    return isPaused ? 0 : count;
  }

  /** Takes no more jobs. Resolves when the running jobs and all other uses of the threads have ended. */
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
    const run = this.#beginRun(job);
    onProgress();
    try {
      const returned = await this.#persist(() => answer(job.data, this.solve, run));
      const isKnown = returned.outcome === 'known' || returned.isNew === false;
      this.#metrics.countJob(queue, isKnown ? 'known' : 'completed');
      this.#metrics.timeAnswer(queue, job.timestamp);
      return returned;
    } catch (error) {
      if (error instanceof NotNow) await this.#comeAgain(job, token);
      throw asJobError(error);
    } finally {
      this.#metrics.timeJob(queue, performance.now() - started);
      this.#runs.delete(job);
      onProgress();
    }
  }

  #beginRun(job: Job<string>): JobRun {
    const run = { id: job.id!, started: Date.now(), worker: this.#options.worker, attempts: job.attemptsMade + 1 };
    this.#runs.set(job, run);
    return run;
  }

  /** Delays the job without counting an attempt. The delay grows, so that many delayed jobs cost little. */
  async #comeAgain(job: Job<string>, token: string | undefined): Promise<never> {
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(job.attemptsStarted, 10));
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  /** Also serves rows that did not come from the queue. */
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

  /**
   * Single rows that mostly wait for a scorer share a separate thread and its requests. A chunk has enough rows of its own to share
   * requests.
   */
  #poolOf({ model, rows }: ChunkTask): SolverPool {
    if (!model.scored || rows > 1) return this.#pool;
    const { niceIncrement, planBytes, threadFile, concurrency } = this.#options;
    this.#scoredPool ??= new SolverPool({
      ...{ threads: 1, tasksPerThread: concurrency, niceIncrement, planBytes, file: threadFile },
    });
    return this.#scoredPool;
  }

  /** Also called for a job whose workers all died. This worker then never ran it. */
  async #recordFailure(job: Job<string> | undefined, error: Error): Promise<void> {
    const isFinal = job?.finishedOn !== undefined;
    this.#metrics.countJob(this.#options.queue, isFinal ? 'failed' : 'retried');
    if (!isFinal) return;
    const { id, data, attemptsMade, processedOn } = job;
    const failed = { id: id!, data, attempts: attemptsMade, started: processedOn };
    await this.#giveUp(failed, job.finishedOn!, error).catch(this.#options.onError); // the next sweep tries again
  }

  /** A failed job stays in the queue until its outcome is recorded, so a dying worker never loses the failure. */
  async #giveUp(job: FailedJob, since: number, error: Error): Promise<void> {
    await this.#persist(() => this.#options.onFailed(job, error));
    await this.#persist(() => forgetFailed(this.#redis, this.#queue, job.id, since));
  }

  /** Records failures without a record, and buries jobs that no worker can process. */
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

  /** Returns the number of jobs that failed just now. The process that saw such a failure records it. */
  async #sweepFailed(settlingMs: number): Promise<number> {
    const ids = await this.#queue.getRanges(['failed'], 0, SWEPT - 1, true);
    let left = 0;
    for (const id of ids) left += (await this.#tellOf(id, settlingMs)) ? 0 : 1;
    return left;
  }

  async #tellOf(id: string, settlingMs: number): Promise<boolean> {
    const since = await failedAt(this.#redis, this.#queue, id);
    if (since === undefined) return true; // the job was replayed
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

/** The record of a value under the key of a failed job that is no job. */
function unreadable(error: Error): { data: string; attempts: number; failedReason: string } {
  if (isRedisTrouble(error)) throw error;
  return { data: '', attempts: 0, failedReason: `damaged: there is something else than a job (${error.message})` };
}

/** The row times of a tally: the middle of each bucket and its number of rows. */
function* values({ elapsedMs }: Tally): Generator<readonly [number, number]> {
  for (const [bucket, count] of elapsedMs.buckets) {
    const one = { buckets: new Map([[bucket, 1]]), count: 1, sum: 0 };
    yield [quantile(one, 1) ?? 0, count];
  }
}
