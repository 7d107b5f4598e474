/** Counts by key, for keys that come from data: the number of keys is limited, and further keys are counted together. */
export class KeyCounts<K> {
  readonly #most: number;
  readonly #counts = new Map<K, number>();
  /** The number of counts under other keys. */
  others = 0;

  constructor(most = 1000) {
    this.#most = most;
  }

  add(key: K, by = 1): void {
    const known = this.#counts.get(key);
    if (known !== undefined) this.#counts.set(key, known + by);
    else if (this.#counts.size < this.#most) this.#counts.set(key, by);
    else this.others += by;
  }

  merge(other: KeyCounts<K>): void {
    for (const [key, count] of other.#counts) this.add(key, count);
    this.others += other.others;
  }

  get(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Highest counts first, equal counts in the order of their keys. */
  ranked(): [K, number][] {
    return [...this.#counts].sort((a, b) => b[1] - a[1] || compareKeys(a[0], b[0]));
  }
}

const compareKeys = (a: unknown, b: unknown): number => (a === b ? 0 : (a as string) < (b as string) ? -1 : 1);
