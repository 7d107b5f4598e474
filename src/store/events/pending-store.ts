/** Which job answers the event of an id, kept for those who were told to come back for the answer. */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

export interface PendingEvent {
  readonly jobId: string;
  /** Of its content. Absent where an earlier version noted the event. */
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

  /** The same id again means the latest job. */
  async note(id: string, { jobId, key }: Required<PendingEvent>): Promise<void> {
    await this.#redis.set(this.#keys.pending(id), `${jobId} ${key}`, 'EX', this.#ttlSeconds);
  }

  async eventOf(id: string): Promise<PendingEvent | undefined> {
    const noted = await this.#redis.get(this.#keys.pending(id));
    if (noted === null) return undefined;
    const [jobId, key] = noted.split(' ');
    return { jobId, key };
  }
}
