/**
 * Trees as flat arrays, scored exactly as the library that trained them does.
 *
 *   inner node n: x = inputs[feature_n], in the tree's precision;  left when x <= threshold (or <), when x is in the node's set
 *   of categories, or, x missing, when the node says so;  else right.  A leaf holds its outputs.
 *
 * All trees of a model share one set of typed arrays: nodes are numbered across trees, and `root` holds the first node of each tree. The
 * arrays lie in memory that all threads share. Nothing is written to them after the model is loaded.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { TreeDocument } from '../../documents/tree-document.js';
import { lastDouble, nextDown, nextDownSingle, nextUp, nextUpSingle } from '../../linalg/floats.js';
import { sharedBytes, sharedFloats, sharedInts } from '../../linalg/shared.js';
import { type Bounds, beyondBound, DEFAULT_BOUNDS } from '../bounds.js';
import type { FeatureSpace } from '../features.js';
import type { SharedParts } from '../shared-parts.js';
import { type CategorySets, isInSet, layOutSets } from './category-sets.js';

export const MISSING_ERROR = 0;
export const MISSING_LEFT = 1;
export const MISSING_RIGHT = 2;
const MISSING = { error: MISSING_ERROR, left: MISSING_LEFT, right: MISSING_RIGHT };

export interface Forest extends CategorySets {
  readonly root: Int32Array;
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  /** -1 at a leaf. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly strict: Uint8Array;
  readonly single: Uint8Array;
  readonly missing: Uint8Array;
  /** Outputs of each node, `outputs` numbers each. */
  readonly value: Float64Array;
  readonly outputs: number;
  /** Whether every split defines the side of a missing value. */
  readonly takesMissing: boolean;
}

/** Conversions between a forest and the parts that threads share. */
export const partsOf = (forest: Forest): SharedParts => ({ ...forest });
export const forestOf = (parts?: SharedParts): Forest | undefined => parts as Forest | undefined;

