/**
 * The items of a class that are the cheapest one for some price of a unit of gain: those with an end on the lower convex hull of cost over gain.
 *
 * Items come in chains of rising gain: the steps away from the present value, or the pieces of a percentile curve. Each chain has a hull of its
 * own. An item with a curve, or with several changes, is kept.
 */

/** The items of a menu, as far as their ends matter. */
interface Ends {
  readonly c2: Float64Array;
  readonly g2: Float64Array;
  readonly changes: Uint8Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly corner: Uint8Array;
  costAt(i: number, t: number): number;
  gainAt(i: number, t: number): number;
}

/** Below this number of items a hull is no gain. */
const FEW = 6;

let item = new Int32Array(64);
let gain = new Float64Array(64);
let cost = new Float64Array(64);

export function markCorners(menu: Ends, from: number, end: number): void {
  if (end - from < FEW) return;
  if (item.length < 2 * (end - from)) {
    item = new Int32Array(4 * (end - from));
    gain = new Float64Array(item.length);
    cost = new Float64Array(item.length);
  }
  let size = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = from; i < end; i++) {
    const isStraight = menu.c2[i] === 0 && menu.g2[i] === 0 && menu.changes[i] === 1;
    const first = menu.gainAt(i, menu.from[i]);
    if (!isStraight || first < last) {
      mark(menu, size);
      size = 0;
    }
    if (!isStraight) {
      last = Infinity;
      continue;
    }
    menu.corner[i] = 0;
    size = addEnd(i, first, menu.costAt(i, menu.from[i]), size);
    last = menu.gainAt(i, menu.to[i]);
    if (menu.to[i] > menu.from[i]) size = addEnd(i, last, menu.costAt(i, menu.to[i]), size);
  }
  mark(menu, size);
}

/** Adds an end to the hull and drops the ends above the new edge. */
function addEnd(i: number, g: number, c: number, before: number): number {
  let size = before;
  while (size > 1 && isAbove(size - 1, g, c)) size--;
  if (size > 0 && cost[size - 1] >= c && gain[size - 1] <= g) size--;
  item[size] = i;
  gain[size] = g;
  cost[size] = c;
  return size + 1;
}

/** Whether an end lies above the line from the one before it to a new one. */
const isAbove = (k: number, g: number, c: number): boolean =>
  (cost[k] - cost[k - 1]) * (g - gain[k - 1]) > (c - cost[k - 1]) * (gain[k] - gain[k - 1]);

function mark(menu: Ends, size: number): void {
  for (let k = 0; k < size; k++) menu.corner[item[k]] = 1;
}
