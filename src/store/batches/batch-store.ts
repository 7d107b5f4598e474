/**
 * Batches: a manifest that never changes, chunks that are added while the input streams in, and totals that grow as the chunks are done.
 * Every operation can be repeated: adding the same chunk again changes nothing, and adding a different chunk under the same number is a
 * conflict. An interrupted `enqueue` is therefore simply run again.
 */
import { canonicalJson } from '../../documents/digest.js';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { type Block, unpack } from '../codec/block.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import {
  ADD_CHUNK,
  CANCEL_BATCH,
  CREATE_BATCH,
  DISCARD_EMPTY,
  DROP_ROWS,
  FAIL_CHUNK,
  REVIVE_CHUNK,
  runScript,
  SEAL_BATCH,
  SET_BATCH_FIELD,
} from '../redis/scripts.js';
import {
  type ChunkFacts,
  type ChunkOrigin,
  type ChunkState,
  chunkSchema,
  generationOf,
  type Manifest,
  type ManifestChunk,
  manifestSchema,
} from './manifest.js';
import type { OpenBatch } from './open-batches.js';

export interface BatchStatus {
  readonly manifest: Manifest;
  /** Whether the whole input has been added. Before that, `rows` and `chunks` still grow. */
  readonly isSealed: boolean;
  readonly isCancelled: boolean;
  readonly rows: number;
  readonly chunks: number;
  readonly done: number;
  readonly failed: number;
  /** Rows with a result, in total and by status. */
  readonly answered: number;
  readonly counts: Readonly<Record<string, number>>;
  /** A digest over the digests of all chunks, once sealed: the same for the same input. */
  readonly input: string | undefined;
  /** Compressed bytes in Redis. */
  readonly queuedBytes: number;
  readonly resultBytes: number;
  /** The last message to the address that the batch names. Undefined: none has been sent yet. */
  readonly webhook: WebhookOutcome | undefined;
  /** The times at which the first and the last chunk so far were done, in ms, and the number of rows of the first. */
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  readonly firstRows: number;
}

/** The outcome of a message about the end of a batch. */
export interface WebhookOutcome {
  /** The state that the message told of. */
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly outcome: 'delivered' | 'failed';
  readonly at: string;
  readonly attempts: number;
  readonly reason?: string;
}

/** The end of a batch that its address was not told of yet. */
export interface BatchEnd {
  readonly generation: string;
  readonly state: WebhookOutcome['state'];
}

export interface BatchProgress {
  readonly chunks: number;
  /** Chunks that wait for their results. */
  readonly waiting: number;
  /** Whether the batch has ended for good, or is gone. A failed batch may still be retried. */
  readonly isOver: boolean;
  readonly unannounced: BatchEnd | undefined;
}

/** The present and future memory of a batch in Redis. */
export type BatchLoad = Pick<BatchStatus, (typeof LOAD)[number]>;

const LOAD = ['rows', 'answered', 'resultBytes', 'queuedBytes'] as const;

/** The number of found rows by cost, in buckets that the counting side defines. */
export interface CostSketch {
  readonly buckets: ReadonlyMap<number, number>;
  readonly sum: number;
}

/** Prefix of the fields in the batch's hash that count rows by status. */
const COUNT = 'rows:';

export const countField = (status: string): string => `${COUNT}${status}`;

/** The number of chunk keys whose time to live is set in one call. */
const TOUCHED_AT_ONCE = 1_000;

