/**
 * Backpressure for single rows. A producer of events does not wait but is refused, while room is left for the answers to all accepted
 * events:
 *
 *   used + (waiting events) * (bytes of an answer) < share * maxmemory
 *
 * An answer is stored three times: under the key of its content, under its id, and on the stream. The latest answer on the stream
 * gives the length. The share is larger than the share of batches (backpressure.ts): a batch never keeps events out.
 */
import type { Queue } from 'bullmq';
import { ElsewiseError } from '../../documents/error.js';
import { readMemoryIfAllowed } from '../../store/redis/memory.js';
import { isRedisTrouble } from '../../store/redis/redis-trouble.js';
import type { Store } from '../../store/store.js';
import { megabytes } from '../batches/backpressure.js';

const LOOK_EVERY_MS = 250;
const COPIES = 3;
/** Bytes of an answer before the first one is seen. */
const EXPECTED_BYTES = 2_000;
/** Bytes that Redis needs for a key in addition to its value. */
const KEY_BYTES = 150;
/** Bytes of a waiting event that was added after the last check. */
const WAITING_BYTES = 2_000;

interface Look {
  /** The remaining bytes, and the bytes of one event. */
  left: number;
  readonly each: number;
  readonly words: string;
}

/** If Redis cannot be asked now, nothing can be added either. The failing add reports the reason, or waits. */
function forgivingTrouble(error: unknown): Look {
  if (isRedisTrouble(error)) return unlimited();
  throw error;
}

const unlimited = (): Look => ({ left: Number.POSITIVE_INFINITY, each: 0, words: '' });

export class EventBackpressure {
  readonly #store: Store;
  readonly #queue: Queue;
  #look: Promise<Look> | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(store: Store, queue: Queue) {
    this.#store = store;
    this.#queue = queue;
  }

  /** Reserves room for one event. Rejects if no room is left. */
  async take(): Promise<void> {
    const look = await this.#latest().catch(forgivingTrouble);
    look.left -= look.each + WAITING_BYTES;
    if (look.left < 0) throw new ElsewiseError('redis-full', look.words);
  }

  /** One check serves all calls within a short time. */
  #latest(): Promise<Look> {
    if (this.#look && performance.now() - this.#lookedMs < LOOK_EVERY_MS) return this.#look;
    this.#lookedMs = performance.now();
    this.#look = this.#lookNow();
    this.#look.catch(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async #lookNow(): Promise<Look> {
    const { redis, settings, results, requests } = this.#store;
    const memory = await readMemoryIfAllowed(redis);
    if (memory.limitBytes === 0) return unlimited();
    const [queued, requested, answerBytes] = await Promise.all([
      this.#queue.getJobCountByTypes('waiting', 'prioritized', 'active', 'delayed'),
      requests.length(),
      results.latestAnswerBytes(),
    ]);
    const each = COPIES * ((answerBytes ?? EXPECTED_BYTES) + KEY_BYTES);
    const expected = (queued + requested) * each;
    const limit = settings.eventMemoryShare * memory.limitBytes;
    const [used, more, of] = [memory.usedBytes, expected, limit].map(megabytes);
    const words = `Redis holds ${used} and answers will take ${more}, of ${of} for events: send it again when workers have caught up`;
    return { left: limit - memory.usedBytes - expected, each, words };
  }
}
