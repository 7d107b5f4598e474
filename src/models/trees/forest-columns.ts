/**
 * Trees rewritten to splits of the form column <= threshold in double precision. The original may use another precision, a strict
 * comparison or a scaling of the column. All are monotone, so a last number that goes left exists. Bisection finds this number with the
 * same arithmetic that scores rows. A scaling with a negative factor swaps the sides.
 */
import { lastDouble } from '../../linalg/floats.js';
import type { ColumnRunner, SingleReads } from '../preprocessing.js';
import { type CategorySets, categoriesOf, hasSets, layOutSets } from './category-sets.js';
import { type Forest, goesLeft, MISSING_LEFT, MISSING_RIGHT } from './tree.js';

const SWAPPED = new Map([
  [MISSING_LEFT, MISSING_RIGHT],
  [MISSING_RIGHT, MISSING_LEFT],
]);

/** `ranks`: the number of listed values of a column. 0: the sets contain the column's unchanged numbers. */
export function onColumns(forest: Forest, { column, run }: SingleReads, ranks: (column: number) => number): Forest {
  const out = {
    ...forest,
    feature: forest.feature.map((input) => column[input]),
    threshold: forest.threshold.slice(),
    left: forest.left.slice(),
    right: forest.right.slice(),
    missing: forest.missing.slice(),
    strict: new Uint8Array(forest.feature.length),
    single: new Uint8Array(forest.feature.length),
  };
  for (let n = 0; n < forest.feature.length; n++)
    if (forest.left[n] >= 0 && forest.set[n] < 0) rewriteThreshold(forest, out, n, run);
  return hasSets(forest) ? { ...out, ...rewriteSets(forest, run, ranks) } : out;
}

type Rewritten = Pick<Forest, 'threshold' | 'left' | 'right' | 'missing'>;

function rewriteThreshold(forest: Forest, out: Rewritten, n: number, input: ColumnRunner): void {
  const left = (value: number) => goesLeft(forest, n, input(forest.feature[n], value));
  const flipped = !left(-Number.MAX_VALUE) && left(Number.MAX_VALUE);
  out.threshold[n] = lastDouble(flipped ? (value) => !left(value) : left, forest.threshold[n]);
  if (!flipped) return;
  [out.left[n], out.right[n]] = [forest.right[n], forest.left[n]];
  out.missing[n] = SWAPPED.get(forest.missing[n]) ?? forest.missing[n];
}

/** The ranks that each set contains, found by evaluating their inputs. */
function rewriteSets(forest: Forest, input: ColumnRunner, ranks: (column: number) => number): CategorySets {
  const taken = (n: number) => {
    const column = forest.feature[n];
    if (ranks(column) === 0) return [...categoriesOf(forest, forest.set[n])];
    return range(ranks(column)).filter((rank) => goesLeft(forest, n, input(column, rank)));
  };
  return layOutSets(Array.from(forest.set, (set, n) => (set < 0 ? null : taken(n))));
}

const range = (count: number): number[] => Array.from({ length: count }, (_, k) => k);
