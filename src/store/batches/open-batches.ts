/**
 * The versions that open batches use. The registry reads them before it removes a version. The creator of a batch first adds an entry here,
 * then settles on its versions (`VersionedStore.settleOn`). The entry is removed at the end of the batch.
 */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

export interface OpenBatch {
  /** `name@version` */
  readonly model: string;
  /** `name@version`, of a policy from the registry. */
  readonly policy?: string;
  /** ISO 8601. */
  readonly since: string;
}

export type UsedKind = 'model' | 'policy';

export class OpenBatches {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #ttlMs: number;

  constructor(redis: RedisClient, keys: Keys, ttlSeconds: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlMs = ttlSeconds * 1000;
  }

  /** Ids of the open batches that use `name@version`. */
  async using(kind: UsedKind, reference: string): Promise<string[]> {
    const stored = await this.#redis.hgetall(this.#keys.openBatches());
    const entries = Object.entries(stored).map(([id, text]) => ({ id, batch: JSON.parse(text) as OpenBatch }));
    const users = entries.filter(({ batch }) => batch[kind] === reference);
    const isOpen = await Promise.all(users.map(({ id, batch }) => this.#isOpen(id, batch)));
    return users.filter((_, i) => isOpen[i]).map(({ id }) => id);
  }

  /**
   * The entry of an expired batch is not removed by itself. A younger entry counts even before its batch is stored, because the batch may
   * be about to be stored.
   */
  async #isOpen(id: string, { since }: OpenBatch): Promise<boolean> {
    return Date.now() - Date.parse(since) < this.#ttlMs || (await this.#redis.exists(this.#keys.batch(id))) === 1;
  }
}
