/**
 * The input of a run on the main thread: bytes -> layout (decided first) -> chunks of whole records. The ending of the name decides the
 * format; without one, the first bytes do. Parquet becomes NDJSON here.
 */
import { ElsewiseError } from '../../documents/error.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import type { HeaderFeature, RowLayout } from '../threads/messages.js';
import { detectDelimiter, headerNames, readHeader } from './csv.js';
import { type FileFormat, inputFormat } from './endings.js';
import { type RecordRun, RecordSplitter } from './record-splitter.js';
import { MAX_RECORD_BYTES, NEEDS_MORE, RecordScanner } from './records.js';

export interface Chunk extends RecordRun {
  /** Number of the first record, counted from 1. */
  readonly firstRow: number;
  /** Bytes of the input up to the end of the chunk. */
  readonly bytesEnd: number;
}

const MAX_CHUNK_BYTES = 1 << 18;
const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const PARQUET_MAGIC = Buffer.from('PAR1');

/** Common wrong inputs, by their first bytes. */
const FOREIGN_BEGINNINGS: readonly (readonly [number[], string])[] = [
  [[0xff, 0xfe], 'it is UTF-16, convert it to UTF-8'],
  [[0xfe, 0xff], 'it is UTF-16, convert it to UTF-8'],
  [[0x1f, 0x8b], 'it is compressed, unpack it first (gzip -dc FILE | elsewise ... --input -)'],
  [[0x50, 0x4b, 0x03, 0x04], 'it is a ZIP archive or a spreadsheet, save it as CSV'],
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
    /** Whether rows name targets: the column of a table, the key of the first object. */
    readonly namesTargets: boolean,
    readonly warnings: readonly string[],
    /** Whether the records are converted: their bytes are not those of the input. */
    readonly isConverted = false,
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
    const format = formatOf(name, head.data);
    if (format === 'parquet') return RowSource.#openParquet(source, head, features);
    if (format === 'ndjson') return RowSource.#openNdjson(bytes, head, []);
    const line = await head.takeHeader(',');
    const delimiter = detectDelimiter(line, features);
    const { layout, warnings } = readHeader(line, delimiter, features, name);
    return new RowSource(bytes, head, layout, layout.targetColumn >= 0, warnings);
  }

  static async #openNdjson(
    bytes: AsyncIterator<Uint8Array>,
    head: Head,
    warnings: readonly string[],
    isConverted = false,
  ): Promise<RowSource> {
    const namesTargets = (await head.firstLine()).includes('"target"');
    return new RowSource(bytes, head, { format: 'ndjson' }, namesTargets, warnings, isConverted);
  }

  /** The names of the columns of a CSV file. Other files name their columns row by row, or in an index: null. */
  static async columnNames(source: AsyncIterable<Uint8Array>, name: string): Promise<string[] | null> {
    const head = new Head(source[Symbol.asyncIterator](), name);
    await head.read();
    return formatOf(name, head.data) === 'csv' ? headerNames(await head.takeHeader(',')) : null;
  }

  static async #openParquet(
    source: AsyncIterable<Uint8Array>,
    head: Head,
    features: readonly HeaderFeature[],
  ): Promise<RowSource> {
    const { openParquet } = await import('./parquet-rows.js');
    const { lines, warnings } = await openParquet(source, head, head.name, features);
    return RowSource.#openNdjson(lines, new Head(lines, head.name), warnings, true);
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
    if (foreign) throw this.#refuse(`not CSV, NDJSON or Parquet: ${foreign[1]}`);
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

  /** The first line that is not empty, as it stands, or its beginning where it is too long for a record. */
  async firstLine(): Promise<Buffer> {
    for (let start = 0; ; ) {
      const end = this.data.indexOf(LF, start);
      const line = this.data.subarray(start, end < 0 ? undefined : end);
      if (end >= 0 && line.toString('latin1').trim() === '') start = end + 1;
      else if (end >= 0 || this.ended || line.length > MAX_RECORD_BYTES) return line;
      else await this.#readMore();
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

/** The first bytes of Parquet are no text: they decide before the name does. */
function formatOf(name: string, head: Buffer): FileFormat {
  const named = inputFormat(name);
  if (named === 'parquet' || head.subarray(0, PARQUET_MAGIC.length).equals(PARQUET_MAGIC)) return 'parquet';
  const first = head.toString('latin1', 0, 4096).trimStart()[0];
  return named ?? (first === '{' ? 'ndjson' : 'csv');
}
