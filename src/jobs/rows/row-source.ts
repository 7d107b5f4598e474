/**
 * The input of a run on the main thread: bytes -> layout (decided first) -> chunks of whole records. The extension of the name decides the
 * format; without one, the first byte does.
 */
import { ElsewiseError } from '../../documents/error.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import type { HeaderFeature, RowLayout } from '../threads/messages.js';
import { detectDelimiter, readHeader } from './csv.js';
import { type RecordRun, RecordSplitter } from './record-splitter.js';
import { MAX_RECORD_BYTES, NEEDS_MORE, RecordScanner } from './records.js';

export interface Chunk extends RecordRun {
  /** Number of the first record, counted from 1. */
  readonly firstRow: number;
  /** Bytes of the input up to the end of the chunk. */
  readonly bytesEnd: number;
}

const MAX_CHUNK_BYTES = 1 << 18;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const FORMAT_BY_ENDING: Readonly<Record<string, RowLayout['format']>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** Common wrong inputs, by their first bytes. */
const FOREIGN_BEGINNINGS: readonly (readonly [number[], string])[] = [
  [[0xff, 0xfe], 'it is UTF-16, convert it to UTF-8'],
  [[0xfe, 0xff], 'it is UTF-16, convert it to UTF-8'],
  [[0x1f, 0x8b], 'it is compressed, unpack it first (gzip -dc FILE | elsewise ... --input -)'],
  [[0x50, 0x4b, 0x03, 0x04], 'it is a ZIP archive or a spreadsheet, save it as CSV'],
  [[0x50, 0x41, 0x52, 0x31], 'it is Parquet, convert it to CSV or NDJSON'],
];

export class RowSource {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #splitter: RecordSplitter;
  #row = 1;
  #bytesTaken: number;
  #ended = false;

  private constructor(
    bytes: AsyncIterator<Uint8Array>,
    head: Head,
    readonly layout: RowLayout,
    readonly warnings: readonly string[],
  ) {
    this.#bytes = bytes;
    this.#bytesTaken = head.skipped;
    this.#splitter = new RecordSplitter(layout);
    this.#splitter.push(head.data);
    if (head.ended) this.#finish();
  }

  /** Reads as far as the header. Throws if the input cannot be rows of this model. */
  static async open(
    source: AsyncIterable<Uint8Array>,
    name: string,
    features: readonly HeaderFeature[],
  ): Promise<RowSource> {
    const bytes = source[Symbol.asyncIterator]();
    const head = new Head(bytes, name);
    await head.read();
    if (formatOf(name, head.data) === 'ndjson') return new RowSource(bytes, head, { format: 'ndjson' }, []);
    const line = await head.takeHeader(',');
    const delimiter = detectDelimiter(line, features);
    const { layout, warnings } = readHeader(line, delimiter, features, name);
    return new RowSource(bytes, head, layout, warnings);
  }

  /** The next records, at most `maxRows`; undefined at the end. */
  async take(maxRows: number): Promise<Chunk | undefined> {
    for (;;) {
      const run = this.#splitter.take(maxRows, MAX_CHUNK_BYTES);
      if (run) return this.#number(run);
      if (this.#ended) return undefined;
      await this.#readMore();
    }
  }

  #number(run: RecordRun): Chunk {
    const firstRow = this.#row;
    this.#row += run.rows;
    this.#bytesTaken += run.bytes.length;
    return { ...run, firstRow, bytesEnd: this.#bytesTaken };
  }

  async #readMore(): Promise<void> {
    const { done, value } = await this.#bytes.next();
    if (done) this.#finish();
    else this.#splitter.push(asBuffer(value));
  }

  #finish(): void {
    this.#ended = true;
    this.#splitter.end();
  }
}

/** The beginning of the input, as long as needed to decide its format. */
class Head {
  data: Buffer = Buffer.alloc(0);
  ended = false;
  /** Bytes before `data` that are already processed. */
  skipped = 0;

  constructor(
    readonly bytes: AsyncIterator<Uint8Array>,
    readonly name: string,
  ) {}

  async read(): Promise<void> {
    while (!this.ended && this.data.length < 4) await this.#readMore();
    const foreign = FOREIGN_BEGINNINGS.find(([magic]) =>
      this.data.subarray(0, magic.length).equals(Buffer.from(magic)),
    );
    if (foreign) throw this.#refuse(`not CSV or NDJSON: ${foreign[1]}`);
    if (this.data.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) this.#skip(BYTE_ORDER_MARK.length);
  }

  /** The first record of a CSV file, without its line end. */
  async takeHeader(delimiter: string): Promise<string> {
    for (;;) {
      const scanner = new RecordScanner(this.data, this.ended, { format: 'csv', delimiter });
      const end = this.data.length ? scanner.findEnd(0) : NEEDS_MORE;
      if (end === NEEDS_MORE) await this.#readHeaderOn();
      else {
        const record = this.data.toString('utf8', 0, end).replace(/\r$/, '');
        this.#skip(Math.min(end + 1, this.data.length));
        if (record !== '') return record;
      }
    }
  }

  async #readHeaderOn(): Promise<void> {
    if (this.ended) throw this.#refuse('the input is empty: a CSV file needs a header');
    if (this.data.length > MAX_RECORD_BYTES) throw this.#refuse('the first line is no header: it does not end');
    await this.#readMore();
  }

  async #readMore(): Promise<void> {
    const { done, value } = await this.bytes.next();
    if (done) this.ended = true;
    else this.data = Buffer.concat([this.data, value]);
  }

  #skip(bytes: number): void {
    this.skipped += bytes;
    this.data = this.data.subarray(bytes);
  }

  #refuse(message: string): ElsewiseError {
    return new ElsewiseError('bad-input', message, this.name);
  }
}

function formatOf(name: string, head: Buffer): RowLayout['format'] {
  const ending = /\.[a-z]+$/i.exec(name)?.[0].toLowerCase() ?? '';
  const first = head.toString('latin1', 0, 4096).trimStart()[0];
  return FORMAT_BY_ENDING[ending] ?? (first === '{' ? 'ndjson' : 'csv');
}
