/**
 * Sends webhooks. A request is repeated with growing pauses until the receiver answers with a status of 200 to 299 or the attempts are used
 * up. The outcome is kept with the batch. Redirects are not followed, and addresses are checked when a connection is made.
 */
import { UnrecoverableError } from 'bullmq';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { parseStored } from '../../documents/untrusted-json.js';
import { ScorerFault } from '../../scoring/scorer-fault.js';
import { HttpExchange } from '../../scoring/transport/http-exchange.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import type { RedisClient } from '../../store/redis/redis.js';
import type { Store } from '../../store/store.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { workerOptions } from '../queues.js';
import { type TextJob, TextWorker } from '../text-jobs.js';
import { signatureHeaders } from './signature.js';
import {
  isOf,
  WEBHOOK_QUEUE,
  type WebhookJob,
  type WebhookSettings,
  webhookBody,
  webhookId,
  webhookJobSchema,
} from './webhook.js';

const CONCURRENCY = 4;
/** The answer of a receiver is not read further. */
const MAX_ANSWER_BYTES = 65_536;

export class WebhookLane {
  readonly #store: Store;
  readonly #settings: WebhookSettings;
  readonly #exchange: HttpExchange;
  readonly #metrics: Metrics;
  readonly #worker: TextWorker;

  constructor(
    connection: RedisClient,
    store: Store,
    metrics: Metrics,
    settings: WebhookSettings,
    onError: (error: Error) => void,
  ) {
    this.#store = store;
    this.#settings = settings;
    this.#metrics = metrics;
    this.#exchange = new HttpExchange({
      ...settings,
      section: 'webhooks',
      tokens: {},
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    const options = { connection, ...workerOptions(store.settings.queuePrefix, CONCURRENCY) };
    this.#worker = new TextWorker(WEBHOOK_QUEUE, (job) => this.#process(job as TextJob), options);
    this.#worker.on('error', onError);
    this.#worker.on('completed', () => metrics.countJob(WEBHOOK_QUEUE, 'completed'));
    this.#worker.on('failed', (job, error) => {
      const isFinal = job?.finishedOn !== undefined;
      metrics.countJob(WEBHOOK_QUEUE, isFinal ? 'failed' : 'retried');
      metrics.countWebhook(isFinal ? 'failed' : 'retried');
      if (isFinal) void this.#giveUp(job as TextJob, error).catch(onError);
    });
  }

  async drain(): Promise<void> {
    await this.#worker.close();
    this.#exchange.close();
  }

  async #process(job: TextJob): Promise<void> {
    const asked = readJob(job);
    const status = await this.#statusOf(asked);
    if (!status) return;
    await this.#send(asked, status).catch(unlessPassing);
    this.#metrics.countWebhook('delivered');
    await this.#record(asked, { outcome: 'delivered', attempts: job.attemptsMade + 1 });
  }

  /** Undefined: the batch has expired, or another batch has its id. */
  async #statusOf(asked: WebhookJob): Promise<BatchStatus | undefined> {
    try {
      const status = await this.#store.batches.status(asked.batch);
      return isOf(asked, status) ? status : undefined;
    } catch (error) {
      if (error instanceof ElsewiseError && error.code === 'not-known') return undefined;
      throw error;
    }
  }

  async #send(asked: WebhookJob, status: BatchStatus): Promise<void> {
    const body = webhookBody(asked.state, status);
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = signatureHeaders(this.#settings.secret, { id: webhookId(asked), timestamp, body });
    await this.#exchange.read({ url: new URL(status.manifest.webhook!), body, headers }, this.#settings.timeoutMs);
  }

  async #giveUp(job: TextJob, { message }: Error): Promise<void> {
    await this.#record(readJob(job), { outcome: 'failed', attempts: job.attemptsMade, reason: message });
  }

  async #record(
    { batch, generation, state }: WebhookJob,
    outcome: { outcome: 'delivered' | 'failed'; attempts: number; reason?: string },
  ): Promise<void> {
    await this.#store.batches.recordWebhook(batch, generation, { state, at: new Date().toISOString(), ...outcome });
  }
}

function readJob({ data }: TextJob): WebhookJob {
  return parseDocument(webhookJobSchema, parseStored(data, 'job'), 'job');
}

/** Settings that forbid the address do not change by a repetition. */
function unlessPassing(error: unknown): never {
  if (error instanceof ScorerFault && error.kind === 'refused') throw new UnrecoverableError(error.message);
  throw error;
}
