/**
 * Tweaks (Tolomei et al., 2017): for each tree and each of its leaves that is better for the target than the one where
 * the point is, the cheapest way into that leaf's box. What it does to the other trees is seen when it is tried.
 *
 * One walk per tree: at every split the side that the point is not on asks for the cheapest cell of what the path has left
 * of the feature. Branches dearer than the best answer are not entered.
 */
import type { CellPoint } from './cell-point.js';

export interface Tweak {
  readonly leaf: number;
  readonly extra: number;
  /** What the tree itself gains for the margins that lack something. */
  readonly rise: number;
}

export class LeafTweaks {
  // While a tree is walked: what the path leaves of each feature, and the cell that it asks for.
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly closed: readonly Int32Array[];
  private readonly target: Int32Array;
  private readonly lacking: number[] = [];
  private found: Tweak[] = [];

  constructor(private readonly point: CellPoint) {
    const { features } = point.cells;
    this.from = new Int32Array(features.length);
    this.to = Int32Array.from(features, ({ count }) => count - 1);
    this.closed = features.map(({ count }) => new Int32Array(count));
    this.target = new Int32Array(features.length);
  }

  /** The tweaks of the present point, most gain for the price first. */
  list(): Tweak[] {
    const { scores, cells } = this.point;
    const { root } = cells.piece.forest;
    this.found = [];
    this.lacking.length = 0;
    for (let m = 0; m < scores.slack.length; m++) if (scores.slack[m] < this.point.unsure) this.lacking.push(m);
    this.target.set(scores.at);
    for (let t = 0; t < root.length; t++) this.walk(root[t], scores.leaf[t], 0);
    const merit = ({ rise, extra }: Tweak) => rise / Math.max(extra, Number.MIN_VALUE);
    return this.found.sort((a, b) => merit(b) - merit(a));
  }

  /** Moves the point into a leaf's box. */
  apply({ leaf }: Tweak): void {
    const path: [node: number, isLeft: boolean][] = [];
    const { parent, piece } = this.point.cells;
    for (let node = leaf; parent[node] >= 0; node = parent[node])
      path.unshift([parent[node], piece.forest.left[parent[node]] === node]);
    this.target.set(this.point.scores.at);
    const undo: (() => void)[] = [];
    for (const [node, isLeft] of path) undo.push(this.narrow(node, isLeft));
    const goal = this.target.slice();
    for (const back of undo.reverse()) back();
    for (let f = 0; f < goal.length; f++) if (goal[f] >= 0) this.point.move(f, goal[f]);
  }

  private walk(node: number, present: number, extra: number): void {
    const { left, right } = this.point.cells.piece.forest;
    if (left[node] < 0) {
      this.note(node, present, extra);
      return;
    }
    this.enter(node, true, left[node], present, extra);
    this.enter(node, false, right[node], present, extra);
  }

  private enter(node: number, isLeft: boolean, child: number, present: number, extra: number): void {
    const f = this.point.cells.feature[node];
    const cost = this.point.person.cost[f];
    const before = cost[this.target[f]];
    const back = this.narrow(node, isLeft);
    const after = extra + (this.target[f] < 0 ? Infinity : cost[this.target[f]] - before);
    if (this.point.isCheaper(this.point.cost + after)) this.walk(child, present, after);
    back();
  }

  private note(leaf: number, present: number, extra: number): void {
    const { margins } = this.point.cells.piece;
    let rise = 0;
    for (const m of this.lacking) rise += margins[m].gain[leaf] - margins[m].gain[present];
    if (leaf !== present && rise > 0) this.found.push({ leaf, extra, rise });
  }

  /** Goes to one side of a split, the target with it; returns the way back. */
  private narrow(node: number, isLeft: boolean): () => void {
    const { feature, cut, flipped, sets } = this.point.cells;
    const f = feature[node];
    const [from, to, target] = [this.from[f], this.to[f], this.target[f]];
    const set = sets[node];
    if (set) this.close(f, set, isLeft, 1);
    else if (isLeft !== (flipped[node] === 1)) this.to[f] = Math.min(to, cut[node]);
    else this.from[f] = Math.max(from, cut[node] + 1);
    if (!this.isInside(f, target)) this.target[f] = this.cheapest(f);
    return () => {
      if (set) this.close(f, set, isLeft, -1);
      this.from[f] = from;
      this.to[f] = to;
      this.target[f] = target;
    };
  }

  private close(f: number, set: Uint8Array, isLeft: boolean, by: number): void {
    for (let cell = 0; cell < set.length; cell++) if ((set[cell] === 1) !== isLeft) this.closed[f][cell] += by;
  }

  private isInside(f: number, cell: number): boolean {
    return cell >= this.from[f] && cell <= this.to[f] && this.closed[f][cell] === 0;
  }

  private cheapest(f: number): number {
    const cost = this.point.person.cost[f];
    let best = -1;
    for (let cell = this.from[f]; cell <= this.to[f]; cell++)
      if (cost[cell] < (best < 0 ? Infinity : cost[best]) && this.closed[f][cell] === 0) best = cell;
    return best;
  }
}
