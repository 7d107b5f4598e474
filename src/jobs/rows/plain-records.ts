/**
 * CSV records without quotes, read from their bytes: plain numbers become numbers at once, and only other fields become text. Every record
 * that is not of this kind goes to the text parser, with all its rules and messages (csv.ts).
 *
 *   plain number   [-]digits[.digits] of at most 15 characters behind the sign, as most numbers of most tables are
 *
 * The digits form a whole number m below 2^53, and m / 10^k is rounded once, as by `Number` (Clinger 1990). A number with a point is
 * plain only where the format of its column reads it as a program does.
 */
import type { LoadedModel } from '../../models/load.js';
import type { CsvLayout } from '../threads/messages.js';
import type { NumberFormat } from './number-format.js';
import type { RecordBounds } from './records.js';
import type { ParsedRow } from './row.js';

const QUOTE = 0x22;
const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];
const MOST_CHARACTERS = 15;
const POWERS_OF_TEN = Float64Array.from({ length: MOST_CHARACTERS }, (_, k) => 10 ** k);

/** Returned instead of a position: the field has a quote. */
const BROKEN = -1;

/** How the field of a column is read. */
const UNREAD = 0;
const TEXT = 1;
const WHOLE = 2;
const DECIMAL = 3;

/** Formats in which digits, a point and digits are the number that a program means. */
const POINTED: ReadonlySet<NumberFormat | null | undefined> = new Set([undefined, null, 'dot', 'dot-ungrouped']);

export class PlainRecords {
  readonly #delimiter: number;
  readonly #kinds: Uint8Array;
  /** The feature of each column; -1: none. */
  readonly #features: Int32Array;
  /** The start of each field of the last record, from the start of the record, and one more. */
  readonly #starts: Int32Array;
  /** The first byte behind the last number. */
  #numberEnd = 0;

  /** Undefined: the layout has no plain records. */
  static of(layout: CsvLayout, model: LoadedModel): PlainRecords | undefined {
    const code = layout.delimiter.charCodeAt(0);
    const isPlain = layout.delimiter.length === 1 && code < 0x80 && code !== QUOTE && code !== MINUS && code !== POINT;
    return isPlain && !(code >= ZERO && code <= NINE) ? new PlainRecords(layout, model, code) : undefined;
  }

  private constructor({ columns, featureColumns, numbers }: CsvLayout, { space }: LoadedModel, delimiter: number) {
    this.#delimiter = delimiter;
    this.#kinds = new Uint8Array(columns);
    this.#features = new Int32Array(columns).fill(-1);
    this.#starts = new Int32Array(columns + 1);
    for (const { index, kind } of space.features) {
      const column = featureColumns[index];
      if (column < 0) continue;
      this.#features[column] = index;
      const read = POINTED.has(numbers?.[index]) ? DECIMAL : WHOLE;
      this.#kinds[column] = kind === 'continuous' ? read : kind === 'integer' ? WHOLE : TEXT;
    }
  }

  /** Fills `raw` with the fields of a record of ASCII bytes, whose text is known. False: the record is for the text parser. */
  read(bytes: Uint8Array, text: string, { start, end }: RecordBounds, raw: ParsedRow['raw']): boolean {
    const kinds = this.#kinds;
    const last = kinds.length - 1;
    let at = start;
    for (let column = 0; column <= last; column++) {
      const kind = kinds[column];
      const number = kind >= WHOLE ? this.#readNumber(bytes, at, end, kind === DECIMAL) : Number.NaN;
      const numberEnd = this.#numberEnd;
      const fieldEnd = this.#findEnd(bytes, kind >= WHOLE ? numberEnd : at, end);
      if (fieldEnd === BROKEN || fieldEnd < end !== column < last) return false;
      if (kind !== UNREAD) {
        const isNumber = kind >= WHOLE && fieldEnd === numberEnd && !Number.isNaN(number);
        raw[this.#features[column]] = isNumber ? number : text.slice(at, fieldEnd);
      }
      at = fieldEnd + 1;
      this.#starts[column + 1] = at - start;
    }
    return true;
  }

  /** Reads digits up to the first byte that is none, and notes its position. NaN: they are no plain number. */
  #readNumber(bytes: Uint8Array, start: number, end: number, mayHavePoint: boolean): number {
    const isNegative = start < end && bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    let whole = 0;
    let point = -1;
    let at = first;
    for (; at < end; at++) {
      const code = bytes[at];
      if (code >= ZERO && code <= NINE) whole = 10 * whole + (code - ZERO);
      else if (code === POINT && point < 0) point = at;
      else break;
    }
    this.#numberEnd = at;
    const length = at - first;
    if (length === 0 || length > MOST_CHARACTERS) return Number.NaN;
    if (point >= 0 && (!mayHavePoint || length === 1)) return Number.NaN;
    const size = point < 0 ? whole : whole / POWERS_OF_TEN[at - 1 - point];
    return isNegative ? -size : size;
  }

  /** The delimiter behind a field, or the end of the record. */
  #findEnd(bytes: Uint8Array, start: number, end: number): number {
    const delimiter = this.#delimiter;
    let at = start;
    for (; at < end && bytes[at] !== delimiter; at++) if (bytes[at] === QUOTE) return BROKEN;
    return at;
  }

  /** The text of a field of the last record, which started at `start`. */
  field(text: string, start: number, column: number): string {
    return text.slice(start + this.#starts[column], start + this.#starts[column + 1] - 1);
  }
}
