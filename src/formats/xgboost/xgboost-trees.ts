/**
 * Trees of XGBoost -> trees of a document.
 *
 *   split       value < condition, both float32;  NaN follows default_left
 *   categories  a value in the node's set goes right, any other left: the children change places here, where a set goes left
 *   leaf        split_conditions of a node without children
 *   leaf vector leaf k of leaf_weights, k being the right child of a node without left child; before 3.1 the node's own base_weights
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { parseDocument } from '../../documents/parse.js';
import type { TreeDocument } from '../../documents/tree-document.js';
import { checkLength, fileError, ROOT, type XgboostTree } from './xgboost-file.js';

const round = Math.fround;

/** The numbers of leaf `n`, in float32. */
type Leaf = (n: number) => number[];

export const leafWidth = (tree: XgboostTree): number => Math.max(1, tree.tree_param.size_leaf_vector);

/** `change`: what becomes of the numbers of a leaf. */
export function toTree(tree: XgboostTree, t: number, change: (leaf: number[]) => number[]): TreeDocument {
  checkTree(tree, t);
  const sets = categorySets(tree);
  const { left_children: left, right_children: right, split_conditions: conditions } = tree;
  const isLeaf = left.map((child) => child < 0);
  const leaf = leafWidth(tree) > 1 ? leafVectors(tree, t) : (n: number) => [round(conditions[n])];
  const width = change(Array<number>(leafWidth(tree)).fill(0)).length;
  const lost = conditions.findIndex(
    (value, n) => Number.isNaN(value) && !sets.has(n) && !(isLeaf[n] && leafWidth(tree) > 1),
  );
  if (lost >= 0) throw fileError(`trees[${t}].split_conditions[${lost}]`, 'expected a finite number');
  const swapped = left.map((_, n) => sets.has(n));
  return {
    feature: tree.split_indices.map((feature, n) => (isLeaf[n] ? 0 : feature)),
    threshold: conditions.map((value, n) => (isLeaf[n] || swapped[n] ? 0 : round(value))),
    left: left.map((child, n) => (isLeaf[n] ? -1 : swapped[n] ? right[n] : child)),
    right: right.map((child, n) => (isLeaf[n] ? -1 : swapped[n] ? left[n] : child)),
    value: left.map((_, n) => (isLeaf[n] ? change(leaf(n)) : Array<number>(width).fill(0))),
    comparison: '<',
    precision: 'float32',
    missing: tree.default_left.map((isLeft, n) => (Boolean(isLeft) !== swapped[n] ? 'left' : 'right')),
    ...(sets.size ? { categories: left.map((_, n) => sets.get(n) ?? null) } : {}),
  };
}

function leafVectors(tree: XgboostTree, t: number): Leaf {
  const width = leafWidth(tree);
  const isCompact = tree.leaf_weights.length > 0;
  const path = `${ROOT}.trees[${t}].base_weights`;
  const weights = isCompact ? tree.leaf_weights : parseDocument(listOf(z.number()), tree.base_weights, path);
  return (n) => {
    const at = width * (isCompact ? tree.right_children[n] : n);
    const numbers = weights.slice(at, at + width);
    const key = `trees[${t}].${isCompact ? 'leaf_weights' : 'base_weights'}`;
    if (at < 0 || numbers.length < width) throw fileError(key, `has no numbers of the leaf at node ${n}`);
    return numbers.map(round);
  };
}

function checkTree(tree: XgboostTree, t: number): void {
  const size = tree.left_children.length;
  for (const key of ['right_children', 'split_indices', 'split_conditions', 'default_left'] as const)
    checkLength(tree[key], size, `trees[${t}].${key}`, 'nodes');
  for (const key of ['categories_segments', 'categories_sizes'] as const)
    checkLength(tree[key], tree.categories_nodes.length, `trees[${t}].${key}`, 'nodes with categories');
}

/** By node: the codes that go right in XGBoost. */
function categorySets(tree: XgboostTree): Map<number, number[]> {
  const { categories, categories_nodes: nodes, categories_segments: starts, categories_sizes: sizes } = tree;
  return new Map(nodes.map((node, i) => [node, categories.slice(starts[i], starts[i] + sizes[i])]));
}
