/**
 * Puts work into the queues. Rows go to the store as compressed blocks, and jobs only refer to them. Ids follow from the content, so
 * interrupted work can be repeated without duplicates.
 */
import { randomBytes } from 'node:crypto';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';
import type { ResultDocument } from '../documents/result-document.js';
import type { Defaults } from '../policy/defaults.js';
import { batchIdSchema, layoutSchema, type Manifest, pinOf } from '../store/batches/manifest.js';
import { letterId } from '../store/events/dead-store.js';
import { connect } from '../store/redis/redis.js';
import type { ModelVersion } from '../store/registry/model-store.js';
import type { VersionedPolicy } from '../store/registry/policy-store.js';
import { type StoreSettings, storeSettings } from '../store/settings.js';
import { type Store, storeOver } from '../store/store.js';
import { thisUser } from '../store/this-user.js';
import { type BatchPart, followResults } from './batches/batch.js';
import { BatchFeed, type EnqueuedBatch } from './batches/batch-feed.js';
import { ChunkCutter } from './batches/chunk-cutter.js';
import { answerKey, type EventJobInput, eventJobId, eventJobText, QUEUES } from './contract.js';
import { AnswerWaiter } from './events/answer-waiter.js';
import { EventBackpressure } from './events/event-backpressure.js';
import { refuseLongDeadline } from './events/event-deadline.js';
import { asEventPolicy, EventPolicies, type EventPolicy } from './events/event-policies.js';
import { type ReadEvent, readEvent } from './events/read-event.js';
import { withId } from './results/result-lines.js';
import { requireRowTarget, requireTarget, targetWarnings } from './rows/required-target.js';
import { RowSource } from './rows/row-source.js';
import type { TableOptions } from './rows/table-format.js';
import { parquetInThread } from './tables/table-host.js';
import { openQueue, type TextQueue } from './text-jobs.js';
import { TrialThread } from './threads/trial-thread.js';
import { checkWebhook } from './webhooks/webhook.js';

export interface BatchInput {
  /** CSV with a header, NDJSON or Parquet, in pieces of any size. */
  readonly source: AsyncIterable<Uint8Array>;
  /** The name of the file. Its ending decides the format; without one, the first bytes do. */
  readonly name: string;
  /** Delimiter, decimal sign and encoding of a table. What is omitted is detected, and told by `onWarning`. */
  readonly table?: TableOptions;
  /** A model of the registry: `name@version`, `name@alias`, or `name` for the latest version. The present version is pinned. */
  readonly model: string;
  /** A policy document, or a reference into the registry of policies. Omitted: any feature may change. */
  readonly policy?: unknown;
  /** Omitted: a new id is generated. The same id with the same content is the same batch; other content is refused. */
  readonly batch?: string;
  /** The longest Parquet file that a stream may bring. Omitted: any length. The file is copied to the temporary folder. */
  readonly maxFileBytes?: number;
  /** Omitted: as many rows as take about half a second. */
  readonly chunkRows?: number;
  /** How long all data of the batch stay after its last progress. Omitted: the value of the settings. */
  readonly ttlSeconds?: number;
  /** The address that is told of the end of the batch. The settings must permit its host. */
  readonly webhook?: string;
  /** The name of the producer; by default user and machine of this process. */
  readonly by?: string;
  /** Ends the wait for room with the signal's reason. Added chunks stay, and a repeated call continues after them. */
  readonly signal?: AbortSignal;
  /** Called now and then, with the rows added so far. */
  onProgress?(rows: number): void;
  /** Called repeatedly while Redis has no room for more. */
  onWait?(reason: string): void;
  onWarning?(text: string): void;
  /** Called with the choices that the policy leaves open, once the batch is accepted. */
  onDefaults?(defaults: Defaults): void;
  /** Called before the first row is added. */
  onAdding?(): void;
}

/** A batch whose model and policy are resolved. */
export interface ResolvedBatch extends Omit<BatchInput, 'model' | 'policy'> {
  readonly model: ModelVersion;
  readonly policy: VersionedPolicy;
}

export type { EnqueuedBatch };

export interface EnqueuedEvent {
  readonly id: string;
  readonly jobId: string;
  /** The key of the content: model, policy, row and target. */
  readonly key: string;
}

