/**
 * Trees of CatBoost -> trees of a document: x > border goes right, so x <= border goes left, both float32.
 *
 *   oblivious   level i asks split i; the leaf's number has bit i where the answer is yes. Branches that no row can reach are left out
 */
import { ElsewiseError } from '../../documents/error.js';
import type { TreeDocument } from '../../documents/tree-document.js';
import { type NodeBudget, type SplitQuestion, TreeGrowth } from '../tree-growth.js';
import type { ColumnLayout } from './catboost-features.js';
import { type CatboostModel, type CatboostNode, type ObliviousTree, ROOT } from './catboost-model.js';

/** The numbers of a leaf that the document has. */
type Keep = (leaf: readonly number[]) => number[];

export function toTree(
  tree: ObliviousTree | CatboostNode,
  t: number,
  { dimension }: CatboostModel,
  layout: ColumnLayout,
  keep: Keep,
  budget: NodeBudget,
): TreeDocument {
  const growth = new TreeGrowth(keep(Array<number>(dimension).fill(0)).length, budget);
  const path = `${ROOT}.trees[${t}]`;
  const leaf = (numbers: readonly number[]) => {
    if (numbers.length === dimension) return growth.leaf(keep(numbers));
    throw new ElsewiseError('bad-document', `a leaf of ${numbers.length} numbers, not ${dimension}`, path);
  };
  if ('splits' in tree) growOblivious(tree, layout, growth, leaf, path);
  else growNode(tree, layout, growth, leaf, path);
  return growth.finish('float32');
}

type Leaf = (numbers: readonly number[]) => number;

function growOblivious(tree: ObliviousTree, layout: ColumnLayout, growth: TreeGrowth, leaf: Leaf, path: string): void {
  const { splits, leaves } = tree;
  const width = leaves.length / 2 ** splits.length;
  if (!Number.isInteger(width) || width < 1)
    throw new ElsewiseError('bad-document', `${leaves.length} numbers in the leaves of ${splits.length} levels`, path);
  const questions = splits.map((split, i) => layout.question(split, `${path}.splits[${i}]`));
  const level = (i: number, number: number): number => {
    if (i === splits.length) return leaf(leaves.slice(number * width, (number + 1) * width));
    const yes = () => level(i + 1, number + 2 ** i);
    return growth.ask(
      questions[i],
      () => level(i + 1, number),
      () => isOnly(tree, i, questions, growth, yes),
    );
  };
  level(0, 0);
}

/** A row has one word: where the answer is yes, it is no to all other words of the feature. */
function isOnly(
  { splits }: ObliviousTree,
  i: number,
  questions: readonly SplitQuestion[],
  growth: TreeGrowth,
  yes: () => number,
) {
  const { kind, feature } = splits[i];
  if (kind !== 'word') return yes();
  const others = questions.filter(
    ({ input }, k) => splits[k].kind === 'word' && splits[k].feature === feature && input !== questions[i].input,
  );
  return others.reduce((grow, question) => () => growth.knowing(question, 'left', grow), yes)();
}

function growNode(tree: CatboostNode, layout: ColumnLayout, growth: TreeGrowth, leaf: Leaf, path: string): void {
  const grow = (node: CatboostNode): number => {
    if ('value' in node) return leaf(node.value);
    const { split, left, right } = node;
    return growth.ask(
      layout.question(split, `${path}.split`),
      () => grow(left),
      () => grow(right),
    );
  };
  grow(tree);
}
