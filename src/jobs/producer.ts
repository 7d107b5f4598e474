/**
 * Puts work into the queues. Rows go to the store as compressed blocks, jobs only name them; ids follow from the content,
 * so whatever was interrupted is simply done again and nothing is there twice.
 */
import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';
import type { ResultDocument } from '../documents/result-document.js';
import { batchIdSchema, type Manifest, pinOf } from '../store/batches/manifest.js';
import { letterId } from '../store/events/dead-store.js';
import { connect } from '../store/redis/redis.js';
import type { ModelVersion } from '../store/registry/model-store.js';
import type { VersionedPolicy } from '../store/registry/policy-store.js';
import { type StoreSettings, storeSettings } from '../store/settings.js';
import { type Store, storeOver } from '../store/store.js';
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
import { RowSource } from './rows/row-source.js';
import { openQueue, type TextQueue } from './text-jobs.js';
import { TrialThread } from './threads/trial-thread.js';

export interface BatchInput {
  /** CSV with a header or NDJSON, in pieces of any size. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Of the file: its ending decides the format; without one, the first byte does. */
  readonly name: string;
  /** A model of the registry: `name@version`, `name@alias`, or `name` for the latest version; the present version is pinned. */
  readonly model: string;
  /** A policy document, or a reference into the registry of policies; left out, anything may change. */
  readonly policy?: unknown;
  /** Left out, one is made up. The same id and content again is the same batch, other content is refused. */
  readonly batch?: string;
  /** Left out, as many as take about half a second. */
  readonly chunkRows?: number;
  /** How long everything of the batch stays after its last progress; left out, as the settings say. */
  readonly ttlSeconds?: number;
  /** The name of the producer; by default user and machine of this process. */
  readonly by?: string;
  /** Ends the waiting for room, with its reason; what has been added stays, and the same again goes on from there. */
  readonly signal?: AbortSignal;
  /** Called now and then, with the rows added so far. */
  onProgress?(rows: number): void;
  /** Called again and again while Redis has no room for more. */
  onWait?(reason: string): void;
  onWarning?(text: string): void;
}

/** A batch whose model and policy have been looked up. */
export interface ResolvedBatch extends Omit<BatchInput, 'model' | 'policy'> {
  readonly model: ModelVersion;
  readonly policy: VersionedPolicy;
}

export type { EnqueuedBatch };

export interface EnqueuedEvent {
  readonly id: string;
  readonly jobId: string;
  /** Of its content: model, policy, row and target. */
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

  /** Over a connection of its own, to the given Redis or that of REDIS_URL. Ends with `close`. */
  static async connect(given: Partial<StoreSettings> = {}): Promise<Producer> {
    const settings = storeSettings(given);
    return new Producer(storeOver(await connect(settings), settings));
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#queues).map((queue) => queue.close()));
    this.#waiter.close();
    this.#store.redis.disconnect();
  }

  /** Refuses a bad model, policy or header before anything is written. */
  async enqueueBatch(input: BatchInput): Promise<EnqueuedBatch> {
    const { models, policies } = this.#store;
    const model = await models.resolve(input.model);
    return this.addBatch({ ...input, model, policy: await policies.accept(input.policy) });
  }

