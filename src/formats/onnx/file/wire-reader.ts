/**
 * The wire format of protocol buffers: a message is a list of fields, and a field is a key and a value.
 *
 *   key       a varint:  8 * number of the field + kind of the value
 *   kind      0 varint, 1 eight bytes, 2 a length and as many bytes, 5 four bytes;  groups (3, 4) are refused, ONNX has none
 *   varint    seven bits a byte, the lowest first; at most ten bytes
 *   lists     a field for each entry, or "packed": all entries in the bytes of one field
 *
 * A value never reaches beyond its message. Each byte is read once, and nothing is allocated for a length that the file does not have.
 */
import { ElsewiseError } from '../../../documents/error.js';

const VARINT = 0;
const EIGHT = 1;
const BYTES = 2;
const FOUR = 5;

const MOST_VARINT = 10;
const TEXT = new TextDecoder('utf-8', { fatal: true });

export const ROOT = 'onnx';

export class WireReader {
  /** The number of the current field. */
  field = 0;
  private kind = 0;
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Moves to the next field. Its value must then be read or skipped. */
  next(): boolean {
    if (this.at >= this.bytes.length) return false;
    const key = this.varint();
    this.field = Math.floor(key / 8);
    this.kind = key & 7;
    if (this.field < 1) throw this.fault('there is no field 0');
    return true;
  }

  int(): number {
    this.expect(VARINT);
    return this.varint();
  }

  float(): number {
    this.expect(FOUR);
    return this.view.getFloat32(this.take(4), true);
  }

  chunk(): Uint8Array {
    this.expect(BYTES);
    const length = this.varint();
    const start = this.take(length);
    return this.bytes.subarray(start, start + length);
  }

  text(): string {
    const chunk = this.chunk();
    try {
      return TEXT.decode(chunk);
    } catch {
      throw this.fault('a text is not UTF-8');
    }
  }

  ints(into: number[]): void {
    if (this.kind !== BYTES) into.push(this.int());
    else for (const entries = new WireReader(this.chunk()); entries.hasMore(); ) into.push(entries.varint());
  }

  floats(into: number[]): void {
    if (this.kind !== BYTES) into.push(this.float());
    else for (const entries = new WireReader(this.chunk()); entries.hasMore(); ) into.push(entries.fixed(4));
  }

  doubles(into: number[]): void {
    if (this.kind === EIGHT) into.push(this.fixed(8));
    else for (const entries = new WireReader(this.chunk()); entries.hasMore(); ) into.push(entries.fixed(8));
  }

  skip(): void {
    if (this.kind === VARINT) this.varint();
    else if (this.kind === EIGHT) this.take(8);
    else if (this.kind === FOUR) this.take(4);
    else this.chunk();
  }

  private hasMore = (): boolean => this.at < this.bytes.length;

  private fixed(size: 4 | 8): number {
    const start = this.take(size);
    return size === 4 ? this.view.getFloat32(start, true) : this.view.getFloat64(start, true);
  }

  /** Signed, 64 bits. Beyond 2^53 the last digits are lost. */
  private varint(): number {
    let [low, high] = [0, 0];
    for (let k = 0; k < MOST_VARINT; k++) {
      const byte = this.bytes[this.take(1)];
      const part = byte & 0x7f;
      if (k < 4) low += part * 2 ** (7 * k);
      else high += part * 2 ** (7 * (k - 4));
      if (byte < 0x80) return signed(low, high);
    }
    throw this.fault(`a number has more than ${MOST_VARINT} bytes`);
  }

  /** The start of the next bytes, which lie within the message. */
  private take(length: number): number {
    const start = this.at;
    if (length < 0 || length > this.bytes.length - start) throw this.fault('a value reaches beyond its end');
    this.at = start + length;
    return start;
  }

  private expect(kind: number): void {
    if (this.kind !== kind) throw this.fault(`field ${this.field} has a value of the kind ${this.kind}, not ${kind}`);
  }

  private fault(message: string): ElsewiseError {
    return new ElsewiseError(
      'bad-document',
      `is no ONNX file, or is cut off: byte ${this.at} of a message: ${message}`,
      ROOT,
    );
  }
}

const SPAN = 2 ** 28;

/** `low`: 28 bits, `high`: the bits above, of which 36 count. */
function signed(low: number, high: number): number {
  const upper = high % 2 ** 36;
  return (upper >= 2 ** 35 ? upper - 2 ** 36 : upper) * SPAN + low;
}
