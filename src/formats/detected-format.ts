/** The format of a file, from what its beginning says. A table of points is like any other table: its format has to be named. */
import { formats } from './index.js';

const HEAD_BYTES = 4096;

/** The name of the format. Undefined: no format, or several, have such files. */
export function detectFormat(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES)).replaceAll('\0', '');
  const names = [...formats].filter(([, { mark }]) => mark?.test(head)).map(([name]) => name);
  return names.length === 1 ? names[0] : undefined;
}
