/**
 * The margins of an ensemble at a vector of cells, kept up to date while cells change.
 *
 *   slack_m(at) = Σ_t gain_m(leaf_t(at)) - need_m               an answer has none below zero, rounding aside
 *   rise_m(f, c) = slack_m(at with f in cell c) - slack_m(at)   for every feature and cell at once
 *
 * A move asks only the trees that use its feature. All rises come from one walk: in every tree, besides the path of the
 * point, the leaves that one feature alone can lead to, each adding its difference to an interval of that feature's cells.
 */
import type { Cells } from './cells.js';

export class CellScores {
  readonly at: Int32Array;
  /** By margin. */
  readonly slack: Float64Array;
  /** By feature: where its cells begin in a margin's rises. */
  readonly first: Int32Array;
  /** By margin, then by cell, as of the last `look`. */
  readonly rise: readonly Float64Array[];
  /** By feature: 0 when its rises are of no interest. */
  readonly wanted: Uint8Array;
  /** By tree: the leaf of the point. */
  readonly leaf: Int32Array;

  private readonly margins: number;
  private readonly gain: readonly Float64Array[];
  private readonly unordered: Uint8Array;
  private readonly counts: Int32Array;
  private readonly treesOf: readonly Int32Array[];
  // By node: the feature, its last low cell or where its set begins, and the children; -1: a leaf, no set.
  private readonly feature: Int32Array;
  private readonly cut: Int32Array;
  private readonly setStart: Int32Array;
  private readonly members: Uint8Array;
  private readonly low: Int32Array;
  private readonly high: Int32Array;
  // While a tree is walked: the cells that the path of the point leaves a feature, and which cells have left it.
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly parted: Float64Array;
  private walk = 0;

  constructor(private readonly cells: Cells) {
    const { features, piece } = cells;
    const nodes = cells.feature.length;
    this.margins = piece.margins.length;
    this.gain = piece.margins.map(({ gain }) => gain);
    this.at = new Int32Array(features.length);
    this.slack = new Float64Array(this.margins);
    this.counts = Int32Array.from(features, ({ count }) => count);
    this.unordered = Uint8Array.from(features, ({ unordered }) => +unordered);
    this.wanted = new Uint8Array(features.length).fill(1);
    this.first = new Int32Array(features.length + 1);
    // One more place per feature: where the interval up to its last cell ends.
    for (let f = 0; f < features.length; f++) this.first[f + 1] = this.first[f] + this.counts[f] + 1;
    const places = this.first[features.length];
    this.rise = piece.margins.map(() => new Float64Array(places));
    this.parted = new Float64Array(places);
    this.leaf = new Int32Array(piece.forest.root.length);
    this.from = new Int32Array(features.length);
    this.to = this.counts.map((count) => count - 1);
    this.feature = cells.feature;
    this.cut = cells.cut;
    this.low = new Int32Array(nodes).fill(-1);
    this.high = new Int32Array(nodes).fill(-1);
    this.setStart = new Int32Array(nodes).fill(-1);
    this.members = this.layOutSets();
    this.layOutChildren();
    this.treesOf = this.listTrees();
  }

  /** Goes to a vector of cells, from scratch. */
  load(at: ArrayLike<number>): void {
    const { root } = this.cells.piece.forest;
    this.at.set(at);
    for (let m = 0; m < this.margins; m++) this.slack[m] = -this.cells.piece.margins[m].need;
    for (let t = 0; t < root.length; t++) {
      const leaf = this.leafBelow(root[t]);
      this.leaf[t] = leaf;
      for (let m = 0; m < this.margins; m++) this.slack[m] += this.gain[m][leaf];
    }
  }

  move(f: number, cell: number): void {
    if (this.at[f] === cell) return;
    this.at[f] = cell;
    const { root } = this.cells.piece.forest;
    const trees = this.treesOf[f];
    for (let k = 0; k < trees.length; k++) {
      const t = trees[k];
      const leaf = this.leafBelow(root[t]);
      const old = this.leaf[t];
      if (leaf === old) continue;
      this.leaf[t] = leaf;
      for (let m = 0; m < this.margins; m++) this.slack[m] += this.gain[m][leaf] - this.gain[m][old];
    }
  }

  /** The margin that is worst off. */
  worst(): number {
    let worst = Infinity;
    for (let m = 0; m < this.margins; m++) if (this.slack[m] < worst) worst = this.slack[m];
    return worst;
  }

  /** Fills `rise`. */
  look(): void {
    const { root } = this.cells.piece.forest;
    for (let m = 0; m < this.margins; m++) this.rise[m].fill(0);
    for (let t = 0; t < root.length; t++) this.lookInto(root[t], this.leaf[t]);
    for (let f = 0; f < this.at.length; f++) if (!this.unordered[f] && this.wanted[f]) this.sumUp(f);
  }

