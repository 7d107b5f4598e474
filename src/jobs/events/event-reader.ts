/**
 * Reads events, long ones in a thread: parsing, checking and digesting a megabyte of JSON takes a second on a busy machine, and the event
 * loop has other clients. The thread is started with the first long event and stays.
 */

import { EVENT_THREAD } from '../../places.js';
import { SolverPool } from '../threads/pool.js';
import { EventPolicies } from './event-policies.js';
import { type EventForm, parseEvent, type ReadEvent, readEvent } from './read-event.js';

/** Up to this size the loop is blocked for about a millisecond, and the transfer to the thread costs nearly as much. */
const LONG_BYTES = 32_768;

export class EventReader {
  readonly policies = new EventPolicies();
  #pool: SolverPool | undefined;

  async read(source: string | Uint8Array, form: EventForm): Promise<ReadEvent> {
    if (source.length <= LONG_BYTES) return readEvent(parseEvent(source, form), form, this.policies);
    this.#pool ??= new SolverPool({ threads: 1, file: EVENT_THREAD.href });
    const bytes = typeof source === 'string' ? Buffer.from(source) : source;
    return this.#pool.runDocument({ kind: 'read', bytes, form });
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}
