/**
 * A worker process: lanes over Redis, the port for Prometheus and the orchestrator, and a shutdown without lost work. Redis may be
 * unreachable for any time: readiness turns false, and work continues afterwards.
 */
import { type Config, config } from '../../config.js';
import { ElsewiseError, placeOf } from '../../documents/error.js';
import type { NewLetter } from '../../store/events/dead-store.js';
import { readMemory, readMemoryIfAllowed } from '../../store/redis/memory.js';
import { type Preflight, runPreflight } from '../../store/redis/preflight.js';
import { connectForWorker, type RedisClient } from '../../store/redis/redis.js';
import { asRedisFailure } from '../../store/redis/redis-failure.js';
import { isRedisFull } from '../../store/redis/redis-trouble.js';
import { RedisWatch } from '../../store/redis/redis-watch.js';
import type { StoreSettings } from '../../store/settings.js';
import { type Store, storeOver } from '../../store/store.js';
import { type ProbeServer, type ProbeVerdict, serveProbes } from '../../telemetry/http.js';
import { Liveness } from '../../telemetry/liveness.js';
import { Metrics } from '../../telemetry/metrics.js';
import { ScorerMetrics } from '../../telemetry/scorer-metrics.js';
import { AuditLog } from '../audit/audit-log.js';
import { settleBatch } from '../batches/batch-end.js';
import { BatchSweep } from '../batches/batch-sweep.js';
import { type ChunkJob, chunkJobSchema, generationOfJob, type LaneName, QUEUES, SCHEDULE_QUEUE } from '../contract.js';
import { isLockLost } from '../failures/bullmq-words.js';
import { type FailedJob, letterOfJob, letterOfRequest } from '../failures/dead-letters.js';
import { codeOf, reasonOf } from '../failures/job-failure.js';
import { ScheduleLane } from '../schedules/schedule-lane.js';
import { scorerHost } from '../scoring/scorer-host.js';
import { planShareBytes } from '../threads/plan-memory.js';
import { WEBHOOK_QUEUE } from '../webhooks/webhook.js';
import { WebhookLane } from '../webhooks/webhook-lane.js';
import { ChunkProcessor } from './chunk-processor.js';
import { EventProcessor } from './event-processor.js';
import { newWorkerId, Pulse, type RunningJob } from './heartbeat.js';
import { Lane, type LaneOptions, type Solve } from './lane.js';
import { PlanCache } from './plan-cache.js';
import { REQUESTS, RequestLane } from './request-lane.js';

export interface WorkerOptions {
  readonly settings: StoreSettings;
  readonly lanes: readonly LaneName[];
  /** Whether the worker also serves schedules. It must then see their files. */
  readonly schedules?: boolean;
  /** Solver threads for batches. Events have their own. */
  readonly threads: number;
  readonly eventThreads?: number;
  /** URL of the file that runs in the threads. Only tests set another file. */
  readonly threadFile?: string;
  /** Omitted: those of the configuration. */
  readonly requests?: Config['requests'];
  /** Omitted: those of the configuration. */
  readonly audit?: Config['audit'];
  /** The port of the probes; 0: any free port. */
  readonly port: number;
  /** Receives messages for the operator. */
  notice(text: string): void;
}

const LOOK_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 30_000;
const LOOK_DRAINING_MS = 250;
const DRAIN_WITHOUT_REDIS_MS = 5_000;
const LEFT_UNDONE = 'Redis is away while draining: running jobs are left to other workers';
const TELL_EVERY_MS = 60_000;
const FULL = 'Redis is full: jobs wait, none is lost. Raise its maxmemory, or remove what is not needed';

const LOCK_LOST =
  "a job is no longer this worker's: its lock expired (worker.lockMs), or it was removed. Another worker may repeat it, and one result is stored";

/** More than the number of threads: while one row is solved, others are fetched and stored. */
const EVENTS_AT_A_TIME = 8;

type LaneKind = Pick<LaneOptions, 'isGated' | 'threads' | 'concurrency' | 'niceIncrement' | 'answer' | 'onFailed'>;

