/**
 * The part of a reachable forest within one box, laid out for passes from the leaves up: only splits with both sides open,
 * parents before children, leaves in arrays of their own.
 *
 *   a split that the box decides is skipped;  a side whose cheapest point in the box costs `below` or more is closed
 *   child >= 0: a split,   child < 0: the leaf ~child,   leaf 0: closed
 *
 * Dropping a split that the box decides, or does not reach, does not weaken the dual bound: its price would be paid by the tree and
 * to the feature alike, or only to the feature.
 */
import type { ReachableForest } from './reachable-forest.js';

/** A box: an interval of segments for ordered features, a set (by cell) for unordered ones. */
export interface SegmentBox {
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  readonly sets: (Uint8Array | null)[];
}

const CLOSED = -1;

export class BoxForest {
  /** The numbers of splits and leaves in use. Leaf 0 means no leaf. */
  splits = 0;
  leaves = 1;
  // By split: the feature, the last low segment or the start of the sides of its cells (-1), the children, the original node.
  feature = new Int32Array(256);
  cut = new Int32Array(256);
  sides = new Int32Array(256);
  low = new Int32Array(256);
  high = new Int32Array(256);
  node = new Int32Array(256);
  /** By leaf: the original node. */
  leafNode = new Int32Array(256);
  /** By tree: a child, encoded as above. */
  readonly root: Int32Array;
  /** By tree: its last leaf. The leaves of a tree are adjacent. */
  readonly lastLeaf: Int32Array;
  private forest!: ReachableForest;
  private readonly lo: Int32Array;
  private readonly hi: Int32Array;
  private open: (Uint8Array | null)[] = [];
  private readonly spent: Float64Array;
  private below = Infinity;

  constructor(trees: number, features: number) {
    this.root = new Int32Array(trees);
    this.lastLeaf = new Int32Array(trees);
    this.lo = new Int32Array(features);
    this.hi = new Int32Array(features);
    this.spent = new Float64Array(features);
  }

  /** False: no point of the box costs less than `below`. */
  build(forest: ReachableForest, box: SegmentBox, below: number): boolean {
    this.forest = forest;
    this.below = below;
    this.splits = 0;
    this.leaves = 1;
    this.lo.set(box.lo);
    this.hi.set(box.hi);
    this.open = [...box.sets];
    let total = 0;
    for (let f = 0; f < this.spent.length; f++) {
      this.spent[f] = this.least(f);
      total += this.spent[f];
    }
    if (!(total < below)) return false;
    for (let t = 0; t < this.root.length; t++) {
      this.root[t] = this.walk(forest.root[t], total);
      if (this.root[t] === CLOSED) return false;
      this.lastLeaf[t] = this.leaves - 1;
    }
    return true;
  }

  private least(f: number): number {
    const { cost, first, present } = this.forest;
    const set = this.open[f];
    let least = Infinity;
    if (set) {
      for (let cell = 0, s = first[f]; cell < set.length; cell++, s++)
        if (set[cell] && cost[s] < least) least = cost[s];
      return least;
    }
    // Costs grow away from the present segment. A segment that the person cannot take costs Infinity.
    const here = first[f] + present[f];
    let up = Math.max(this.lo[f], here);
    while (up <= this.hi[f] && cost[up] === Infinity) up++;
    if (up <= this.hi[f]) least = cost[up];
    let down = Math.min(this.hi[f], here - 1);
    while (down >= this.lo[f] && cost[down] === Infinity) down--;
    return down >= this.lo[f] && cost[down] < least ? cost[down] : least;
  }

  private walk(node: number, total: number): number {
    const { feature, cut, set: sets, low, high } = this.forest;
    if (node < 0) return CLOSED;
    const f = feature[node];
    if (f < 0) return this.addLeaf(node);
    const set = sets[node];
    if (set) return this.walkSet(node, f, set, total);
    if (this.hi[f] <= cut[node]) return this.walk(low[node], total);
    if (this.lo[f] > cut[node]) return this.walk(high[node], total);
    const at = this.addSplit(node, f);
    const [oldLo, oldHi] = [this.lo[f], this.hi[f]];
    this.hi[f] = cut[node];
    const toLow = this.enter(f, low[node], total);
    this.hi[f] = oldHi;
    this.lo[f] = cut[node] + 1;
    const toHigh = this.enter(f, high[node], total);
    this.lo[f] = oldLo;
    return this.close(at, toLow, toHigh);
  }

  private walkSet(node: number, f: number, set: Uint8Array, total: number): number {
    const { low, high } = this.forest;
    const old = this.open[f]!;
    const lows = old.map((open, cell) => open & set[cell]);
    const highs = old.map((open, cell) => open & +!set[cell]);
    if (!highs.includes(1)) return this.walk(low[node], total);
    if (!lows.includes(1)) return this.walk(high[node], total);
    const at = this.addSplit(node, f);
    this.open[f] = lows;
    const toLow = this.enter(f, low[node], total);
    this.open[f] = highs;
    const toHigh = this.enter(f, high[node], total);
    this.open[f] = old;
    return this.close(at, toLow, toHigh);
  }

  private enter(f: number, child: number, total: number): number {
    const old = this.spent[f];
    const least = this.least(f);
    const cost = total - old + least;
    if (child < 0 || !(cost < this.below)) return CLOSED;
    this.spent[f] = least;
    const at = this.walk(child, cost);
    this.spent[f] = old;
    return at;
  }

  private addLeaf(node: number): number {
    if (this.leaves === this.leafNode.length) this.leafNode = grown(this.leafNode);
    this.leafNode[this.leaves] = node;
    return ~this.leaves++;
  }

  private addSplit(node: number, f: number): number {
    if (this.splits === this.feature.length) this.grow();
    const at = this.splits++;
    this.feature[at] = f;
    this.node[at] = node;
    this.cut[at] = this.forest.cut[node];
    this.sides[at] = this.forest.sides[node];
    return at;
  }

  private close(at: number, toLow: number, toHigh: number): number {
    if (toLow === CLOSED && toHigh === CLOSED) {
      this.splits = at;
      return CLOSED;
    }
    this.low[at] = toLow;
    this.high[at] = toHigh;
    return at;
  }

  private grow(): void {
    this.feature = grown(this.feature);
    this.cut = grown(this.cut);
    this.sides = grown(this.sides);
    this.low = grown(this.low);
    this.high = grown(this.high);
    this.node = grown(this.node);
  }
}

function grown(old: Int32Array): Int32Array<ArrayBuffer> {
  const fresh = new Int32Array(2 * old.length);
  fresh.set(old);
  return fresh;
}
