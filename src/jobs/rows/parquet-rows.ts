/**
 * Rows of a Parquet file as lines of NDJSON. The index of a Parquet file stands at its end: a stream is first copied to a temporary file.
 * Memory does not grow with the rows (parquet-columns.ts).
 *
 *   integers, doubles   numbers; an integer beyond 2^53 is text, and a number that is not finite is text, which refuses its row
 *   NaN, null           missing
 *   dates, timestamps   text (ISO 8601)
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecodedArray, SchemaElement } from 'hyparquet';
import { ElsewiseError } from '../../documents/error.js';
import type { HeaderFeature } from '../threads/messages.js';
import { checkNames } from './csv.js';
import { datesInColumn } from './detect-numbers.js';
import { type ColumnSlice, checkGroups, ParquetFault, readSlices } from './parquet-columns.js';
import { FileBytes } from './streams.js';

export interface ParquetRows {
  /** Warnings about the columns. Null: the features are the parts of one column. */
  readonly warnings: readonly string[] | null;
  /** Lines of NDJSON. */
  readonly lines: AsyncGenerator<Uint8Array>;
}

/** Rows with the file that they come from. */
export interface OpenParquetRows extends ParquetRows {
  close(): Promise<void>;
}

/** `head` holds the first bytes of the stream, which are already read. */
export interface ParquetSource {
  readonly stream: AsyncIterable<Uint8Array>;
  readonly head: { readonly data: Uint8Array; readonly bytes: AsyncIterator<Uint8Array> };
}

/** Opens a source as rows: here, or in a thread (jobs/tables). */
export type ParquetOpener = (
  source: ParquetSource,
  name: string,
  features: readonly HeaderFeature[],
) => Promise<OpenParquetRows>;

/** Bytes of a file at any place. */
export interface ParquetBytes {
  readonly bytes: number;
  readAt(start: number, end: number): Promise<ArrayBuffer>;
}

const ROWS_PER_PIECE = 1_000;