  /** From where intervals begin and end to what holds inside them. */
  private sumUp(f: number): void {
    const start = this.first[f];
    const end = start + this.counts[f];
    for (let m = 0; m < this.margins; m++) {
      const rise = this.rise[m];
      for (let k = start + 1; k < end; k++) rise[k] += rise[k - 1];
    }
  }

  private lookInto(root: number, leaf: number): void {
    this.walk++;
    let node = root;
    while (node !== leaf) {
      const f = this.feature[node];
      const isLow = this.goesLow(node, this.at[f]);
      if (this.wanted[f]) {
        if (this.unordered[f]) this.partCells(node, f, isLow, leaf);
        else this.partInterval(node, f, isLow, leaf);
      }
      node = isLow ? this.low[node] : this.high[node];
    }
    for (
      node = root;
      node !== leaf;
      node = this.goesLow(node, this.at[this.feature[node]]) ? this.low[node] : this.high[node]
    ) {
      const f = this.feature[node];
      this.from[f] = 0;
      this.to[f] = this.counts[f] - 1;
    }
  }

  private partInterval(node: number, f: number, isLow: boolean, leaf: number): void {
    const cut = this.cut[node];
    if (isLow) {
      if (this.to[f] <= cut) return;
      this.follow(this.high[node], f, cut + 1, this.to[f], leaf);
      this.to[f] = cut;
    } else {
      if (this.from[f] > cut) return;
      this.follow(this.low[node], f, this.from[f], cut, leaf);
      this.from[f] = cut + 1;
    }
  }

  /** The leaves that cells from..to of a feature lead to, instead of the point's own leaf. */
  private follow(top: number, f: number, from: number, to: number, leaf: number): void {
    let node = top;
    let start = from;
    while (this.low[node] >= 0) {
      const cut = this.cut[node];
      const g = this.feature[node];
      if (g !== f) node = this.goesLow(node, this.at[g]) ? this.low[node] : this.high[node];
      else if (to <= cut) node = this.low[node];
      else {
        if (start <= cut) {
          this.follow(this.low[node], f, start, cut, leaf);
          start = cut + 1;
        }
        node = this.high[node];
      }
    }
    const place = this.first[f];
    for (let m = 0; m < this.margins; m++) {
      const difference = this.gain[m][node] - this.gain[m][leaf];
      this.rise[m][place + start] += difference;
      this.rise[m][place + to + 1] -= difference;
    }
  }

  /** The same for categories, one by one: each leaves the path once. */
  private partCells(node: number, f: number, isLow: boolean, leaf: number): void {
    const own = this.at[f];
    const place = this.first[f];
    for (let cell = 0; cell < this.counts[f]; cell++) {
      if (this.parted[place + cell] === this.walk || this.goesLow(node, cell) === isLow) continue;
      this.parted[place + cell] = this.walk;
      this.at[f] = cell;
      const other = this.leafBelow(isLow ? this.high[node] : this.low[node]);
      for (let m = 0; m < this.margins; m++) this.rise[m][place + cell] += this.gain[m][other] - this.gain[m][leaf];
    }
    this.at[f] = own;
  }

  private leafBelow(top: number): number {
    let node = top;
    while (this.low[node] >= 0)
      node = this.goesLow(node, this.at[this.feature[node]]) ? this.low[node] : this.high[node];
    return node;
  }

  private goesLow(node: number, cell: number): boolean {
    const set = this.setStart[node];
    return set < 0 ? cell <= this.cut[node] : this.members[set + cell] === 1;
  }

  private layOutSets(): Uint8Array {
    const { sets } = this.cells;
    const members = new Uint8Array(sets.reduce((sum, set) => sum + (set?.length ?? 0), 0));
    let start = 0;
    for (const [n, set] of sets.entries()) {
      if (!set) continue;
      members.set(set, start);
      this.setStart[n] = start;
      start += set.length;
    }
    return members;
  }

  private layOutChildren(): void {
    const { left, right } = this.cells.piece.forest;
    for (let n = 0; n < left.length; n++) {
      const flipped = this.cells.flipped[n] === 1;
      this.low[n] = flipped ? right[n] : left[n];
      this.high[n] = flipped ? left[n] : right[n];
    }
  }

  private listTrees(): Int32Array[] {
    const { root } = this.cells.piece.forest;
    const lists = this.cells.features.map((): number[] => []);
    for (let t = 0; t < root.length; t++) {
      const end = t + 1 < root.length ? root[t + 1] : this.feature.length;
      const used = new Set(this.feature.subarray(root[t], end));
      for (const f of used) if (f >= 0) lists[f].push(t);
    }
    return lists.map((list) => Int32Array.from(list));
  }
}