export class BatchStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /**
   * Returns the valid manifest: the earlier one, if it describes the same batch. The open-batch entry is written before the batch exists
   * and removed after its end, since the two are not in one slot of a Cluster. A process that dies in between leaves a surplus entry, which
   * `sweep` removes, and never a missing one.
   */
  async create(manifest: Manifest): Promise<Manifest> {
    const { id, model, policy, ttlSeconds } = manifest;
    const key = this.#keys.batch(id);
    if (!(await this.#redis.hexists(key, 'manifest'))) {
      const open: OpenBatch = {
        model: `${model.name}@${model.version}`,
        ...(policy.version && { policy: `${policy.document.name}@${policy.version}` }),
        since: manifest.created,
      };
      await this.#redis.hsetnx(this.#keys.openBatches(), id, JSON.stringify(open));
    }
    const args = [JSON.stringify(manifest), ttlSeconds, generationOf(manifest), manifest.webhook ? 1 : 0];
    const isFirst = await runScript(this.#redis, CREATE_BATCH, [key], args);
    if (isFirst === 1) return manifest;
    const { manifest: first, isCancelled } = await this.status(id);
    if (isCancelled) throw wasCancelled(id);
    const difference = differenceOf(first, manifest);
    if (!difference) return first;
    throw new ElsewiseError('conflict', `batch "${id}" exists with another ${difference}: choose another id`);
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#redis.exists(this.#keys.batch(id))) === 1;
  }

  async manifest(id: string): Promise<Manifest | undefined> {
    const text = await this.#redis.hget(this.#keys.batch(id), 'manifest');
    return text === null ? undefined : parseDocument(manifestSchema, JSON.parse(text), 'batch');
  }

  /** Deletes a batch without chunks. Other batches stay. */
  async discardEmpty(id: string): Promise<void> {
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id)];
    const isDiscarded = await runScript(this.#redis, DISCARD_EMPTY, keys, []);
    if (isDiscarded === 1) await this.#redis.hdel(this.#keys.openBatches(), id);
  }

  /** Returns the state of the chunk. Only `waiting` needs a job. */
  async addChunk(id: string, index: number, facts: ChunkFacts, { data }: Block): Promise<ChunkState> {
    const { digest, firstRow, rows } = facts;
    const chunk: ManifestChunk = { state: 'waiting', digest, firstRow, rows };
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id), this.#keys.batchRows(id, index)];
    const args = [index, JSON.stringify(chunk), digest, rows, data];
    const state = (await runScript(this.#redis, ADD_CHUNK, keys, args)) as ChunkState | keyof typeof REFUSALS;
    if (state in REFUSALS) throw REFUSALS[state as keyof typeof REFUSALS](id, index);
    return state as ChunkState;
  }

  /** Called after the last chunk: the batch has exactly this many. `input`: a digest over all of them. */
  async seal(id: string, chunks: number, input: string): Promise<void> {
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id)];
    const added = await runScript(this.#redis, SEAL_BATCH, keys, [chunks, input]);
    if (added === 'gone') throw REFUSALS.gone(id);
    if (added !== chunks) throw otherRows(id, `it has ${added} chunks and not ${chunks}`);
  }

  /** No further chunk is given to a worker. `done`: too late, all chunks are done. */
  async cancel(id: string): Promise<'cancelled' | 'done'> {
    const keys = [this.#keys.batch(id), this.#keys.batchNews(id)];
    const outcome = (await runScript(this.#redis, CANCEL_BATCH, keys, [Date.now()])) as 'cancelled' | 'done' | 'gone';
    if (outcome === 'gone') throw notStored(id);
    return outcome;
  }

  async isCancelled(id: string): Promise<boolean> {
    return (await this.#redis.hexists(this.#keys.batch(id), 'cancelled')) === 1;
  }

  /** Frees the rows of the waiting chunks of a cancelled batch. */
  async dropRows(id: string, indices: readonly number[]): Promise<void> {
    if (indices.length === 0) return;
    const rows = indices.map((index) => this.#keys.batchRows(id, index));
    await runScript(this.#redis, DROP_ROWS, [this.#keys.batch(id), ...rows], []);
  }

  /** Makes a failed chunk wait again. False: it has not failed, or its rows are gone. */
  async revive(manifest: Manifest, index: number, { digest, firstRow, rows }: ChunkFacts): Promise<boolean> {
    const { id } = manifest;
    const chunk: ManifestChunk = { state: 'waiting', digest, firstRow, rows };
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id), this.#keys.batchRows(id, index)];
    return (
      (await runScript(this.#redis, REVIVE_CHUNK, keys, [index, JSON.stringify(chunk), generationOf(manifest)])) === 1
    );
  }

  /** The part of the status that decides whether a batch has ended. */
  async progress(id: string): Promise<BatchProgress> {
    const fields = [
      'sealed',
      'cancelled',
      'ttl',
      'webhook',
      'announced',
      'generation',
      'chunks',
      'done',
      'failed',
    ] as const;
    const [sealed, cancelled, ttl, webhook, announced, generation, ...counts] = await this.#redis.hmget(
      this.#keys.batch(id),
      ...fields,
    );
    const [chunks, done, failed] = counts.map(Number);
    const isDone = sealed !== null && chunks === done;
    const isFailed = sealed !== null && failed > 0 && chunks === done + failed;
    const isOver = ttl === null || cancelled !== null || isDone;
    const state = cancelled !== null ? 'cancelled' : isDone ? 'done' : isFailed ? 'failed' : undefined;
    const isNews = webhook !== null && state !== undefined && state !== announced;
    return {
      chunks,
      waiting: isOver ? 0 : chunks - done - failed,
      isOver,
      unannounced: isNews ? { state, generation: generation! } : undefined,
    };
  }

  /** Removes a batch from the list of open batches. */
  async leaveOpen(id: string): Promise<void> {
    await this.#redis.hdel(this.#keys.openBatches(), id);
  }

  /** Records that the message about this end is in the queue. */
  async markAnnounced(id: string, { generation, state }: BatchEnd): Promise<void> {
    await this.#writeTo(id, generation, 'announced', state);
  }

  async recordWebhook(id: string, generation: string, outcome: WebhookOutcome): Promise<void> {
    await this.#writeTo(id, generation, 'webhookOutcome', JSON.stringify(outcome));
  }

  /** No effect on a batch that is gone, nor on another batch of that id. */
  async #writeTo(id: string, generation: string, field: string, value: string): Promise<void> {
    await runScript(this.#redis, SET_BATCH_FIELD, [this.#keys.batch(id)], [generation, field, value]);
  }

  async open(): Promise<Map<string, OpenBatch>> {
    const stored = await this.#redis.hgetall(this.#keys.openBatches());
    return new Map(Object.entries(stored).map(([id, text]) => [id, JSON.parse(text) as OpenBatch]));
  }

  /** Lets all keys of a batch expire at the same moment, one time to live from now. */
  async touch(id: string): Promise<void> {
    const keys = this.#keys;
    const { manifest, chunks } = await this.status(id);
    const at = Math.ceil(Date.now() / 1000) + manifest.ttlSeconds;
    const common = [keys.batch(id), keys.batchChunks(id), keys.batchNews(id), keys.batchCosts(id)];
    for (let from = 0; from < Math.max(1, chunks); from += TOUCHED_AT_ONCE) {
      const indices = Array.from({ length: Math.min(TOUCHED_AT_ONCE, chunks - from) }, (_, i) => from + i);
      const parts = indices.flatMap((index) => [keys.batchRows(id, index), keys.batchResults(id, index)]);
      const pipeline = this.#redis.pipeline();
      for (const key of from === 0 ? [...common, ...parts] : parts) pipeline.expireat(key, at);
      await pipeline.exec();
    }
  }

  async costs(id: string): Promise<CostSketch> {
    const { sum, ...counts } = await this.#redis.hgetall(this.#keys.batchCosts(id));
    const buckets = new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), Number(count)]));
    return { buckets, sum: Number(sum ?? 0) };
  }

  async status(id: string): Promise<BatchStatus> {
    const stored = await this.#redis.hgetall(this.#keys.batch(id));
    if (!stored.manifest) throw notStored(id);
    const number = (name: string) => Number(stored[name] ?? 0);
    const counted = Object.keys(stored).filter((name) => name.startsWith(COUNT));
    return {
      manifest: parseDocument(manifestSchema, JSON.parse(stored.manifest), 'batch'),
      isSealed: stored.sealed === '1',
      isCancelled: stored.cancelled !== undefined,
      rows: number('rows'),
      chunks: number('chunks'),
      done: number('done'),
      failed: number('failed'),
      answered: number('answered'),
      input: stored.input,
      queuedBytes: number('queuedBytes'),
      resultBytes: number('resultBytes'),
      webhook: stored.webhookOutcome === undefined ? undefined : (JSON.parse(stored.webhookOutcome) as WebhookOutcome),
      firstAt: stored.firstAt === undefined ? undefined : Number(stored.firstAt),
      lastAt: stored.lastAt === undefined ? undefined : Number(stored.lastAt),
      firstRows: number('firstRows'),
      counts: Object.fromEntries(counted.map((name) => [name.slice(COUNT.length), number(name)])),
    };
  }

  /** The part of the status that is read often; zeros for a batch that is gone. */
  async load(id: string): Promise<BatchLoad> {
    const stored = await this.#redis.hmget(this.#keys.batch(id), ...LOAD);
    return Object.fromEntries(LOAD.map((name, i) => [name, Number(stored[i] ?? 0)])) as unknown as BatchLoad;
  }

  async chunk(id: string, index: number): Promise<ManifestChunk | undefined> {
    return (await this.chunks(id, index, 1))[0];
  }

  /** The generation of the batch that has this id now. */
  async generation(id: string): Promise<string | undefined> {
    return (await this.#redis.hget(this.#keys.batch(id), 'generation')) ?? undefined;
  }

  /** The chunk for which a job was made. `isStale`: its batch is gone, and another batch has the same id. */
  async find(origin: ChunkOrigin): Promise<{ chunk?: ManifestChunk; generation?: string; isStale: boolean }> {
    const [chunk, generation] = await Promise.all([
      this.chunk(origin.batch, origin.chunk),
      this.generation(origin.batch),
    ]);
    const isOther = generation !== undefined && origin.generation !== undefined && generation !== origin.generation;
    return { chunk, generation, isStale: isOther || (chunk !== undefined && chunk.digest !== origin.digest) };
  }

  /** `count` chunks from an index on; undefined for chunks that are not added yet. */
  async chunks(id: string, from: number, count: number): Promise<(ManifestChunk | undefined)[]> {
    const indices = Array.from({ length: count }, (_, i) => from + i);
    const stored = await this.#redis.hmget(this.#keys.batchChunks(id), ...indices.map(String));
    return stored.map((text, i) => (text === null ? undefined : readChunk(text, indices[i])));
  }

  /** The input rows of a chunk. Undefined after its results are stored, or after expiry. */
  async rows(id: string, index: number, digest: string): Promise<Buffer | undefined> {
    const data = await this.#redis.getBuffer(this.#keys.batchRows(id, index));
    return data ? unpack(data, digest, `batch ${id}, rows of chunk ${index}`) : undefined;
  }

  /** Records that a chunk was given up. No effect on a finished chunk, nor on another batch of that id. */
  async fail(id: string, index: number, chunk: ManifestChunk & { state: 'failed' }, generation = ''): Promise<void> {
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id), this.#keys.batchNews(id)];
    await runScript(this.#redis, FAIL_CHUNK, keys, [index, JSON.stringify(chunk), generation]);
  }

  /**
   * Waits until a chunk is done or has failed, or until the timeout. Blocks its connection meanwhile. Returns the position in the stream to
   * continue from, so no entry between two calls is missed.
   */
  async awaitNews(blocked: RedisClient, id: string, after: string, timeoutMs: number): Promise<string> {
    const news = await blocked.xread('COUNT', 1000, 'BLOCK', timeoutMs, 'STREAMS', this.#keys.batchNews(id), after);
    return news?.[0]?.[1].at(-1)?.[0] ?? after;
  }
}

function readChunk(text: string, index: number): ManifestChunk {
  return parseDocument(chunkSchema, JSON.parse(text), `batch.chunks[${index}]`);
}

const IDENTITY: readonly { what: string; of: (manifest: Manifest) => unknown }[] = [
  { what: 'model', of: ({ model }) => model },
  { what: 'policy', of: ({ policy }) => policy.digest },
  { what: 'layout of its rows', of: ({ layout }) => layout },
];

function differenceOf(first: Manifest, second: Manifest): string | undefined {
  return IDENTITY.find(({ of }) => canonicalJson(of(first)) !== canonicalJson(of(second)))?.what;
}

const REFUSALS = {
  conflict: (id: string, index: number) => otherRows(id, `chunk ${index} differs`),
  cancelled: (id: string) => wasCancelled(id),
  gone: (id: string) => new ElsewiseError('not-known', `batch "${id}" expired while it was added to`),
} as const;

function notStored(id: string): ElsewiseError {
  return new ElsewiseError('not-known', `no batch "${id}" is stored (or it has expired)`);
}

function wasCancelled(id: string): ElsewiseError {
  return new ElsewiseError('conflict', `batch "${id}" was cancelled: choose another id`);
}

function otherRows(id: string, how: string): ElsewiseError {
  return new ElsewiseError('conflict', `batch "${id}" holds other rows (${how}): choose another id`);
}
