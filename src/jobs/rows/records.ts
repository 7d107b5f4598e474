/**
 * Where records end, in bytes. The main thread cuts its input with it, the threads cut their chunks with it, and both
 * come to the same records: what ends a record is decided by the bytes from its start on and nothing else.
 *
 *   NDJSON  a record is a line
 *   CSV     a record is a line, but a quoted field may hold line ends. A field is quoted when its first byte is a quote;
 *           it is closed by a quote before a delimiter or a line end, `""` stands for a quote. A stray quote that breaks
 *           these rules, or is not closed within MAX_RECORD_BYTES, costs only the line it stands in: the record then
 *           ends with that line, and the field parser says what is wrong.
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

/** Instead of a position: only later bytes can tell. */
export const NEEDS_MORE = -1;
const BROKEN = -2;

/** The part of a layout that says how records end. */
export type RecordGrammar = Pick<RowLayout, 'format'> & { readonly delimiter?: string };

export class RecordScanner {
  readonly #data: Buffer;
  readonly #ended: boolean;
  readonly #format: RowLayout['format'];
  readonly #delimiter: number;
  /** The next quote at or behind the last start asked for: one search of the whole data when there are none. */
  #quote: number;

  /** `ended`: nothing follows the data. */
  constructor(data: Buffer, ended: boolean, grammar: RecordGrammar) {
    this.#data = data;
    this.#ended = ended;
    this.#format = grammar.format;
    this.#delimiter = grammar.delimiter?.charCodeAt(0) ?? 0;
    this.#quote = grammar.format === 'csv' ? data.indexOf(QUOTE) : NEEDS_MORE;
  }

  /**
   * Position of the line end that closes the record at `start`, the data's length when it is closed by nothing else, or
   * NEEDS_MORE. Starts must be asked for in rising order.
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

  /** First byte behind a quoted field; NEEDS_MORE when its closing quote is not in sight. */
  #closeQuote(inside: number, limit: number): number {
    for (let at = this.#data.indexOf(QUOTE, inside); at >= 0 && at < limit; at = this.#data.indexOf(QUOTE, at + 2)) {
      if (this.#data[at + 1] !== QUOTE) return at + 1;
    }
    return NEEDS_MORE;
  }

  /** Whether there is nothing between two positions but what an empty line may hold. */
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

/** The records of a chunk, which are those that the main thread saw there. */
export function* recordsOf(chunk: Buffer, grammar: RecordGrammar): Generator<RecordBounds> {
  const scanner = new RecordScanner(chunk, true, grammar);
  for (let start = 0; start < chunk.length; ) {
    const end = scanner.findEnd(start);
    if (!scanner.isBlank(start, end)) yield { start, end: end > start && chunk[end - 1] === CR ? end - 1 : end };
    start = end + 1;
  }
}
