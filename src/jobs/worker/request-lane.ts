/**
 * The lane of producers without BullMQ: `XADD elsewise:requests * body JSON`. Workers share the stream as a consumer group.
 *
 *   taken -> answered on the threads of events -> answer stored -> acknowledged
 *                 |-> failed permanently, or was tried too often -> dead letter -> acknowledged
 *                 '-> this process dies, or a thread is lost: stays pending, and another consumer claims the entry
 *
 * An entry is acknowledged after its answer is stored. An entry may be answered twice and is never lost. Answers are kept by content: the
 * second answer equals the first. A worker takes only as many entries as it answers at a time.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import type { RequestEntry, RequestStore } from '../../store/events/request-store.js';
import type { RedisClient } from '../../store/redis/redis.js';
import { backOffMs, isRedisTrouble, throughTrouble } from '../../store/redis/redis-trouble.js';
import type { Metrics, QueueDepth } from '../../telemetry/metrics.js';
import { isRetried } from '../failures/job-failure.js';
import { NotNow } from './plan-gate.js';

export interface RequestLaneOptions {
  readonly requests: RequestStore;
  /** A separate connection: it is blocked while the lane waits for entries. */
  readonly blocked: RedisClient;
  readonly limits: Config['requests'];
  answer(body: Uint8Array): Promise<{ readonly isNew: boolean }>;
  /** The entry will not be tried again. */
  bury(entry: RequestEntry, error: Error, attempts: number): Promise<void>;
  /** An entry was taken or has ended. */
  onProgress(): void;
  onError(error: Error): void;
}

export const REQUESTS = 'elsewise-requests';

/** The wait for entries. A drain may end this much later than its last answer. */
const WAIT_MS = 1_000;
const MAX_BACK_OFF_MS = 5_000;
/** The largest number of entries held at a time, including those without a free place. */
const MAX_TAKEN = 1_000;
/** How often an entry is checked while it is overdue. */
const LOOKS = 4;

export class RequestLane {
  readonly queue = REQUESTS;
  readonly #options: RequestLaneOptions;
  readonly #metrics: Metrics;
  readonly #consumer = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly #active = new Map<string, Promise<void>>();
  readonly #ended: Promise<void>;
  readonly #look: NodeJS.Timeout;
  #isDraining = false;
  #parked = 0;

  constructor(metrics: Metrics, options: RequestLaneOptions) {
    this.#options = options;
    this.#metrics = metrics;
    this.#ended = this.#takeAll();
    const every = Math.ceil(options.limits.claimAfterMs / LOOKS);
    this.#look = setInterval(() => void this.#lookAfter().catch(() => {}), every); // the next check may succeed
  }

  get hasRoom(): boolean {
    return this.#room > 0;
  }

  get #room(): number {
    const working = this.#active.size - this.#parked;
    return Math.min(this.#options.limits.concurrency - working, MAX_TAKEN - this.#active.size);
  }

