/**
 * Batches: a manifest that never changes, chunks that are added while the input streams in, and totals that grow as the
 * chunks are done. Everything can be repeated: adding the same chunk again changes nothing, adding a different one under
 * the same number is a conflict, so an interrupted `enqueue` is simply run again.
 */
import { canonicalJson } from '../documents/digest.js';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';
import { type Block, unpack } from './block.js';
import type { Keys } from './keys.js';
import { type Chunk, type ChunkState, chunkSchema, type Manifest, manifestSchema } from './manifest.js';
import type { RedisClient } from './redis.js';
import { ADD_CHUNK, DISCARD_EMPTY, FAIL_CHUNK, runScript } from './scripts.js';

export interface BatchStatus {
  readonly manifest: Manifest;
  /** Whether the whole input has been added: before that, `rows` and `chunks` still grow. */
  readonly isSealed: boolean;
  readonly rows: number;
  readonly chunks: number;
  readonly done: number;
  readonly failed: number;
  /** Answered rows by status. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Fields of the batch's hash that count rows by status. */
const COUNT = 'rows:';

export const countField = (status: string): string => `${COUNT}${status}`;

export class BatchStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #ttlSeconds: number;

  constructor(redis: RedisClient, keys: Keys, ttlSeconds: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlSeconds = ttlSeconds;
  }

  /** Gives the manifest that holds: the one that was there first, if it describes the same batch. */
  async create(manifest: Manifest): Promise<Manifest> {
    const key = this.#keys.batch(manifest.id);
    const isFirst = await this.#redis.hsetnx(key, 'manifest', JSON.stringify(manifest));
    await this.#redis.expire(key, this.#ttlSeconds);
    if (isFirst) return manifest;
    const { manifest: first } = await this.status(manifest.id);
    const difference = differenceOf(first, manifest);
    if (!difference) return first;
    throw new ElsewiseError('conflict', `batch "${manifest.id}" exists with another ${difference}: choose another id`);
  }

  /** Takes back a batch that has no chunk yet; another stays. */
  async discardEmpty(id: string): Promise<void> {
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id)];
    const isDiscarded = await runScript(this.#redis, DISCARD_EMPTY, keys, []);
    if (isDiscarded === 1) await this.#redis.hdel(this.#keys.openBatches(), id);
  }

  /** Gives the state of the chunk: `waiting` needs a job, the others do not. */
  async addChunk(id: string, index: number, rows: number, block: Block): Promise<ChunkState> {
    const chunk: Chunk = { state: 'waiting', digest: block.digest, rows };
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id), this.#keys.batchRows(id, index)];
    const args = [index, JSON.stringify(chunk), block.digest, rows, block.data, this.#ttlSeconds];
    const state = (await runScript(this.#redis, ADD_CHUNK, keys, args)) as ChunkState | 'conflict';
    if (state === 'conflict') throw otherRows(id, `chunk ${index} differs`);
    return state;
  }

  /** After the last chunk: the batch has this many and no more. */
  async seal(id: string, chunks: number): Promise<void> {
    const added = await this.#redis.hlen(this.#keys.batchChunks(id));
    if (added !== chunks) throw otherRows(id, `it has ${added} chunks and not ${chunks}`);
    await this.#redis.hset(this.#keys.batch(id), 'sealed', 1);
  }

  async status(id: string): Promise<BatchStatus> {
    const stored = await this.#redis.hgetall(this.#keys.batch(id));
    if (!stored.manifest) throw new ElsewiseError('not-known', `no batch "${id}" is stored (or it has expired)`);
    const number = (name: string) => Number(stored[name] ?? 0);
    const counted = Object.keys(stored).filter((name) => name.startsWith(COUNT));
    return {
      manifest: parseDocument(manifestSchema, JSON.parse(stored.manifest), 'batch'),
      isSealed: stored.sealed === '1',
      rows: number('rows'),
      chunks: number('chunks'),
      done: number('done'),
      failed: number('failed'),
      counts: Object.fromEntries(counted.map((name) => [name.slice(COUNT.length), number(name)])),
    };
  }

  async chunk(id: string, index: number): Promise<Chunk | undefined> {
    return (await this.chunks(id, index, 1))[0];
  }

  /** `count` chunks from one on; undefined where none has been added yet. */
  async chunks(id: string, from: number, count: number): Promise<(Chunk | undefined)[]> {
    const indices = Array.from({ length: count }, (_, i) => from + i);
    const stored = await this.#redis.hmget(this.#keys.batchChunks(id), ...indices.map(String));
    return stored.map((text, i) => (text === null ? undefined : readChunk(text, indices[i])));
  }

  /** The input rows of a chunk; none once its results are stored, or after they expired. */
  async rows(id: string, index: number, digest: string): Promise<Buffer | undefined> {
    const data = await this.#redis.getBuffer(this.#keys.batchRows(id, index));
    return data ? unpack(data, digest, `batch ${id}, rows of chunk ${index}`) : undefined;
  }

  /** Records that a chunk has been given up; no effect on one that is done. */
  async fail(id: string, index: number, chunk: Chunk & { state: 'failed' }): Promise<void> {
    const keys = [this.#keys.batch(id), this.#keys.batchChunks(id), this.#keys.batchNews(id)];
    await runScript(this.#redis, FAIL_CHUNK, keys, [index, JSON.stringify(chunk), this.#ttlSeconds]);
  }

  /**
   * Waits until a chunk is done or has failed, or the time is over; blocks its connection meanwhile. Gives the place in
   * the news to go on from: nothing between two calls is missed.
   */
  async awaitNews(blocked: RedisClient, id: string, after: string, timeoutMs: number): Promise<string> {
    const news = await blocked.xread('COUNT', 1000, 'BLOCK', timeoutMs, 'STREAMS', this.#keys.batchNews(id), after);
    return news?.[0]?.[1].at(-1)?.[0] ?? after;
  }
}

function readChunk(text: string, index: number): Chunk {
  return parseDocument(chunkSchema, JSON.parse(text), `batch.chunks[${index}]`);
}

const IDENTITY: readonly { what: string; of: (manifest: Manifest) => unknown }[] = [
  { what: 'model', of: ({ model }) => model },
  { what: 'policy', of: ({ policy }) => policy.digest },
  { what: 'layout of its rows', of: ({ layout, chunkRows }) => ({ layout, chunkRows }) },
];

function differenceOf(first: Manifest, second: Manifest): string | undefined {
  return IDENTITY.find(({ of }) => canonicalJson(of(first)) !== canonicalJson(of(second)))?.what;
}

function otherRows(id: string, how: string): ElsewiseError {
  return new ElsewiseError('conflict', `batch "${id}" holds other rows (${how}): choose another id`);
}
