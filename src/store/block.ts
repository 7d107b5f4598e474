/**
 * How bulk data lies in Redis: compressed, with the SHA-256 of the plain bytes kept elsewhere and checked on every read.
 *
 *   0x78 ...  zlib, which any language can read: rows, models, anything
 *   0x01 ...  Brotli of result lines as columns (line-columns.ts)
 *   0x00 ...  the plain bytes
 *
 * `pack` and `unpack` compress in libuv's threads, for the main loop; `packLines` and `unpackNow` do all at once, for
 * solver threads.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  deflate,
  deflateSync,
  inflate,
  inflateSync,
} from 'node:zlib';
import { ElsewiseError } from '../documents/error.js';
import { joinColumns, splitColumns } from './line-columns.js';

const compress = promisify<Uint8Array, { level: number }, Buffer>(deflate);
/** No chunk of rows or results comes near it; what would grow beyond was not written by us. */
const LARGEST_BLOCK = 2 ** 29;

/** For what is written and read once level 1: a quarter of the time of the default. */
const LEVEL = { passing: 1, lasting: 9 } as const;
/** Columns are mostly digits: quality 1 comes within 3 % of the best and takes a tenth of the time. */
const COLUMNS: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const COLUMNS_MARK = Buffer.from([1]);

export interface Block {
  readonly data: Buffer;
  readonly digest: string;
  readonly bytes: number;
}

export function digestOfBytes(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** `passing`: written and read once, as rows are. `lasting`: written once and read often, as models are. */
export async function pack(bytes: Uint8Array, purpose: keyof typeof LEVEL): Promise<Block> {
  return { data: await compress(bytes, { level: LEVEL[purpose] }), digest: digestOfBytes(bytes), bytes: bytes.length };
}

/** Lines of results. */
export function packLines(lines: Uint8Array): Block {
  const columns = splitColumns(asBuffer(lines));
  const data = columns
    ? Buffer.concat([COLUMNS_MARK, brotliCompressSync(columns, COLUMNS)])
    : deflateSync(lines, { level: LEVEL.passing });
  return { data, digest: digestOfBytes(lines), bytes: lines.length };
}

/** A block that is not compressed, for what is passed on within the process. */
export function asBlock(bytes: Uint8Array): Block {
  return { data: Buffer.concat([Buffer.from([0]), bytes]), digest: digestOfBytes(bytes), bytes: bytes.length };
}

interface Form {
  expand(data: Uint8Array, maxBytes: number): Promise<Buffer>;
  expandNow(data: Uint8Array): Buffer;
}

const expandZlib = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);
const expandBrotli = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(brotliDecompress);

const ZLIB: Form = {
  expand: (data, maxOutputLength) => expandZlib(data, { maxOutputLength }),
  expandNow: (data) => inflateSync(data, { maxOutputLength: LARGEST_BLOCK }),
};

const FORMS: Readonly<Record<number, Form>> = {
  0: { expand: async (data) => asBuffer(data.subarray(1)), expandNow: (data) => asBuffer(data.subarray(1)) },
  1: {
    expand: async (data, maxOutputLength) => joinColumns(await expandBrotli(data.subarray(1), { maxOutputLength })),
    expandNow: (data) => joinColumns(brotliDecompressSync(data.subarray(1), { maxOutputLength: LARGEST_BLOCK })),
  },
};

/**
 * The plain bytes; refuses damaged ones, and says of what they should have been. A kilobyte can be made to expand to a
 * megabyte: decompression ends at `maxBytes`, whatever the data say.
 */
export async function unpack(
  data: Uint8Array,
  digest: string,
  what: string,
  maxBytes = LARGEST_BLOCK,
): Promise<Buffer> {
  const form = FORMS[data[0]] ?? ZLIB;
  const bytes = await form.expand(data, maxBytes).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE'
      ? new ElsewiseError('bad-document', `it decompresses to more than ${maxBytes} bytes and is not read`, what)
      : damaged(what, `it cannot be decompressed (${error.message})`);
  });
  const own = digestOfBytes(bytes);
  if (own !== digest) throw damaged(what, `its digest is ${own} and should be ${digest}`);
  return bytes;
}

/** Undefined when they are damaged. */
export function unpackNow({ data, digest }: Pick<Block, 'digest'> & { readonly data: Uint8Array }): Buffer | undefined {
  try {
    const bytes = (FORMS[data[0]] ?? ZLIB).expandNow(data);
    return digestOfBytes(bytes) === digest ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damaged(what: string, how: string): ElsewiseError {
  return new ElsewiseError('bad-document', `what Redis holds is damaged: ${how}`, what);
}
