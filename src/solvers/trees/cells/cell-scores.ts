/**
 * The margins of an ensemble at a vector of cells, updated while cells change.
 *
 *   slack_m(at) = Σ_t gain_m(leaf_t(at)) - need_m               an answer has no slack below zero, up to rounding
 *   rise_m(f, c) = slack_m(at with f in cell c) - slack_m(at)   for every feature and cell of interest at once
 *
 * A move evaluates only the trees that use its feature. All rises come from one walk. The walk visits in every tree the path of the
 * point and the leaves that a change of one feature alone can reach. Each of these leaves adds its difference to an interval of cells.
 */
import type { Cells } from './cells.js';

// A node is four adjacent numbers, for locality of memory: its feature, its last low cell or ~(the start of its set), and its children for
// low and high cells (-1 at a leaf).
const CUT = 1;
const LOW = 2;
const HIGH = 3;
const STRIDE = 4;

export class CellScores {
  readonly at: Int32Array;
  /** By margin. */
  readonly slack: Float64Array;
  /** By feature: the position of its first cell in a margin's rises. */
  readonly first: Int32Array;
  /** By margin, then by cell: the values of the last `look`. */
  readonly rise: readonly Float64Array[];
  /** By feature: the interval of cells whose rises are computed. It includes the present cell. */
  readonly least: Int32Array;
  readonly most: Int32Array;
  /** By tree: the leaf of the point. */
  readonly leaf: Int32Array;

  private readonly margins: number;
  private readonly gain: readonly Float64Array[];
  private readonly unordered: Uint8Array;
  private readonly treesOf: readonly Int32Array[];
  private nodes: Int32Array;
  /** The nodes for persons without a missing value. */
  private readonly plain: Int32Array;
  private readonly members: Uint8Array;
  /** By leaf: the features on its path, as bits. Features from the 33rd on share bits. */
  private readonly asked: Int32Array;
  // During the walk of a tree: the cells of a feature that are still on the path of the point, and the cells that have left the path.
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly seen: Float64Array;
  private readonly parted: Float64Array;
  private walk = 0;

  constructor(private readonly cells: Cells) {
    const { features, atom } = cells;
    this.margins = atom.margins.length;
    this.gain = atom.margins.map(({ gain }) => gain);
    this.at = new Int32Array(features.length);
    this.slack = new Float64Array(this.margins);
    this.unordered = Uint8Array.from(features, ({ unordered }) => +unordered);
    this.least = new Int32Array(features.length);
    this.most = Int32Array.from(features, ({ count }) => count - 1);
    this.first = new Int32Array(features.length + 1);
    // One more entry per feature holds the end of an interval that reaches the last cell.
    for (let f = 0; f < features.length; f++) this.first[f + 1] = this.first[f] + features[f].count + 1;
    this.rise = atom.margins.map(() => new Float64Array(this.first[features.length]));
    this.parted = new Float64Array(this.first[features.length]);
    this.leaf = new Int32Array(atom.forest.root.length);
    this.from = new Int32Array(features.length);
    this.to = new Int32Array(features.length);
    this.seen = new Float64Array(features.length);
    this.members = new Uint8Array(cells.sets.reduce((sum, set) => sum + (set?.length ?? 0), 0));
    this.plain = this.layOut();
    this.nodes = this.plain;
    this.asked = this.cells.parent.map((_, node) => this.askedAbove(node));
    this.treesOf = this.listTrees();
  }

  /** Sends every split of a missing feature to one side. Must run before `load`, for every person. */
  meet(present: Int32Array): void {
    const { features, feature, missingLeft, atom } = this.cells;
    this.nodes = this.plain;
    if (features.every(({ count }, f) => present[f] < count)) return;
    this.nodes = this.plain.slice();
    for (let n = 0; n < feature.length; n++) {
      if (feature[n] < 0 || present[feature[n]] < features[feature[n]].count) continue;
      const side = missingLeft[n] ? atom.forest.left[n] : atom.forest.right[n];
      this.nodes[n * STRIDE + LOW] = this.nodes[n * STRIDE + HIGH] = side;
    }
  }

  /** Goes to a vector of cells without using the previous one. */
  load(at: ArrayLike<number>): void {
    const { root } = this.cells.atom.forest;
    this.at.set(at);
    for (let m = 0; m < this.margins; m++) this.slack[m] = -this.cells.atom.margins[m].need;
    for (let t = 0; t < root.length; t++) {
      const leaf = this.leafBelow(root[t]);
      this.leaf[t] = leaf;
      for (let m = 0; m < this.margins; m++) this.slack[m] += this.gain[m][leaf];
    }
  }

