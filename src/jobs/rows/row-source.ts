/**
 * The input of a run on the main thread: bytes -> layout (decided first) -> chunks of whole records. The ending of the name decides the
 * format; without one, the first bytes do. Parquet becomes NDJSON here.
 */
import { ElsewiseError } from '../../documents/error.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import type { HeaderFeature, RowLayout } from '../threads/messages.js';
import { detectDelimiter, headerNames, readHeader } from './csv.js';
import { type FileFormat, inputFormat } from './endings.js';
import { withLineFeeds } from './line-ends.js';
import { flatTargets, keyWarnings, rowNames } from './ndjson.js';
import type { ParquetOpener } from './parquet-rows.js';
import { type RecordRun, RecordSplitter } from './record-splitter.js';
import { MAX_RECORD_BYTES, NEEDS_MORE, RecordScanner } from './records.js';
import { fieldsOf, formatsOf, numbersOf, type TableOptions, tellFormat } from './table-format.js';
import { detectEncoding, markedEncoding, readEncoding, toUtf8 } from './text-encoding.js';

export interface Chunk extends RecordRun {
  /** Number of the first record, counted from 1. */
  readonly firstRow: number;
  /** Bytes of the input up to the end of the chunk. */
  readonly bytesEnd: number;
}

const MAX_CHUNK_BYTES = 1 << 18;
const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const PARQUET_MAGIC = Buffer.from('PAR1');

/** The first lines of a table, by which its format is detected: the bytes alone decide, not their arrival. */
const SAMPLE_LINES = 200;
const SAMPLE_BYTES = 1 << 16;

/** Common wrong inputs, by their first bytes. */
const FOREIGN_BEGINNINGS: readonly (readonly [number[], string])[] = [
  [[0x1f, 0x8b], 'it is compressed, unpack it first (gzip -d)'],
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
    /** The targets of the first rows of a flat column `target`; undefined: no such column. */
    readonly targetColumn: readonly string[] | undefined,
    readonly warnings: readonly string[],
    /** Whether the records are converted: their bytes are not those of the input. */
    readonly isConverted = false,
    readonly close: () => Promise<void> = async () => {},
  ) {
    this.#bytes = bytes;
    this.#bytesTaken = head.skipped;
    this.#splitter = new RecordSplitter(layout);
    this.#splitter.push(head.data);
    if (head.ended) this.#finish();
  }

  /**
   * Reads as far as the format of the rows is known. Throws if the input cannot be rows of this model. `close` frees a temporary file, also
   * before the last row is read.
   */
  static async open(
    source: AsyncIterable<Uint8Array>,
    name: string,
    features: readonly HeaderFeature[],
    options: TableOptions = {},
    openParquet?: ParquetOpener,
  ): Promise<RowSource> {
    const { head, format, encoding, hasReturns } = await openText(source, name, options);
    if (format === 'parquet') return RowSource.#openParquet(source, head, features, openParquet);
    if (format === 'ndjson') return RowSource.#openNdjson(head.bytes, head, features, undefined, head.isConverted);
    const line = await head.takeHeader(options.delimiter ?? ',');
    const delimiter = options.delimiter ?? head.separator ?? detectDelimiter(line, features);
    const { layout, warnings } = readHeader(line, delimiter, features, name);
    const lines = await head.firstLines();
    const numbers = numbersOf(lines, layout, features, options);
    const told = tellFormat({ name, delimiter, encoding, hasReturns, numbers }, options);
    const formats = formatsOf(numbers, features);
    const whole = formats ? { ...layout, numbers: formats } : layout;
    const targets = layout.targetColumn < 0 ? undefined : [...fieldsOf(lines, layout, layout.targetColumn)];
    const all = [...warnings, ...told];
    return new RowSource(head.bytes, head, whole, targets !== undefined, targets, all, head.isConverted);
  }

  static async #openNdjson(
    bytes: AsyncIterator<Uint8Array>,
    head: Head,
    features: readonly HeaderFeature[],
    /** The warnings about the columns of a table. Undefined: the keys of the first records are looked at. */
    columnWarnings: readonly string[] | undefined,
    isConverted: boolean,
    close?: () => Promise<void>,
  ): Promise<RowSource> {
    const line = await head.firstLine();
    head.refuseList(line);
    const namesTargets = line.includes('"target"');
    const isFeature = features.some(({ name }) => name === 'target');
    const targets = namesTargets && !isFeature ? flatTargets(line.toString('utf8')) : undefined;
    const warnings = columnWarnings ?? keyWarnings(head.firstRecords(), features);
    return new RowSource(bytes, head, { format: 'ndjson' }, namesTargets, targets, warnings, isConverted, close);
  }

  /** The names of the columns: the header of CSV, the keys of the first row of NDJSON. Null: Parquet, whose index is not read here. */
  static async columnNames(
    source: AsyncIterable<Uint8Array>,
    name: string,
    options: TableOptions = {},
  ): Promise<string[] | null> {
    const { head, format } = await openText(source, name, options);
    if (format === 'parquet') return null;
    if (format === 'ndjson') return rowNames((await head.firstLine()).toString('utf8'));
    return headerNames(await head.takeHeader(options.delimiter ?? ','));
  }

  static async #openParquet(
    source: AsyncIterable<Uint8Array>,
    head: Head,
    features: readonly HeaderFeature[],
    given?: ParquetOpener,
  ): Promise<RowSource> {
    const open = given ?? (await import('./parquet-rows.js')).openParquet;
    const { lines, warnings, close } = await open({ stream: source, head }, head.name, features);
    try {
      return await RowSource.#openNdjson(
        lines,
        new Head(lines, head.name),
        features,
        warnings ?? undefined,
        true,
        close,
      );
    } catch (error) {
      await close();
      throw error;
    }
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

