/** What the proofs of curved pieces share: a box as plain intervals of columns, one for each choice of its open categories. */
import type { Domain } from '../policy/domain.js';

export interface Intervals {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
}

/** Beyond this many combinations of categories nobody looks. */
const MOST_COMBINATIONS = 256;

/** Boxes without open categories that make up the box together; null: too many. */
export function withoutChoices(box: Domain): Intervals[] | null {
  let boxes: Intervals[] = [{ lo: box.lower.slice(), hi: box.upper.slice() }];
  for (const { kind, column, width } of box.space.features) {
    if (kind !== 'choice') continue;
    const columns = Array.from({ length: width }, (_, k) => column + k);
    if (columns.every((c) => box.lower[c] === box.upper[c])) continue;
    const open = columns.filter((c) => box.upper[c] > 0);
    if (boxes.length * open.length > MOST_COMBINATIONS) return null;
    boxes = boxes.flatMap((part) => open.map((taken) => taking(part, columns, taken)));
  }
  return boxes;
}

function taking({ lo, hi }: Intervals, columns: readonly number[], taken: number): Intervals {
  const part = { lo: lo.slice(), hi: hi.slice() };
  for (const c of columns) part.lo[c] = part.hi[c] = +(c === taken);
  return part;
}
