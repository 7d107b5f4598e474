/** The memory of prepared plans: the share of each thread, and the total that threads report. */
import { config } from '../../config.js';
import type { LruCounts } from '../../explain/sized-lru.js';

const MB = 2 ** 20;

/** The share of each of the threads. */
export function planShareBytes(threads: number): number {
  return (config.worker.planMemoryMb * MB) / threads;
}

/** The plans that a thread keeps, and its hits and misses since its start. */
export interface PlanUse extends LruCounts {
  readonly thread: number;
  readonly plans: number;
  readonly bytes: number;
  /** Engines that the thread has loaded. */
  readonly engineLoads: number;
}

/** Adds up the reports of threads that come and go. Counts never fall; the memory of a dead thread is subtracted. */
export class PlanLedger {
  readonly #latest = new Map<number, PlanUse>();
  readonly #counts = { hits: 0, misses: 0, evictions: 0 };

  note(use: PlanUse): void {
    const before = this.#latest.get(use.thread);
    for (const name of ['hits', 'misses', 'evictions'] as const)
      this.#counts[name] += use[name] - (before?.[name] ?? 0);
    this.#latest.set(use.thread, use);
  }

  total(living: readonly number[]): Omit<PlanUse, 'thread'> {
    for (const thread of this.#latest.keys()) if (!living.includes(thread)) this.#latest.delete(thread);
    const kept = [...this.#latest.values()];
    const sum = (of: (use: PlanUse) => number) => kept.reduce((total, use) => total + of(use), 0);
    return {
      ...this.#counts,
      plans: sum(({ plans }) => plans),
      bytes: sum(({ bytes }) => bytes),
      engineLoads: sum(({ engineLoads }) => engineLoads),
    };
  }
}
