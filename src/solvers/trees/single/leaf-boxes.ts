/**
 * The accepted leaves of one tree as boxes, once per problem. A box binds only the features that its path splits:
 *
 *   ordered feature     above < cut <= below  in the numbering of cells.ts, over all features      unordered: a set of cells
 *
 * `end` is the last double below a cut, `start` the first one above it.
 */
import { nextUp } from '../../../linalg/floats.js';
import type { Cells } from '../cells/cells.js';

/** Ends that restrict nothing. */
export const NO_CUT_ABOVE = -1;
export const NO_CUT_BELOW = 2 ** 31 - 1;

/** The restriction of one feature by a path. */
interface Bound {
  readonly feature: number;
  readonly above: number;
  readonly below: number;
  readonly set: Uint8Array | null;
  readonly turns: Int32Array;
}

export class LeafBoxes {
  /** The first bound of each box, and one more entry at the end. */
  readonly first: Int32Array;
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
  readonly end: Float64Array;
  readonly start: Float64Array;

  constructor(readonly cells: Cells) {
    this.cutStart = new Int32Array(cells.features.length + 1);
    for (const [f, { ends }] of cells.features.entries()) this.cutStart[f + 1] = this.cutStart[f] + ends.length;
    this.end = new Float64Array(this.cutStart[cells.features.length]);
    for (const [f, { ends }] of cells.features.entries()) this.end.set(ends, this.cutStart[f]);
    this.start = this.end.map(nextUp);
    const boxes = acceptedLeaves(cells).map((leaf) => this.boxOf(leaf));
    const bounds = boxes.flat();
    this.first = new Int32Array(boxes.length + 1);
    for (const [b, box] of boxes.entries()) this.first[b + 1] = this.first[b] + box.length;
    this.feature = Int32Array.from(bounds, ({ feature }) => feature);
    this.above = Int32Array.from(bounds, ({ above }) => above);
    this.below = Int32Array.from(bounds, ({ below }) => below);
    this.sets = bounds.map(({ set }) => set);
    this.turns = bounds.map(({ turns }) => turns);
  }

  get count(): number {
    return this.first.length - 1;
  }

  /** The restrictions on the path to a leaf. A path may contradict itself and still be the path of a missing value. */
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
    const { sets, cut } = this.cells;
    let above = NO_CUT_ABOVE;
    let below = NO_CUT_BELOW;
    let set: Uint8Array | null = null;
    for (const turn of turns) {
      const node = turn >> 1;
      const left = turn & 1;
      // A missing value is decided by the turns, not by the set.
      const split = sets[node]?.subarray(0, -1);
      if (split) set = split.map((inside, cell) => +(inside === left) & (set?.[cell] ?? 1));
      else if (left) below = Math.min(below, this.cutStart[feature] + cut[node]);
      else above = Math.max(above, this.cutStart[feature] + cut[node]);
    }
    return { feature, above, below, set, turns };
  }
}

/** The leaves that meet all margins, up to rounding. */
function acceptedLeaves({ atom: { forest, margins, slack } }: Cells): number[] {
  const isAccepted = (node: number) =>
    forest.left[node] < 0 && margins.every(({ gain, need }) => gain[node] >= need - slack);
  return [...forest.left.keys()].filter(isAccepted);
}
