/**
 * The part of a forest that one person can reach for less than a given cost, reduced for the search.
 *
 *   leaf ℓ stays            <=>  the cheapest point of ℓ's box in the person's domain costs less than `below`
 *   segments of a feature   =    its cells, merged where no remaining split separates them; an unordered feature keeps its cells
 *
 * A point that costs less than `below` lies in leaves that stayed. The cheapest cell of a segment therefore represents the segment.
 * Nodes are numbered parent before child: a loop from high to low numbers goes up the trees.
 */
import type { Cells, PersonCells } from '../cells/cells.js';

/** The possible cells: an interval of an ordered feature, a set of an unordered feature. */
export interface CellBox {
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  readonly sets: readonly (Uint8Array | null)[];
}

export class ReachableForest {
  /** Nodes in use. */
  size = 0;
  /** Segments in use. */
  segments = 0;
  // By node: the feature (-1 at leaves), low <=> segment <= cut, or the low segments of an unordered feature, and the children (-1:
  // closed).
  feature = new Int32Array(0);
  cut = new Int32Array(0);
  set: (Uint8Array | null)[] = [];
  /** By node of an unordered feature: the start of its sides in `side`. A side is 1 where the cell is high. Other nodes: -1. */
  sides = new Int32Array(0);
  side = new Uint8Array(0);
  low = new Int32Array(0);
  high = new Int32Array(0);
  /** By node: its number in the whole forest. */
  origin = new Int32Array(0);
  readonly root: Int32Array;
  /** By feature: the position of its first segment; one more entry for the end. */
  readonly first: Int32Array;
  /** By feature: the person's segment, numbered within the feature. */
  readonly present: Int32Array;
  /** By segment. */
  cost = new Float64Array(0);
  /** By segment: the cheapest cell, the first cell and the last. */
  cell = new Int32Array(0);
  from = new Int32Array(0);
  to = new Int32Array(0);
  /** By feature: whether a remaining split reads it. */
  readonly used: Uint8Array;

  // During the walk of a tree: the cells of each feature that the path leaves open, and their least cost.
  private readonly lo: Int32Array;
  private readonly hi: Int32Array;
  private readonly open: (Uint8Array | null)[];
  private readonly spent: Float64Array;
  private readonly cuts: Uint8Array[];
  private below = Infinity;

  constructor(
    private readonly cells: Cells,
    private readonly person: PersonCells,
  ) {
    const count = cells.features.length;
    this.root = new Int32Array(cells.atom.forest.root.length);
    this.first = new Int32Array(count + 1);
    this.present = new Int32Array(count);
    this.used = new Uint8Array(count);
    this.lo = new Int32Array(count);
    this.hi = new Int32Array(count);
    this.spent = new Float64Array(count);
    this.open = cells.features.map(({ unordered, count: n }) => (unordered ? new Uint8Array(n + 1) : null));
    this.cuts = cells.features.map(({ count: n }) => new Uint8Array(n + 1));
    this.resize(1024);
  }

  private resize(length: number): void {
    const grown = (old: Int32Array) => {
      const fresh = new Int32Array(length);
      fresh.set(old);
      return fresh;
    };
    this.feature = grown(this.feature);
    this.cut = grown(this.cut);
    this.low = grown(this.low);
    this.high = grown(this.high);
    this.origin = grown(this.origin);
    this.sides = grown(this.sides);
  }

  /**
   * Builds the forest for the person whose cells are filled in. `within`: the possible cells by feature (first, last). False: some tree has
   * no reachable leaf, so no point costs less than `below`.
   */
  build(below: number, within?: CellBox): boolean {
    const { features, atom } = this.cells;
    this.below = below;
    this.size = 0;
    let total = 0;
    for (let f = 0; f < features.length; f++) {
      const { count } = features[f];
      this.cuts[f].fill(0);
      this.used[f] = 0;
      this.lo[f] = within ? within.lo[f] : 0;
      this.hi[f] = within ? within.hi[f] : count;
      const open = this.open[f];
      const possible = within?.sets[f];
      if (open)
        for (let cell = 0; cell <= count; cell++)
          open[cell] = +(this.person.cost[f][cell] < Infinity && (!possible || possible[cell] === 1));
      this.spent[f] = this.least(f);
      total += this.spent[f];
    }
    if (!(total < below)) return false;
    for (let t = 0; t < this.root.length; t++) {
      this.root[t] = this.walk(atom.forest.root[t], total);
      if (this.root[t] < 0) return false;
    }
    this.layOutSegments();
    return true;
  }

  /** The least cost of a feature among the cells that the path leaves open. */
  private least(f: number): number {
    const cost = this.person.cost[f];
    const open = this.open[f];
    let least = Infinity;
    if (open) {
      for (let cell = 0; cell < open.length; cell++) if (open[cell] && cost[cell] < least) least = cost[cell];
      return least;
    }
    // Costs grow away from the present cell. Cells that the person cannot take may lie between.
    const present = this.person.present[f];
    let up = Math.max(this.lo[f], present);
    while (up <= this.hi[f] && cost[up] === Infinity) up++;
    if (up <= this.hi[f]) least = cost[up];
    let down = Math.min(this.hi[f], present - 1);
    while (down >= this.lo[f] && cost[down] === Infinity) down--;
    return down >= this.lo[f] && cost[down] < least ? cost[down] : least;
  }