export class Producer {
  readonly #store: Store;
  readonly #waiter: AnswerWaiter;
  readonly #eventBackpressure: EventBackpressure;
  readonly #policies = new EventPolicies();
  readonly #queues: { readonly [K in keyof typeof QUEUES]: TextQueue };

  constructor(store: Store) {
    this.#store = store;
    const open = (name: string) => openQueue(name, store.redis, store.settings.queuePrefix);
    this.#waiter = new AnswerWaiter(store);
    this.#queues = { events: open(QUEUES.events), bulk: open(QUEUES.bulk) };
    this.#eventBackpressure = new EventBackpressure(store, this.#queues.events);
  }

  /** Opens its own connection to the given Redis or to REDIS_URL. `close` ends it. */
  static async connect(given: Partial<StoreSettings> = {}): Promise<Producer> {
    const settings = storeSettings(given);
    return new Producer(storeOver(await connect(settings), settings));
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#queues).map((queue) => queue.close()));
    this.#waiter.close();
    this.#store.redis.disconnect();
  }

  /** Refuses an invalid model, policy or header, and rows without any target, before anything is written. */
  async enqueueBatch(input: BatchInput): Promise<EnqueuedBatch> {
    const { models, policies } = this.#store;
    const model = await models.resolve(input.model);
    return this.addBatch({ ...input, model, policy: await policies.accept(input.policy) });
  }

  /** The same for a resolved model and policy. Uses a thread that was started ahead, and ends the thread. */
  async addBatch(input: ResolvedBatch, trial = new TrialThread()): Promise<EnqueuedBatch> {
    let rows: RowSource | undefined;
    try {
      if (input.webhook !== undefined) checkWebhook(input.webhook);
      const opened = await this.#openRows(input, trial);
      rows = opened.rows;
      const { cut, manifest } = await this.#create(input, rows, trial);
      await trial.close();
      if (input.chunkRows !== undefined && (manifest.probe || manifest.chunkRows !== input.chunkRows))
        throw otherCut(manifest);
      await this.#settle(manifest);
      input.onDefaults?.(opened.defaults);
      input.onAdding?.();
      return await new BatchFeed(this.#store, this.#queues.bulk, manifest).add(cut, input);
    } finally {
      await trial.close();
      await rows?.close();
    }
  }

  async #openRows(
    { model, policy, source, name, table, maxFileBytes }: ResolvedBatch,
    trial: TrialThread,
  ): Promise<{ rows: RowSource; defaults: Defaults }> {
    const { features, defaults } = await trial.try(() => this.#store.models.read(model), model, policy);
    const rows = await RowSource.open(source, name, features, table, parquetInThread(maxFileBytes));
    return { rows, defaults };
  }

  async #create(
    input: ResolvedBatch,
    rows: RowSource,
    trial: TrialThread,
  ): Promise<{ cut: ChunkCutter; manifest: Manifest }> {
    const { batches, settings } = this.#store;
    const { model, policy } = input;
    requireTarget(policy.document, rows, model.classes);
    for (const warning of [...rows.warnings, ...targetWarnings(policy.document, rows)]) input.onWarning?.(warning);
    const id = parseDocument(batchIdSchema, input.batch ?? newBatchId(model.name), 'batch');
    const known = input.chunkRows === undefined ? await batches.manifest(id) : undefined;
    const cut = new ChunkCutter(rows);
    const probe = () => cut.probe((chunk) => trial.time(chunk, rows.layout));
    const size = known ?? (input.chunkRows ? { chunkRows: input.chunkRows } : await probe());
    const described = describe({ ...input, batch: id }, rows, settings);
    if (!known) await this.#store.batchIndex.add({ id, createdMs: Date.parse(described.created) });
    const manifest = await batches.create({ ...described, chunkRows: size.chunkRows, probe: size.probe });
    return { cut, manifest };
  }

