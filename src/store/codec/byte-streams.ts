/** Bytes written in sequence, and read again in the same order. Numbers are little-endian. */

const FIRST_BYTES = 1 << 14;

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** Writes the length first. */
  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.uint32(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Every `stride`-th byte from `start` on. */
  strided(from: Uint8Array, start: number, stride: number): void {
    this.#reserve(Math.ceil((from.length - start) / stride));
    const target = this.#bytes;
    let length = this.#length;
    for (let at = start; at < from.length; at += stride) target[length++] = from[at];
    this.#length = length;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * needed);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

export class ByteReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  byte(): number {
    return this.bytes.readUInt8(this.#move(1));
  }

  uint32(): number {
    return this.bytes.readUInt32LE(this.#move(4));
  }

  float64(): number {
    return this.bytes.readDoubleLE(this.#move(8));
  }

  text(): string {
    return this.take(this.uint32()).toString();
  }

  take(length: number): Buffer {
    const from = this.#move(length);
    return this.bytes.subarray(from, from + length);
  }

  #move(length: number): number {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.bytes.length) throw new RangeError('the bytes end too soon');
    return from;
  }
}

/** The same bytes, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