/** `path`: the position of the trees in the document. */
export function flatten(
  trees: readonly TreeDocument[],
  inputs: number,
  path: string,
  bounds: Pick<Bounds, 'treeLevels'> = DEFAULT_BOUNDS,
): Forest {
  const sizes = trees.map((tree) => tree.left.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const outputs = trees[0].value[0].length;
  const forest = {
    root: sharedInts(trees.length),
    feature: sharedInts(total),
    threshold: sharedFloats(total),
    left: sharedInts(total),
    right: sharedInts(total),
    strict: sharedBytes(total),
    single: sharedBytes(total),
    missing: sharedBytes(total),
    value: sharedFloats(total * outputs),
    outputs,
    takesMissing: trees.every((tree) => tree.missing !== 'error'),
  };
  let start = 0;
  for (const [t, tree] of trees.entries()) {
    const own = trees.length > 1 ? `${path}[${t}]` : path;
    checkTree(tree, inputs, outputs, own);
    checkDepth(tree, own, bounds);
    forest.root[t] = start;
    for (let n = 0; n < tree.left.length; n++) copyNode(forest, tree, n, start);
    start += tree.left.length;
  }
  const sets = trees.flatMap(({ left, categories }) => left.map((_, n) => categories?.[n]));
  return { ...forest, ...layOutSets(sets) };
}

function copyNode(forest: Omit<Forest, keyof CategorySets>, tree: TreeDocument, n: number, start: number): void {
  const at = start + n;
  const leaf = tree.left[n] < 0;
  const single = tree.precision === 'float32';
  forest.feature[at] = tree.feature[n];
  // A library that compares `<` in float32 rounds the threshold as well; scikit-learn (`<=`) keeps it in float64.
  forest.threshold[at] = single && tree.comparison === '<' ? Math.fround(tree.threshold[n]) : tree.threshold[n];
  forest.left[at] = leaf ? -1 : start + tree.left[n];
  forest.right[at] = leaf ? -1 : start + tree.right[n];
  forest.strict[at] = +(tree.comparison === '<');
  forest.single[at] = +single;
  forest.missing[at] = MISSING[Array.isArray(tree.missing) ? tree.missing[n] : tree.missing];
  forest.value.set(tree.value[n], at * forest.outputs);
}

function checkTree(tree: TreeDocument, inputs: number, outputs: number, path: string): void {
  const size = tree.left.length;
  const fail = (key: string, message: string) => new ElsewiseError('bad-document', message, `${path}.${key}`);
  for (const key of ['feature', 'threshold', 'right', 'value'] as const) {
    if (tree[key].length !== size) throw fail(key, `expected ${size} entries, one per node, got ${tree[key].length}`);
  }
  const parents = new Uint8Array(size);
  for (let n = 0; n < size; n++) {
    if (tree.value[n].length !== outputs)
      throw fail(`value[${n}]`, `expected ${outputs} outputs, got ${tree.value[n].length}`);
    const [left, right] = [tree.left[n], tree.right[n]];
    if (left < 0 !== right < 0) throw fail(`left[${n}]`, 'a node has two children or none');
    if (left < 0) continue;
    if (tree.feature[n] < 0 || tree.feature[n] >= inputs)
      throw fail(`feature[${n}]`, `there is no input ${tree.feature[n]}`);
    for (const child of [left, right]) {
      if (child <= 0 || child >= size || parents[child])
        throw fail(`left[${n}]`, `node ${child} is no child of one parent`);
      parents[child] = 1;
    }
  }
}

function checkDepth(tree: TreeDocument, path: string, { treeLevels }: Pick<Bounds, 'treeLevels'>): void {
  const depth = depthOf(tree);
  if (depth <= treeLevels) return;
  const message = `the tree has ${depth} levels of splits; at most ${treeLevels} are taken`;
  throw beyondBound(`${path}.left`, message, 'treeLevels');
}

/** The largest number of splits on a path from the root to a leaf. */
function depthOf({ left, right }: TreeDocument): number {
  let level = [0];
  let depth = 0;
  for (; ; depth++) {
    const splits = level.filter((n) => left[n] >= 0);
    if (!splits.length) return depth;
    level = splits.flatMap((n) => [left[n], right[n]]);
  }
}

/** Whether an input goes left at a node. */
export function goesLeft(forest: Forest, node: number, input: number): boolean {
  if (Number.isNaN(input)) return forest.missing[node] === MISSING_LEFT;
  if (forest.set[node] >= 0) return isInSet(forest, forest.set[node], input);
  const x = forest.single[node] ? Math.fround(input) : input;
  return forest.strict[node] ? x < forest.threshold[node] : x <= forest.threshold[node];
}

/** The last double that goes left at a split by a threshold. Infinite if one side has no double. */
export function lastLeft(forest: Forest, node: number): number {
  const { threshold, strict, single } = forest;
  const guess = single[node] ? lastRounding(threshold[node], strict[node]) : threshold[node];
  const end = strict[node] && !single[node] ? nextDown(guess) : guess;
  const isLast = Number.isFinite(end) && goesLeft(forest, node, end) && !goesLeft(forest, node, nextUp(end));
  return isLast ? end : lastDouble((x) => goesLeft(forest, node, x), guess);
}

/** Approximately the last double that rounds to the largest single that goes left. */
function lastRounding(threshold: number, strict: number): number {
  let left = Math.fround(threshold);
  if (left > threshold || (strict && left === threshold)) left = nextDownSingle(left);
  const middle = (left + nextUpSingle(left)) / 2;
  return Math.fround(middle) === left ? middle : nextDown(middle);
}

/** The leaf of tree t that the inputs fall into. */
export function leafOf(forest: Forest, t: number, x: Float64Array): number {
  let node = forest.root[t];
  while (forest.left[node] >= 0)
    node = goesLeft(forest, node, x[forest.feature[node]]) ? forest.left[node] : forest.right[node];
  return node;
}

/** The sum over trees of the largest absolute output of a leaf. */
export function largestSum({ root, left, value, outputs }: Forest): number {
  let total = 0;
  for (let t = 0; t < root.length; t++) {
    const end = t + 1 < root.length ? root[t + 1] : left.length;
    let most = 0;
    for (let n = root[t]; n < end; n++) {
      if (left[n] >= 0) continue;
      for (let k = n * outputs; k < (n + 1) * outputs; k++) most = Math.max(most, Math.abs(value[k]));
    }
    total += most;
  }
  return total;
}

/** By column: the number of its listed values 0, 1, ...; 0 if the values are not listed. */
export function ranksOf({ features, owner }: FeatureSpace): (column: number) => number {
  return (column) => {
    const { kind, categories } = features[owner[column]];
    if (kind === 'choice' || kind === 'boolean') return 2;
    return kind === 'ordinal' ? categories.length : 0;
  };
}
