/**
 * The columns of a Parquet file, a slice of rows at a time. Many writers put a million rows into one row group: memory must not grow with the
 * group. Of each column only the pages of the slice are decoded, and a page that reaches beyond the slice is kept for the next slice. A small
 * file may claim billions of rows or bytes: the limits below refuse a file before the memory is taken.
 */
import * as zlib from 'node:zlib';
import type { AsyncBuffer, Compressors, DecodedArray, FileMetaData } from 'hyparquet';

export interface ColumnSlice {
  readonly rows: number;
  /** The values of each column. */
  readonly columns: readonly DecodedArray[];
}

/** Values of a slice, all columns together. */
const SLICE_VALUES = 1 << 19;
const MIN_SLICE_ROWS = 1_000;
/** Values of a row group. A page may have all rows of its group, and a page is decoded whole. */
const MAX_GROUP_VALUES = 1 << 26;
/** Stored bytes of one column of a row group, and bytes of a page after decompression. */
const MAX_COLUMN_BYTES = 1 << 28;

type Library = typeof import('hyparquet');

/** A fault of the file in words for people. */
export class ParquetFault extends Error {}

export async function* readSlices(
  library: Library,
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly string[],
): AsyncGenerator<ColumnSlice> {
  const stored = storedColumns(metadata, columns);
  const rowsPerSlice = Math.max(MIN_SLICE_ROWS, Math.floor(SLICE_VALUES / Math.max(1, stored)));
  const compressors = compressorsOf(library);
  let groupStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const groupEnd = groupStart + Number(num_rows);
    const cursors = columns.map((column) => new ColumnCursor(library, { file, metadata, compressors, column }));
    for (let row = groupStart; row < groupEnd; row += rowsPerSlice) {
      const end = Math.min(row + rowsPerSlice, groupEnd);
      const values: DecodedArray[] = [];
      for (const cursor of cursors) values.push(await cursor.read(row, end)); // one column at a time: fewer bytes in memory
      yield { rows: end - row, columns: values };
    }
    groupStart = groupEnd;
  }
}

/** Refuses row groups that do not fit into memory. */
export function checkGroups(metadata: FileMetaData, read: readonly string[]): void {
  const stored = storedColumns(metadata, read);
  for (const { num_rows, columns } of metadata.row_groups) {
    if (Number(num_rows) * stored > MAX_GROUP_VALUES)
      throw new ParquetFault(
        `a row group has ${num_rows} rows of ${stored} columns, and at most ${MAX_GROUP_VALUES} values are read: write smaller row groups`,
      );
    for (const { meta_data } of columns) checkBytes(Number(meta_data?.total_compressed_size), 'column of a row group');
  }
}

function checkBytes(bytes: number, part: string): void {
  if (bytes <= MAX_COLUMN_BYTES) return;
  throw new ParquetFault(
    `a ${part} has ${bytes} bytes, and at most ${MAX_COLUMN_BYTES} are read: write smaller row groups`,
  );
}

/** The number of columns in the file: a nested column is stored as several. */
function storedColumns({ row_groups: [first] }: FileMetaData, columns: readonly string[]): number {
  const isRead = (path: readonly string[] | undefined) => path !== undefined && columns.includes(path[0]);
  return first ? first.columns.filter(({ meta_data }) => isRead(meta_data?.path_in_schema)).length : 0;
}

interface Page {
  readonly rowStart: number;
  readonly rowEnd: number;
  readonly values: DecodedArray;
}

interface ColumnPlace {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly compressors: Compressors;
  readonly column: string;
}

/** One column of one row group, read from its beginning to its end. */
class ColumnCursor {
  readonly #library: Library;
  readonly #place: ColumnPlace;
  /** The page at the end of the last slice, if it reaches beyond the slice. */
  #page: Page | undefined;

  constructor(library: Library, place: ColumnPlace) {
    this.#library = library;
    this.#place = place;
  }

  async read(rowStart: number, rowEnd: number): Promise<DecodedArray> {
    const held = this.#page ? [this.#page] : [];
    const next = this.#page?.rowEnd ?? rowStart;
    const pages = next < rowEnd ? [...held, ...(await this.#decode(next, rowEnd))] : held;
    const last = pages.at(-1);
    const parts = pages.map((page) => partOf(page, rowStart, rowEnd));
    this.#page = last && last.rowEnd > rowEnd ? { ...last, values: compact(last.values) } : undefined;
    return parts.length === 1 ? parts[0] : this.#library.flatten(parts);
  }

  /** The library decodes whole pages, and also a page that ends where the rows begin. Earlier rows are cut off here. */
  async #decode(rowStart: number, rowEnd: number): Promise<Page[]> {
    const { column, ...place } = this.#place;
    const pages: Page[] = [];
    await this.#library.parquetRead({
      ...place,
      ...{ columns: [column], rowStart, rowEnd, useOffsetIndex: true },
      onChunk({ rowStart: from, rowEnd: to, columnData }) {
        const page = { rowStart: from, rowEnd: to, values: columnData };
        if (to > rowStart)
          pages.push({ rowStart: Math.max(from, rowStart), rowEnd: to, values: partOf(page, rowStart, to) });
      },
    });
    return pages;
  }
}

function partOf({ rowStart, values }: Page, from: number, to: number): DecodedArray {
  const [start, end] = [Math.max(0, from - rowStart), to - rowStart];
  return Array.isArray(values) ? values.slice(start, end) : values.subarray(start, end);
}

/** Numbers in 8 bytes each: a list of 64-bit integers takes 32. A missing number is NaN. Other values stay as they are. */
function compact(values: DecodedArray): DecodedArray {
  if (!Array.isArray(values)) return values;
  const numbers = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value: unknown = values[i];
    const number = typeof value === 'bigint' ? Number(value) : (value ?? Number.NaN);
    if (typeof number !== 'number' || (typeof value === 'bigint' && !Number.isSafeInteger(number))) return values;
    numbers[i] = number;
  }
  return numbers;
}

type Decompress = (bytes: Uint8Array, length: number) => Uint8Array;

/** Zstandard is a part of Node from version 22.15 on. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?(bytes: Uint8Array): Uint8Array };

function compressorsOf({ snappyUncompress }: Library): Compressors {
  const decompress: Record<string, Decompress> = {
    SNAPPY: (bytes, length) => {
      const page = new Uint8Array(length);
      snappyUncompress(bytes, page);
      return page;
    },
    GZIP: (bytes, length) => zlib.gunzipSync(bytes, { maxOutputLength: Math.max(1, length) }),
    BROTLI: (bytes, length) => zlib.brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
    ...(zstdDecompressSync && { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }),
  };
  const checked = (run: Decompress) => (bytes: Uint8Array, length: number) => {
    checkBytes(length, 'page');
    return run(bytes, length);
  };
  return Object.fromEntries(Object.entries(decompress).map(([codec, run]) => [codec, checked(run)]));
}
