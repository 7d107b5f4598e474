/**
 * Whether Redis is there, for requests that come and for those under way. One that stands still answers no command and breaks
 * no connection, so whoever waits for it is told by a signal; the commands themselves are sent again when it goes on, which
 * does no harm: all that is stored goes by its content.
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

  /** Aborted with what to tell the caller when Redis no longer answers; a new one from then on. */
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
