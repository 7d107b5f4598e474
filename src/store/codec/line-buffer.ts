/**
 * Lines as bytes, in sequence. Each line is written to its final place at once, or with a few lines before it. Strings that are kept until
 * the end of a chunk would survive several garbage collections, which would cost as much as the solving.
 */

const FIRST_BYTES = 1 << 16;
/** The largest number of UTF-8 bytes for a character of a string. */
const MAX_BYTES_PER_CHARACTER = 3;
/** A call for each short line would take longer than its bytes. */
const LONGEST_SHORT = 512;
const WRITTEN_TOGETHER = 4096;

export class LineBuffer {
  #bytes: Buffer;
  #length = 0;
  /** Short lines that are not written yet. */
  #short = '';

  /** `expectedBytes`: growing costs a copy, so a good estimate saves time. */
  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, expectedBytes));
  }

  push(line: string): void {
    this.#short += line;
    if (line.length > LONGEST_SHORT || this.#short.length > WRITTEN_TOGETHER) this.#write();
  }

  #write(): void {
    const text = this.#short;
    if (text === '') return;
    this.#reserve(text.length * MAX_BYTES_PER_CHARACTER);
    this.#length += this.#bytes.write(text, this.#length);
    this.#short = '';
  }

  /** The pushed lines, in their own memory, which can be transferred. */
  get bytes(): Uint8Array {
    this.#write();
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
