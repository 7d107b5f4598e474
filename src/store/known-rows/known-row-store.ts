/**
 * An index of known rows: row key -> batch, chunk and line, or the answer to an event. Each plan (a model version under a policy) has its
 * own index. The index is only a hint: its target may be gone, and another batch may have the same id. Batches are therefore identified by
 * id and generation.
 *
 * A Redis key for each row would take more memory than its result. Row keys are therefore fields of small hashes, which Redis
 * keeps as one run of bytes while a hash has at most 128 fields: about 25 bytes per row. The right number of buckets depends on
 * the number of rows. There are levels of 2^6, 2^8, ... buckets. A level is filled to 90 rows per bucket on average, then the next
 * level is used. A search looks into all levels in use.
 *
 * Time is cut into epochs of the cache's time to live. A search looks into the present epoch and the one before. An epoch expires
 * as a whole: an entry is found for at least the time to live and gone after twice that time.
 */
import { asBuffer } from '../codec/byte-streams.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { runScript } from '../redis/scripts.js';
import { ADD_KNOWN_ROWS, FIND_KNOWN_ROWS } from './known-row-scripts.js';

/** The location of an answer. */
export type KnownRowReference =
  | (BatchName & { readonly chunk: number; readonly line: number })
  | { readonly answer: string };

/** A batch by id and generation, see `generationOf`. */
export interface BatchName {
  readonly batch: string;
  readonly generation: string;
}

/** Row keys are 16 bytes each, concatenated. A key of zeros belongs to no row. */
export type RowKeys = Uint8Array;

export const KEY_BYTES = 16;
const EVENT_MARK = 0xff;
const MAX_SOURCES_KEPT = 10_000;
/** The number of rows in one script: Redis is blocked meanwhile, and an event must not wait for a batch. */
const SLICE_ROWS = 64;

export class KnownRowStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #ttlSeconds: number;
  /** Batches by the key and number under which an index knows them. */
  readonly #sources = new Map<string, string>();

  /** `ttlSeconds` 0: nothing is looked up and nothing is kept. */
  constructor(redis: RedisClient, keys: Keys, ttlSeconds: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlSeconds = ttlSeconds;
  }

  get isOn(): boolean {
    return this.#ttlSeconds > 0;
  }

  /** Whether the index of a plan has entries that the batch itself did not write. */
  async hasOthers(plan: string, own: BatchName | undefined): Promise<boolean> {
    const fields = ['sources', 'events', `batch:${own ? sourceOf(own) : ''}`];
    const found = await Promise.all(this.#epochs(plan).map((key) => this.#redis.hmget(key, ...fields)));
    return found.some(([sources, events, own]) => events !== null || Number(sources ?? 0) > (own === null ? 0 : 1));
  }

  /** The location of each row's answer. */
  async find(plan: string, rows: RowKeys): Promise<(KnownRowReference | undefined)[]> {
    const epochs = this.#epochs(plan);
    const found: (Buffer | null)[] = [];
    for (const { part } of slicesOf(rows)) {
      const some = await runScript(this.#redis, FIND_KNOWN_ROWS, epochs, [asBuffer(part)], 'binary');
      found.push(...(some as (Buffer | null)[]));
    }
    await this.#learnSources(epochs, found);
    return found.map((value) => (value ? this.#read(epochs[value[0]], value.subarray(1)) : undefined));
  }

  /** Adds the rows of a chunk, in order: the n-th key belongs to the n-th line of its results. */
  async addChunk(plan: string, batch: BatchName, chunk: number, rows: RowKeys): Promise<void> {
    const [epoch] = this.#epochs(plan);
    for (const { part, first } of slicesOf(rows)) {
      const args = [asBuffer(part), this.#expiresAt(), sourceOf(batch), chunk, first];
      await runScript(this.#redis, ADD_KNOWN_ROWS, [epoch], args);
    }
  }

  /** Adds the row of an event, whose answer is stored under a key of 32 hexadecimal digits. */
  async addAnswer(plan: string, row: RowKeys, answer: string): Promise<void> {
    const [epoch] = this.#epochs(plan);
    const value = (await storedReference(this.#redis, epoch, { answer }))!;
    await runScript(this.#redis, ADD_KNOWN_ROWS, [epoch], [asBuffer(row), this.#expiresAt(), '', value, 0]);
  }

  /** The present epoch and the one before. */
  #epochs(plan: string): [string, string] {
    const now = this.#epoch();
    return [this.#keys.knownRows(plan, now), this.#keys.knownRows(plan, now - 1)];
  }

  #epoch(): number {
    return Math.floor(Date.now() / 1000 / this.#ttlSeconds);
  }

  #expiresAt(): number {
    return (this.#epoch() + 2) * this.#ttlSeconds;
  }

  #read(epoch: string, value: Buffer): KnownRowReference | undefined {
    if (value[0] === EVENT_MARK) return { answer: value.toString('hex', 1) };
    const [batch, generation] = this.#sources.get(`${epoch} ${value.readUInt16BE(0)}`)?.split('@') ?? [];
    if (batch === undefined || generation === undefined) return undefined;
    return { batch, generation, chunk: value.readUIntBE(2, 3), line: value.readUInt16BE(5) };
  }

  async #learnSources(epochs: readonly string[], found: readonly (Buffer | null)[]): Promise<void> {
    const unknown = new Map<string, [key: string, number: number]>();
    for (const value of found) {
      if (!value || value[1] === EVENT_MARK) continue;
      const [key, number] = [epochs[value[0]], value.readUInt16BE(1)];
      if (!this.#sources.has(`${key} ${number}`)) unknown.set(`${key} ${number}`, [key, number]);
    }
    if (this.#sources.size > MAX_SOURCES_KEPT) this.#sources.clear();
    await Promise.all(
      [...unknown].map(async ([name, [key, number]]) => {
        const batch = await this.#redis.hget(key, `source:${number}`);
        if (batch !== null) this.#sources.set(name, batch);
      }),
    );
  }
}

/** The value under which the index of an epoch knows a place. Undefined: the epoch does not know the batch. */
export async function storedReference(
  redis: RedisClient,
  epoch: string,
  place: KnownRowReference,
): Promise<Buffer | undefined> {
  if ('answer' in place) return Buffer.concat([Buffer.from([EVENT_MARK]), Buffer.from(place.answer, 'hex')]);
  const source = await redis.hget(epoch, `batch:${sourceOf(place)}`);
  if (source === null) return undefined;
  const value = Buffer.alloc(7);
  value.writeUInt16BE(Number(source), 0);
  value.writeUIntBE(place.chunk, 2, 3);
  value.writeUInt16BE(place.line, 5);
  return value;
}

/** A batch id has no `@`. */
const sourceOf = ({ batch, generation }: BatchName): string => `${batch}@${generation}`;

function* slicesOf(rows: RowKeys): Generator<{ part: RowKeys; first: number }> {
  for (let first = 0; first * KEY_BYTES < rows.length; first += SLICE_ROWS)
    yield { part: rows.subarray(first * KEY_BYTES, (first + SLICE_ROWS) * KEY_BYTES), first };
}
