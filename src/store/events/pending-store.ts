/** The job for the event of an id, kept for clients that were told to fetch the answer later. */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

export interface PendingEvent {
  readonly jobId: string;
  /** The content key. Absent if an earlier version noted the event. */
  readonly key?: string;
}

export class PendingStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #ttlSeconds: number;

  constructor(redis: RedisClient, keys: Keys, ttlSeconds: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlSeconds = ttlSeconds;
  }

  /** The same id again refers to the latest job. */
  async note(id: string, { jobId, key }: Required<PendingEvent>): Promise<void> {
    await this.#redis.set(this.#keys.pending(id), `${jobId} ${key}`, 'EX', this.#ttlSeconds);
  }

  async eventOf(id: string): Promise<PendingEvent | undefined> {
    const noted = await this.#redis.get(this.#keys.pending(id));
    if (noted === null) return undefined;
    const [jobId, key] = noted.split(' ');
    return { jobId, key };
  }

  /** Returns whether the id was noted. */
  async drop(id: string): Promise<boolean> {
    return (await this.#redis.del(this.#keys.pending(id))) === 1;
  }
}
