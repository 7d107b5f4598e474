/**
 * Tweaks (Tolomei et al., 2017): for each tree and each of its leaves that is better for the target than the point's leaf, the
 * cheapest move into that leaf's box. The effect on the other trees shows when the tweak is tried.
 *
 * One walk per tree: at every split, the side without the point requires the cheapest cell of the feature that the path leaves
 * open. Branches dearer than the incumbent are not entered.
 */
import type { CellPoint } from '../cells/cell-point.js';

export interface Tweak {
  readonly leaf: number;
  /** The tree's own gain for the margins with a deficit, per cost. */
  readonly merit: number;
}

export class LeafTweaks {
  // During the walk of a tree: the cells of each feature that the path leaves open, and the cell that the path requires; -1: none.
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly closed: readonly Int32Array[];
  private readonly target: Int32Array;
  private readonly lacking: number[] = [];
  private readonly kept: Tweak[] = [];
  private weakest = 0;

  /** Keeps at most this many tweaks of a point. */
  constructor(
    private readonly point: CellPoint,
    private readonly most: number,
  ) {
    const { features } = point.cells;
    this.from = new Int32Array(features.length);
    this.to = Int32Array.from(features, ({ count }) => count - 1);
    this.closed = features.map(({ count }) => new Int32Array(count));
    this.target = new Int32Array(features.length);
  }

  /** The best tweaks of the present point, largest gain per price first. */
  list(): Tweak[] {
    const { scores, cells } = this.point;
    const { root } = cells.atom.forest;
    this.kept.length = this.lacking.length = 0;
    for (let m = 0; m < scores.slack.length; m++) if (scores.slack[m] < this.point.unsure) this.lacking.push(m);
    this.target.set(scores.at);
    for (let t = 0; t < root.length; t++) this.walk(root[t], scores.leaf[t], 0);
    return [...this.kept].sort((a, b) => b.merit - a.merit);
  }

  /** Moves the point into a leaf's box. */
  apply({ leaf }: Tweak): void {
    const { parent, atom, features, feature } = this.point.cells;
    this.target.set(this.point.scores.at);
    const touched = new Set<number>();
    for (let node = leaf; parent[node] >= 0; node = parent[node]) {
      this.narrow(parent[node], atom.forest.left[parent[node]] === node);
      touched.add(feature[parent[node]]);
    }
    for (const f of touched) {
      if (!this.isInside(f, this.target[f])) this.target[f] = this.cheapest(f);
      this.from[f] = 0;
      this.to[f] = features[f].count - 1;
      this.closed[f].fill(0);
      if (this.target[f] >= 0) this.point.move(f, this.target[f]);
    }
  }

  private walk(node: number, present: number, extra: number): void {
    const { left, right } = this.point.cells.atom.forest;
    if (left[node] < 0) this.note(node, present, extra);
    else {
      this.enter(node, true, left[node], present, extra);
      this.enter(node, false, right[node], present, extra);
    }
  }

  private enter(node: number, isLeft: boolean, child: number, present: number, extra: number): void {
    const f = this.point.cells.feature[node];
    const from = this.from[f];
    const to = this.to[f];
    const target = this.target[f];
    this.narrow(node, isLeft);
    if (this.isInside(f, target)) this.walk(child, present, extra);
    else {
      const cell = this.cheapest(f);
      const cost = this.point.person.cost[f];
      const dearer = cell < 0 ? Infinity : extra + cost[cell] - cost[target];
      this.target[f] = cell;
      if (this.point.isCheaper(this.point.cost + dearer)) this.walk(child, present, dearer);
      this.target[f] = target;
    }
    this.widen(node, isLeft);
    this.from[f] = from;
    this.to[f] = to;
  }

  /** Keeps a leaf if it is among the best. */
  private note(leaf: number, present: number, extra: number): void {
    const { margins } = this.point.cells.atom;
    let rise = 0;
    for (const m of this.lacking) rise += margins[m].gain[leaf] - margins[m].gain[present];
    if (leaf === present || !(rise > 0)) return;
    const merit = rise / Math.max(extra, Number.MIN_VALUE);
    if (this.kept.length < this.most) this.kept.push({ leaf, merit });
    else if (merit > this.kept[this.weakest].merit) this.kept[this.weakest] = { leaf, merit };
    else return;
    this.weakest = 0;
    for (let k = 1; k < this.kept.length; k++) if (this.kept[k].merit < this.kept[this.weakest].merit) this.weakest = k;
  }

  /** Goes to one side of a split. */
  private narrow(node: number, isLeft: boolean): void {
    const { feature, cut, sets } = this.point.cells;
    const f = feature[node];
    if (sets[node]) this.close(f, sets[node], isLeft, 1);
    else if (isLeft) this.to[f] = Math.min(this.to[f], cut[node]);
    else this.from[f] = Math.max(this.from[f], cut[node] + 1);
  }

  private widen(node: number, isLeft: boolean): void {
    const { feature, sets } = this.point.cells;
    if (sets[node]) this.close(feature[node], sets[node], isLeft, -1);
  }

  private close(f: number, set: Uint8Array, isLeft: boolean, by: number): void {
    for (let cell = 0; cell < set.length; cell++) if ((set[cell] === 1) !== isLeft) this.closed[f][cell] += by;
  }

  private isInside(f: number, cell: number): boolean {
    return cell >= this.from[f] && cell <= this.to[f] && this.closed[f][cell] === 0;
  }

  /** The cheapest cell that the path leaves open; -1: none. The cost of ordered cells grows away from home. */
  private cheapest(f: number): number {
    const { person, home, cells } = this.point;
    const cost = person.cost[f];
    const start = Math.min(this.to[f], Math.max(this.from[f], home[f]));
    let best = -1;
    for (let cell = start; cell <= this.to[f]; cell++) {
      if (cost[cell] < (best < 0 ? Infinity : cost[best]) && this.closed[f][cell] === 0) best = cell;
      if (best >= 0 && !cells.features[f].unordered) break;
    }
    for (let cell = start - 1; cell >= this.from[f]; cell--) {
      if (!(cost[cell] < Infinity) || this.closed[f][cell] !== 0) continue;
      if (best < 0 || cost[cell] < cost[best]) best = cell;
      if (!cells.features[f].unordered) break;
    }
    return best;
  }
}
