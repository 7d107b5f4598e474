/** Which job answers the event of an id, kept for those who were told to come back for the answer. */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

export class PendingStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #ttlSeconds: number;

  constructor(redis: RedisClient, keys: Keys, ttlSeconds: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlSeconds = ttlSeconds;
  }

  /** The same id again means the latest job. */
  async note(id: string, jobId: string): Promise<void> {
    await this.#redis.set(this.#keys.pending(id), jobId, 'EX', this.#ttlSeconds);
  }

  async jobOf(id: string): Promise<string | undefined> {
    return (await this.#redis.get(this.#keys.pending(id))) ?? undefined;
  }
}
