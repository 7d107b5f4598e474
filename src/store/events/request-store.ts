/**
 * The stream of requests and its consumer group in Redis. An entry is pending from the moment a consumer takes it until it is settled. A
 * settled entry is deleted: the stream contains only open entries.
 */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { says } from '../redis/redis-words.js';
import { REMOVE_CONSUMERS, runScript } from '../redis/scripts.js';

export interface RequestEntry {
  readonly id: string;
  /** The field `body`; undefined: the entry has none. */
  readonly body: Buffer | undefined;
}

/** An entry that a consumer took and has not settled. */
export interface PendingEntry {
  readonly id: string;
  readonly deliveries: number;
}

const GROUP = 'elsewise-workers';

type RawEntry = readonly [id: Buffer, fields: Buffer[] | null] | null;

export class RequestStore {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#key = keys.requests();
  }

  async add(body: string | Buffer): Promise<string> {
    return (await this.#redis.xadd(this.#key, '*', 'body', body))!;
  }

  /** Starts with the first entry: entries from before the first worker are answered as well. */
  async openGroup(): Promise<void> {
    try {
      await this.#redis.xgroup('CREATE', this.#key, GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!says(error, 'groupExists')) throw error;
    }
  }

  /** Entries that no consumer has taken. Waits for an entry and blocks its connection meanwhile. */
  async take(blocked: RedisClient, consumer: string, count: number, waitMs: number): Promise<RequestEntry[]> {
    const reply = (await blocked.xreadgroupBuffer(
      ...(['GROUP', GROUP, consumer, 'COUNT', count, 'BLOCK', waitMs, 'STREAMS', this.#key, '>'] as const),
    )) as readonly [Buffer, RawEntry[]][] | null;
    return readEntries(reply?.[0]?.[1] ?? []);
  }

  /** Pending entries of any consumer that were idle for this long. */
  async overdue(idleMs: number, count: number): Promise<PendingEntry[]> {
    const rows = (await this.#redis.xpending(this.#key, GROUP, 'IDLE', idleMs, '-', '+', count)) as [
      id: string,
      consumer: string,
      idleMs: number,
      deliveries: number,
    ][];
    return rows.map(([id, , , deliveries]) => ({ id, deliveries }));
  }

  /** Takes over entries that are still overdue. Of several concurrent claims, one gets each entry. */
  async claim(consumer: string, idleMs: number, ids: readonly string[]): Promise<RequestEntry[]> {
    const reply = await this.#redis.callBuffer('XCLAIM', this.#key, GROUP, consumer, idleMs, ...ids);
    return readEntries(reply as RawEntry[]);
  }

  /** Marks entries as in progress. Does not count as a delivery. */
  async touch(consumer: string, ids: readonly string[]): Promise<void> {
    await this.#redis.call('XCLAIM', this.#key, GROUP, consumer, 0, ...ids, 'JUSTID');
  }

  /** Acknowledges and deletes an entry. */
  async settle(id: string): Promise<void> {
    await this.#redis.multi().xack(this.#key, GROUP, id).xdel(this.#key, id).exec();
  }

  /** Removes consumers without pending entries that were silent for this long, or only the one of that name. */
  async removeConsumers(silentMs: number, only?: string): Promise<string[]> {
    const args = [GROUP, silentMs, ...(only === undefined ? [] : [only])];
    return (await runScript(this.#redis, REMOVE_CONSUMERS, [this.#key], args)) as string[];
  }

  /** Entries that wait or are being answered. */
  length(): Promise<number> {
    return this.#redis.xlen(this.#key);
  }

  /** The numbers of untaken and taken entries, and the time (ms of the epoch) of the oldest. */
  async depth(): Promise<{ waiting: number; pending: number; oldest: number | undefined }> {
    const [length, [pending], [first]] = await Promise.all([
      this.length(),
      this.#redis.xpending(this.#key, GROUP) as Promise<[number]>,
      this.#redis.xrange(this.#key, '-', '+', 'COUNT', 1),
    ]);
    return { waiting: Math.max(0, length - pending), pending, oldest: first && Number(first[0].split('-')[0]) };
  }
}

/** A pending entry that was deleted from the stream comes without fields. */
function readEntries(raw: readonly RawEntry[]): RequestEntry[] {
  return raw.flatMap((entry) => (entry?.[1] ? [{ id: entry[0].toString(), body: bodyOf(entry[1]) }] : []));
}

function bodyOf(fields: readonly Buffer[]): Buffer | undefined {
  for (let i = 0; i + 1 < fields.length; i += 2) if (fields[i].toString() === 'body') return fields[i + 1];
  return undefined;
}
