/**
 * Cuts a stream of bytes into chunks of whole records, on the main thread. The arrival of the bytes does not influence the records, only
 * the ends of chunks. Holds at most one chunk, one read and one record of the largest size.
 */
import { MAX_RECORD_BYTES, NEEDS_MORE, type RecordGrammar, RecordScanner } from './records.js';

const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface RecordRun {
  readonly bytes: Buffer;
  /** The number of records, without empty lines. */
  readonly rows: number;
}

export class RecordSplitter {
  readonly #grammar: RecordGrammar;
  #data: Buffer = NOTHING;
  #scanner: RecordScanner;
  #ended = false;
  /** The end of the whole records that are seen and not yet taken. */
  #scanned = 0;
  #rows = 0;
  /** Set within a record that is too long: its bytes are dropped up to the next line end. */
  #dropping = false;

  constructor(grammar: RecordGrammar) {
    this.#grammar = grammar;
    this.#scanner = new RecordScanner(NOTHING, false, grammar);
  }

  push(bytes: Buffer): void {
    const kept = this.#dropping ? this.#dropLine(bytes) : bytes;
    if (kept.length === 0) return;
    if (this.#rows === 0) this.#forget(this.#scanned);
    this.#data = this.#data.length ? Buffer.concat([this.#data, kept]) : kept;
    this.#scanner = new RecordScanner(this.#data, false, this.#grammar);
  }

  /** No more bytes will be pushed. */
  end(): void {
    this.#ended = true;
    this.#scanner = new RecordScanner(this.#data, true, this.#grammar);
  }

  /** The next records, up to the limits (always at least one). Undefined: push more, or no record is left. */
  take(maxRows: number, maxBytes: number): RecordRun | undefined {
    const full = this.#scan(maxRows, maxBytes);
    if (this.#rows === 0 || !(full || this.#ended)) return undefined;
    const run = { bytes: this.#data.subarray(0, this.#scanned), rows: this.#rows };
    this.#forget(this.#scanned);
    this.#scanner = new RecordScanner(this.#data, this.#ended, this.#grammar);
    return run;
  }

  #forget(bytes: number): void {
    this.#data = this.#data.subarray(bytes);
    this.#scanned = 0;
    this.#rows = 0;
  }

  /** Scans whole records until a limit (true) or until more bytes are needed (false). */
  #scan(maxRows: number, maxBytes: number): boolean {
    while (this.#rows === 0 || (this.#rows < maxRows && this.#scanned < maxBytes)) {
      if (this.#scanned >= this.#data.length) return false;
      const end = this.#scanner.findEnd(this.#scanned);
      if (end === NEEDS_MORE) {
        this.#cutLongRecord();
        return false;
      }
      if (!this.#scanner.isBlank(this.#scanned, end)) this.#rows++;
      this.#scanned = Math.min(end + 1, this.#data.length);
    }
    return true;
  }

  /** Keeps only enough of a record that is too long for a thread to detect its length. */
  #cutLongRecord(): void {
    const limit = this.#scanned + MAX_RECORD_BYTES + 1;
    if (this.#data.length < limit) return;
    this.#data = this.#data.subarray(0, limit);
    this.#dropping = true;
  }

  #dropLine(bytes: Buffer): Buffer {
    const lineEnd = bytes.indexOf(LF);
    if (lineEnd < 0) return NOTHING;
    this.#dropping = false;
    return bytes.subarray(lineEnd);
  }
}
