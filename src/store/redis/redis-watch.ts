/**
 * Watches whether Redis answers. A broken connection is noticed at once. A connection whose packets are dropped, or whose server hangs,
 * looks healthy until the kernel gives up many minutes later. The watchdog therefore sends a command periodically. When no reply comes, the
 * watchdog closes all connections, and they are opened again. A new connection without a greeting in that time is closed as well.
 */
import type { RedisClient } from './redis.js';

const ASK_EVERY_MS = 1_000;
const PATIENCE_MS = 3_000;
/** The states of a connection that owes an answer. In the other states the client reconnects by itself. */
const EXPECTING: readonly string[] = ['connect', 'ready'];

export class RedisWatch {
  readonly #asked: RedisClient;
  readonly #all: readonly RedisClient[];
  readonly #timer: NodeJS.Timeout;
  readonly #onSilence: () => void;
  #askedAt: number | undefined;
  #isSilent = false;

  /** `all` connections are closed together, and `onSilence` is called. `asked` must not be a blocking connection. */
  constructor(asked: RedisClient, all: readonly RedisClient[], onSilence = () => {}) {
    this.#asked = asked;
    this.#all = all;
    this.#onSilence = onSilence;
    asked.on('ready', this.#greet);
    this.#timer = setInterval(() => this.#look(), ASK_EVERY_MS);
  }

  get isUp(): boolean {
    return !this.#isSilent && this.#all.every(({ status }) => status === 'ready');
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#asked.off('ready', this.#greet);
  }

  #look(): void {
    if (!EXPECTING.includes(this.#asked.status)) this.#forget();
    else if (this.#askedAt === undefined) this.#ask();
    else if (performance.now() - this.#askedAt > PATIENCE_MS) this.#renew();
  }

  #ask(): void {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    if (this.#asked.status !== 'ready') return; // the greeting of a new connection is the answer
    const end = (isAnswered: boolean) => {
      if (this.#askedAt !== askedAt) return; // the reply belongs to a closed connection and says nothing about the new one
      this.#forget();
      if (isAnswered) this.#isSilent = false;
    };
    this.#asked.ping().then(
      () => end(true),
      () => end(false),
    );
  }

  #forget(): void {
    this.#askedAt = undefined;
  }

  /** Checks a new connection at once. */
  readonly #greet = (): void => this.#ask();

  #renew(): void {
    this.#forget();
    this.#isSilent = true; // set before the connections notice that they are closed
    this.#onSilence();
    for (const connection of this.#all) connection.disconnect(true);
  }
}
