/**
 * A circuit breaker that delays requests instead of failing them: a row that waits a few seconds is better than a row without an answer.
 *
 *   closed --failures in a row--> open --pause--> half open: one request tries --answer--> closed
 *                                  ^                                     '--failure--> open, a longer pause
 */
export interface BreakerClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const realClock: BreakerClock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

export class CircuitBreaker {
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  /** Null: closed. */
  #openUntil: number | null = null;
  #isTrying = false;
  #waiters: (() => void)[] = [];

  constructor(
    private readonly clock: BreakerClock = realClock,
    private readonly onChange: (isOpen: boolean) => void = () => {},
  ) {}

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** Whether a request may be sent now. False: the breaker stayed open until `untilMs`. */
  async pass(untilMs: number): Promise<boolean> {
    while (this.#openUntil !== null) {
      const now = this.clock.now();
      if (!this.#isTrying && now >= this.#openUntil) {
        this.#isTrying = true;
        return true;
      }
      if (now >= untilMs) return false;
      await this.#change(Math.min(untilMs, this.#isTrying ? Infinity : this.#openUntil) - now);
    }
    return true;
  }

  succeeded(): void {
    const wasOpen = this.isOpen;
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#openUntil = null;
    this.#isTrying = false;
    if (wasOpen) this.onChange(false);
    this.#wake();
  }

  failed(): void {
    this.#failures++;
    if (this.#openUntil === null && this.#failures < FAILURES_TO_OPEN) return;
    if (this.#openUntil !== null && !this.#isTrying) return; // the result of a request that started before the breaker opened
    if (this.#openUntil === null) this.onChange(true);
    this.#isTrying = false;
    this.#openUntil = this.clock.now() + this.#pauseMs;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs);
    this.#wake();
  }

  #change(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => this.#waiters.push(resolve));
    return Promise.race([woken, this.clock.sleep(Math.max(1, Math.min(ms, MAX_PAUSE_MS)))]);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
