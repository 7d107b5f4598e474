/**
 * A worker process: lanes over Redis, the port for Prometheus and the orchestrator, and a way to end without losing work.
 * Redis may go away for as long as it likes: readiness turns false, and work goes on where it was.
 */
import type { Redis } from 'ioredis';
import { ElsewiseError } from '../documents/error.js';
import { connect, connectForWorker } from '../store/redis.js';
import type { StoreSettings } from '../store/settings.js';
import { type Store, storeOver } from '../store/store.js';
import { type ProbeServer, serveProbes, type Verdict } from '../telemetry/http.js';
import { Liveness } from '../telemetry/liveness.js';
import { Metrics } from '../telemetry/metrics.js';
import { ChunkProcessor } from './chunk-processor.js';
import { chunkJobSchema, type LaneName, QUEUES } from './contract.js';
import { EventProcessor } from './event-processor.js';
import { codeOf } from './job-failure.js';
import { Lane, type LaneOptions } from './lane.js';
import { PlanCache } from './plan-cache.js';
import { sweepBatches } from './reconcile.js';

export interface WorkerOptions {
  readonly settings: StoreSettings;
  readonly lanes: readonly LaneName[];
  /** Solver threads for batches; events have one of their own. */
  readonly threads: number;
  /** Of the probes; 0: any free one. */
  readonly port: number;
  /** Told in words what the operator should know. */
  notice(text: string): void;
}

const LOOK_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 30_000;
const LOOK_DRAINING_MS = 250;
const DRAIN_WITHOUT_REDIS_MS = 5_000;
const LEFT_UNDONE = 'Redis is away while draining: what was running is left to other workers';

type LaneKind = Pick<LaneOptions, 'niceIncrement' | 'answer' | 'onFailed'> & { threads: number; concurrency: number };

export class QueueWorker {
  readonly #options: WorkerOptions;
  readonly #connections: readonly Redis[];
  readonly #store: Store;
  readonly #liveness = new Liveness();
  readonly #plans: PlanCache;
  readonly #metrics: Metrics;
  readonly #lanes: readonly Lane[];
  readonly #look: NodeJS.Timeout;
  readonly #sweep: NodeJS.Timeout;
  #server: ProbeServer | undefined;
  #draining: Promise<void> | undefined;

