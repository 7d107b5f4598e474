/**
 * Short arrays of zeros, as views into longer arrays. An array of its own costs six times as much where the engine keeps its numbers outside
 * of the heap. A view keeps its long array in memory, so long-lived numbers belong into arrays of their own.
 */
const NUMBERS = 4096;
/** A longer array is allocated by itself. */
const LONGEST = NUMBERS / 16;

export class FloatArena {
  #numbers = new Float64Array(0);
  #taken = 0;

  take(length: number): Float64Array {
    if (length > LONGEST) return new Float64Array(length);
    if (this.#taken + length > this.#numbers.length) {
      this.#numbers = new Float64Array(NUMBERS);
      this.#taken = 0;
    }
    this.#taken += length;
    return this.#numbers.subarray(this.#taken - length, this.#taken);
  }
}
