/**
 * A cache within a budget of bytes. The least recently used entry is dropped first. The newest entry always stays, even if it exceeds the
 * budget: it is in use, and the next row would build it again.
 *
 * lru-cache refuses an entry above its limit. A larger entry therefore counts as the whole budget, which drops all others.
 */
import { LRUCache } from 'lru-cache';

export interface LruCounts {
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

export class SizedLru<T> {
  readonly #maxBytes: number;
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #counts = { hits: 0, misses: 0, evictions: 0 };
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = Math.max(1, Math.floor(maxBytes));
    this.#entries = new LRUCache({
      maxSize: this.#maxBytes,
      dispose: ({ bytes }, _key, reason) => {
        this.#bytes -= bytes;
        if (reason === 'evict') this.#counts.evictions++;
      },
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts since the creation of the cache. */
  get counts(): LruCounts {
    return { ...this.#counts };
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    this.#counts[entry ? 'hits' : 'misses']++;
    return entry?.value;
  }

  set(key: string, value: T, bytes: number): void {
    const size = Math.max(1, Math.min(Math.ceil(bytes), this.#maxBytes));
    this.#entries.set(key, { value, bytes }, { size });
    this.#bytes += bytes;
  }

  /** Sets the present size of an entry. If the key now has another value, nothing changes. */
  resize(key: string, value: T, bytes: number): void {
    const entry = this.#entries.peek(key);
    if (entry?.value === value && entry.bytes !== bytes) this.set(key, value, bytes);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
