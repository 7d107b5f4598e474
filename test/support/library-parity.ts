/** What tests ask of a model that another library trained: its rows as ours, and the leaves that they fall into. */
import type { TreeDocument } from '../../src/documents/tree-document.js';
import type { ModelDocument, RowValue } from '../../src/index.js';
import { flatten, leafOf } from '../../src/models/trees/tree.js';

/** Libraries take the code of a category as a number, a row of ours names it. */
export function toValues({ features }: ModelDocument, rows: readonly (number | null)[][]): RowValue[][] {
  const name = (value: number | null, f: number) =>
    value !== null && features[f].type === 'categorical' ? String(value) : value;
  return rows.map((row) => row.map(name));
}

/** [row][tree], numbered within each tree as the library does. */
export function leavesOf({ parameters }: ModelDocument, rows: readonly Float64Array[]): number[][] {
  const { tree, trees = [tree!] } = parameters as { tree?: TreeDocument; trees?: TreeDocument[] };
  const forest = flatten(trees, rows[0].length, 'trees');
  return rows.map((row) => trees.map((_, t) => leafOf(forest, t, row) - forest.root[t]));
}
