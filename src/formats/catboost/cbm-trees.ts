/**
 * Trees in CatBoost's own file. A split is the number of a question of the model.
 *
 *   oblivious   the splits of a tree from level 0 on; the leaves of all trees in a row
 *   otherwise   a split for each node, and the distances to its children; a distance of 0 is a leaf
 */
import { ElsewiseError } from '../../documents/error.js';
import {
  type CatboostModel,
  type CatboostNode,
  type CatboostSplit,
  type ObliviousTree,
  ROOT,
} from './catboost-model.js';
import { DOUBLE, type FlatTable, INT, SHORT_PAIR, UINT } from './flat-table.js';

/** Methods over trees are recursive. */
const MOST_LEVELS = 1000;

/** The numbers of fields in the table of trees. */
const FIELD = { splits: 1, sizes: 2, starts: 3, leaves: 8, nodes: 10, leafOfNode: 11 };

export function cbmTrees(
  table: FlatTable,
  questions: readonly CatboostSplit[],
  dimension: number,
): CatboostModel['trees'] {
  const splits = table.vector(FIELD.splits, INT);
  const leaves = table.vector(FIELD.leaves, DOUBLE);
  const starts = table.vector(FIELD.starts, INT);
  const sizes = table.vector(FIELD.sizes, INT);
  const ask = (place: number): CatboostSplit => {
    const question = questions[splits[place]];
    if (question) return question;
    throw new ElsewiseError('bad-document', `there is no question ${splits[place]}`, `${ROOT}.TreeSplits[${place}]`);
  };
  const nodes = table.vector(FIELD.nodes, SHORT_PAIR);
  if (!nodes.length) return obliviousTrees(sizes, starts, leaves, dimension, ask);
  const leafOf = table.vector(FIELD.leafOfNode, UINT);
  const leaf = (node: number) => ({ value: leaves.slice(leafOf[node], leafOf[node] + dimension) });
  return starts.map((start, t) => nestedTree(nodes, start, sizes[t], ask, leaf, t));
}

type Ask = (place: number) => CatboostSplit;

function obliviousTrees(
  sizes: readonly number[],
  starts: readonly number[],
  leaves: readonly number[],
  dimension: number,
  ask: Ask,
): ObliviousTree[] {
  let next = 0;
  return sizes.map((size, t) => {
    const count = dimension * 2 ** size;
    const own = leaves.slice(next, next + count);
    if (!(size >= 0) || own.length !== count)
      throw new ElsewiseError('bad-document', `the leaves of ${size} levels are not there`, `${ROOT}.trees[${t}]`);
    next += count;
    return { splits: Array.from({ length: size }, (_, i) => ask(starts[t] + i)), leaves: own };
  });
}

/** A child comes after its parent. A tree that visits more nodes than it has is damaged. */
function nestedTree(
  nodes: readonly (readonly [number, number])[],
  start: number,
  size: number,
  ask: Ask,
  leaf: (node: number) => CatboostNode,
  t: number,
): CatboostNode {
  let visits = 0;
  const read = (node: number, level: number): CatboostNode => {
    if (!nodes[node] || ++visits > size || level > MOST_LEVELS)
      throw new ElsewiseError('bad-document', `there is no node ${node} on level ${level}`, `${ROOT}.trees[${t}]`);
    const [left, right] = nodes[node];
    if (!left && !right) return leaf(node);
    const child = (distance: number) => (distance ? read(node + distance, level + 1) : leaf(node));
    return { split: ask(node), left: child(left), right: child(right) };
  };
  return read(start, 0);
}
