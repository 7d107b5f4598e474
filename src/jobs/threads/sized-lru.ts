/**
 * Keeps what was used last within a budget of bytes. The newest entry always stays, however large it is: it is in use,
 * and dropping it would only have it made again.
 */
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
  /** In the order of use, oldest first. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #counts = { hits: 0, misses: 0, evictions: 0 };
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Since the beginning. */
  get counts(): LruCounts {
    return { ...this.#counts };
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    this.#counts[entry ? 'hits' : 'misses']++;
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T, bytes: number): void {
    this.delete(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    this.#evict();
  }

  /** Says how large an entry has turned out to be; it is no use of it. Another value under the key is left alone. */
  resize(key: string, value: T, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry?.value !== value) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes - entry.bytes;
    this.#evict();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#entries.size === 1) return;
      this.delete(key);
      this.#counts.evictions++;
    }
  }
}
