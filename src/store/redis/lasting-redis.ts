/**
 * A connection through Sentinels that ends only when its owner closes it.
 *
 * ioredis asks the Sentinels for the master while it connects. A failover notice, or a disconnect with reconnect, interrupts this question.
 * The client then treats the connection as ended and never tries again. This class starts a new attempt after an unrequested end, with the
 * delay of the retry strategy. A strategy that gives up is respected.
 */
import { Redis, type RedisOptions } from 'ioredis';

/** Replies in the form that all callers here expect. */
type LegacyOptions = RedisOptions & { replyMapping?: 'legacy' };

export class LastingRedis extends Redis {
  #isClosed = false;
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RedisOptions) {
    super(options as LegacyOptions);
    this.on('end', this.#revive);
    this.on('ready', this.#begin);
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) this.#close();
    super.disconnect(reconnect);
  }

  override quit(): Promise<'OK'> {
    this.#close();
    return super.quit();
  }

  /** BullMQ creates its blocking connections with this method. */
  override duplicate(override: Partial<RedisOptions> = {}): Redis {
    return new LastingRedis({ ...this.options, ...override });
  }

  #close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  readonly #begin = (): void => {
    this.#isClosed = false;
    this.#attempt = 0;
  };

  readonly #revive = (): void => {
    if (this.#isClosed) return;
    const delayMs = this.options.retryStrategy?.(++this.#attempt);
    if (typeof delayMs !== 'number') return;
    this.#timer = setTimeout(() => this.#connectAgain(), delayMs);
  };

  /** The event `error` reports a failure, and the next end of the connection comes here again. */
  #connectAgain(): void {
    if (!this.#isClosed) this.connect().catch(() => {});
  }
}
