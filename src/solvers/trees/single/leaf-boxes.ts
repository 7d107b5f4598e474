/**
 * The accepted leaves of one tree as boxes, once per problem. A box binds only the features that its path splits:
 *
 *   ordered feature     above < cut <= below  in the numbering of cells.ts, over all features      unordered: a set of cells
 *
 * A cut has two pairs of ends. `lowEnd` and `highStart` are numbers of the precision in which the library compares, where
 * answers are put; `lowLast` is the very last double that goes to the lower side, which decides about values that are
 * given: the present one, lattice points and decimals.
 */
import { nextUp } from '../../../linalg/floats.js';
import { goesLeft } from '../../../models/trees/tree.js';
import type { Cells } from '../cells/cells.js';

/** An end that binds nothing. */
export const NO_CUT_ABOVE = -1;
export const NO_CUT_BELOW = 2 ** 31 - 1;

/** What a path asks of one feature. */
interface Bound {
  readonly feature: number;
  readonly above: number;
  readonly below: number;
  readonly set: Uint8Array | null;
  readonly turns: Int32Array;
}

export class LeafBoxes {
  /** First bound of each box, and one more entry at the end. */
  readonly start: Int32Array;
  // by bound:
  readonly feature: Int32Array;
  readonly above: Int32Array;
  readonly below: Int32Array;
  readonly sets: readonly (Uint8Array | null)[];
  /** The splits behind a bound: 2 node + 1 where the path goes left, 2 node where it goes right. */
  readonly turns: readonly Int32Array[];
  /** By feature: its first cut, and one more entry at the end. */
  readonly cutStart: Int32Array;
  // by cut:
  readonly lowEnd: Float64Array;
  readonly lowLast: Float64Array;
  readonly highFirst: Float64Array;
  readonly highStart: Float64Array;

  constructor(readonly cells: Cells) {
    const cuts = cells.features.flatMap((layout) => layout.cuts);
    this.cutStart = new Int32Array(cells.features.length + 1);
    for (const [f, layout] of cells.features.entries()) this.cutStart[f + 1] = this.cutStart[f] + layout.cuts.length;
    this.lowEnd = Float64Array.from(cuts, ({ leftEnd }) => leftEnd);
    this.highStart = Float64Array.from(cuts, ({ rightStart }) => rightStart);
    this.lowLast = this.findLastDoubles();
    this.highFirst = this.lowLast.map(nextUp);
    const boxes = acceptedLeaves(cells).map((leaf) => this.boxOf(leaf));
    const bounds = boxes.flat();
    this.start = new Int32Array(boxes.length + 1);
    for (const [b, box] of boxes.entries()) this.start[b + 1] = this.start[b] + box.length;
    this.feature = Int32Array.from(bounds, ({ feature }) => feature);
    this.above = Int32Array.from(bounds, ({ above }) => above);
    this.below = Int32Array.from(bounds, ({ below }) => below);
    this.sets = bounds.map(({ set }) => set);
    this.turns = bounds.map(({ turns }) => turns);
  }

  get count(): number {
    return this.start.length - 1;
  }

  private findLastDoubles(): Float64Array {
    const last = this.lowEnd.slice();
    const { forest } = this.cells.atom;
    for (let node = 0; node < forest.left.length; node++) {
      if (forest.left[node] < 0 || this.cells.sets[node]) continue;
      const cut = this.cutStart[this.cells.feature[node]] + this.cells.cut[node];
      if (last[cut] === this.lowEnd[cut]) last[cut] = this.lastBelow(node, this.lowEnd[cut], this.highStart[cut]);
    }
    return last;
  }

  /** The last double that goes to the lower side of a split, between one that does and one that does not. */
  private lastBelow(node: number, low: number, high: number): number {
    const { forest } = this.cells.atom;
    const flipped = this.cells.flipped[node] === 1;
    const isBelow = (value: number) =>
      goesLeft(forest, node, this.cells.toInput(forest.feature[node], value)) !== flipped;
    let [below, beyond] = [low, high];
    for (let middle = (below + beyond) / 2; middle > below && middle < beyond; middle = (below + beyond) / 2) {
      if (isBelow(middle)) below = middle;
      else beyond = middle;
    }
    return below;
  }

  /** What the path to a leaf asks for. It may contradict itself, and still be the way of a missing value. */
  private boxOf(leaf: number): Bound[] {
    const turns = new Map<number, number[]>();
    const { parent, feature, atom } = this.cells;
    for (let node = leaf, up = parent[leaf]; up >= 0; node = up, up = parent[up]) {
      const f = feature[up];
      turns.set(f, [...(turns.get(f) ?? []), 2 * up + +(atom.forest.left[up] === node)]);
    }
    return [...turns].sort(([f], [g]) => f - g).map(([f, list]) => this.boundOf(f, Int32Array.from(list)));
  }

  private boundOf(feature: number, turns: Int32Array): Bound {
    const { sets, cut, flipped } = this.cells;
    let above = NO_CUT_ABOVE;
    let below = NO_CUT_BELOW;
    let set: Uint8Array | null = null;
    for (const turn of turns) {
      const node = turn >> 1;
      const left = turn & 1;
      // Whoever misses the value is asked by the turns.
      const split = sets[node]?.subarray(0, -1);
      if (split) set = split.map((inside, cell) => +(inside === left) & (set?.[cell] ?? 1));
      else if (left !== flipped[node]) below = Math.min(below, this.cutStart[feature] + cut[node]);
      else above = Math.max(above, this.cutStart[feature] + cut[node]);
    }
    return { feature, above, below, set, turns };
  }
}

/** The leaves that meet all margins, rounding allowed for. */
function acceptedLeaves({ atom: { forest, margins, slack } }: Cells): number[] {
  const isAccepted = (node: number) =>
    forest.left[node] < 0 && margins.every(({ gain, need }) => gain[node] >= need - slack);
  return [...forest.left.keys()].filter(isAccepted);
}
