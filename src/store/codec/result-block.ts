/**
 * The format of a chunk's results in Redis: columns (result-columns.ts), compressed with Brotli, under the SHA-256 of the stored bytes.
 * Columns contain little repetition, so the fastest quality comes within 12 % of the slow ones.
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from 'node:zlib';
import type { ResultDocument } from '../../documents/result-document.js';
import { oneAtATime } from '../redis/one-at-a-time.js';
import { damaged, digestOfBytes, LARGEST_BLOCK } from './block.js';
import { asBuffer } from './byte-streams.js';
import { LineBuffer } from './line-buffer.js';
import { ResultColumns, ResultReader } from './result-columns.js';
import { lineOf } from './result-line.js';
import type { ResultRow } from './result-row.js';

export interface ResultBlock {
  readonly data: Uint8Array;
  /** SHA-256 of `data`. */
  readonly digest: string;
}

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const LIMIT = { maxOutputLength: LARGEST_BLOCK };
/** The approximate bytes of a line. A smaller estimate costs a copy. */
const LINE_BYTES = 3_000;
const ROWS_IN_A_ROW = 64;
const expand = promisify<Uint8Array, typeof LIMIT, Buffer>(brotliDecompress);

/** Synchronous, for solver threads. */
export function packColumns(columns: ResultColumns): ResultBlock {
  const data = brotliCompressSync(columns.write(), QUICK);
  return { data, digest: digestOfBytes(data) };
}

/** Packs lines of results, as `explain` writes them. */
export function packLines(lines: string): ResultBlock {
  const columns = new ResultColumns();
  for (const line of lines.split('\n')) if (line) columns.add(JSON.parse(line) as ResultDocument);
  return packColumns(columns);
}

/**
 * The lines of a block. Damaged data are refused, with their name in the message. A block blocks the loop for about 20 ms, and an event or
 * a request must not wait for so long. Blocks are therefore read one at a time, with a pause for others every millisecond or two.
 */
export function unpackLines(block: ResultBlock, what: string): Promise<Buffer> {
  return inTurn(() => readLines(block, what));
}

const inTurn = oneAtATime();

async function readLines({ data, digest }: ResultBlock, what: string): Promise<Buffer> {
  const own = digestOfBytes(data);
  if (own !== digest) throw damaged(what, `its digest is ${own} and should be ${digest}`);
  try {
    const reader = new ResultReader(await expand(data, LIMIT));
    const lines = new LineBuffer(LINE_BYTES * reader.rows);
    for (let row = 0; row < reader.rows; row++) {
      if (row % ROWS_IN_A_ROW === 0) await setImmediate();
      lines.push(`${textOf(reader.next())}\n`);
    }
    return asBuffer(lines.bytes);
  } catch (error) {
    throw damaged(what, `it cannot be read (${(error as Error).message})`);
  }
}

const textOf = (result: ResultRow | string): string => (typeof result === 'string' ? result : lineOf(result));

/** Opens a block synchronously, for solver threads. Undefined: the block is damaged. */
export function openBlock({ data, digest }: ResultBlock): ResultReader | undefined {
  if (digestOfBytes(data) !== digest) return undefined;
  try {
    return new ResultReader(brotliDecompressSync(data, LIMIT));
  } catch {
    return undefined;
  }
}
