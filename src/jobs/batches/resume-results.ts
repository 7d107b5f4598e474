/** The place in the results of a batch behind which an output continues. */
import { ElsewiseError } from '../../documents/error.js';
import { formatCount } from '../../report/numbers.js';
import type { Store } from '../../store/store.js';

export interface ResultPlace {
  /** The chunk that has the last row of the output. */
  readonly from: number;
  /** The number of its rows that the output has. */
  readonly skipRows: number;
}

/** The number of chunks read together. */
const WINDOW = 256;

/** Throws if the batch has fewer rows than the output. */
export async function placeOf(store: Store, id: string, rows: number): Promise<ResultPlace> {
  const { chunks } = await store.batches.status(id);
  for (let first = 0; first < chunks; first += WINDOW) {
    const facts = await store.batches.chunks(id, first, Math.min(WINDOW, chunks - first));
    const at = facts.findIndex((chunk) => chunk && rows < chunk.firstRow + chunk.rows);
    if (at >= 0) return { from: first + at, skipRows: rows - facts[at]!.firstRow + 1 };
  }
  if (rows === 0) return { from: 0, skipRows: 0 };
  throw new ElsewiseError(
    'conflict',
    `cannot be resumed: the output has ${formatCount(rows, 'row')}, more than batch "${id}"`,
  );
}

/** The lines behind the rows that the output has. Throws if the last of these rows has another id than in the output. */
export function linesBehind(lines: Buffer, rows: number, lastId: (line: string) => string, expected?: string): Buffer {
  if (rows === 0) return lines;
  let [start, end] = [0, 0];
  for (let line = 0; line < rows; line++) [start, end] = [end, lines.indexOf('\n', end) + 1];
  const id = lastId(lines.toString('utf8', start, end));
  if (expected !== undefined && id !== expected)
    throw new ElsewiseError('conflict', `cannot be resumed: its last row is "${expected}", in the batch "${id}"`);
  return lines.subarray(end);
}
