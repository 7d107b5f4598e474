/**
 * The workers, by heartbeat. A heartbeat is a record and a key that expires: Redis, not the clock of a reader, decides that a worker is gone.
 * A worker that ends in order removes its record. The record of a worker that died stays for a while.
 */
import { z } from 'zod';
import type { Config } from '../../config.js';
import { listOf } from '../../documents/collections.js';
import { parseDocument } from '../../documents/parse.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

const count = z.int().min(0);

export const heartbeatSchema = z.strictObject({
  id: z.string(),
  host: z.string(),
  pid: count,
  version: z.string().describe('The version of elsewise.'),
  started: z.iso.datetime(),
  seen: z.iso.datetime().describe('The time of the last heartbeat, by the clock of the worker.'),
  threads: count.describe('Solver threads for batches and events together.'),
  queues: listOf(z.string()),
  jobs: listOf(z.strictObject({ queue: z.string(), id: z.string(), since: z.iso.datetime() })).describe(
    'The jobs under way, the oldest first; at most 50.',
  ),
  jobCount: count.describe('The number of jobs under way.'),
});

export type Heartbeat = z.output<typeof heartbeatSchema>;

export interface SeenWorker extends Heartbeat {
  readonly isGone: boolean;
}

type Pulse = Pick<Config['worker'], 'goneAfterMs' | 'rememberGoneMs'>;

export class WorkerRegistry {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #pulse: Pulse;

  constructor(redis: RedisClient, keys: Keys, pulse: Pulse) {
    this.#redis = redis;
    this.#keys = keys;
    this.#pulse = pulse;
  }

  async beat(heartbeat: Heartbeat): Promise<void> {
    await Promise.all([
      this.#redis.hset(this.#keys.workers(), heartbeat.id, JSON.stringify(heartbeat)),
      this.#redis.set(this.#keys.workerAlive(heartbeat.id), '1', 'PX', this.#pulse.goneAfterMs),
    ]);
  }

  async leave(id: string): Promise<void> {
    await Promise.all([this.#redis.hdel(this.#keys.workers(), id), this.#redis.del(this.#keys.workerAlive(id))]);
  }

  /** Living workers first, by host and process. Forgets workers that have been gone for long. */
  async list(): Promise<SeenWorker[]> {
    const stored = Object.values(await this.#redis.hgetall(this.#keys.workers())).map(readHeartbeat);
    const seen = await Promise.all(stored.map(async (worker) => ({ ...worker, isGone: await this.#isGone(worker) })));
    const forgotten = seen.filter((worker) => worker.isGone && this.#isLongGone(worker));
    if (forgotten.length > 0) await this.#redis.hdel(this.#keys.workers(), ...forgotten.map(({ id }) => id));
    return seen.filter((worker) => !forgotten.includes(worker)).sort(inOrder);
  }

  async #isGone({ id }: Heartbeat): Promise<boolean> {
    return (await this.#redis.exists(this.#keys.workerAlive(id))) === 0;
  }

  #isLongGone({ seen }: Heartbeat): boolean {
    return Date.parse(seen) < Date.now() - this.#pulse.rememberGoneMs;
  }
}

const readHeartbeat = (text: string): Heartbeat => parseDocument(heartbeatSchema, JSON.parse(text), 'worker');

const inOrder = (one: SeenWorker, other: SeenWorker): number =>
  Number(one.isGone) - Number(other.isGone) || one.host.localeCompare(other.host) || one.pid - other.pid;
