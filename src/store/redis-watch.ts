/**
 * Whether Redis answers. A connection that breaks says so; one whose packets are dropped on the way looks well until the
 * kernel gives up on it, many minutes later. So one connection is asked now and then, and when no answer comes, all are
 * broken off and made anew.
 */
import type { RedisClient } from './redis.js';

const ASK_EVERY_MS = 1_000;
const PATIENCE_MS = 3_000;

export class RedisWatch {
  readonly #asked: RedisClient;
  readonly #all: readonly RedisClient[];
  readonly #timer: NodeJS.Timeout;
  #askedAt: number | undefined;

  /** `all` are given up together; the asked one must not be one that blocks. */
  constructor(asked: RedisClient, all: readonly RedisClient[]) {
    this.#asked = asked;
    this.#all = all;
    this.#timer = setInterval(() => this.#look(), ASK_EVERY_MS);
  }

  get isUp(): boolean {
    return this.#all.every(({ status }) => status === 'ready');
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#asked.status !== 'ready') this.#askedAt = undefined;
    else if (this.#askedAt === undefined) this.#ask();
    else if (performance.now() - this.#askedAt > PATIENCE_MS) this.#renew();
  }

  #ask(): void {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    const answered = () => {
      if (this.#askedAt === askedAt) this.#askedAt = undefined;
    };
    this.#asked.ping().then(answered, answered);
  }

  #renew(): void {
    this.#askedAt = undefined;
    for (const connection of this.#all) connection.disconnect(true);
  }
}
