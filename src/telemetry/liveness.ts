/**
 * Liveness by progress. A worker whose connection recovered badly can look alive and take no job ever again, so it is
 * judged by what it does: work is waiting, it has room for it, and yet nothing has started or ended for too long.
 * A worker that is busy to its limit is alive: its pool ends rows that overrun.
 */
import type { Verdict } from './http.js';

const PATIENCE_MS = 60_000;

export interface Situation {
  /** Jobs that could be taken: waiting in a queue that is not paused. */
  readonly waiting: number;
  readonly hasRoom: boolean;
}

export class Liveness {
  readonly #now: () => number;
  /** Since when it has been idle although it should not be. */
  #stuckSince: number | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A job was taken or ended. */
  progress(): void {
    this.#stuckSince = undefined;
  }

  /** To be called every few seconds while Redis is connected; not at all while it is not. */
  observe({ waiting, hasRoom }: Situation): void {
    if (waiting > 0 && hasRoom) this.#stuckSince ??= this.#now();
    else this.#stuckSince = undefined;
  }

  verdict(): Verdict {
    const idleMs = this.#stuckSince === undefined ? 0 : this.#now() - this.#stuckSince;
    if (idleMs < PATIENCE_MS) return { isGood: true, reason: 'alive' };
    return { isGood: false, reason: `jobs are waiting and none was taken for ${Math.round(idleMs / 1000)} s` };
  }
}
