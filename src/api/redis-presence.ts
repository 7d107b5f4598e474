/**
 * Whether Redis answers, for new requests and for requests in progress. A Redis that hangs answers no command and breaks no connection. An
 * abort signal therefore ends every wait for Redis. Redis may still receive the pending commands later. This does no harm, because all
 * writes are keyed by content.
 */
import { ElsewiseError } from '../documents/error.js';
import type { RedisClient } from '../store/redis/redis.js';
import { RedisWatch } from '../store/redis/redis-watch.js';

export class RedisPresence {
  readonly #watch: RedisWatch;
  #silence = new AbortController();

  constructor(redis: RedisClient) {
    this.#watch = new RedisWatch(redis, [redis], () => this.#endAll());
  }

  get isUp(): boolean {
    return this.#watch.isUp;
  }

  /** Aborted with the error for the caller when Redis no longer answers. A new signal then replaces it. */
  get silence(): AbortSignal {
    return this.#silence.signal;
  }

  stop(): void {
    this.#watch.stop();
  }

  #endAll(): void {
    const ended = this.#silence;
    this.#silence = new AbortController();
    ended.abort(new ElsewiseError('redis-away', 'Redis does not answer'));
  }
}