  async depth(): Promise<QueueDepth> {
    const { waiting, pending, oldest } = await this.#options.requests.depth();
    const oldestSeconds = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest) / 1000;
    return { queue: REQUESTS, jobs: { waiting, active: pending }, oldestSeconds };
  }

  async takeable(): Promise<number> {
    return (await this.#options.requests.depth()).waiting;
  }

  /** Takes no more entries and resolves when all taken entries are answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#look);
    await this.#ended;
    await Promise.all(this.#active.values());
    await this.#options.requests.removeConsumers(0, this.#consumer).catch(this.#options.onError);
  }

  /** The group is created at the start and after every error: Redis may have come back empty. */
  async #takeAll(): Promise<void> {
    for (let failed = 0; !this.#isDraining; failed++) {
      try {
        await this.#options.requests.openGroup();
        for (; !this.#isDraining; failed = 0) await this.#takeMore();
      } catch (error) {
        if (this.#isDraining) return;
        this.#options.onError(error as Error);
        await sleep(backOffMs(failed, MAX_BACK_OFF_MS));
      }
    }
  }

  async #takeMore(): Promise<void> {
    const { requests, blocked } = this.#options;
    if (!this.hasRoom) await Promise.race(this.#active.values());
    else for (const entry of await requests.take(blocked, this.#consumer, this.#room, WAIT_MS)) this.#start(entry, 1);
  }

  /** Renews entries in progress, claims overdue entries, and removes dead consumers. */
  async #lookAfter(): Promise<void> {
    const { requests, limits } = this.#options;
    if (this.#active.size > 0) await requests.touch(this.#consumer, [...this.#active.keys()]);
    const overdue = this.hasRoom ? await requests.overdue(limits.claimAfterMs, this.#room) : [];
    const deliveries = new Map(overdue.map((entry) => [entry.id, entry.deliveries + 1]));
    if (deliveries.size > 0 && !this.#isDraining) {
      const claimed = await requests.claim(this.#consumer, limits.claimAfterMs, [...deliveries.keys()]);
      for (const entry of claimed) this.#start(entry, deliveries.get(entry.id)!);
    }
    await requests.removeConsumers(limits.forgetConsumerAfterMs);
  }

  #start(entry: RequestEntry, deliveries: number): void {
    if (this.#active.has(entry.id)) return;
    this.#options.onProgress();
    const started = performance.now();
    const work = this.#finish(entry, deliveries)
      .then((outcome) => this.#metrics.countJob(REQUESTS, outcome))
      .catch(this.#options.onError)
      .finally(() => {
        this.#active.delete(entry.id);
        this.#metrics.timeJob(REQUESTS, performance.now() - started);
        this.#options.onProgress();
      });
    this.#active.set(entry.id, work);
  }

  async #finish(entry: RequestEntry, deliveries: number): Promise<'completed' | 'known' | 'retried' | 'failed'> {
    const { requests, limits, answer, bury } = this.#options;
    try {
      if (deliveries > limits.maxDeliveries) throw tooOften(deliveries - 1);
      const body = readBody(entry, limits.maxBodyBytes);
      const { isNew } = await this.#persist(() => this.#whenThereIsAPlace(() => answer(body)));
      this.#metrics.timeAnswer(REQUESTS, Number(entry.id.split('-')[0]));
      await this.#persist(() => requests.settle(entry.id));
      return isNew ? 'completed' : 'known';
    } catch (error) {
      if (this.#isOver(error)) throw error;
      if (isRetried(error) && deliveries < limits.maxDeliveries) return 'retried'; // stays pending until it is overdue
      await this.#persist(() => bury(entry, error as Error, deliveries));
      await this.#persist(() => requests.settle(entry.id));
      return 'failed';
    }
  }

  /** Waits without occupying a place. */
  async #whenThereIsAPlace<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof NotNow) || this.#isDraining) throw error;
        this.#parked++;
        await sleep(backOffMs(attempt, MAX_BACK_OFF_MS)).finally(() => this.#parked--);
      }
    }
  }

  #persist<T>(work: () => Promise<T>): Promise<T> {
    return throughTrouble(work, { isLeft: () => this.#isDraining, onFull: this.#options.onError });
  }

  /** Whether this process is closing its connections. The entry is then left to another process. */
  #isOver(error: unknown): boolean {
    return this.#isDraining && isRedisTrouble(error);
  }
}

/** The length is checked before anything else. */
function readBody({ body }: RequestEntry, maxBytes: number): Uint8Array {
  if (body === undefined) throw new ElsewiseError('bad-json', 'the entry has no field "body"');
  if (body.length <= maxBytes) return body;
  throw new ElsewiseError('too-large', `the body has ${body.length} bytes, and ${maxBytes} are accepted`);
}

function tooOften(deliveries: number): ElsewiseError {
  return new ElsewiseError('too-often', `taken ${deliveries} times: each worker died or gave the entry back`);
}
