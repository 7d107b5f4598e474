/**
 * The open boxes of a search over a forest, least bound first while memory allows. A box keeps the prices with which it was made, the best
 * start for its own bound. Above half of the memory limit, new boxes are stored without prices. At the limit the boxes form a stack: a
 * depth-first search hardly grows.
 */

import { NodeHeap } from '../../shared/node-heap.js';
import type { SegmentBox } from './node-forest.js';

export interface Prices {
  readonly w: Float64Array;
  readonly lambda: Float64Array;
}

export interface OpenBox extends SegmentBox {
  bound: number;
  /** Prices to start from. Null: the present prices are used. */
  readonly prices: Prices | null;
}

export class OpenBoxes {
  private readonly heap = new NodeHeap<OpenBox>();
  private readonly stack: OpenBox[] = [];
  private bytes = 0;

  constructor(private readonly memoryBytes: number) {}

  /** The least bound of all boxes; Infinity when none is open. */
  least(): number {
    return this.stack.reduce((least, { bound }) => Math.min(least, bound), this.heap.least());
  }

  /** `makePrices`: copies the present prices. */
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
