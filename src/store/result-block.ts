/**
 * How the results of a chunk lie in Redis: as columns (result-columns.ts), compressed with Brotli, under the SHA-256 of what is
 * stored. Columns hold little that repeats, so the quickest quality comes within 12 % of the slow ones.
 */
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from 'node:zlib';
import type { ResultDocument } from '../documents/result-document.js';
import { damaged, digestOfBytes, LARGEST_BLOCK } from './block.js';
import { ResultColumns, readResults } from './result-columns.js';

export interface ResultBlock {
  readonly data: Uint8Array;
  /** Of `data`. */
  readonly digest: string;
}

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const LIMIT = { maxOutputLength: LARGEST_BLOCK };
const expand = promisify<Uint8Array, typeof LIMIT, Buffer>(brotliDecompress);

/** All at once: for solver threads. */
export function packColumns(columns: ResultColumns): ResultBlock {
  const data = brotliCompressSync(columns.write(), QUICK);
  return { data, digest: digestOfBytes(data) };
}

/** Lines of results, as `explain` writes them. */
export function packLines(lines: string): ResultBlock {
  const columns = new ResultColumns();
  for (const line of lines.split('\n')) if (line) columns.add(JSON.parse(line) as ResultDocument);
  return packColumns(columns);
}

/** The lines again; refuses damaged ones, and says of what they should have been. */
export async function unpackLines({ data, digest }: ResultBlock, what: string): Promise<Buffer> {
  const own = digestOfBytes(data);
  if (own !== digest) throw damaged(what, `its digest is ${own} and should be ${digest}`);
  try {
    let lines = '';
    for (const result of readResults(await expand(data, LIMIT))) lines += `${JSON.stringify(result)}\n`;
    return Buffer.from(lines);
  } catch (error) {
    throw damaged(what, `it cannot be read (${(error as Error).message})`);
  }
}

/** The documents, all at once: for solver threads. Undefined when they are damaged. */
export function unpackResults({ data, digest }: ResultBlock): ResultDocument[] | undefined {
  if (digestOfBytes(data) !== digest) return undefined;
  try {
    return [...readResults(brotliDecompressSync(data, LIMIT))];
  } catch {
    return undefined;
  }
}
