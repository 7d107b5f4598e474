/**
 * The Prometheus metrics of a worker. Counters are fed as jobs end. Gauges are read at each scrape from the sources that the
 * worker names. A source that does not answer leaves its gauges out and does not fail the scrape.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Facts about the rows of one finished job. */
export interface RowReport {
  readonly queue: string;
  readonly family: string;
  readonly statuses: ReadonlyMap<string, number>;
  /** For found rows: the solver and the proof of the cheapest answer. */
  readonly solvers: ReadonlyMap<string, number>;
  readonly proofs: ReadonlyMap<string, number>;
  readonly degraded: number;
  /** Time per row, as pairs of milliseconds and the number of rows with about that time. */
  readonly elapsedMs: Iterable<readonly [value: number, count: number]>;
}

export interface QueueDepth {
  readonly queue: string;
  /** Jobs by state: waiting, active, ... */
  readonly jobs: Readonly<Record<string, number>>;
  /** Age of the oldest waiting job; 0 if none waits. */
  readonly oldestSeconds: number;
}

export interface PoolUse {
  readonly queue: string;
  readonly threads: number;
  readonly busy: number;
  readonly queued: number;
  /** The plans that its threads cache. */
  readonly prepared: CacheUse;
}

/** The present content of a cache, and its hits and misses since the start. */
export interface CacheUse {
  readonly plans: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

export interface MemoryUse {
  readonly usedBytes: number;
  /** 0: no limit is set. */
  readonly limitBytes: number;
}

export interface Sources {
  depths(): Promise<readonly QueueDepth[]>;
  pools(): readonly PoolUse[];
  cachedPlans(): CacheUse;
  /** Undefined: unknown at present. */
  deadLetters(): Promise<number | undefined>;
  isRedisUp(): boolean;
  /** The memory of Redis; undefined while it is unreachable. */
  memory(): Promise<MemoryUse | undefined>;
}

const ROW_SECONDS = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const JOB_SECONDS = [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];

export class Metrics {
  readonly registry = new Registry();
  readonly #sources: Sources;
  #asked: Promise<readonly QueueDepth[]> | undefined;
  readonly #rows = this.#counter('rows_total', 'Rows answered', ['queue', 'family', 'status']);
  readonly #solvers = this.#counter('found_rows_by_solver_total', 'Found rows by solver of the answer', ['solver']);
  readonly #proofs = this.#counter('found_rows_by_proof_total', 'Found rows by proof of the answer', ['proof']);
  readonly #degraded = this.#counter('degraded_rows_total', 'Rows whose answer is not the one asked for', ['queue']);
  readonly #jobs = this.#counter('jobs_total', 'Jobs ended, by outcome', ['queue', 'outcome']);
  readonly #dead = this.#counter('dead_letters_total', 'Requests and jobs given up', ['source', 'code']);
  readonly #reused = this.#counter('once_hits_total', 'Rows answered with the result of an equal row', ['queue']);
  readonly #webhooks = this.#counter('webhook_deliveries_total', 'Attempts to deliver a webhook, by outcome', [
    'outcome',
  ]);
  readonly #rowSeconds = this.#histogram('row_seconds', 'Solver time per row', ['family', 'solver'], ROW_SECONDS);
  readonly #jobSeconds = this.#histogram('job_seconds', 'Time from taking a job to its end', ['queue'], JOB_SECONDS);
  readonly #answerSeconds = this.#histogram('answer_seconds', 'From adding to its end', ['queue'], JOB_SECONDS);

  constructor(sources: Sources) {
    this.#sources = sources;
    collectDefaultMetrics({ register: this.registry });
    this.#gauge('pool_threads', 'Solver threads', ['queue'], (gauge) => {
      for (const { queue, threads } of sources.pools()) gauge.set({ queue }, threads);
    });
    this.#gauge('pool_busy_threads', 'Solver threads at work', ['queue'], (gauge) => {
      for (const { queue, busy } of sources.pools()) gauge.set({ queue }, busy);
    });
    this.#gauge('pool_queued_tasks', 'Tasks that wait for a solver thread', ['queue'], (gauge) => {
      for (const { queue, queued } of sources.pools()) gauge.set({ queue }, queued);
    });
    this.#addCaches();
    this.#gauge('redis_up', 'Whether Redis is connected', [], (gauge) => gauge.set(sources.isRedisUp() ? 1 : 0));
    this.#gauge('dead_letters', 'Dead letters that wait for somebody', [], async (gauge) => {
      gauge.reset();
      const count = await sources.deadLetters().catch(() => undefined);
      if (count !== undefined) gauge.set(count);
    });
    this.#addDepths();
    this.#addMemory();
  }

  countRows({ queue, family, statuses, solvers, proofs, degraded, elapsedMs }: RowReport): void {
    for (const [status, count] of statuses) this.#rows.inc({ queue, family, status }, count);
    for (const [solver, count] of solvers) this.#solvers.inc({ solver }, count);
    for (const [proof, count] of proofs) this.#proofs.inc({ proof }, count);
    this.#degraded.inc({ queue }, degraded);
    const seconds = this.#rowSeconds.labels({ family, solver: solverLabel(solvers) });
    for (const [value, count] of elapsedMs) for (let i = 0; i < count; i++) seconds.observe(value / 1000);
  }

  countJob(queue: string, outcome: 'completed' | 'known' | 'retried' | 'failed'): void {
    this.#jobs.inc({ queue, outcome });
  }

  /** `retried`: the attempt failed, and another follows. `failed`: the webhook is given up. */
  countWebhook(outcome: 'delivered' | 'retried' | 'failed'): void {
    this.#webhooks.inc({ outcome });
  }

  countReused(queue: string, rows: number): void {
    this.#reused.inc({ queue }, rows);
  }

  timeJob(queue: string, ms: number): void {
    this.#jobSeconds.observe({ queue }, ms / 1000);
  }

  /** The documents that the process caches, and the plans of its threads. */
  #addCaches(): void {
    const { cachedPlans, pools } = this.#sources;
    this.#gauge('cached_plans', 'Models under a policy kept ready', [], (gauge) => gauge.set(cachedPlans().plans));
    this.#gauge('cached_plan_bytes', 'Bytes of their documents', [], (gauge) => gauge.set(cachedPlans().bytes));
    this.#total('plan_cache_total', 'Look-ups of a model under a policy', ['outcome'], (counter) => {
      for (const [outcome, count] of outcomes(cachedPlans())) counter.inc({ outcome }, count);
    });
    this.#gauge('prepared_plans', 'Plans that solver threads keep prepared', ['queue'], (gauge) => {
      for (const { queue, prepared } of pools()) gauge.set({ queue }, prepared.plans);
    });
    this.#gauge('prepared_plan_bytes', 'Estimated memory of prepared plans', ['queue'], (gauge) => {
      for (const { queue, prepared } of pools()) gauge.set({ queue }, prepared.bytes);
    });
    this.#total('prepared_plan_lookups_total', 'Look-ups of prepared plans', ['queue', 'outcome'], (counter) => {
      for (const { queue, prepared } of pools())
        for (const [outcome, count] of outcomes(prepared)) counter.inc({ queue, outcome }, count);
    });
  }

  /** `addedMs`: the time of adding by the producer's clock. */
  timeAnswer(queue: string, addedMs: number): void {
    this.#answerSeconds.observe({ queue }, Math.max(0, Date.now() - addedMs) / 1000);
  }

  countDeadLetter(source: string, code: string): void {
    this.#dead.inc({ source, code });
  }

  #addDepths(): void {
    this.#gauge('queue_jobs', 'Jobs in the queue, by state', ['queue', 'state'], async (gauge) => {
      gauge.reset();
      for (const { queue, jobs } of await this.#depths()) {
        for (const [state, count] of Object.entries(jobs)) gauge.set({ queue, state }, count);
      }
    });
    this.#gauge('queue_oldest_seconds', 'Age of the job that has waited longest', ['queue'], async (gauge) => {
      gauge.reset();
      for (const { queue, oldestSeconds } of await this.#depths()) gauge.set({ queue }, oldestSeconds);
    });
  }

  #addMemory(): void {
    const add = (name: string, help: string, key: keyof MemoryUse) =>
      this.#gauge(name, help, [], async (gauge) => {
        const use = await this.#sources.memory().catch(() => undefined);
        if (use) gauge.set(use[key]);
        else gauge.remove();
      });
    add('redis_memory_used_bytes', 'Memory that Redis uses', 'usedBytes');
    add('redis_memory_limit_bytes', 'maxmemory of Redis; 0: no limit is set', 'limitBytes');
  }

  /** The gauges of one scrape share one reading of the queues. */
  #depths(): Promise<readonly QueueDepth[]> {
    this.#asked ??= this.#sources
      .depths()
      .catch(() => [])
      .finally(() => {
        this.#asked = undefined;
      });
    return this.#asked;
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: `elsewise_${name}`, help, labelNames, registers: [this.registry] });
  }

  /** A counter of totals that are counted elsewhere. `read` gives the totals. */
  #total(name: string, help: string, labelNames: string[], read: (counter: Counter) => void): Counter {
    const collect = function (this: Counter) {
      this.reset();
      read(this);
    };
    return new Counter({ name: `elsewise_${name}`, help, labelNames, collect, registers: [this.registry] });
  }

  #histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({ name: `elsewise_${name}`, help, labelNames, buckets, registers: [this.registry] });
  }

  #gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void | Promise<void>): Gauge {
    const collect = function (this: Gauge) {
      return read(this);
    };
    return new Gauge({ name: `elsewise_${name}`, help, labelNames, collect, registers: [this.registry] });
  }
}

function outcomes({ hits, misses, evictions }: CacheUse): [outcome: string, count: number][] {
  return [
    ['hit', hits],
    ['miss', misses],
    ['eviction', evictions],
  ];
}

/** Times are counted per job, so a job whose rows used several solvers has no single solver label. */
function solverLabel(solvers: ReadonlyMap<string, number>): string {
  if (solvers.size === 0) return 'none';
  return solvers.size === 1 ? [...solvers.keys()][0] : 'several';
}
