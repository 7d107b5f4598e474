/**
 * The open boxes of a search over a forest: the least bound comes first, for as long as memory allows. A box remembers the
 * prices that it was made with, the best start for its own bound. From half of the memory on, new boxes do without them; when
 * all is used, the last box in is the first out: such a search goes down instead of along, and hardly grows.
 */

import { NodeHeap } from '../../shared/node-heap.js';
import type { SegmentBox } from './node-forest.js';

export interface Prices {
  readonly w: Float64Array;
  readonly lambda: Float64Array;
}

export interface OpenBox extends SegmentBox {
  bound: number;
  /** Prices to start from; null: those that happen to be there. */
  readonly prices: Prices | null;
}

export class OpenBoxes {
  private readonly heap = new NodeHeap<OpenBox>();
  private readonly stack: OpenBox[] = [];
  private bytes = 0;

  constructor(private readonly memoryBytes: number) {}

  /** The least bound of all boxes; Infinity when there is none. */
  least(): number {
    return this.stack.reduce((least, { bound }) => Math.min(least, bound), this.heap.least());
  }

  /** `makePrices`: the prices of this moment, copied. */
  push(box: SegmentBox, bound: number, makePrices: () => Prices): void {
    const prices = this.bytes < this.memoryBytes / 2 ? makePrices() : null;
    const open = { ...box, bound, prices };
    if (this.bytes < this.memoryBytes) this.heap.push(open, bound);
    else this.stack.push(open);
    this.bytes += sizeOf(open);
  }

  pop(): OpenBox | undefined {
    const box = this.stack.pop() ?? this.heap.pop();
    if (box) this.bytes -= sizeOf(box);
    return box;
  }
}

function sizeOf({ lo, sets, prices }: OpenBox): number {
  const arrays = 100 + 8 * lo.length + sets.reduce((sum, set) => sum + (set ? 100 + set.length : 8), 0);
  return arrays + (prices ? 200 + 8 * prices.w.length : 0);
}
