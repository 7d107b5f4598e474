/**
 * Contributions to a sum of trees, for any splits, missing values included. Rows of the reference that take the same side at every split of a
 * tree are one row for the tree, with a weight. Trees of one feature each have a best value for each feature (best-values.ts).
 */
import { Scorer } from '../load.js';
import { type Forest, goesLeft } from '../trees/tree.js';
import { bestOfTrees } from './best-values.js';
import type { Contributions, SummedModel } from './row-contributions.js';
import type { TreeSum } from './score-sum.js';
import { TreeShapley } from './tree-shapley.js';

/** Trees with more splits have a path of its own for almost every row. */
const MOST_SPLITS = 64;

interface WeightedRow {
  readonly inputs: Float64Array;
  weight: number;
}

export function treeContributions(loaded: SummedModel, sum: TreeSum): Contributions {
  const { space } = loaded;
  const scorer = new Scorer(loaded);
  const shapley = new TreeShapley(sum, space.owner, space.features.length);
  return {
    hasMeans: false,
    against: (rows) => {
      const inputs = rows.map((row) => scorer.inputOf(row).slice());
      const paths = Array.from(sum.forest.root, (_, tree) => pathsIn(sum, tree, inputs));
      return (values, out) => {
        const x = scorer.inputOf(values);
        out.fill(0);
        for (let tree = 0; tree < paths.length; tree++)
          for (const { inputs: r, weight } of paths[tree]) shapley.add(tree, x, r, weight, out);
      };
    },
    againstBest: (direction) => bestOfTrees(loaded, sum, direction),
  };
}

/** The rows by their sides at all splits of a tree. */
function pathsIn({ forest, count }: TreeSum, tree: number, rows: readonly Float64Array[]): readonly WeightedRow[] {
  const share = 1 / (rows.length * count);
  const splits = rows.length > 1 ? splitsOf(forest, tree) : [];
  if (rows.length === 1 || splits.length > MOST_SPLITS) return rows.map((inputs) => ({ inputs, weight: share }));
  const known = new Map<string, WeightedRow>();
  for (const inputs of rows) {
    const key = splits.map((n) => +goesLeft(forest, n, inputs[forest.feature[n]])).join('');
    const path = known.get(key);
    if (path) path.weight += share;
    else known.set(key, { inputs, weight: share });
  }
  return [...known.values()];
}

function splitsOf({ root, left }: Forest, tree: number): number[] {
  const end = tree + 1 < root.length ? root[tree + 1] : left.length;
  const splits: number[] = [];
  for (let n = root[tree]; n < end; n++) if (left[n] >= 0) splits.push(n);
  return splits;
}
