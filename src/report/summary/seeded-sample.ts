/**
 * A random sample of a stream, of at most `most` items and `maxBytes` bytes. Each item has a priority, which is a hash of the seed and of
 * the item's number. The sample is the longest beginning of all items in the order of priority that fits: it depends on the items, and not
 * on the order or the chunks in which they come. Every item has the same chance, apart from the limit of bytes, which may cut off the end.
 */
interface Drawn<T> {
  readonly priority: number;
  readonly number: number;
  readonly item: T;
  readonly bytes: number;
}

export class SeededSample<T> {
  readonly #most: number;
  readonly #seed: number;
  readonly #maxBytes: number;
  readonly #bytesOf: (item: T) => number;
  #drawn: Drawn<T>[] = [];
  #bytes = 0;
  /** Items from this priority on are not in the sample. */
  #limit = Number.POSITIVE_INFINITY;
  #offered = 0;

  constructor(most: number, seed: number, maxBytes = Number.POSITIVE_INFINITY, bytesOf = (_: T) => 0) {
    this.#most = most;
    this.#seed = seed;
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
    if (most === 0) this.#limit = 0;
  }

  /** The number of all items that were offered. */
  get offered(): number {
    return this.#offered;
  }

  /** `number`: a number that no other item has. `make`: called only for an item that may be in the sample. */
  offer(number: number, make: () => T): void {
    this.#offered++;
    const priority = hash(this.#seed, number);
    if (priority >= this.#limit) return;
    const item = make();
    const bytes = this.#bytesOf(item);
    this.#drawn.push({ priority, number, item, bytes });
    this.#bytes += bytes;
    if (this.#drawn.length >= 2 * this.#most || this.#bytes > 2 * this.#maxBytes) this.#shrink();
  }

  /** The sample, or the sample of smaller limits, in the order of the numbers. */
  take(most = this.#most, maxBytes = this.#maxBytes): T[] {
    this.#shrink();
    const kept = this.#drawn.slice(0, this.#fitting(most, maxBytes));
    return kept.sort((a, b) => a.number - b.number).map(({ item }) => item);
  }

  #shrink(): void {
    this.#drawn.sort((a, b) => a.priority - b.priority || a.number - b.number);
    const kept = this.#fitting(this.#most, this.#maxBytes);
    if (kept < this.#drawn.length) this.#limit = this.#drawn[kept].priority;
    this.#drawn.length = kept;
    this.#bytes = this.#drawn.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The length of the longest beginning within both limits. */
  #fitting(most: number, maxBytes: number): number {
    let [kept, bytes] = [0, 0];
    while (kept < Math.min(most, this.#drawn.length) && bytes + this.#drawn[kept].bytes <= maxBytes)
      bytes += this.#drawn[kept++].bytes;
    return kept;
  }
}

/** A number in [0, 1) of 53 bits. */
function hash(seed: number, number: number): number {
  const high = mix(mix(seed ^ 0x9e3779b9) ^ (number >>> 0) ^ Math.imul(Math.floor(number / 2 ** 32), 0x85ebca6b));
  const low = mix(high ^ 0x27d4eb2f);
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
}

/** The finaliser of MurmurHash3, as an unsigned number. */
function mix(value: number): number {
  let h = value >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
