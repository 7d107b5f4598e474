/**
 * The list of all batches, newest first: a sorted set of ids by the time of creation. The entry is written before the batch exists, because
 * the two are not in one slot of a Cluster. A batch that expires leaves its entry behind. Readers and sweeps remove such entries, but none
 * that is so young that its batch may be about to be stored.
 */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { FORGET_ENTRY, runScript } from '../redis/scripts.js';

export interface BatchEntry {
  readonly id: string;
  /** The time of creation in milliseconds. */
  readonly createdMs: number;
}

/** Far longer than the creation of a batch takes. */
const YOUNG_MS = 600_000;

export class BatchIndex {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async add({ id, createdMs }: BatchEntry): Promise<void> {
    await this.#redis.zadd(this.#keys.batchTimes(), createdMs, id);
  }

  /** At most `count` entries, newest first, from the entry after `after` on. */
  async older(count: number, after?: BatchEntry): Promise<BatchEntry[]> {
    const found: BatchEntry[] = [];
    for (let offset = 0; found.length < count; offset += count) {
      const from = after?.createdMs ?? '+inf';
      const range = [this.#keys.batchTimes(), from, '-inf', 'WITHSCORES', 'LIMIT', offset, count] as const;
      const entries = toEntries(await this.#redis.zrevrangebyscore(...range));
      found.push(...entries.filter((entry) => !after || isOlder(entry, after)));
      if (entries.length < count) break;
    }
    return found.slice(0, count);
  }

  /** At most `count` entries from a time on, oldest first, without the young ones. */
  async oldest(fromMs: number, count: number): Promise<BatchEntry[]> {
    const range = [this.#keys.batchTimes(), fromMs, Date.now() - YOUNG_MS, 'WITHSCORES', 'LIMIT', 0, count] as const;
    return toEntries(await this.#redis.zrangebyscore(...range));
  }

  /** Removes the entry of a batch that is gone. A young entry stays, and so does the entry of a later batch of the same id. */
  async forget({ id, createdMs }: BatchEntry): Promise<void> {
    if (Date.now() - createdMs < YOUNG_MS) return;
    await runScript(this.#redis, FORGET_ENTRY, [this.#keys.batchTimes()], [id, createdMs]);
  }
}

function toEntries(reply: readonly string[]): BatchEntry[] {
  return Array.from({ length: reply.length / 2 }, (_, i) => ({
    id: reply[2 * i],
    createdMs: Number(reply[2 * i + 1]),
  }));
}

/** In the order of Redis: by time, and by id for batches of the same millisecond. */
function isOlder(entry: BatchEntry, than: BatchEntry): boolean {
  return entry.createdMs === than.createdMs ? entry.id < than.id : entry.createdMs < than.createdMs;
}
