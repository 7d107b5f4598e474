/**
 * Tables of FlatBuffers, the binary form inside CatBoost's files. All numbers are little-endian; an offset counts from its own place.
 *
 *   table    at its place the distance back to its list of fields: size of the list, size of the table, then by field the distance of the
 *            field from the table, or 0 where the field has its default
 *   vector   count, then the elements; a text is a vector of bytes; an element that is a table or a text is an offset
 *
 * A file of a few bytes could point to the same vector again and again: all vectors together may not be longer than four such files.
 */
import { ElsewiseError } from '../../documents/error.js';
import { ROOT } from './catboost-model.js';

type Read<T> = (view: DataView, at: number) => T;

interface Element<T> {
  readonly size: number;
  readonly read: Read<T>;
}

export const INT: Element<number> = { size: 4, read: (view, at) => view.getInt32(at, true) };
export const UINT: Element<number> = { size: 4, read: (view, at) => view.getUint32(at, true) };
export const FLOAT: Element<number> = { size: 4, read: (view, at) => view.getFloat32(at, true) };
export const DOUBLE: Element<number> = { size: 8, read: (view, at) => view.getFloat64(at, true) };
export const BYTE: Element<number> = { size: 1, read: (view, at) => view.getUint8(at) };
export const SHORT_PAIR: Element<readonly [number, number]> = {
  size: 4,
  read: (view, at) => [view.getUint16(at, true), view.getUint16(at + 2, true)],
};
const SHORT: Element<number> = { size: 2, read: (view, at) => view.getUint16(at, true) };

const MOST_READ = 4;

export class FlatFile {
  private read = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get root(): FlatTable {
    return new FlatTable(this, this.offset(0));
  }

  at<T>(place: number, { size, read }: Element<T>): T {
    if (place < 0 || place + size > this.bytes.length) throw this.fault(`there is no byte ${place}`);
    return read(this.view, place);
  }

  offset(place: number): number {
    return place + this.at(place, UINT);
  }

  vector<T>(place: number, element: Element<T>): T[] {
    const count = this.take(place, element.size);
    return Array.from({ length: count }, (_, i) => element.read(this.view, place + 4 + i * element.size));
  }

  text(place: number): string {
    const length = this.take(place, 1);
    return new TextDecoder().decode(this.bytes.subarray(place + 4, place + 4 + length));
  }

  /** The count of a vector that fits into the file. */
  private take(place: number, size: number): number {
    const count = this.at(place, UINT);
    this.read += count * size;
    if (place + 4 + count * size <= this.bytes.length && this.read <= MOST_READ * this.bytes.length) return count;
    throw this.fault(`a list of ${count} elements at byte ${place} does not fit into the file`);
  }

  private fault(message: string): ElsewiseError {
    return new ElsewiseError('bad-document', `${message}: the file is cut off or damaged`, ROOT);
  }
}

export class FlatTable {
  constructor(
    private readonly file: FlatFile,
    private readonly place: number,
  ) {}

  /** The place of a field; undefined: it has its default. */
  private field(index: number): number | undefined {
    const { file, place } = this;
    const fields = place - file.at(place, INT);
    const entry = 4 + 2 * index;
    const distance = entry < file.at(fields, SHORT) ? file.at(fields + entry, SHORT) : 0;
    return distance ? place + distance : undefined;
  }

  value(index: number, element: Element<number>, otherwise: number): number {
    const at = this.field(index);
    return at === undefined ? otherwise : this.file.at(at, element);
  }

  vector<T>(index: number, element: Element<T>): T[] {
    const at = this.field(index);
    return at === undefined ? [] : this.file.vector(this.file.offset(at), element);
  }

  text(index: number): string {
    const at = this.field(index);
    return at === undefined ? '' : this.file.text(this.file.offset(at));
  }

  table(index: number): FlatTable | undefined {
    const at = this.field(index);
    return at === undefined ? undefined : new FlatTable(this.file, this.file.offset(at));
  }

  tables(index: number): FlatTable[] {
    return this.offsets(index).map((place) => new FlatTable(this.file, place));
  }

  texts(index: number): string[] {
    return this.offsets(index).map((place) => this.file.text(place));
  }

  private offsets(index: number): number[] {
    const at = this.field(index);
    if (at === undefined) return [];
    const start = this.file.offset(at);
    return this.file.vector(start, UINT).map((offset, i) => start + 4 + 4 * i + offset);
  }
}
