/**
 * The ends of records, in bytes. The main thread cuts its input with this scanner, the threads cut their chunks with it, and both
 * get the same records: only the bytes from the start of a record decide about its end.
 *
 *   NDJSON  a record is a line
 *   CSV     a record is a line, but a quoted field may contain line ends. A field is quoted when its first byte is a quote;
 *           it is closed by a quote before a delimiter or a line end, `""` means a quote. A stray quote that breaks
 *           these rules, or is not closed within MAX_RECORD_BYTES, affects only its own line: the record then
 *           ends with that line, and the field parser reports the error.
 *
 * Lines end with LF or CR LF. Empty lines are no records.
 */
import type { RowLayout } from '../threads/messages.js';

/** Longer records are refused, each with an `invalid` result. */
export const MAX_RECORD_BYTES = 1 << 20;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;

/** Returned instead of a position: only later bytes can decide. */
export const NEEDS_MORE = -1;
const BROKEN = -2;

/** The part of a layout that defines the ends of records. */
export type RecordGrammar = Pick<RowLayout, 'format'> & { readonly delimiter?: string };

export class RecordScanner {
  readonly #data: Buffer;
  readonly #ended: boolean;
  readonly #format: RowLayout['format'];
  readonly #delimiter: number;
  /** The next quote at or after the last start: without quotes the whole data is searched once. */
  #quote: number;

  /** `ended`: no bytes follow the data. */
  constructor(data: Buffer, ended: boolean, grammar: RecordGrammar) {
    this.#data = data;
    this.#ended = ended;
    this.#format = grammar.format;
    this.#delimiter = grammar.delimiter?.charCodeAt(0) ?? 0;
    this.#quote = grammar.format === 'csv' ? data.indexOf(QUOTE) : NEEDS_MORE;
  }

  /**
   * Position of the line end that closes the record at `start`, the length of the data if only the end closes it, or NEEDS_MORE. Starts
   * must be passed in rising order.
   */
  findEnd(start: number): number {
    const lineEnd = this.#data.indexOf(LF, start);
    const firstLine = lineEnd < 0 && this.#ended ? this.#data.length : lineEnd;
    if (this.#quote >= 0 && this.#quote < start) this.#quote = this.#data.indexOf(QUOTE, start);
    if (this.#quote < 0 || (lineEnd >= 0 && this.#quote > lineEnd)) return firstLine;
    const end = this.#walkFields(start);
    if (end === NEEDS_MORE && (this.#ended || this.#data.length - start > MAX_RECORD_BYTES)) return firstLine;
    return end === BROKEN ? firstLine : end;
  }

  /** The first line end outside of quotes. */
  #walkFields(start: number): number {
    const data = this.#data;
    const limit = Math.min(data.length, start + MAX_RECORD_BYTES + 1);
    const closesRecord = this.#ended && limit === data.length;
    for (let at = start; at < limit; at++) {
      if (data[at] === QUOTE) {
        at = this.#closeQuote(at + 1, limit);
        if (at < 0) return NEEDS_MORE;
        if (at < limit && data[at] !== this.#delimiter && data[at] !== LF && data[at] !== CR) return BROKEN;
      }
      while (at < limit && data[at] !== this.#delimiter && data[at] !== LF) at++;
      if (at < limit && data[at] === LF) return at;
    }
    return closesRecord ? limit : NEEDS_MORE;
  }

  /** First byte after a quoted field; NEEDS_MORE if its closing quote is not in the data. */
  #closeQuote(inside: number, limit: number): number {
    for (let at = this.#data.indexOf(QUOTE, inside); at >= 0 && at < limit; at = this.#data.indexOf(QUOTE, at + 2)) {
      if (this.#data[at + 1] !== QUOTE) return at + 1;
    }
    return NEEDS_MORE;
  }

  /** Whether only characters of an empty line lie between two positions. */
  isBlank(start: number, end: number): boolean {
    const data = this.#data;
    let at = start;
    if (this.#format === 'ndjson') while (at < end && (data[at] === SPACE || data[at] === TAB || data[at] === CR)) at++;
    else if (end - at === 1 && data[at] === CR) at++;
    return at >= end;
  }
}

export interface RecordBounds {
  readonly start: number;
  /** Without the line end. */
  readonly end: number;
}

/** The records of a chunk, the same as on the main thread. */
export function* recordsOf(chunk: Buffer, grammar: RecordGrammar): Generator<RecordBounds> {
  const scanner = new RecordScanner(chunk, true, grammar);
  for (let start = 0; start < chunk.length; ) {
    const end = scanner.findEnd(start);
    if (!scanner.isBlank(start, end)) yield { start, end: end > start && chunk[end - 1] === CR ? end - 1 : end };
    start = end + 1;
  }
}
