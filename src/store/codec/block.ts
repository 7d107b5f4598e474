/**
 * The format of bulk data in Redis: rows, models, all but results, compressed with zlib, which any language can read. The SHA-256 of the
 * plain bytes is stored elsewhere and checked on every read. Results: result-block.ts.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { ElsewiseError } from '../../documents/error.js';

const compress = promisify<Uint8Array, { level: number }, Buffer>(deflate);
const expand = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);
/** No chunk of rows or results comes near this size. A larger block was not written by us. */
export const LARGEST_BLOCK = 2 ** 29;

/** Level 1 for data that are written and read once: a quarter of the time of the default. */
const LEVEL = { passing: 1, lasting: 9 } as const;

export interface Block {
  readonly data: Buffer;
  readonly digest: string;
  readonly bytes: number;
}

export function digestOfBytes(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** `passing`: written and read once, like rows. `lasting`: written once and read often, like models. */
export async function pack(bytes: Uint8Array, purpose: keyof typeof LEVEL): Promise<Block> {
  return { data: await compress(bytes, { level: LEVEL[purpose] }), digest: digestOfBytes(bytes), bytes: bytes.length };
}

/**
 * The plain bytes. Damaged data are refused, with their name in the message. A kilobyte can expand to a megabyte, so decompression ends at
 * `maxBytes`, whatever the data claim.
 */
export async function unpack(
  data: Uint8Array,
  digest: string,
  what: string,
  maxBytes = LARGEST_BLOCK,
): Promise<Buffer> {
  const bytes = await expand(data, { maxOutputLength: maxBytes }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE'
      ? new ElsewiseError('bad-document', `it decompresses to more than ${maxBytes} bytes and is not read`, what)
      : damaged(what, `it cannot be decompressed (${error.message})`);
  });
  const own = digestOfBytes(bytes);
  if (own !== digest) throw damaged(what, `its digest is ${own} and should be ${digest}`);
  return bytes;
}

export function damaged(what: string, how: string): ElsewiseError {
  return new ElsewiseError('damaged', `the content in Redis is damaged: ${how}`, what);
}
