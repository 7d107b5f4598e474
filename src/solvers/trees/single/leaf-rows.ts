/**
 * A leaf behind a step that mixes columns (a projection, principal components) as linear rows: every input that its path splits is a
 * row  lower <= m·x + o <= upper  over the columns x. The ends are the last doubles on each side, so the rows contain every point that the
 * library's comparison sends to the leaf.
 */
import { nextUp } from '../../../linalg/floats.js';
import type { LinearRow, TreesAtom } from '../../../models/region.js';
import { lastLeft } from '../../../models/trees/tree.js';

/** The rows of every accepted leaf. */
export function leafRows(atom: TreesAtom): LinearRow[][] {
  const { forest, margins, slack } = atom;
  const rows: LinearRow[][] = [];
  const descend = (node: number, lower: Float64Array, upper: Float64Array): void => {
    if (forest.left[node] >= 0) {
      const input = forest.feature[node];
      const last = lastLeft(forest, node);
      descend(forest.left[node], lower, upper.with(input, Math.min(upper[input], last)));
      descend(forest.right[node], lower.with(input, Math.max(lower[input], nextUp(last))), upper);
    } else if (margins.every(({ gain, need }) => gain[node] >= need - slack)) {
      if (lower.every((low, i) => low <= upper[i])) rows.push(rowsOf(atom, lower, upper));
    }
  };
  const inputs = atom.map!.offset.length;
  descend(
    forest.root[0],
    new Float64Array(inputs).fill(Number.NEGATIVE_INFINITY),
    new Float64Array(inputs).fill(Infinity),
  );
  return rows;
}

function rowsOf({ map }: TreesAtom, lower: Float64Array, upper: Float64Array): LinearRow[] {
  return [...lower.keys()]
    .filter((i) => lower[i] > Number.NEGATIVE_INFINITY || upper[i] < Infinity)
    .map((i) => ({ a: map!.matrix![i], lower: lower[i] - map!.offset[i], upper: upper[i] - map!.offset[i] }));
}
