/**
 * UBJSON (draft 12), the binary form of JSON in which XGBoost writes models: bytes -> the value that JSON.parse would give.
 *
 *   value      a marker byte, then the content of that kind; numbers are big-endian
 *   string     'S', its length as an integer value, UTF-8; a key of an object is the same without its 'S'
 *   [ and {    values until ] or }, or, after '#', a counted number of them; after '$' one type for all, without markers
 *
 * Integers of 64 bits that a number cannot hold exactly, and numbers as text ('H'), are refused.
 */
import { ElsewiseError } from '../../documents/error.js';

/** Marker -> size and reader of a number. */
const NUMBERS: Readonly<Record<string, { size: number; read(view: DataView, at: number): number }>> = {
  i: { size: 1, read: (view, at) => view.getInt8(at) },
  U: { size: 1, read: (view, at) => view.getUint8(at) },
  I: { size: 2, read: (view, at) => view.getInt16(at) },
  l: { size: 4, read: (view, at) => view.getInt32(at) },
  L: { size: 8, read: (view, at) => exact(view.getBigInt64(at), at) },
  d: { size: 4, read: (view, at) => view.getFloat32(at) },
  D: { size: 8, read: (view, at) => view.getFloat64(at) },
};

/** Markers that are the whole value. */
const CONSTANTS: Readonly<Record<string, null | boolean>> = { Z: null, T: true, F: false };

const MAX_DEPTH = 64;

export function decodeUbjson(bytes: Uint8Array): unknown {
  const reader = new Reader(bytes);
  const value = reader.value(reader.marker(), 0);
  if (!reader.atEnd()) throw reader.fault('something follows the end of the document');
  return value;
}

const ubjsonError = (message: string, at: number) =>
  new ElsewiseError('bad-document', `byte ${at}: ${message}`, 'ubjson');

function exact(value: bigint, at: number): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw ubjsonError(`${value} is too large for a number`, at);
  return number;
}

class Reader {
  private at = 0;
  private readonly view: DataView;
  private readonly text = new TextDecoder('utf-8', { fatal: true });

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fault(message: string): ElsewiseError {
    return ubjsonError(message, this.at);
  }

  /** 'N' is filler, allowed before every marker. */
  marker(): string {
    let marker: string;
    do marker = String.fromCharCode(this.bytes[this.skip(1)]);
    while (marker === 'N');
    return marker;
  }

  atEnd(): boolean {
    while (this.peek() === 'N') this.at++;
    return this.at >= this.bytes.length;
  }

  value(marker: string, depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.fault(`lists and objects are nested more than ${MAX_DEPTH} deep`);
    if (Object.hasOwn(NUMBERS, marker)) return this.number(marker);
    if (Object.hasOwn(CONSTANTS, marker)) return CONSTANTS[marker];
    if (marker === 'S') return this.string(this.length());
    if (marker === 'C') return this.string(1);
    if (marker === '[') return this.list(depth);
    if (marker === '{') return this.object(depth);
    throw this.fault(`unknown marker ${JSON.stringify(marker)}`);
  }

  private list(depth: number): unknown[] {
    const { type, count } = this.head();
    const values: unknown[] = [];
    while (this.goesOn(values.length, count, ']')) values.push(this.value(type ?? this.marker(), depth + 1));
    return values;
  }

  private object(depth: number): Record<string, unknown> {
    const { type, count } = this.head();
    const entries: [string, unknown][] = [];
    while (this.goesOn(entries.length, count, '}')) {
      const key = this.string(this.length());
      entries.push([key, this.value(type ?? this.marker(), depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  /** `$ type # count`, `# count` or nothing. */
  private head(): { type?: string; count?: number } {
    const type = this.take('$') ? this.marker() : undefined;
    if (this.take('#')) return { type, count: this.checkCount(this.length(), type) };
    if (type !== undefined) throw this.fault('a list with a type needs a count');
    return {};
  }

  /** Values without bytes could otherwise request any amount of memory. */
  private checkCount(count: number, type?: string): number {
    const left = this.bytes.length - this.at;
    const size = type === undefined ? 1 : (NUMBERS[type]?.size ?? 1);
    if (count * size > left) throw this.fault(`${count} values do not fit into the ${left} bytes that are left`);
    return count;
  }

  private goesOn(done: number, count: number | undefined, end: string): boolean {
    if (count !== undefined) return done < count;
    while (this.peek() === 'N') this.at++;
    return !this.take(end);
  }

  private number(marker: string): number {
    const { size, read } = NUMBERS[marker];
    return read(this.view, this.skip(size));
  }

  private length(): number {
    const marker = this.marker();
    const length = 'iUIlL'.includes(marker) ? this.number(marker) : -1;
    if (length < 0) throw this.fault('expected a length');
    return length;
  }

  private string(length: number): string {
    const start = this.skip(length);
    try {
      return this.text.decode(this.bytes.subarray(start, this.at));
    } catch {
      throw this.fault('a string is not UTF-8');
    }
  }

  private peek(): string {
    return String.fromCharCode(this.bytes[this.at]);
  }

  private take(marker: string): boolean {
    const found = this.at < this.bytes.length && this.peek() === marker;
    if (found) this.at++;
    return found;
  }

  /** Skips `size` bytes and returns their start. */
  private skip(size: number): number {
    const start = this.at;
    if (start + size > this.bytes.length) throw this.fault('the file ends too early');
    this.at += size;
    return start;
  }
}