  /** Copies the reachable part below a node of the whole forest. Returns its number here; -1 when nothing is reachable. */
  private walk(node: number, total: number): number {
    const { forest } = this.cells.atom;
    if (forest.left[node] < 0) return this.add(node, -1);
    const f = this.cells.feature[node];
    const set = this.cells.sets[node];
    const [low, high] = [forest.left[node], forest.right[node]];
    if (this.person.present[f] === this.cells.features[f].count)
      return this.walk(this.cells.missingLeft[node] ? forest.left[node] : forest.right[node], total);
    if (set) return this.walkSet(node, f, set, low, high, total);
    const cut = this.cells.cut[node];
    if (this.hi[f] <= cut) return this.walk(low, total);
    if (this.lo[f] > cut) return this.walk(high, total);
    const at = this.add(node, f);
    const [oldLo, oldHi] = [this.lo[f], this.hi[f]];
    this.hi[f] = cut;
    const toLow = this.enter(f, low, total);
    this.hi[f] = oldHi;
    this.lo[f] = cut + 1;
    const toHigh = this.enter(f, high, total);
    this.lo[f] = oldLo;
    return this.close(at, f, cut, toLow, toHigh);
  }

  private walkSet(node: number, f: number, set: Uint8Array, low: number, high: number, total: number): number {
    const at = this.add(node, f);
    const old = this.open[f]!;
    this.open[f] = old.map((open, cell) => open & set[cell]);
    const toLow = this.enter(f, low, total);
    this.open[f] = old.map((open, cell) => open & +!set[cell]);
    const toHigh = this.enter(f, high, total);
    this.open[f] = old;
    return this.close(at, f, -1, toLow, toHigh);
  }

  private enter(f: number, child: number, total: number): number {
    const old = this.spent[f];
    const least = this.least(f);
    const cost = total - old + least;
    if (!(cost < this.below)) return -1;
    this.spent[f] = least;
    const at = this.walk(child, cost);
    this.spent[f] = old;
    return at;
  }

  private add(node: number, f: number): number {
    if (this.size === this.feature.length) this.resize(2 * this.size);
    const at = this.size++;
    this.feature[at] = f;
    this.origin[at] = node;
    this.set[at] = f < 0 ? null : this.cells.sets[node];
    this.low[at] = this.high[at] = -1;
    return at;
  }

  /** Keeps a split with a reachable side. A split with one reachable side still excludes the points of the other side. */
  private close(at: number, f: number, cut: number, toLow: number, toHigh: number): number {
    if (toLow < 0 && toHigh < 0) {
      this.size = at;
      return -1;
    }
    this.used[f] = 1;
    this.cut[at] = cut;
    this.low[at] = toLow;
    this.high[at] = toHigh;
    if (cut >= 0) this.cuts[f][cut] = 1;
    return at;
  }

  private layOutSegments(): void {
    const { features } = this.cells;
    let segments = 0;
    for (let f = 0; f < features.length; f++) segments += this.segmentsOf(f);
    if (segments > this.cost.length) {
      this.cost = new Float64Array(2 * segments);
      this.cell = new Int32Array(2 * segments);
      this.from = new Int32Array(2 * segments);
      this.to = new Int32Array(2 * segments);
    }
    this.segments = 0;
    const number = features.map(({ unordered }, f) => (unordered ? this.cellsOf(f) : this.mergeCells(f)));
    this.first[features.length] = this.segments;
    for (let n = 0; n < this.size; n++) {
      const f = this.feature[n];
      if (f >= 0 && this.cut[n] >= 0) this.cut[n] = this.first[f] + number[f][this.cut[n]];
    }
    this.layOutSides();
  }

  private layOutSides(): void {
    let length = 0;
    for (let n = 0; n < this.size; n++) {
      this.sides[n] = this.set[n] ? length : -1;
      length += this.set[n]?.length ?? 0;
    }
    if (length > this.side.length) this.side = new Uint8Array(2 * length);
    for (let n = 0; n < this.size; n++) {
      const set = this.set[n];
      if (set) for (let cell = 0; cell < set.length; cell++) this.side[this.sides[n] + cell] = +!set[cell];
    }
  }

  private segmentsOf(f: number): number {
    const { unordered, count } = this.cells.features[f];
    if (unordered) return count + 1;
    let segments = 1;
    for (let cell = 0; cell < count; cell++) segments += this.cuts[f][cell];
    return segments;
  }

  /** Every cell is a segment, including "missing". */
  private cellsOf(f: number): Int32Array {
    this.first[f] = this.segments;
    const cost = this.person.cost[f];
    this.present[f] = this.person.present[f];
    for (let cell = 0; cell < cost.length; cell++) this.addSegment(cost[cell], cell, cell, cell);
    return new Int32Array(0);
  }

  /** Returns the segment, within the feature, that ends at each cut. */
  private mergeCells(f: number): Int32Array {
    const { count } = this.cells.features[f];
    const cost = this.person.cost[f];
    const number = new Int32Array(count + 1);
    this.first[f] = this.segments;
    this.present[f] = -1;
    for (let from = this.lo[f], cell = from; cell <= this.hi[f]; cell++) {
      if (cell < this.hi[f] && !(cell < count && this.cuts[f][cell])) continue;
      number[cell] = this.segments - this.first[f];
      let cheapest = from;
      for (let k = from + 1; k <= cell; k++) if (cost[k] < cost[cheapest]) cheapest = k;
      if (from <= this.person.present[f]) this.present[f] = number[cell];
      this.addSegment(cost[cheapest], cheapest, from, cell);
      from = cell + 1;
    }
    return number;
  }

  private addSegment(cost: number, cell: number, from: number, to: number): void {
    const at = this.segments++;
    this.cost[at] = cost;
    this.cell[at] = cell;
    this.from[at] = from;
    this.to[at] = to;
  }
}
