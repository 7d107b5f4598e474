/** The encoding of a text file: by its byte order mark, by an option, or by its first bytes. Rows are read as UTF-8: other text is converted. */
import { isUtf8 } from 'node:buffer';
import { ElsewiseError } from '../../documents/error.js';

const MARKS: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/** Undefined: the bytes have no mark of UTF-16. */
export function markedEncoding(head: Buffer): string | undefined {
  return MARKS.find(([mark]) => head.subarray(0, mark.length).equals(mark))?.[1];
}

/** The encoding that a name means, by the names of the WHATWG standard. */
export function readEncoding(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    const examples = 'utf-8, latin1, windows-1252, iso-8859-2, utf-16le';
    throw new ElsewiseError('usage', `--encoding: unknown encoding "${name}"; known are ${examples} and others`);
  }
}

/**
 * The encoding of the first lines of a file without a mark; undefined for UTF-8. Text without any UTF-8 beyond ASCII is taken for Windows-1252,
 * which has all characters of Latin-1. Text with both is UTF-8 with broken rows.
 */
export function detectEncoding(lines: Buffer): string | undefined {
  return isUtf8(lines) || hasUtf8Character(lines) ? undefined : 'windows-1252';
}

/** Whether a byte sequence of UTF-8 beyond ASCII occurs. */
function hasUtf8Character(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at];
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (length && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) return true;
  }
  return false;
}

/** The same text as UTF-8, without a byte order mark. Bytes that are no text of the encoding are refused. */
export async function* toUtf8(
  head: Buffer,
  rest: AsyncIterator<Uint8Array>,
  encoding: string,
  name: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes: Uint8Array | undefined): Buffer => {
    try {
      return Buffer.from(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode());
    } catch {
      throw new ElsewiseError('bad-input', `is no text in ${encoding}: name its encoding by --encoding`, name);
    }
  };
  yield decode(head);
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield decode(next.value);
  yield decode(undefined);
}
