/**
 * Lines as bytes, in sequence. Each line is written to its final place at once. Strings that are kept until the end of a chunk would
 * survive several garbage collections, which would cost as much as the solving.
 */

const FIRST_BYTES = 1 << 16;
/** The largest number of UTF-8 bytes for a character of a string. */
const MAX_BYTES_PER_CHARACTER = 3;

export class LineBuffer {
  #bytes: Buffer;
  #length = 0;

  /** `expectedBytes`: growing costs a copy, so a good estimate saves time. */
  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, expectedBytes));
  }

  push(line: string): void {
    this.#reserve(line.length * MAX_BYTES_PER_CHARACTER);
    this.#length += this.#bytes.write(line, this.#length);
  }

  /** The pushed lines, in their own memory, which can be transferred. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
