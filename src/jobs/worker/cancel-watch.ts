/** Checks periodically whether work has been cancelled, and then aborts a signal. */

const ASK_EVERY_MS = 500;

export class CancelWatch {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(isCancelled: () => Promise<boolean>) {
    const ask = async () => {
      // a failed check is no cancellation: other calls notice that Redis is unreachable
      if (await isCancelled().catch(() => false)) this.#controller.abort();
    };
    this.#timer = setInterval(() => void ask(), ASK_EVERY_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