  /** The same for a model and a policy that were looked up before. Takes a thread that was started ahead, and ends it. */
  async addBatch(input: ResolvedBatch, trial = new TrialThread()): Promise<EnqueuedBatch> {
    const { cut, manifest } = await this.#create(input, trial).finally(() => trial.close());
    if (input.chunkRows !== undefined && (manifest.probe || manifest.chunkRows !== input.chunkRows))
      throw otherCut(manifest);
    await this.#settle(manifest);
    return new BatchFeed(this.#store, this.#queues.bulk, manifest).add(cut, input);
  }

  async #create(input: ResolvedBatch, trial: TrialThread): Promise<{ cut: ChunkCutter; manifest: Manifest }> {
    const { models, batches, settings } = this.#store;
    const { model, policy } = input;
    const features = await trial.try(() => models.read(model), model, policy);
    const rows = await RowSource.open(input.source, input.name, features);
    for (const warning of rows.warnings) input.onWarning?.(warning);
    const id = parseDocument(batchIdSchema, input.batch ?? newBatchId(model.name), 'batch');
    const known = input.chunkRows === undefined ? await batches.manifest(id) : undefined;
    const cut = new ChunkCutter(rows);
    const probe = () => cut.probe((chunk) => trial.time(chunk, rows.layout));
    const size = known ?? (input.chunkRows ? { chunkRows: input.chunkRows } : await probe());
    const described = describe({ ...input, batch: id }, rows, settings);
    const manifest = await batches.create({ ...described, chunkRows: size.chunkRows, probe: size.probe });
    return { cut, manifest };
  }

  /** From here on the versions of the batch cannot be removed. A version that was removed just before undoes the batch. */
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

  /** The results of a batch in the order of its rows, while they arrive; ends with the last one. */
  results(batch: string, signal?: AbortSignal): AsyncGenerator<BatchPart> {
    return followResults(this.#store, batch, { signal });
  }

  /** The answer appears under the event's id, see `ResultStore.result`, and on the stream of results. */
  async enqueueEvent(event: Omit<EventJobInput, 'schema'>): Promise<EnqueuedEvent> {
    const value = { schema: 'elsewise.event-job/v1', ...event };
    return this.enqueueRead({ ...readEvent(value, 'event', this.#policies), id: event.id });
  }

  /** The same with an event that has been read. */
  async enqueueRead(event: ReadEvent & { readonly id: string }): Promise<EnqueuedEvent> {
    const { models } = this.#store;
    const model = pinOf(typeof event.model === 'string' ? await models.resolve(event.model) : event.model);
    const policy = await this.#policyOf(event.policy);
    refuseLongDeadline(policy.deadlineMs);
    const key = answerKey(model, policy.digest, event);
    const jobId = eventJobId(key, event.id);
    const letter = letterId('events', jobId);
    const [earlier] = await Promise.all([this.#store.dead.timeOf(letter), this.#eventBackpressure.take()]);
    const text = eventJobText(event, model, event.policy && policy.text);
    const added = await this.#queues.events.add('event', text, { jobId });
    if (await added.isFailed()) await added.retry(); // BullMQ takes an id that failed before for a duplicate
    if (earlier !== undefined) await this.#store.dead.drop(letter, earlier); // an event that is sent again is not given up
    return { id: event.id, jobId, key };
  }

  /** A reference is followed now: the job keeps the version of the moment of sending. */
  async #policyOf(given: ReadEvent['policy']): Promise<EventPolicy> {
    if (typeof given === 'string') return asEventPolicy(await this.#store.policies.load(given));
    return given ?? asEventPolicy(this.#policies.open(undefined));
  }

  /** Enqueues an event and waits for its answer; undefined when it takes longer: it will appear under the event's id. */
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
    layout: layout.format === 'csv' ? { ...layout, featureColumns: [...layout.featureColumns] } : layout,
    ttlSeconds: input.ttlSeconds ?? batchTtlSeconds,
    by: input.by ?? thisUser(),
    created: new Date().toISOString(),
  };
}

/** A container may run as a user that has no name. */
function thisUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`;
  }
}

function otherCut({ id }: Manifest): ElsewiseError {
  return new ElsewiseError('conflict', `batch "${id}" exists with chunks of another size: leave --chunk-rows out`);
}

/** `credit-20260115-093042-1f6e`: says what and when, and two of the same second differ. */
export function newBatchId(model: string): string {
  const [day, time] = new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')
    .split('T');
  return `${model.slice(0, 60)}-${day}-${time}-${randomBytes(2).toString('hex')}`;
}
