/**
 * Backpressure for batches. At `maxmemory` Redis refuses workers as well as producers, and no result can be stored. Producers therefore
 * stop while room is left for the results of all queued rows:
 *
 *   used + (waiting rows of all open batches) * (bytes of a result) < share * maxmemory
 *
 * The bytes of a result are the mean of the batch so far. Without `maxmemory`, the settings limit the bytes of waiting rows of a
 * batch.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readMemoryIfAllowed } from '../../store/redis/memory.js';
import { isRedisFull } from '../../store/redis/redis-trouble.js';
import type { Store } from '../../store/store.js';

const LOOK_EVERY_MS = 250;
/** Bytes of a result before the first result is stored. */
const EXPECTED_RESULT_BYTES = 250;
/** The bytes of a finished row apart from its result: the index of known rows, and Redis's rounding of allocations. */
const BESIDES_BYTES = 60;
const RETRY_MS = 500;
/** The delay between two checks of a waiting producer. Each check reads every open batch. */
const WAIT_MS = 1_000;

export class Backpressure {
  readonly #store: Store;
  readonly #batch: string;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** Bytes left at the last check, less the bytes added since. */
  #left = 0;

  constructor(store: Store, batch: string) {
    this.#store = store;
    this.#batch = batch;
  }

  /**
   * Resolves when this many rows may be added. Calls `onWait` with the reason at each unsuccessful check. Rejects with the reason of the
   * signal.
   */
  async wait(rows: number, onWait: (reason: string) => void, signal?: AbortSignal): Promise<void> {
    this.#left -= rows * (EXPECTED_RESULT_BYTES + BESIDES_BYTES);
    if (this.#left > 0 && performance.now() - this.#lookedMs < LOOK_EVERY_MS) return;
    for (;;) {
      const { left, words } = await this.#look();
      this.#lookedMs = performance.now();
      this.#left = left;
      if (left > 0) return;
      onWait(words);
      await pause(WAIT_MS, signal);
    }
  }

  async #look(): Promise<{ left: number; words: string }> {
    const { redis, settings, batches } = this.#store;
    // A user without permission to read the memory of Redis is limited by the bytes of its own batch.
    const memory = await readMemoryIfAllowed(redis);
    if (memory.limitBytes === 0) {
      const { queuedBytes } = await batches.status(this.#batch);
      const limit = settings.maxQueuedBytes || Number.POSITIVE_INFINITY;
      return { left: limit - queuedBytes, words: `${megabytes(queuedBytes)} of rows wait, no more may` };
    }
    const limit = settings.memoryShare * memory.limitBytes;
    const left = limit - memory.usedBytes;
    const [used, of] = [memory.usedBytes, limit].map(megabytes);
    if (left <= 0) return { left, words: `Redis holds ${used}, of ${of} for batches` }; // full already, whatever results are to come
    const expected = await this.#expectedBytes();
    const words = `Redis holds ${used} and results will take ${megabytes(expected)}, of ${of} for batches`;
    return { left: left - expected, words };
  }

  /** The bytes of the results that are still to come. */
  async #expectedBytes(): Promise<number> {
    const { batches } = this.#store;
    const ids = [...(await batches.open()).keys()];
    const loads = await Promise.all(ids.map((id) => batches.load(id)));
    return loads.reduce((bytes, { rows, answered, resultBytes, queuedBytes }) => {
      const each = BESIDES_BYTES + (answered > 0 ? resultBytes / answered : EXPECTED_RESULT_BYTES);
      return bytes + Math.max(0, (rows - answered) * each - queuedBytes); // rows are freed as results arrive
    }, 0);
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export interface RoomPatience {
  /** Omitted: for ever. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
  onWait?(reason: string): void;
}

/** Retries while Redis refuses to write because it is full. Rejects with the reason of the signal. */
export async function whileFull<T>(
  write: () => Promise<T>,
  { patienceMs, signal, onWait }: RoomPatience = {},
): Promise<T> {
  for (const since = performance.now(); ; ) {
    try {
      return await write();
    } catch (error) {
      if (!isRedisFull(error) || performance.now() - since > (patienceMs ?? Number.POSITIVE_INFINITY)) throw error;
      onWait?.('Redis is full');
      await pause(RETRY_MS, signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
}