export const openParquet: ParquetOpener = async (source, name, features) => {
  const file = await openSpooled(source, name);
  try {
    const { size } = await file.stat();
    const readAt = (start: number, end: number) => readBytes(file, start, end);
    return { ...(await readParquet({ bytes: size, readAt }, name, features)), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** The file of the source. A stream is first copied, up to `maxBytes`. */
export function openSpooled(
  { stream, head }: ParquetSource,
  name: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<FileHandle> {
  return stream instanceof FileBytes ? open(stream.path) : spool(head, name, maxBytes);
}

/** The name of the temporary file is removed at once: its space is free again when the file is closed, also after a crash. */
async function spool({ data, bytes }: ParquetSource['head'], name: string, maxBytes: number): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'elsewise-parquet-'));
  const file = await open(join(folder, 'rows'), 'w+').finally(() => rm(folder, { recursive: true, force: true }));
  let left = maxBytes;
  const append = async (piece: Uint8Array) => {
    left -= piece.length;
    if (left < 0) throw new ElsewiseError('too-large', `a Parquet file of at most ${maxBytes} bytes is taken`, name);
    await file.appendFile(piece);
  };
  try {
    await append(data);
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) await append(next.value);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads the index. The rows follow as they are asked for. */
export function readParquet(
  file: ParquetBytes,
  name: string,
  features: readonly HeaderFeature[],
): Promise<ParquetRows> {
  return readIndex(file, name, features).catch((error) => {
    throw unreadable(error, name);
  });
}

async function readIndex(
  { bytes, readAt }: ParquetBytes,
  name: string,
  features: readonly HeaderFeature[],
): Promise<ParquetRows> {
  const library = await import('hyparquet');
  const { parquetMetadataAsync, parquetSchema } = library;
  await checkFrame(bytes, readAt);
  const buffer = { byteLength: bytes, slice: (start: number, end = bytes) => readAt(start, end) };
  const metadata = await parquetMetadataAsync(buffer);
  const tops = parquetSchema(metadata).children;
  const names = tops.map(({ element }) => element.name);
  const isNested = tops.some(({ element, children }) => element.name === 'features' && children.length > 0);
  const dated = new Set(tops.filter(({ element }) => isTime(element)).map(({ element }) => element.name));
  const warnings = isNested ? null : [...checkNames(names, features, name), ...dateWarnings(dated, features)];
  const read = new Set(['id', 'target', ...(isNested ? ['features'] : features.map((feature) => feature.name))]);
  const columns = names.filter((column) => read.has(column));
  checkGroups(metadata, columns);
  return { warnings, lines: readLines(readSlices(library, buffer, metadata, columns), columns, name) };
}

function isTime({ type, logical_type, converted_type }: SchemaElement): boolean {
  return (
    type === 'INT96' ||
    /^(DATE|TIMESTAMP)/.test(logical_type?.type ?? '') ||
    /^(DATE|TIMESTAMP)/.test(converted_type ?? '')
  );
}

/** The values become text, which is no number. */
function dateWarnings(dated: ReadonlySet<string>, features: readonly HeaderFeature[]): string[] {
  const first = features.find(({ name, numbers }) => numbers !== 'none' && dated.has(name));
  return first ? [datesInColumn(first.name)] : [];
}

const MAGIC = 'PAR1';
/** The signature at both ends, and the length of the index. */
const LEAST_BYTES = 12;

/** Refuses an empty file, another file and a part of a file before the library does, whose words are about buffers. */
async function checkFrame(bytes: number, readAt: ParquetBytes['readAt']): Promise<void> {
  if (bytes === 0) throw new ParquetFault('the file is empty');
  const signature = async (at: number) => Buffer.from(await readAt(at, at + MAGIC.length)).toString('latin1');
  if (bytes < LEAST_BYTES || (await signature(0)) !== MAGIC) throw new ParquetFault('it is another kind of file');
  if ((await signature(bytes - MAGIC.length)) !== MAGIC)
    throw new ParquetFault('the file is not whole: its index, which stands at the end, is not there');
}

async function readBytes(file: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  await file.read(bytes, 0, bytes.length, start);
  return bytes.buffer;
}

async function* readLines(slices: AsyncIterable<ColumnSlice>, columns: readonly string[], name: string) {
  const keys = columns.map((column) => `${JSON.stringify(column)}:`);
  const texts = columns.map((column) => (column === 'target' ? targetText : valueText));
  try {
    for await (const { rows, columns: data } of slices)
      for (let row = 0; row < rows; row += ROWS_PER_PIECE)
        yield linesOf(data, keys, texts, row, Math.min(row + ROWS_PER_PIECE, rows));
  } catch (error) {
    throw unreadable(error, name);
  }
}

type ValueText = (value: unknown) => string;

function linesOf(
  data: readonly DecodedArray[],
  keys: readonly string[],
  texts: readonly ValueText[],
  from: number,
  to: number,
): Uint8Array {
  let lines = '';
  for (let row = from; row < to; row++) {
    let line = '';
    for (let c = 0; c < keys.length; c++) line += `${c ? ',' : ''}${keys[c]}${texts[c](data[c][row])}`;
    lines += `{${line}}\n`;
  }
  return Buffer.from(lines);
}

/** Values of one cell come first: a replacer of JSON.stringify takes ten times as long. */
function valueText(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : notFinite(value);
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return JSON.stringify(wholeNumber(value));
  if (typeof value === 'boolean') return String(value);
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? wholeNumber(inner) : inner)) ?? 'null';
}

const notFinite = (value: number): string => (Number.isNaN(value) ? 'null' : `"${value}"`);

function wholeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** A list or an interval stands in a column of text as JSON. */
function targetText(value: unknown): string {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return valueText(value);
  try {
    return JSON.stringify(JSON.parse(value));
  } catch {
    return valueText(value);
  }
}

function unreadable(error: unknown, name: string): Error {
  if (error instanceof ElsewiseError) return error;
  const { message } = error as Error;
  const codec = /unsupported compression codec: (\w+)/.exec(message)?.[1];
  const told = codec
    ? `the compression ${codec} is not read: write the file with snappy, gzip or brotli${codec === 'ZSTD' ? ', or use Node 22.15 or newer' : ''}`
    : error instanceof ParquetFault
      ? message
      : 'the file is damaged: its bytes do not fit its index';
  return new ElsewiseError('bad-input', `cannot be read as Parquet: ${told}`, name);
}
