/**
 * Puts work into the queues. Rows go to the store as compressed blocks, jobs only name them; ids follow from the content,
 * so whatever was interrupted is simply done again and nothing is there twice.
 */
import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { parseDocument } from '../documents/parse.js';
import type { ResultDocument } from '../documents/result-document.js';
import { prepare } from '../explain/plan.js';
import type { LoadedModel } from '../models/load.js';
import { pack } from '../store/block.js';
import { batchIdSchema, type ChunkState, type Manifest } from '../store/manifest.js';
import type { VersionedPolicy } from '../store/policy-store.js';
import { connect } from '../store/redis.js';
import { type StoreSettings, storeSettings } from '../store/settings.js';
import { type Store, storeOver } from '../store/store.js';
import { AnswerWaiter } from './answer-waiter.js';
import { type BatchPart, followResults } from './batch.js';
import {
  type ChunkJob,
  chunkJobId,
  type EventJobInput,
  eventJobId,
  eventJobSchema,
  eventKey,
  QUEUES,
} from './contract.js';
import { queueOptions } from './queues.js';
import { type Chunk, RowSource } from './rows.js';

export interface BatchInput {
  /** CSV with a header or NDJSON, in pieces of any size. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Of the file: its ending decides the format; without one, the first byte does. */
  readonly name: string;
  /** A model of the registry: `name@version`, `name@alias`, or `name` for its latest; what it names now is pinned. */
  readonly model: string;
  /** A policy document, or a reference into the registry of policies; left out, anything may change. */
  readonly policy?: unknown;
  /** Left out, one is made up. The same id and content again is the same batch, other content is refused. */
  readonly batch?: string;
  readonly chunkRows?: number;
  /** Called now and then, with the rows added so far. */
  onProgress?(rows: number): void;
  onWarning?(text: string): void;
}

export interface EnqueuedBatch {
  readonly id: string;
  readonly rows: number;
  readonly chunks: number;
  /** Chunks that an earlier run had finished already. */
  readonly done: number;
}

export interface EnqueuedEvent {
  readonly id: string;
  readonly jobId: string;
  /** Of its content: model, policy, row and target. */
  readonly key: string;
}

/** So many rows are worked in a fraction of a second, and a chunk that is lost with its worker costs little. */
const CHUNK_ROWS = 500;
/** Chunks that are compressed and sent side by side; memory holds no more of the input. */
const GROUP = 16;

export class Producer {
  readonly #store: Store;
  readonly #waiter: AnswerWaiter;
  readonly #queues: { readonly [K in keyof typeof QUEUES]: Queue };

  constructor(store: Store) {
    this.#store = store;
    const open = (name: string) => {
      const queue = new Queue(name, { connection: store.redis, ...queueOptions(store.settings.queuePrefix) });
      return queue.on('error', () => {}); // the call that breaks says so itself
    };
    this.#waiter = new AnswerWaiter(store);
    this.#queues = { events: open(QUEUES.events), bulk: open(QUEUES.bulk) };
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
    const model = await this.#store.models.load(input.model);
    const policy = await this.#store.policies.accept(input.policy);
    await prepare(model, policy);
    const rows = await RowSource.open(input.source, input.name, model);
    for (const warning of rows.warnings) input.onWarning?.(warning);
    const manifest = await this.#store.batches.create(describe(input, model, policy, rows));
    await this.#settle(manifest);
    return this.#addRows(manifest, rows, input);
  }

  /** From here on nobody can remove what the batch uses; if somebody just has, it is as if there had been no batch. */
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

