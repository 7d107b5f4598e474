/**
 * Reads events, long ones in a thread: to parse, check and digest a megabyte of JSON takes a second of a busy machine, and the loop
 * has others to serve. The thread is started with the first long event and stays.
 */
import { SolverPool } from '../threads/pool.js';
import { EventPolicies } from './event-policies.js';
import { type EventForm, parseEvent, type ReadEvent, readEvent } from './read-event.js';

/** Up to here the loop is held up for a millisecond or so, and the way to the thread costs nearly as much. */
const LONG_BYTES = 32_768;
const THREAD_FILE = new URL('../../event-thread.js', import.meta.url).href;

export class EventReader {
  readonly policies = new EventPolicies();
  #pool: SolverPool | undefined;

  async read(source: string | Uint8Array, form: EventForm): Promise<ReadEvent> {
    if (source.length <= LONG_BYTES) return readEvent(parseEvent(source, form), form, this.policies);
    this.#pool ??= new SolverPool({ threads: 1, file: THREAD_FILE });
    const bytes = typeof source === 'string' ? Buffer.from(source) : source;
    return this.#pool.runDocument({ kind: 'read', bytes, form });
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}
