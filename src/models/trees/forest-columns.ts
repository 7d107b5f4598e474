/**
 * Trees rewritten so that every split reads  column <= threshold  in double precision, whatever stands in between: another
 * precision, a strict comparison, a scaling of the column. Both are monotone, so there is a last number that goes left;
 * it is found by bisection with the very arithmetic that scores rows. A falling scaling swaps the sides.
 */
import { lastDouble } from '../../linalg/floats.js';
import { categoriesOf } from './category-sets.js';
import { type Forest, goesLeft, MISSING_LEFT, MISSING_RIGHT } from './tree.js';

/** What a tree compares when a column has a value. */
export type ColumnInput = (column: number, value: number) => number;

const SWAPPED = new Map([
  [MISSING_LEFT, MISSING_RIGHT],
  [MISSING_RIGHT, MISSING_LEFT],
]);

/** Null: a split by a set of categories reads something else than the column, and has no threshold. */
export function onColumns(forest: Forest, input: ColumnInput): Forest | null {
  const nodes = forest.feature.length;
  const out = {
    ...forest,
    threshold: forest.threshold.slice(),
    left: forest.left.slice(),
    right: forest.right.slice(),
    missing: forest.missing.slice(),
    strict: new Uint8Array(nodes),
    single: new Uint8Array(nodes),
  };
  for (let n = 0; n < nodes; n++) {
    if (forest.left[n] < 0) continue;
    const column = forest.feature[n];
    if (forest.set[n] >= 0) {
      const categories = categoriesOf(forest, forest.set[n]);
      if (categories.some((category) => input(column, category) !== category)) return null;
      continue;
    }
    const left = (value: number) => goesLeft(forest, n, input(column, value));
    const flipped = !left(-Number.MAX_VALUE) && left(Number.MAX_VALUE);
    out.threshold[n] = lastDouble(flipped ? (value) => !left(value) : left, forest.threshold[n]);
    if (!flipped) continue;
    [out.left[n], out.right[n]] = [forest.right[n], forest.left[n]];
    out.missing[n] = SWAPPED.get(forest.missing[n]) ?? forest.missing[n];
  }
  return out;
}
