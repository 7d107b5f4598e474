/**
 * Waits for answers to events. Messages on a channel only wake the waiter. The store decides, and a lost message costs a fraction of a
 * second. One subscription serves all waiters of this process.
 */
import { type ElsewiseError, storedError } from '../../documents/error.js';
import type { AnswerNews } from '../../store/batches/result-store.js';
import { duplicateOf, type RedisClient } from '../../store/redis/redis.js';
import type { Store } from '../../store/store.js';

/** The awaited answer: its content key, and the job that computes it. */
export interface Awaited {
  readonly key: string;
  readonly jobId: string;
}

interface Inbox {
  /** Resolves with a message, after the timeout or by the signal. Rejects if there will be no answer. */
  next(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  close(): void;
}

const LOOK_EVERY_MS = 250;

export class AnswerWaiter {
  readonly #store: Store;
  readonly #waiting = new Map<string, Set<(news: AnswerNews) => void>>();
  #connection: RedisClient | undefined;
  #listening: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Must be called before the event is enqueued, so that no message is missed. */
  listen(): Promise<void> {
    this.#listening ??= this.#subscribe().catch((error) => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }

  /** The answer, or undefined after the timeout or an abort. Rejects with the reason if there will be no answer. */
  async wait({ key, jobId }: Awaited, waitMs: number, signal?: AbortSignal): Promise<string | undefined> {
    const until = performance.now() + waitMs;
    const inbox = this.#open(key, jobId);
    try {
      for (;;) {
        const answer = await this.#store.results.answer(key);
        const left = until - performance.now();
        if (answer !== undefined || left <= 0 || signal?.aborted) return answer;
        await inbox.next(Math.min(left, LOOK_EVERY_MS), signal);
      }
    } finally {
      inbox.close();
    }
  }

  close(): void {
    this.#connection?.disconnect();
  }

  async #subscribe(): Promise<void> {
    this.#connection ??= duplicateOf(this.#store.redis); // it reconnects by itself, and the store is polled meanwhile
    await this.#store.results.subscribe(this.#connection, (news) => {
      const address = 'failure' in news ? news.job : news.key;
      for (const tell of this.#waiting.get(address) ?? []) tell(news);
    });
  }

  /** Messages about one key or job, from now on. */
  #open(...addresses: readonly string[]): Inbox {
    let failure: ElsewiseError | undefined;
    let isNews = false;
    let wake = () => {};
    const tell = (news: AnswerNews) => {
      if ('failure' in news) failure = storedError(news.failure);
      isNews = true;
      wake();
    };
    for (const address of addresses) this.#waiting.set(address, (this.#waiting.get(address) ?? new Set()).add(tell));
    const next = async (timeoutMs: number, signal?: AbortSignal) => {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener('abort', resolve as () => void, { once: true });
        if (isNews || signal?.aborted) resolve();
        else timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      isNews = false;
      if (failure) throw failure;
    };
    return { next, close: () => this.#forget(addresses, tell) };
  }

  #forget(addresses: readonly string[], tell: (news: AnswerNews) => void): void {
    for (const address of addresses) {
      const listeners = this.#waiting.get(address);
      listeners?.delete(tell);
      if (listeners?.size === 0) this.#waiting.delete(address);
    }
  }
}
