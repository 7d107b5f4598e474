/**
 * Requests to one host, retried with growing, random pauses, behind the circuit breaker of the host. An exchange ends with the parsed
 * answer, or with the last fault. A request without attempts left still waits while the patience lasts and the scorer does not answer: the
 * restart of a scorer costs no row.
 */
import { type AttemptReport, outcomeOf } from '../attempt-report.js';
import { ScorerFault } from '../scorer-fault.js';
import { checkAddress, hostOf } from './address-guard.js';
import { type BreakerClock, CircuitBreaker, realClock } from './circuit-breaker.js';
import { type ExchangeSettings, HttpExchange, type ScorerCall } from './http-exchange.js';

export interface ClientSettings extends ExchangeSettings {
  /** How long a request continues while the scorer does not answer. */
  readonly patienceMs: number;
}

export interface ClientLimits {
  readonly timeoutMs: number;
  readonly retries: number;
}

export interface ClientWatcher {
  onAttempt(report: AttemptReport): void;
  onBreaker(host: string, isOpen: boolean): void;
}

export interface ScorerQuestion<T> {
  readonly call: ScorerCall;
  readonly limits: ClientLimits;
  /** The number of inputs in the request. */
  readonly points: number;
  /** Parses the answer, or throws a `ScorerFault`. */
  read(answer: unknown): T;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;

export class ScorerClient {
  readonly #exchange: HttpExchange;
  readonly #breakers = new Map<string, CircuitBreaker>();

  constructor(
    private readonly settings: ClientSettings,
    private readonly watcher?: ClientWatcher,
    private readonly clock: BreakerClock = realClock,
  ) {
    this.#exchange = new HttpExchange(settings);
  }

  /** Rejects with a `ScorerFault` that names the host. */
  async ask<T>(asked: ScorerQuestion<T>): Promise<T> {
    const host = hostOf(asked.call.url);
    const breaker = this.#breaker(host);
    const untilMs = this.clock.now() + this.settings.patienceMs;
    for (let attempt = 1; ; attempt++) {
      if (!(await breaker.pass(untilMs)))
        throw told(host, new ScorerFault('connection', 'its circuit breaker is open'));
      try {
        return await this.#attempt(asked, host, breaker);
      } catch (error) {
        const fault = error as ScorerFault;
        if (!this.#isWorthAnother(fault, attempt, asked.limits, untilMs)) throw told(host, fault, attempt);
        await this.clock.sleep(pauseMs(attempt));
      }
    }
  }

  /** Throws if the settings do not permit the address. */
  checkAddress(url: string): void {
    checkAddress(new URL(url), this.settings);
  }

  close(): void {
    this.#exchange.close();
  }

  #isWorthAnother(fault: ScorerFault, attempt: number, { retries }: ClientLimits, untilMs: number): boolean {
    if (!fault.isPassing) return false;
    return attempt <= retries || (fault.isAbsence && this.clock.now() < untilMs);
  }

  async #attempt<T>(
    { call, limits, points, read }: ScorerQuestion<T>,
    host: string,
    breaker: CircuitBreaker,
  ): Promise<T> {
    const startMs = this.clock.now();
    let outcome = 'ok';
    try {
      const answer = read(await this.#exchange.send(call, limits.timeoutMs));
      breaker.succeeded();
      outcome = outcomeOf(answer);
      return answer;
    } catch (error) {
      const fault = error instanceof ScorerFault ? error : new ScorerFault('shape', 'the answer cannot be read');
      outcome = fault.kind;
      if (fault.isAbsence) breaker.failed();
      else breaker.succeeded();
      throw fault;
    } finally {
      const seconds = (this.clock.now() - startMs) / 1000;
      this.watcher?.onAttempt({ host, seconds, points, outcome });
    }
  }

  #breaker(host: string): CircuitBreaker {
    const known = this.#breakers.get(host);
    if (known) return known;
    const breaker = new CircuitBreaker(this.clock, (isOpen) => this.watcher?.onBreaker(host, isOpen));
    this.#breakers.set(host, breaker);
    return breaker;
  }
}

function told(host: string, fault: ScorerFault, attempts = 0): ScorerFault {
  const times = attempts > 1 ? ` (${attempts} attempts)` : '';
  return new ScorerFault(fault.kind, `the scorer at ${host}: ${fault.message}${times}`, fault.isPassing);
}

/** Full jitter: requests that failed together do not return together. */
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
}
