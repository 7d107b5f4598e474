/**
 * Waits for the answer to an event, or finds a stored answer. The content key of the job identifies the answer, so an older answer under
 * the same id is never mistaken for it.
 */
import { ElsewiseError, storedError } from '../documents/error.js';
import { QUEUES } from '../jobs/contract.js';
import { AnswerWaiter } from '../jobs/events/answer-waiter.js';
import type { EnqueuedEvent } from '../jobs/producer.js';
import { withId } from '../jobs/results/result-lines.js';
import { openQueue, type TextQueue } from '../jobs/text-jobs.js';
import { isMalformed, letterId } from '../store/events/dead-store.js';
import { PendingStore } from '../store/events/pending-store.js';
import { Keys } from '../store/keys.js';
import type { Store } from '../store/store.js';
import type { WaitSlots } from './wait-slots.js';

export interface Patience {
  readonly waitMs: number;
  /** Ends the wait like a timeout. */
  readonly signal: AbortSignal;
}

export class EventAnswers {
  readonly #store: Store;
  readonly #queue: TextQueue;
  readonly #pending: PendingStore;
  readonly #waiter: AnswerWaiter;
  readonly #waitSlots: WaitSlots;

  constructor(store: Store, waitSlots: WaitSlots) {
    const { redis, settings } = store;
    this.#store = store;
    this.#queue = openQueue(QUEUES.events, redis, settings.queuePrefix);
    this.#pending = new PendingStore(redis, new Keys(settings.keyPrefix), settings.answerTtlSeconds);
    this.#waiter = new AnswerWaiter(store);
    this.#waitSlots = waitSlots;
  }

  async close(): Promise<void> {
    this.#waiter.close();
    await this.#queue.close();
  }

  /**
   * The result document as JSON. Undefined if it is not there in time; `find` then knows the event. When all wait slots are taken, the
   * store is checked once without waiting.
   */
  async await(event: EnqueuedEvent, patience: Patience): Promise<string | undefined> {
    const leave = this.#waitSlots.take();
    try {
      const answer = await this.#look(event, leave ? patience : { ...patience, waitMs: 0 });
      // An answer that was known before its job ran is not stored under the id yet. `find` then searches it by its content.
      await this.#pending.note(event.id, event);
      return answer && withId(answer, event.id);
    } finally {
      leave?.();
    }
  }

  /** The answer under an id; `pending` while its job waits or runs, undefined for an unknown id. */
  async find(id: string): Promise<string | 'pending' | undefined> {
    const event = await this.#pending.eventOf(id);
    if (!event || !(await this.#isOpen(event.jobId))) return this.#store.results.result(id);
    const known = event.key && (await this.#store.results.answer(event.key));
    return known ? withId(known, id) : 'pending';
  }

  /** The store is checked in any case. A call before the event is added makes the answer arrive at once. */
  listen(): Promise<void> {
    return this.#waiter.listen();
  }

  async #look(event: EnqueuedEvent, { waitMs, signal }: Patience): Promise<string | undefined> {
    const answer = await this.#waiter.wait(event, waitMs, signal);
    if (answer === undefined) await this.#isOpen(event.jobId);
    return answer;
  }

  /** Whether the job has not ended. Throws the error of a failed job. */
  async #isOpen(jobId: string): Promise<boolean> {
    const state = await this.#queue.getJobState(jobId);
    if (state !== 'unknown' && state !== 'completed') return true;
    const letter = await this.#store.dead.find(letterId('events', jobId));
    if (!letter) return false;
    if (isMalformed(letter)) throw new ElsewiseError('damaged', 'the stored event cannot be read');
    throw storedError(letter);
  }
}
