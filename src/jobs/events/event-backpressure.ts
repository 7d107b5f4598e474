/**
 * Backpressure for single rows. A producer of events is not kept waiting but refused, while there is still room for the answers to
 * all accepted events:
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
/** Of an answer where none has been seen yet. */
const EXPECTED_BYTES = 2_000;
/** Bytes that Redis needs for a key beside its value. */
const KEY_BYTES = 150;
/** Of an event that was added after the look, while it waits. */
const WAITING_BYTES = 2_000;

interface Look {
  /** Bytes that are left, and those that an event takes of them. */
  left: number;
  readonly each: number;
  readonly words: string;
}

/** What cannot be asked just now cannot be added to either, and the adding tells why, or waits. */
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

  /** Takes room for one event; rejects when there is none. */
  async take(): Promise<void> {
    const look = await this.#latest().catch(forgivingTrouble);
    look.left -= look.each + WAITING_BYTES;
    if (look.left < 0) throw new ElsewiseError('redis-full', look.words);
  }

  /** One look serves all who come within a moment. */
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
