/**
 * Bulk operations on dead letters, with their progress. A process works on an operation while it holds the lease. The lease of a process
 * that dies expires, and another process continues behind the last place on record.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { parseDocument } from '../../documents/parse.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { actionEntrySchema } from './action-log.js';

const count = z.int().min(0);

export const operationSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(['replay-letters', 'drop-letters']),
  state: z.enum(['running', 'done', 'stopped', 'failed']),
  /** The letters of a group that died up to a time, or a selection by id. */
  group: z.string().optional(),
  until: z.iso.datetime().optional(),
  ids: listOf(z.string()).optional(),
  /** The place of the last letter that was treated: in the group, or the number of ids. */
  place: z.string().optional(),
  total: count,
  done: count.describe('Letters that were replayed or dropped.'),
  stayed: count.describe('Letters that cannot be replayed, or were gone already.'),
  started: z.iso.datetime(),
  ended: z.iso.datetime().optional(),
  /** The entry of the log of actions. */
  entry: actionEntrySchema,
});

export type Operation = z.output<typeof operationSchema>;

/** Ended operations on record. */
const ENDED_KEPT = 20;
const LEASE_MS = 15_000;
const STOP_SECONDS = 86_400;

export class OperationStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async write(operation: Operation): Promise<void> {
    await this.#redis.hset(this.#keys.operations(), operation.id, JSON.stringify(operation));
  }

  async find(id: string): Promise<Operation | undefined> {
    const text = await this.#redis.hget(this.#keys.operations(), id);
    return text === null ? undefined : readOperation(text);
  }

  /** The latest first. */
  async list(): Promise<Operation[]> {
    const stored = (await this.#redis.hvals(this.#keys.operations())).map(readOperation);
    return stored.sort((one, other) => (one.started < other.started ? 1 : -1));
  }

  /** Removes the oldest operations that have ended. */
  async forgetOld(): Promise<void> {
    const ended = (await this.list()).filter(({ state }) => state !== 'running');
    const old = ended.slice(ENDED_KEPT).map(({ id }) => id);
    if (old.length > 0) await this.#redis.hdel(this.#keys.operations(), ...old);
  }

  /** Whether the lease is now the holder's. */
  async take(id: string, holder: string): Promise<boolean> {
    return (await this.#redis.set(this.#keys.operationLease(id), holder, 'PX', LEASE_MS, 'NX')) === 'OK';
  }

  /** False: another process has taken over. */
  async renew(id: string, holder: string): Promise<boolean> {
    const key = this.#keys.operationLease(id);
    if ((await this.#redis.get(key)) !== holder) return false;
    await this.#redis.pexpire(key, LEASE_MS);
    return true;
  }

  async release(id: string): Promise<void> {
    await this.#redis.del(this.#keys.operationLease(id));
  }

  async askToStop(id: string): Promise<void> {
    await this.#redis.set(this.#keys.operationStop(id), '1', 'EX', STOP_SECONDS);
  }

  async isToStop(id: string): Promise<boolean> {
    return (await this.#redis.exists(this.#keys.operationStop(id))) === 1;
  }
}

const readOperation = (text: string): Operation => parseDocument(operationSchema, JSON.parse(text), 'operation');