export class QueueWorker {
  readonly #id = newWorkerId();
  readonly #options: WorkerOptions;
  readonly #connections: readonly RedisClient[];
  readonly #store: Store;
  readonly #liveness = new Liveness();
  readonly #plans: PlanCache;
  readonly #metrics: Metrics;
  readonly #watch: RedisWatch;
  readonly #audit: AuditLog;
  readonly #events: EventProcessor;
  readonly #lanes: ReadonlyMap<LaneName, Lane>;
  /** Runs on the threads of events, in every worker that has them. */
  readonly #requests: RequestLane | undefined;
  readonly #schedules: ScheduleLane | undefined;
  /** In workers of batches, where the settings permit webhooks. */
  readonly #webhooks: WebhookLane | undefined;
  readonly #pulse: Pulse;
  readonly #look: NodeJS.Timeout;
  readonly #sweep: NodeJS.Timeout;
  readonly #batchSweep: BatchSweep;
  #server: ProbeServer | undefined;
  #draining: Promise<void> | undefined;
  readonly #toldMs = new Map<string, number>();

  /** Resolves once jobs are being taken. Rejects if Redis is unreachable or refuses the connection. */
  static async start(options: WorkerOptions): Promise<QueueWorker> {
    const worker = new QueueWorker(options, await runPreflight(options.settings, options.notice));
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

  private constructor(options: WorkerOptions, { isInfoAllowed }: Preflight) {
    const { settings, notice } = options;
    this.#options = options;
    // the store has its own connection, so that large blocks do not delay BullMQ's locks; the wait for requests has another
    const [forQueues, forStore, forRequests] = [1, 2, 3].map(() => connectForWorker(settings, isInfoAllowed, () => {}));
    this.#connections = [forQueues, forStore, forRequests];
    this.#watch = new RedisWatch(forStore, this.#connections);
    this.#tellOfBreaks(forStore, notice);
    this.#store = storeOver(forStore, settings);
    this.#metrics = new Metrics({
      depths: () => this.#whileUp(() => Promise.all(this.#allLanes().map((lane) => lane.depth())), []),
      pools: () => [...this.#lanes.values()].map((lane) => lane.poolUse()),
      cachedPlans: () => this.#plans.use,
      deadLetters: () => this.#whileUp<number | undefined>(() => this.#store.dead.count(), undefined),
      isRedisUp: () => this.#watch.isUp,
      memory: async () => (this.#watch.isUp ? readMemory(forStore) : undefined),
    });
    scorerHost.watch(new ScorerMetrics(this.#metrics.registry));
    this.#plans = new PlanCache(this.#store.models, this.#planBytes);
    this.#audit = new AuditLog(this.#store, options.audit ?? config.audit);
    this.#events = new EventProcessor(this.#store, this.#plans, this.#audit, () =>
      this.#metrics.countReused(QUEUES.events, 1),
    );
    const open = (name: LaneName) => new Lane(forQueues, this.#metrics, this.#laneOptions(name));
    this.#lanes = new Map(options.lanes.map((name) => [name, open(name)]));
    const forEvents = this.#lanes.get('events');
    this.#requests = forEvents && this.#openRequests(forRequests, forEvents.solve);
    this.#schedules = options.schedules
      ? new ScheduleLane(forQueues, this.#store, this.#metrics, {
          onProgress: () => this.#liveness.progress(SCHEDULE_QUEUE),
          onError: (error) => this.#tell(error),
          bury: (job, error) => this.#bury(letterOfJob('schedule', job, error)),
        })
      : undefined;
    const hasWebhooks = options.lanes.includes('bulk') && config.webhooks.hosts.length > 0;
    this.#webhooks = hasWebhooks
      ? new WebhookLane(forQueues, this.#store, this.#metrics, config.webhooks, (error) => this.#tell(error))
      : undefined;
    this.#pulse = new Pulse(this.#store.workers, this.#id, this.#facts, {
      running: () => this.#running(),
      isUp: () => this.#watch.isUp,
    });
    this.#look = setInterval(() => void this.#lookAround().catch(() => {}), LOOK_EVERY_MS);
    this.#batchSweep = new BatchSweep(this.#store);
    this.#sweep = setInterval(() => void (this.#watch.isUp && this.#sweepUp()), SWEEP_EVERY_MS);
    void this.#sweepUp(); // an earlier worker may have died
  }

  /** The port of the probes. */
  get port(): number {
    return this.#server!.port;
  }

  /** Takes no more jobs, ends the running ones and releases everything. Rejects if Redis is unreachable meanwhile. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    clearInterval(this.#look);
    clearInterval(this.#sweep);
    this.#pulse.stop();
    const patience = this.#losePatience();
    const requests = this.#requests?.drain();
    try {
      const drains = [...this.#lanes].map(([name, lane]) => lane.drain(name === 'events' ? requests : undefined));
      await Promise.race([Promise.all([...drains, this.#schedules?.drain(), this.#webhooks?.drain()]), patience.lost]);
      await Promise.race([this.#pulse.leave(), patience.lost]);
    } finally {
      clearInterval(patience.timer);
      this.#watch.stop();
      await this.#events.close();
      await this.#server?.close();
      for (const connection of this.#connections) connection.disconnect();
    }
  }

  /** Without Redis no job can be finished. The jobs are left to another worker, which finds them stalled. */
  #losePatience(): { lost: Promise<never>; timer: NodeJS.Timeout } {
    const { promise, reject } = deferred();
    let awayMs = 0;
    const look = () => {
      awayMs = this.#watch.isUp ? 0 : awayMs + LOOK_DRAINING_MS;
      if (awayMs >= DRAIN_WITHOUT_REDIS_MS) reject(new ElsewiseError('redis-away', LEFT_UNDONE));
    };
    return { lost: promise, timer: setInterval(look, LOOK_DRAINING_MS) };
  }

