/** Shared by the proofs of curved pieces: a box as plain intervals of columns, one for each choice of its open categories. */
import type { Domain } from '../policy/domain.js';
import { nearestValue } from '../policy/values.js';
import type { Box } from './box.js';

export interface Intervals {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
}

/** The largest number of combinations of categories. */
const MOST_COMBINATIONS = 256;

/** Boxes without open categories whose union is the box. Null: too many. */
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

/** A finite point of an interval: the middle, or the finite end, or 0. */
export function middle(lo: number, hi: number): number {
  if (lo === hi) return lo;
  if (lo > -Infinity) return hi < Infinity ? lo + 0.5 * (hi - lo) : lo;
  return hi < Infinity ? hi : 0;
}

/** A point with every varying number at the domain's nearest value. */
export function valuesAt(x: Float64Array, { domain, varies }: Box): Float64Array {
  const point = x.slice();
  for (const feature of domain.space.features)
    if (varies[feature.index] && feature.kind !== 'choice')
      point[feature.column] = nearestValue(domain, feature, x[feature.column]);
  return point;
}
