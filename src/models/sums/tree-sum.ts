/**
 * Contributions to a sum of trees, for any splits, missing values included. A small tree keeps tables for all rows of the reference at once
 * (leaf-tables.ts). A large tree, and a reference of one row, is walked for each row (tree-shapley.ts). Trees of one feature each have a best
 * value for each feature (best-values.ts).
 */
import { Scorer } from '../load.js';
import { bestOfTrees } from './best-values.js';
import { LeafTables, type TableRoom } from './leaf-tables.js';
import { type Contributions, ownersOf, type SummedModel } from './row-contributions.js';
import type { TreeSum } from './score-sum.js';
import { TreeShapley } from './tree-shapley.js';

/** Nodes of a tree with tables. */
const MOST_NODES = 31;
/** Numbers in the tables of a forest: 8 MB. */
const TABLE_NUMBERS = 2 ** 20;

/** Adds the values of one tree for a row. */
type TreeAdder = (x: Float64Array, out: Float64Array) => void;

export function treeContributions(loaded: SummedModel, sum: TreeSum): Contributions {
  const { space } = loaded;
  const scorer = new Scorer(loaded);
  const owners = ownersOf(loaded);
  const shapley = new TreeShapley(sum, owners, space.features.length);
  return {
    hasMeans: false,
    against: (rows) => {
      const inputs = rows.map((row) => scorer.inputOf(row).slice());
      const share = 1 / (rows.length * sum.count);
      const room = { left: TABLE_NUMBERS };
      const adders = Array.from(sum.forest.root, (_, tree) => {
        const tables = tablesOf(sum, tree, owners, inputs, share, room);
        return tables ?? walker(shapley, tree, inputs, share);
      });
      return (values, out) => {
        const x = scorer.inputOf(values);
        out.fill(0);
        for (const add of adders) add(x, out);
      };
    },
    againstBest: (direction) => bestOfTrees(loaded, sum, direction),
  };
}

function tablesOf(
  sum: TreeSum,
  tree: number,
  owner: Int32Array,
  rows: readonly Float64Array[],
  share: number,
  room: TableRoom,
): TreeAdder | undefined {
  const { root, left } = sum.forest;
  const nodes = (tree + 1 < root.length ? root[tree + 1] : left.length) - root[tree];
  if (rows.length === 1 || nodes > MOST_NODES) return undefined;
  const tables = LeafTables.of(sum, tree, owner, rows, share, room);
  return tables ? (x, out) => tables.add(x, out) : undefined;
}

const walker =
  (shapley: TreeShapley, tree: number, rows: readonly Float64Array[], share: number): TreeAdder =>
  (x, out) => {
    for (const row of rows) shapley.add(tree, x, row, share, out);
  };