  /** The budget in equal parts: one for each thread of each lane, and one for the documents of the plans. */
  get #planBytes(): number {
    const threads = { bulk: this.#options.threads, events: this.#eventThreads };
    return planShareBytes(this.#options.lanes.reduce((sum, name) => sum + threads[name], 1));
  }

  get #facts() {
    const { lanes, schedules, threads } = this.#options;
    return {
      threads: (lanes.includes('bulk') ? threads : 0) + (lanes.includes('events') ? this.#eventThreads : 0),
      queues: [
        ...lanes.map((name) => QUEUES[name]),
        ...(this.#requests ? [REQUESTS] : []),
        ...(schedules ? [SCHEDULE_QUEUE] : []),
        ...(this.#webhooks ? [WEBHOOK_QUEUE] : []),
      ],
    };
  }

  #running(): RunningJob[] {
    const lanes = [...this.#lanes.values(), this.#schedules].filter((lane) => lane !== undefined);
    return lanes.flatMap(({ queue, running }) => running.map(({ id, started }) => ({ queue, id, started })));
  }

  get #eventThreads(): number {
    return this.#options.eventThreads ?? config.worker.eventThreads;
  }

  #laneOptions(name: LaneName): LaneOptions {
    return {
      queue: QUEUES[name],
      prefix: this.#options.settings.queuePrefix,
      planBytes: this.#planBytes,
      threadFile: this.#options.threadFile,
      worker: this.#id,
      ...this.#laneKinds[name](),
      onProgress: () => this.#liveness.progress(QUEUES[name]),
      onError: (error) => this.#tell(error),
    };
  }

  /** An event never waits for chunks. One chunk more than can run is fetched in advance. */
  readonly #laneKinds: Readonly<Record<LaneName, () => LaneKind>> = {
    events: () => {
      const threads = this.#eventThreads;
      const answer: LaneOptions['answer'] = (text, solve) => this.#events.answer(text, solve);
      const onFailed = (job: FailedJob, error: Error) => this.#recordFailedEvent(job, error);
      return { isGated: true, threads, concurrency: EVENTS_AT_A_TIME * threads, niceIncrement: 0, answer, onFailed };
    },
    bulk: () => {
      const { threads } = this.#options;
      const processor = new ChunkProcessor(this.#store, this.#plans, this.#audit);
      const answer: LaneOptions['answer'] = (text, solve, run) => processor.answer(text, solve, run);
      const onFailed = (job: FailedJob, error: Error) => this.#recordFailedChunk(job, error);
      return {
        isGated: false,
        threads,
        concurrency: threads + 1,
        niceIncrement: config.worker.bulkNice,
        answer,
        onFailed,
      };
    },
  };

  #openRequests(blocked: RedisClient, solve: Solve): RequestLane {
    return new RequestLane(this.#metrics, {
      requests: this.#store.requests,
      blocked,
      limits: this.#options.requests ?? config.requests,
      answer: (body) => this.#events.answerRequest(body, solve),
      bury: (entry, error, attempts) => this.#bury(letterOfRequest(entry, error, attempts)),
      onProgress: () => this.#liveness.progress(REQUESTS),
      onError: (error) => this.#tell(error),
    });
  }

  /**
   * Errors while Redis is unreachable are not repeated, because the lost connection was already reported. Lost locks are not told while
   * Redis is full.
   */
  #tell(error: Error): void {
    const { notice, settings } = this.#options;
    const coded = asRedisFailure(settings, error) as Error;
    const isBreak = coded instanceof ElsewiseError && coded.code === 'redis-away';
    if (isRedisFull(error)) this.#tellAtTimes(FULL);
    else if (!this.#watch.isUp || isBreak) return;
    else if (!isLockLost(coded.message)) notice(coded.message);
    else if (!this.#wasTold(FULL)) this.#tellAtTimes(LOCK_LOST);
  }

  /** Repeats a lasting trouble periodically: memory that other clients use, for example, is not freed by our own progress. */
  #tellAtTimes(text: string): void {
    if (this.#wasTold(text)) return;
    this.#toldMs.set(text, performance.now());
    this.#options.notice(text);
  }

  #wasTold(text: string): boolean {
    return performance.now() - (this.#toldMs.get(text) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS;
  }

  async #recordFailedEvent(job: FailedJob, error: Error): Promise<void> {
    await this.#bury(letterOfJob('events', job, error));
    const { id } = Object(readData(job)) as { id?: unknown };
    const failure = { code: codeOf(error), message: reasonOf(error), ...placeOf(error) };
    if (typeof id === 'string') await this.#store.results.announceFailure(id, job.id, failure);
  }

  async #recordFailedChunk(failedJob: FailedJob, error: Error): Promise<void> {
    const job = chunkJobSchema.safeParse(readData(failedJob)).data;
    const generation = generationOfJob(failedJob.id);
    if (job && (await this.#store.batches.find({ ...job, generation })).isStale) return;
    const letter = letterOfJob('bulk', failedJob, error);
    await this.#bury(job ? { ...letter, policy: (await this.#policyName(job)) ?? letter.policy } : letter);
    if (!job) return; // a job that is no chunk belongs to no batch: only its dead letter remains
    const { digest, firstRow, rows } = job;
    const { started, attempts } = failedJob;
    const run = started && { started, ended: Date.now(), worker: this.#id, attempts: Math.max(1, attempts) };
    const reason = { code: codeOf(error), message: error.message };
    const failed = { state: 'failed', digest, firstRow, rows, ...reason, ...(run && { run }) } as const;
    await this.#store.batches.fail(job.batch, job.chunk, failed, generation);
    await settleBatch(this.#store, job.batch);
  }

  async #policyName({ batch, policy }: ChunkJob): Promise<string | undefined> {
    const manifest = await this.#store.batches.manifest(batch);
    return manifest?.policy.digest === policy ? manifest.policy.document.name : undefined;
  }

  async #bury(letter: NewLetter): Promise<void> {
    const { id, source, code } = await this.#store.dead.add(letter);
    this.#metrics.countDeadLetter(source, code);
    this.#options.notice(`given up: ${code}, see \`elsewise dead show ${id}\``);
  }

  /** Reports once when Redis is lost and once when it is back, not at every attempt in between. */
  #tellOfBreaks(connection: RedisClient, notice: WorkerOptions['notice']): void {
    let isAway = false;
    const tell = (away: boolean, text: string) => {
      if (isAway !== away && !this.#draining) notice(text);
      isAway = away;
    };
    connection.on('close', () => tell(true, 'Redis is away: waiting for it'));
    connection.on('ready', () => tell(false, 'Redis is back'));
  }

  #allLanes(): (Lane | RequestLane | ScheduleLane)[] {
    return [...this.#lanes.values(), this.#requests, this.#schedules].filter((lane) => lane !== undefined);
  }

  async #whileUp<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
    return this.#watch.isUp ? ask() : otherwise;
  }

  #readiness(): ProbeVerdict {
    if (this.#draining) return { isGood: false, reason: 'draining' };
    return this.#watch.isUp ? { isGood: true, reason: 'ready' } : { isGood: false, reason: 'Redis is away' };
  }

  /** Cleans up after dead workers and after expiry. */
  async #sweepUp(): Promise<void> {
    const lanes = [...this.#lanes.values(), this.#schedules].map((lane) => lane?.sweep());
    const { retentionDays } = this.#options.audit ?? config.audit;
    await Promise.allSettled([
      ...lanes,
      this.#store.results.forgetOldAnswers(),
      this.#store.audit.forgetBefore(retentionDays),
      this.#batchSweep.run(),
    ]);
  }

  /** A full Redis: no job can be taken, and a new worker would not help. */
  async #isFull(): Promise<boolean> {
    const { usedBytes, limitBytes } = await readMemoryIfAllowed(this.#store.redis);
    return limitBytes > 0 && usedBytes >= limitBytes;
  }

  async #lookAround(): Promise<void> {
    if (!this.#watch.isUp || (await this.#isFull())) return;
    for (const lane of this.#allLanes())
      this.#liveness.observe(lane.queue, { waiting: await lane.takeable(), hasRoom: lane.hasRoom });
  }
}

/** Undefined if the data are not JSON. */
function readData({ data }: FailedJob): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function deferred(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_resolve, fail) => {
    reject = fail;
  });
  return { promise, reject };
}