  /** From here on the versions of the batch cannot be removed. If a version was removed just before, the batch is undone. */
  async #settle({ id, model, policy }: Manifest): Promise<void> {
    const { models, policies, batches } = this.#store;
    try {
      await models.settleOn(model);
      if (policy.version) await policies.settleOn({ name: policy.document.name, version: policy.version });
    } catch (error) {
      await batches.discardEmpty(id);
      throw error;
    }
  }

  /** The results of a batch in the order of its rows, as they arrive. Ends with the last result. */
  results(batch: string, signal?: AbortSignal): AsyncGenerator<BatchPart> {
    return followResults(this.#store, batch, { signal });
  }

  /** The answer appears under the event's id, see `ResultStore.result`, and on the stream of results. Refuses a row without any target. */
  async enqueueEvent(event: Omit<EventJobInput, 'schema'>): Promise<EnqueuedEvent> {
    const value = { schema: 'elsewise.event-job/v1', ...event };
    return this.enqueueRead({ ...readEvent(value, 'event', this.#policies), id: event.id });
  }

  /** The same for an event that is already parsed. */
  async enqueueRead(event: ReadEvent & { readonly id: string }): Promise<EnqueuedEvent> {
    const { models } = this.#store;
    const found = typeof event.model === 'string' ? await models.resolve(event.model) : { ...event.model, classes: [] };
    const model = pinOf(found);
    const policy = await this.#policyOf(event);
    requireRowTarget(event.target !== undefined || policy.namesTarget, found.classes);
    refuseLongDeadline(policy.deadlineMs);
    const key = answerKey(model, policy.digest, event);
    const jobId = eventJobId(key, event.id);
    const letter = letterId('events', jobId);
    const [earlier] = await Promise.all([this.#store.dead.timeOf(letter), this.#eventBackpressure.take()]);
    const text = eventJobText(event, model, event.policy && policy.text);
    const added = await this.#queues.events.add('event', text, { jobId });
    if (await added.isFailed()) await added.retry(); // BullMQ treats an id that failed before as a duplicate
    if (earlier !== undefined) await this.#store.dead.drop(letter, earlier); // an event that is sent again is no longer a dead letter
    return { id: event.id, jobId, key };
  }

  /** Resolves a reference now: the job keeps the version at the time of sending. */
  async #policyOf({ policy: given, overlay }: ReadEvent): Promise<EventPolicy> {
    if (typeof given === 'string') {
      const policy = await this.#store.policies.load(given);
      return overlay ? this.#policies.overlaid(policy.document, overlay, 'body.policy') : asEventPolicy(policy);
    }
    return given ?? asEventPolicy(this.#policies.open(undefined));
  }

  /** Enqueues an event and waits for its answer. Undefined: the wait ended first, and the answer will appear under the event's id. */
  async explain(
    event: Omit<EventJobInput, 'schema'>,
    options: { waitMs: number },
  ): Promise<ResultDocument | undefined> {
    await this.#waiter.listen();
    const enqueued = await this.enqueueEvent(event);
    const answer = await this.#waiter.wait(enqueued, options.waitMs);
    return answer === undefined ? undefined : (JSON.parse(withId(answer, enqueued.id)) as ResultDocument);
  }
}

type Described = Omit<Manifest, 'chunkRows' | 'probe'>;

function describe(
  input: ResolvedBatch & { readonly batch: string },
  { layout }: RowSource,
  { batchTtlSeconds }: StoreSettings,
): Described {
  const { model, policy } = input;
  return {
    schema: 'elsewise.batch/v1',
    id: input.batch,
    model: { name: model.name, version: model.version, digest: model.digest },
    policy: { digest: policy.digest, document: policy.document, version: policy.version },
    layout: layoutSchema.parse(layout),
    ...(input.webhook !== undefined && { webhook: input.webhook }),
    ttlSeconds: input.ttlSeconds ?? batchTtlSeconds,
    by: input.by ?? thisUser(),
    created: new Date().toISOString(),
  };
}

function otherCut({ id }: Manifest): ElsewiseError {
  return new ElsewiseError('conflict', `batch "${id}" exists with chunks of another size: leave the size out`);
}

/** `credit-20260115-093042-1f6e`: shows model and time, and two ids of the same second differ. */
export function newBatchId(model: string): string {
  const [day, time] = new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')
    .split('T');
  return `${model.slice(0, 60)}-${day}-${time}-${randomBytes(2).toString('hex')}`;
}