  /** Resolves once jobs are being taken; rejects with `redis-away` when there is no Redis to take them from. */
  static async start(options: WorkerOptions): Promise<QueueWorker> {
    (await connect(options.settings.url)).disconnect();
    const worker = new QueueWorker(options);
    try {
      worker.#server = await serveProbes(options.port, {
        registry: worker.#metrics.registry,
        health: () => worker.#liveness.verdict(),
        readiness: () => worker.#readiness(),
      });
    } catch (error) {
      await worker.drain();
      throw error;
    }
    return worker;
  }

  private constructor(options: WorkerOptions) {
    const { settings, notice } = options;
    this.#options = options;
    // the store has its own, so that large blocks do not hold up BullMQ's locks
    const [forQueues, forStore] = [1, 2].map(() => connectForWorker(settings.url, () => {}));
    this.#connections = [forQueues, forStore];
    this.#tellOfBreaks(forStore, notice);
    this.#store = storeOver(forStore, settings);
    this.#metrics = new Metrics({
      depths: () => this.#whileUp(() => Promise.all(this.#lanes.map((lane) => lane.depth()))),
      pools: () => this.#lanes.map((lane) => lane.poolUse()),
      cachedPlans: () => this.#plans.size,
      isRedisUp: () => this.#isRedisUp(),
    });
    this.#plans = new PlanCache(this.#store.models, (outcome) => this.#metrics.countPlan(outcome));
    this.#lanes = options.lanes.map((name) => new Lane(forQueues, this.#metrics, this.#laneOptions(name)));
    this.#look = setInterval(() => void this.#lookAround().catch(() => {}), LOOK_EVERY_MS);
    const sweep = async () => this.#isRedisUp() && sweepBatches(this.#store);
    this.#sweep = setInterval(() => void sweep().catch(() => {}), SWEEP_EVERY_MS);
  }

  /** Where the probes are served. */
  get port(): number {
    return this.#server!.port;
  }

  /** Takes no more jobs, ends the running ones, lets go of everything. Rejects when Redis is away meanwhile. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    clearInterval(this.#look);
    clearInterval(this.#sweep);
    const patience = this.#losePatience();
    try {
      await Promise.race([Promise.all(this.#lanes.map((lane) => lane.drain())), patience.lost]);
    } finally {
      clearInterval(patience.timer);
      await this.#server?.close();
      for (const connection of this.#connections) connection.disconnect();
    }
  }

  /** Without Redis no job can be finished: they are left to another worker, which finds them stalled. */
  #losePatience(): { lost: Promise<never>; timer: NodeJS.Timeout } {
    const { promise, reject } = deferred();
    let awayMs = 0;
    const look = () => {
      awayMs = this.#isRedisUp() ? 0 : awayMs + LOOK_DRAINING_MS;
      if (awayMs >= DRAIN_WITHOUT_REDIS_MS) reject(new ElsewiseError('redis-away', LEFT_UNDONE));
    };
    return { lost: promise, timer: setInterval(look, LOOK_DRAINING_MS) };
  }

  #laneOptions(name: LaneName): LaneOptions {
    return {
      queue: QUEUES[name],
      prefix: this.#options.settings.queuePrefix,
      ...this.#laneKinds[name](),
      onProgress: () => this.#liveness.progress(),
      onError: (error) => {
        if (this.#isRedisUp()) this.#options.notice(error.message);
      },
    };
  }

  /** An event waits for nobody; chunks give way to it, and one more of them is fetched than can run, to have it at hand. */
  readonly #laneKinds: Readonly<Record<LaneName, () => LaneKind>> = {
    events: () => {
      const processor = new EventProcessor(this.#store, this.#plans, () => this.#metrics.countReused(QUEUES.events, 1));
      const answer: LaneOptions['answer'] = (data, solve) => processor.answer(data, solve);
      return { threads: 1, concurrency: 8, niceIncrement: 0, answer, onFailed: async () => {} };
    },
    bulk: () => {
      const { threads } = this.#options;
      const processor = new ChunkProcessor(this.#store, this.#plans);
      const answer: LaneOptions['answer'] = (data, solve) => processor.answer(data, solve);
      const onFailed = (data: unknown, error: Error) => this.#recordFailedChunk(data, error);
      return { threads, concurrency: threads + 1, niceIncrement: 10, answer, onFailed };
    },
  };

  async #recordFailedChunk(data: unknown, error: Error): Promise<void> {
    const job = chunkJobSchema.safeParse(data).data;
    if (!job) return; // a job that is no chunk belongs to no batch: its failure stays in the queue
    const { digest, firstRow, rows } = job;
    const failed = { state: 'failed', digest, firstRow, rows, code: codeOf(error), message: error.message } as const;
    await this.#store.batches.fail(job.batch, job.chunk, failed);
  }

  /** Once when Redis goes and once when it is back, not at every attempt in between. */
  #tellOfBreaks(connection: Redis, notice: WorkerOptions['notice']): void {
    let isAway = false;
    const tell = (away: boolean, text: string) => {
      if (isAway !== away && !this.#draining) notice(text);
      isAway = away;
    };
    connection.on('close', () => tell(true, 'Redis is away: waiting for it'));
    connection.on('ready', () => tell(false, 'Redis is back'));
  }

  #isRedisUp(): boolean {
    return this.#connections.every(({ status }) => status === 'ready');
  }

  async #whileUp<T>(ask: () => Promise<T[]>): Promise<T[]> {
    return this.#isRedisUp() ? ask() : [];
  }

  #readiness(): Verdict {
    if (this.#draining) return { isGood: false, reason: 'draining' };
    return this.#isRedisUp() ? { isGood: true, reason: 'ready' } : { isGood: false, reason: 'Redis is away' };
  }

  async #lookAround(): Promise<void> {
    if (!this.#isRedisUp()) return;
    const idle = this.#lanes.filter((lane) => lane.hasRoom);
    const counts = await Promise.all(idle.map((lane) => lane.takeable()));
    const waiting = counts.reduce((sum, count) => sum + count, 0);
    this.#liveness.observe({ waiting, hasRoom: idle.length > 0 });
  }
}

function deferred(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_resolve, fail) => {
    reject = fail;
  });
  return { promise, reject };
}
