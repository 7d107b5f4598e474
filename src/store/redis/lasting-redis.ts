/**
 * A connection through Sentinels that ends only when its owner closes it.
 *
 * ioredis asks the Sentinels for the master while it connects. A notice of a failover, or a disconnect that shall reconnect, that comes in this
 * moment breaks the question off. The client then takes the connection for ended and never tries again. Here an end that nobody asked for
 * is followed by a new attempt, after the delay of the retry strategy; a strategy that gives up is not overruled.
 */
import { Redis, type RedisOptions } from 'ioredis';

/** Replies in the form that all readers here expect. */
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

  /** BullMQ makes its blocking connections by this. */
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

  /** What fails is told by the event `error`, and the next end comes here again. */
  #connectAgain(): void {
    if (!this.#isClosed) this.connect().catch(() => {});
  }
}