  async #addRows(manifest: Manifest, rows: RowSource, { onProgress }: BatchInput): Promise<EnqueuedBatch> {
    const total = { id: manifest.id, rows: 0, chunks: 0, done: 0 };
    for (let group = await takeGroup(rows, manifest); group.length > 0; group = await takeGroup(rows, manifest)) {
      const states = await this.#addChunks(manifest, group, total.chunks);
      total.chunks += group.length;
      total.rows += group.reduce((sum, chunk) => sum + chunk.rows, 0);
      total.done += states.filter((state) => state === 'done').length;
      onProgress?.(total.rows);
    }
    await this.#store.batches.seal(manifest.id, total.chunks);
    return total;
  }

  /** Blocks first, jobs second: a job never names what is not there. One by one: the first conflict ends it. */
  async #addChunks(manifest: Manifest, chunks: readonly Chunk[], firstIndex: number): Promise<ChunkState[]> {
    const blocks = await Promise.all(chunks.map(({ bytes }) => pack(withoutLeadingLineEnds(bytes), 'passing')));
    const states: ChunkState[] = [];
    const jobs: ReturnType<typeof toJob>[] = [];
    for (const [i, chunk] of chunks.entries()) {
      const index = firstIndex + i;
      const state = await this.#store.batches.addChunk(manifest.id, index, chunk.rows, blocks[i]);
      if (state === 'waiting') jobs.push(toJob(chunkJob(manifest, chunk, index, blocks[i].digest)));
      states.push(state);
    }
    if (jobs.length > 0) await this.#queues.bulk.addBulk(jobs);
    return states;
  }

  /** The results of a batch in the order of its rows, while they arrive; ends with the last one. */
  results(batch: string, signal?: AbortSignal): AsyncGenerator<BatchPart> {
    return followResults(this.#store, batch, signal);
  }

  /** The answer appears under the event's id, see `ResultStore.result`, and on the stream of results. */
  async enqueueEvent(event: Omit<EventJobInput, 'schema'>): Promise<EnqueuedEvent> {
    const job = parseDocument(eventJobSchema, { schema: 'elsewise.event-job/v1', ...event }, 'event');
    const model = typeof job.model === 'string' ? await this.#store.models.resolve(job.model) : job.model;
    const pin = { name: model.name, version: model.version, digest: model.digest };
    const policy = await this.#store.policies.accept(job.policy);
    const key = eventKey(pin.digest, policy.digest, job);
    const jobId = eventJobId(key);
    const pinned = { ...job, model: pin, ...(job.policy && { policy: policy.document }) };
    const added = await this.#queues.events.add('event', pinned, { jobId });
    if (await added.isFailed()) await added.retry(); // BullMQ takes an id that failed before for a duplicate
    return { id: job.id, jobId, key };
  }

  /** Enqueues an event and waits for its answer; undefined when it takes longer: it will appear under the event's id. */
  async explain(
    event: Omit<EventJobInput, 'schema'>,
    options: { waitMs: number },
  ): Promise<ResultDocument | undefined> {
    await this.#waiter.listen();
    const enqueued = await this.enqueueEvent(event);
    const answer = await this.#waiter.wait(enqueued, options.waitMs);
    return answer === undefined ? undefined : { ...(JSON.parse(answer) as ResultDocument), id: enqueued.id };
  }
}

function describe(input: BatchInput, model: LoadedModel, policy: VersionedPolicy, { layout }: RowSource): Manifest {
  return {
    schema: 'elsewise.batch/v1',
    id: parseDocument(batchIdSchema, input.batch ?? newBatchId(model.name), 'batch'),
    model: { name: model.name, version: model.version!, digest: model.digest },
    policy: { digest: policy.digest, document: policy.document, version: policy.version },
    layout: layout.format === 'csv' ? { ...layout, featureColumns: [...layout.featureColumns] } : layout,
    chunkRows: input.chunkRows ?? CHUNK_ROWS,
    created: new Date().toISOString(),
  };
}

/** `credit-20260115-093042-1f6e`: says what and when, and two of the same second differ. */
export function newBatchId(model: string): string {
  const [day, time] = new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')
    .split('T');
  return `${model.slice(0, 60)}-${day}-${time}-${randomBytes(2).toString('hex')}`;
}

async function takeGroup(rows: RowSource, { chunkRows }: Manifest): Promise<Chunk[]> {
  const group: Chunk[] = [];
  while (group.length < GROUP) {
    const chunk = await rows.take(chunkRows);
    if (!chunk) break;
    group.push(chunk);
  }
  return group;
}

/** Whether empty lines come with a chunk depends on how the bytes arrived; its digest must not. */
function withoutLeadingLineEnds(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  return bytes.subarray(Math.max(0, first));
}

function chunkJob(manifest: Manifest, { firstRow, rows }: Chunk, chunk: number, digest: string): ChunkJob {
  const { id: batch, model, policy } = manifest;
  return { schema: 'elsewise.chunk-job/v1', batch, chunk, firstRow, rows, digest, model, policy: policy.digest };
}

function toJob(data: ChunkJob) {
  return { name: 'chunk', data, opts: { jobId: chunkJobId(data.batch, data.chunk) } };
}
