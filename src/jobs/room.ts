/**
 * Room in Redis. At `maxmemory` Redis refuses workers as well as producers, and then nothing drains; so producers stop early
 * enough for the results of what is queued already:
 *
 *   used + (rows that wait, of all open batches) * (bytes of a result) < share * maxmemory
 *
 * A result's bytes are what those of the batch took so far. Without `maxmemory` a batch may have so many bytes of rows
 * waiting as the settings say.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../store/store.js';

export interface Pressure {
  /** Words for a progress line; undefined when there is room. */
  readonly reason: string | undefined;
}

const LOOK_EVERY_MS = 250;
/** Of a result that nobody has seen yet. */
const EXPECTED_RESULT_BYTES = 250;
const RETRY_MS = 500;

export class Room {
  readonly #store: Store;
  readonly #batch: string;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(store: Store, batch: string) {
    this.#store = store;
    this.#batch = batch;
  }

  /** Resolves when more may be added; tells once per look why not. Rejects by the signal. */
  async wait(onWait: (reason: string) => void, signal?: AbortSignal): Promise<void> {
    if (performance.now() - this.#lookedMs < LOOK_EVERY_MS) return;
    for (;;) {
      const reason = await this.#lack();
      this.#lookedMs = performance.now();
      if (reason === undefined) return;
      onWait(reason);
      await sleep(RETRY_MS, undefined, { signal });
    }
  }

  async #lack(): Promise<string | undefined> {
    const { redis, settings, batches } = this.#store;
    const memory = readMemory(await redis.info('memory'));
    if (memory.max === 0) {
      const { queuedBytes } = await batches.status(this.#batch);
      const isFull = settings.maxQueuedBytes > 0 && queuedBytes >= settings.maxQueuedBytes;
      return isFull ? `${megabytes(queuedBytes)} of rows wait, no more may` : undefined;
    }
    const limit = settings.memoryShare * memory.max;
    const expected = await this.#expectedBytes();
    if (memory.used + expected < limit) return undefined;
    return `Redis holds ${megabytes(memory.used)} and results will take ${megabytes(expected)}, of ${megabytes(limit)} for batches`;
  }

  /** Of the results that are still to come. */
  async #expectedBytes(): Promise<number> {
    const { batches } = this.#store;
    let bytes = 0;
    for (const id of (await batches.open()).keys()) {
      const status = await batches.status(id).catch(() => undefined);
      if (!status) continue;
      const { rows, answered, resultBytes, queuedBytes } = status;
      const each = answered > 0 ? resultBytes / answered : EXPECTED_RESULT_BYTES;
      bytes += Math.max(0, (rows - answered) * each - queuedBytes); // rows go as results come
    }
    return bytes;
  }
}

function readMemory(info: string): { used: number; max: number } {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { used: number('used_memory'), max: number('maxmemory') };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

interface Patience {
  /** Left out: for ever. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
  onWait?(reason: string): void;
}

/** Tries again as long as Redis refuses to write because it is full. */
export async function whileFull<T>(write: () => Promise<T>, { patienceMs, signal, onWait }: Patience = {}): Promise<T> {
  for (const since = performance.now(); ; ) {
    try {
      return await write();
    } catch (error) {
      if (!isFull(error) || performance.now() - since > (patienceMs ?? Number.POSITIVE_INFINITY)) throw error;
      onWait?.('Redis is full');
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

/** A script that is refused says so in a longer sentence. */
function isFull(error: unknown): boolean {
  return error instanceof Error && /\bOOM\b/.test(error.message);
}