  move(f: number, cell: number): void {
    if (this.at[f] === cell) return;
    this.at[f] = cell;
    const { root } = this.cells.atom.forest;
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

  /** The least slack of all margins. */
  worst(): number {
    let worst = Infinity;
    for (let m = 0; m < this.margins; m++) if (this.slack[m] < worst) worst = this.slack[m];
    return worst;
  }

  /** Fills `rise` between `least` and `most`. */
  look(): void {
    const { root } = this.cells.atom.forest;
    let wanted = 0;
    for (let f = 0; f < this.at.length; f++) {
      if (this.least[f] < this.most[f]) wanted |= 1 << (f & 31);
      for (let m = 0; m < this.margins; m++)
        this.rise[m].fill(0, this.first[f] + this.least[f], this.first[f] + this.most[f] + 2);
    }
    for (let t = 0; t < root.length; t++)
      if ((this.asked[this.leaf[t]] & wanted) !== 0) this.lookInto(root[t], this.leaf[t]);
    for (let f = 0; f < this.at.length; f++) if (!this.unordered[f]) this.sumUp(f);
  }

  /** Turns the starts and ends of intervals into the values inside the intervals. */
  private sumUp(f: number): void {
    const end = this.first[f] + this.most[f];
    for (let m = 0; m < this.margins; m++) {
      const rise = this.rise[m];
      for (let k = this.first[f] + this.least[f] + 1; k <= end; k++) rise[k] += rise[k - 1];
    }
  }

  private lookInto(root: number, leaf: number): void {
    const { nodes, at } = this;
    this.walk++;
    let node = root;
    while (node !== leaf) {
      const place = node * STRIDE;
      const f = nodes[place];
      const isLow = this.goesLow(nodes[place + CUT], at[f]);
      if (this.least[f] < this.most[f]) {
        if (this.unordered[f]) this.partCells(place, f, isLow, leaf);
        else this.partInterval(place, f, isLow, leaf);
      }
      node = nodes[place + (isLow ? LOW : HIGH)];
    }
  }

  private partInterval(place: number, f: number, isLow: boolean, leaf: number): void {
    if (this.seen[f] !== this.walk) {
      this.seen[f] = this.walk;
      this.from[f] = this.least[f];
      this.to[f] = this.most[f];
    }
    const cut = this.nodes[place + CUT];
    if (isLow && this.to[f] > cut) {
      this.follow(this.nodes[place + HIGH], f, cut + 1, this.to[f], leaf);
      this.to[f] = cut;
    } else if (!isLow && this.from[f] <= cut) {
      this.follow(this.nodes[place + LOW], f, this.from[f], cut, leaf);
      this.from[f] = cut + 1;
    }
  }

  /** Adds the leaves that cells from..to of a feature reach, instead of the point's own leaf. */
  private follow(top: number, f: number, from: number, to: number, leaf: number): void {
    const { nodes, at } = this;
    let node = top;
    let start = from;
    for (let place = node * STRIDE; nodes[place + LOW] >= 0; place = node * STRIDE) {
      const g = nodes[place];
      const cut = nodes[place + CUT];
      if (g !== f) node = nodes[place + (this.goesLow(cut, at[g]) ? LOW : HIGH)];
      else if (to <= cut) node = nodes[place + LOW];
      else {
        if (start <= cut) {
          this.follow(nodes[place + LOW], f, start, cut, leaf);
          start = cut + 1;
        }
        node = nodes[place + HIGH];
      }
    }
    const place = this.first[f];
    for (let m = 0; m < this.margins; m++) {
      const difference = this.gain[m][node] - this.gain[m][leaf];
      this.rise[m][place + start] += difference;
      this.rise[m][place + to + 1] -= difference;
    }
  }

  /** The same for categories, one by one. Each category leaves the path once. */
  private partCells(place: number, f: number, isLow: boolean, leaf: number): void {
    const own = this.at[f];
    const start = this.first[f];
    const other = this.nodes[place + (isLow ? HIGH : LOW)];
    for (let cell = this.least[f]; cell <= this.most[f]; cell++) {
      if (this.parted[start + cell] === this.walk) continue;
      if (this.goesLow(this.nodes[place + CUT], cell) === isLow) continue;
      this.parted[start + cell] = this.walk;
      this.at[f] = cell;
      const found = this.leafBelow(other);
      for (let m = 0; m < this.margins; m++) this.rise[m][start + cell] += this.gain[m][found] - this.gain[m][leaf];
    }
    this.at[f] = own;
  }

  private leafBelow(top: number): number {
    const { nodes, at } = this;
    let node = top;
    for (let place = node * STRIDE; nodes[place + LOW] >= 0; place = node * STRIDE)
      node = nodes[place + (this.goesLow(nodes[place + CUT], at[nodes[place]]) ? LOW : HIGH)];
    return node;
  }

  private goesLow(cut: number, cell: number): boolean {
    return cut >= 0 ? cell <= cut : this.members[~cut + cell] === 1;
  }

  private layOut(): Int32Array {
    const { left, right } = this.cells.atom.forest;
    const { feature, cut, sets } = this.cells;
    const nodes = new Int32Array(left.length * STRIDE);
    let start = 0;
    for (let n = 0; n < left.length; n++) {
      const set = sets[n];
      nodes.set([feature[n], set ? ~start : cut[n], left[n], right[n]], n * STRIDE);
      if (!set) continue;
      this.members.set(set, start);
      start += set.length;
    }
    return nodes;
  }

  private askedAbove(leaf: number): number {
    const { parent, feature } = this.cells;
    let asked = 0;
    for (let node = parent[leaf]; node >= 0; node = parent[node]) asked |= 1 << (feature[node] & 31);
    return asked;
  }

  private listTrees(): Int32Array[] {
    const { root } = this.cells.atom.forest;
    const lists = this.cells.features.map((): number[] => []);
    for (let t = 0; t < root.length; t++) {
      const end = t + 1 < root.length ? root[t + 1] : this.cells.feature.length;
      const used = new Set(this.cells.feature.subarray(root[t], end));
      for (const f of used) if (f >= 0) lists[f].push(t);
    }
    return lists.map((list) => Int32Array.from(list));
  }
}
