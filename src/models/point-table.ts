/**
 * Values by point: a hash table whose keys are arrays of numbers. Keys are equal if their numbers are equal bit by bit (0 is not -0). Text
 * keys took a third of the time of a search by scores.
 */
interface Entry<T> {
  readonly point: Float64Array;
  value: T;
  /** Another point with the same hash. */
  next: Entry<T> | undefined;
}

/** A buffer for the longest point that was hashed, as numbers and as words. */
let numbers = new Float64Array(64);
let words = new Uint32Array(numbers.buffer);

/** FNV-1a over words, with a final mix of the bits: round numbers differ only in their upper bits. */
function hashOf(point: Float64Array): number {
  if (point.length > numbers.length) {
    numbers = new Float64Array(2 * point.length);
    words = new Uint32Array(numbers.buffer);
  }
  numbers.set(point);
  let hash = 0x811c9dc5;
  for (let k = 0; k < 2 * point.length; k++) hash = Math.imul(hash ^ words[k], 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) | 0;
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (!Object.is(a[k], b[k])) return false;
  return true;
}

export class PointTable<T> {
  readonly #entries = new Map<number, Entry<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(point: Float64Array): T | undefined {
    return this.#find(hashOf(point), point)?.value;
  }

  has(point: Float64Array): boolean {
    return this.#find(hashOf(point), point) !== undefined;
  }

  /** The table keeps the array of the point. The caller must not change it. */
  set(point: Float64Array, value: T): void {
    const hash = hashOf(point);
    const known = this.#find(hash, point);
    if (known) {
      known.value = value;
      return;
    }
    this.#entries.set(hash, { point, value, next: this.#entries.get(hash) });
    this.#size++;
  }

  delete(point: Float64Array): void {
    const hash = hashOf(point);
    let kept: Entry<T> | undefined;
    let isFound = false;
    for (let entry = this.#entries.get(hash); entry; entry = entry.next) {
      if (isSame(entry.point, point)) isFound = true;
      else kept = { ...entry, next: kept };
    }
    if (!isFound) return;
    this.#size--;
    if (kept) this.#entries.set(hash, kept);
    else this.#entries.delete(hash);
  }

  #find(hash: number, point: Float64Array): Entry<T> | undefined {
    let entry = this.#entries.get(hash);
    while (entry && !isSame(entry.point, point)) entry = entry.next;
    return entry;
  }
}
