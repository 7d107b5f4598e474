/** Asks now and then whether work has been cancelled, and aborts a signal when it has. */

const ASK_EVERY_MS = 500;

export class CancelWatch {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(isCancelled: () => Promise<boolean>) {
    const ask = async () => {
      // no answer is no cancellation: that Redis is away is noticed by those who need it
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
