/**
 * Liveness by progress. A worker whose connection recovered badly can look alive and never take a job again. A worker is therefore
 * judged by its progress: jobs wait, the worker has room, and no job has started or ended for too long. A worker that is busy to
 * its limit is alive: its pool ends rows that overrun. Each queue is judged separately: answered events prove nothing about
 * batches.
 */
import type { ProbeVerdict } from './http.js';

const PATIENCE_MS = 60_000;

export interface Situation {
  /** Jobs that could be taken: waiting in a queue that is not paused. */
  readonly waiting: number;
  readonly hasRoom: boolean;
}

export class Liveness {
  readonly #now: () => number;
  /** By queue: since when it makes no progress although it should. */
  readonly #stuckSince = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A job of the queue was taken or ended. */
  progress(queue: string): void {
    this.#stuckSince.delete(queue);
  }

  /** Must be called every few seconds while Redis is connected, and not otherwise. */
  observe(queue: string, { waiting, hasRoom }: Situation): void {
    if (waiting === 0 || !hasRoom) this.#stuckSince.delete(queue);
    else if (!this.#stuckSince.has(queue)) this.#stuckSince.set(queue, this.#now());
  }

  verdict(): ProbeVerdict {
    for (const [queue, since] of this.#stuckSince) {
      const seconds = Math.round((this.#now() - since) / 1000);
      if (this.#now() - since >= PATIENCE_MS)
        return { isGood: false, reason: `jobs wait in ${queue} and none was taken for ${seconds} s` };
    }
    return { isGood: true, reason: 'alive' };
  }
}
