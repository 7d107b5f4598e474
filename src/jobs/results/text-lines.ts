/**
 * The lines of a stream of bytes with their numbers, in order. Empty lines are counted and left out. Memory holds one read and one line.
 * The arrival of the bytes does not influence the lines.
 */
import { ElsewiseError } from '../../documents/error.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import type { ByteSource } from '../rows/streams.js';

const LF = 0x0a;
const CR = 0x0d;
/** A result of thousands of features with many answers has a few megabytes. */
const LONGEST_LINE = 1 << 25;
const BYTE_ORDER_MARK = '\ufeff';
const FOREIGN: readonly (readonly [beginning: Buffer, advice: string])[] = [
  [Buffer.from([0x1f, 0x8b]), 'the file is compressed: unpack it first (gzip -d)'],
  [Buffer.from('PAR1'), 'the file is Parquet: results are read as NDJSON'],
  [Buffer.from('PK\x03\x04'), 'the file is an archive: results are read as NDJSON'],
];

/** An error of `use` gets the number of its line. */
export async function forEachLine(
  { name, bytes }: Pick<ByteSource, 'name' | 'bytes'>,
  use: (line: string, number: number) => void,
  onRead: (bytes: number) => void = () => {},
): Promise<void> {
  const pieces: Buffer[] = [];
  let [held, number, isFirst] = [0, 0, true];
  const take = (line: Buffer) => {
    number++;
    const end = line.length > 0 && line[line.length - 1] === CR ? line.length - 1 : line.length;
    const text = line.toString('utf8', 0, end);
    const own = number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    if (own.trim() !== '') withLine(name, number, () => use(own, number));
  };
  for await (const chunk of bytes) {
    const data = asBuffer(chunk);
    if (isFirst) refuseForeign(data, name);
    isFirst = false;
    let start = 0;
    for (let end = data.indexOf(LF); end >= 0; end = data.indexOf(LF, start)) {
      const rest = data.subarray(start, end);
      take(pieces.length ? Buffer.concat([...pieces.splice(0), rest]) : rest);
      held = 0;
      start = end + 1;
    }
    if (start < data.length) pieces.push(data.subarray(start));
    held += data.length - start;
    if (held > LONGEST_LINE) withLine(name, number + 1, refuseLength);
    onRead(data.length);
  }
  if (held > 0) take(Buffer.concat(pieces));
}

function withLine(name: string, number: number, use: () => void): void {
  try {
    use();
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    throw new ElsewiseError(error.code, error.message, `${name}, line ${number}`);
  }
}

function refuseLength(): never {
  throw new ElsewiseError('bad-input', `the line is longer than ${LONGEST_LINE >> 20} MB`);
}

function refuseForeign(data: Buffer, name: string): void {
  const foreign = FOREIGN.find(([beginning]) => data.subarray(0, beginning.length).equals(beginning));
  if (foreign) throw new ElsewiseError('bad-input', foreign[1], name);
}