interface OpenText {
  /** The beginning of the text in UTF-8. */
  readonly head: Head;
  readonly format: FileFormat;
  /** The encoding that was detected; undefined for UTF-8 and for a given encoding. */
  readonly encoding: string | undefined;
  /** Whether the lines of the input end with CR alone. */
  readonly hasReturns: boolean;
}

async function openText(source: AsyncIterable<Uint8Array>, name: string, options: TableOptions): Promise<OpenText> {
  const head = new Head(source[Symbol.asyncIterator](), name);
  await head.read();
  const format = formatOf(name, head.data);
  if (format === 'parquet') return { head, format, encoding: undefined, hasReturns: false };
  const given = options.encoding === undefined ? undefined : readEncoding(options.encoding);
  const stated = given ?? markedEncoding(head.data);
  const decoded = await inUtf8(head, stated);
  const isTable = formatOf(name, decoded.data) === 'csv';
  const hasReturns = isTable && (await decoded.hasReturns());
  const lines = hasReturns ? await converted(decoded, withLineFeeds(decoded.data, decoded.bytes)) : decoded;
  const detected = isTable && stated === undefined ? await lines.detectEncoding() : undefined;
  const text = await inUtf8(lines, detected);
  const told = given ? undefined : (stated ?? detected);
  return { head: text, format: formatOf(name, text.data), encoding: told, hasReturns };
}

async function inUtf8(head: Head, encoding: string | undefined): Promise<Head> {
  if (encoding === undefined || encoding === 'utf-8') return head;
  return converted(head, toUtf8(head.data, head.bytes, encoding, head.name));
}

async function converted({ name }: Head, bytes: AsyncIterator<Uint8Array>): Promise<Head> {
  const head = new Head(bytes, name, true);
  await head.read();
  return head;
}

/** The line before the header by which Excel learns the delimiter. */
const SEPARATOR_LINE = /^"?sep=([,;|\t])"?$/i;

/** The beginning of the input, as long as needed to decide its format. */
class Head {
  data: Buffer = Buffer.alloc(0);
  ended = false;
  /** Bytes before `data` that are already processed. */
  skipped = 0;
  /** The delimiter that a line before the header names. */
  separator: string | undefined;

  constructor(
    readonly bytes: AsyncIterator<Uint8Array>,
    readonly name: string,
    /** Whether the bytes are converted from another encoding. */
    readonly isConverted = false,
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
        const [, separator] = SEPARATOR_LINE.exec(record) ?? [];
        if (separator) this.separator = separator;
        else if (record !== '') return record;
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

  /** A line that begins with a list is the beginning of a document, not a row. */
  refuseList(line: Buffer): void {
    if (line.toString('latin1', 0, 4096).trimStart().startsWith('['))
      throw this.#refuse('the file is a JSON list: write one object per line (pandas: to_json(..., lines=True))');
  }

  /** Whether lines end with CR alone, as old spreadsheets write them. A CR at the end alone separates no lines. */
  async hasReturns(): Promise<boolean> {
    while (!this.ended && !this.data.includes(LF) && this.data.length <= SAMPLE_BYTES) await this.#readMore();
    const sample = this.data.subarray(0, SAMPLE_BYTES);
    const first = sample.indexOf(CR);
    return first >= 0 && !sample.includes(LF) && first < sample.length - 1;
  }

  /** Undefined for UTF-8. */
  async detectEncoding(): Promise<string | undefined> {
    const lines = await this.firstLines();
    if (lines.includes(0)) throw this.#refuse('has zero bytes: name its encoding by --encoding, such as utf-16le');
    return detectEncoding(lines);
  }

  /** The first whole lines. The end of the input ends a line. */
  async firstLines(): Promise<Buffer> {
    let [lines, end] = [0, 0];
    while (lines < SAMPLE_LINES && end < SAMPLE_BYTES) {
      const next = this.data.indexOf(LF, end);
      if (next >= 0) [lines, end] = [lines + 1, next + 1];
      else if (this.ended) return this.data;
      else if (this.data.length > SAMPLE_BYTES) break;
      else await this.#readMore();
    }
    return this.data.subarray(0, end);
  }

  /** The first whole records as far as they are read: a stream may bring its rows one by one. */
  *firstRecords(): Generator<string> {
    const { data } = this;
    for (let [start, count] = [0, 0]; start < data.length && count < SAMPLE_LINES && start < SAMPLE_BYTES; count++) {
      const next = data.indexOf(LF, start);
      if (next < 0 && !this.ended) return;
      const end = next < 0 ? data.length : next;
      if (end - start <= MAX_RECORD_BYTES) yield data.toString('utf8', start, end);
      start = end + 1;
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
  return named ?? (first === '{' || first === '[' ? 'ndjson' : 'csv');
}
