/**
 * TreeEnsembleClassifier and TreeEnsembleRegressor: nodes named by tree and number, and a list of what leaves add. TreeEnsemble, which
 * follows them: tree-ensemble-operator.ts.
 *
 * onnxmltools writes the sets of LightGBM as chains of = with one true branch for all: such a chain is one node with members.
 *
 * How onnxruntime decides between two classes when leaves have weights of the first only, s being the sum:
 *
 *   no weight is below 0   the second class where s > 0.5;  scores 1 - s, s, whatever the transformation is
 *   otherwise              the second class where s > 0;    scores logistic(-s), logistic(s) with LOGISTIC
 *
 * Without LOGISTIC the second score is then the size of s, and the scores do not tell the class: refused.
 */
import { DOUBLE } from '../file/onnx-tensor.js';
import {
  checkForest,
  checkTargets,
  isAllPositive,
  type LeafWeights,
  leafAt,
  type SplitForest,
  type SplitMode,
  type SplitNode,
  surelyScored,
  targetsOf,
  withMembers,
} from '../trees/split-forest.js';
import type { OnnxTrees, OutputStep, Outputs, Value } from '../values.js';
import { classLabels, LABEL_ATTRIBUTES, postTransform } from './class-labels.js';
import type { NodeView } from './node-view.js';
import { numbersAt } from './operands.js';
import type { OperatorRows } from './operator.js';
import { ENSEMBLE_ATTRIBUTES, ensemble } from './tree-ensemble-operator.js';

type Inputs = readonly (Value | undefined)[];
type Places = ReadonlyMap<number, ReadonlyMap<number, number>>;

const MODES: ReadonlyMap<string, SplitMode> = new Map(
  (['LEQ', 'LT', 'GTE', 'GT', 'EQ', 'NEQ'] as const).map((mode) => [`BRANCH_${mode}`, mode]),
);

/** Numbers of an attribute, or of its form in 64 bits. */
function numbersOf(node: NodeView, name: string): readonly number[] {
  return node.tensor(`${name}_as_tensor`)?.numbers ?? node.floats(name);
}

/** `kind`: "target" or "class". */
function forestOf(node: NodeView, kind: string, columns: number): SplitForest {
  const [treeIds, nodeIds, modes] = [node.ints('nodes_treeids'), node.ints('nodes_nodeids'), node.texts('nodes_modes')];
  const size = treeIds.length;
  for (const name of ['nodes_nodeids', 'nodes_featureids', 'nodes_truenodeids', 'nodes_falsenodeids'])
    node.checkLength(name, node.ints(name).length, size);
  node.checkLength('nodes_modes', modes.length, size);
  node.checkLength('nodes_values', numbersOf(node, 'nodes_values').length, size);
  const leaves: LeafWeights[] = [];
  const nodes: SplitNode[] = [];
  const places = placesOf(
    node,
    modes.map((mode) => mode === 'LEAF'),
  );
  const weights = weightsOf(node, kind);
  for (let n = 0; n < size; n++) {
    if (modes[n] === 'LEAF') leaves.push(weights.get(treeIds[n])?.get(nodeIds[n]) ?? new Map());
    else nodes.push(splitAt(node, n, places));
  }
  const roots = [...places.values()].map((tree) => tree.values().next().value!);
  const forest = { roots, nodes: withMembers(nodes), leaves };
  checkForest(forest, columns, node);
  return forest;
}

/** By tree and number of a node: its place among the nodes, or among the leaves. The first node of a tree is its root. */
function placesOf(node: NodeView, isLeaf: readonly boolean[]): Places {
  const places = new Map<number, Map<number, number>>();
  const [treeIds, nodeIds] = [node.ints('nodes_treeids'), node.ints('nodes_nodeids')];
  let [nodes, leaves] = [0, 0];
  for (const [n, leaf] of isLeaf.entries()) {
    const tree = places.get(treeIds[n]) ?? new Map<number, number>();
    if (tree.size && treeIds[n - 1] !== treeIds[n]) throw node.refuse('trees in several parts', 'nodes_treeids');
    if (tree.has(nodeIds[n])) throw node.fault(`the node ${nodeIds[n]} is listed twice`, `nodes_nodeids[${n}]`);
    tree.set(nodeIds[n], leaf ? leafAt(leaves++) : nodes++);
    places.set(treeIds[n], tree);
  }
  return places;
}

function splitAt(node: NodeView, n: number, places: Places): SplitNode {
  const mode = MODES.get(node.texts('nodes_modes')[n]);
  if (!mode) throw node.refuse(`the mode ${node.texts('nodes_modes')[n].slice(0, 30)}`, `nodes_modes[${n}]`);
  const tree = places.get(node.ints('nodes_treeids')[n])!;
  const child = (name: string): number => {
    const found = tree.get(node.ints(name)[n]);
    if (found === undefined) throw node.fault(`the tree has no node ${node.ints(name)[n]}`, `${name}[${n}]`);
    return found;
  };
  return {
    column: node.ints('nodes_featureids')[n],
    mode,
    values: [numbersOf(node, 'nodes_values')[n]],
    isMissingTrue: node.ints('nodes_missing_value_tracks_true')[n] === 1,
    whenTrue: child('nodes_truenodeids'),
    whenFalse: child('nodes_falsenodeids'),
  };
}

/** By tree and number of a leaf. */
function weightsOf(node: NodeView, kind: string): Map<number, Map<number, LeafWeights>> {
  const [treeIds, nodeIds, ids] = ['treeids', 'nodeids', 'ids'].map((part) => node.ints(`${kind}_${part}`));
  const weights = numbersOf(node, `${kind}_weights`);
  node.checkLength(`${kind}_treeids`, treeIds.length, ids.length);
  node.checkLength(`${kind}_nodeids`, nodeIds.length, ids.length);
  node.checkLength(`${kind}_weights`, weights.length, ids.length);
  const byTree = new Map<number, Map<number, Map<number, number>>>();
  for (const [k, id] of ids.entries()) {
    const tree = byTree.get(treeIds[k]) ?? new Map<number, Map<number, number>>();
    const leaf = tree.get(nodeIds[k]) ?? new Map<number, number>();
    if (leaf.has(id)) throw node.refuse('two weights of a leaf for one output', `${kind}_ids[${k}]`);
    byTree.set(treeIds[k], tree.set(nodeIds[k], leaf.set(id, weights[k])));
  }
  return byTree;
}

function classify(node: NodeView, inputs: Inputs): Value[] {
  const classes = classLabels(node);
  const columns = numbersAt(inputs, node);
  const forest = forestOf(node, 'class', columns.columns.length);
  checkTargets(forest, classes.length, node);
  const own = { node, columns, forest, isMean: false, isSingle: columns.type !== DOUBLE };
  const base = numbersOf(node, 'base_values');
  const steps = postTransform(node);
  const outputs = classes.length === 2 ? ofTwo(own, base, steps, classes) : ofSeveral(own, base, steps, classes);
  return [{ kind: 'labels', model: outputs.model, names: classes }, outputs];
}

type Common = Pick<OnnxTrees, 'node' | 'columns' | 'forest' | 'isMean' | 'isSingle'>;

function ofTwo(own: Common, base: readonly number[], steps: readonly OutputStep[], classes: string[]): Outputs {
  const { node, forest } = own;
  const targets = targetsOf(forest);
  if (targets.size > 1) throw node.refuse('two classes of which leaves have weights for both', 'class_ids');
  if (base.length > 1) throw node.refuse('two base values', 'base_values');
  const common = { ...own, kind: 'trees', target: targets.values().next().value ?? 0 } as const;
  if (isAllPositive(forest)) {
    const model: OnnxTrees = { ...common, form: 'shares', outputs: 2, base };
    return { kind: 'outputs', model, steps: [], width: 2, classes };
  }
  if (steps[0] !== 'logistic') throw node.refuse('sums of two classes without LOGISTIC', 'post_transform');
  const model: OnnxTrees = { ...common, form: 'one', outputs: 1, base };
  return { kind: 'outputs', model, steps: ['logistic', 'complement'], width: 2, classes };
}

function ofSeveral(own: Common, base: readonly number[], steps: readonly OutputStep[], classes: string[]): Outputs {
  if (base.length) own.node.checkLength('base_values', base.length, classes.length);
  else checkScored(own, classes.length);
  const model: OnnxTrees = { ...own, kind: 'trees', form: 'all', target: 0, outputs: classes.length, base };
  return { kind: 'outputs', model, steps, width: classes.length, classes };
}

/** A class that no leaf of a row adds to is never decided on. A document decides by the sums alone: 0 is less than any positive sum. */
function checkScored({ node, forest }: Common, classes: number): void {
  if (isAllPositive(forest) || surelyScored(forest).size === classes) return;
  throw node.refuse('a class that some rows have no score of', 'class_ids');
}

function regress(node: NodeView, inputs: Inputs): Value[] {
  const columns = numbersAt(inputs, node);
  const outputs = node.int('n_targets', 1);
  const aggregate = node.text('aggregate_function', 'SUM');
  if (!['SUM', 'AVERAGE'].includes(aggregate))
    throw node.refuse(`the aggregation ${aggregate.slice(0, 20)}`, 'aggregate_function');
  if (postTransform(node).length) throw node.refuse('a transformation of predictions', 'post_transform');
  const forest = forestOf(node, 'target', columns.columns.length);
  checkTargets(forest, outputs, node);
  const base = numbersOf(node, 'base_values');
  if (base.length) node.checkLength('base_values', base.length, outputs);
  const model: OnnxTrees = {
    ...{ kind: 'trees', node, columns, forest, outputs, base, form: 'all', target: 0 },
    isMean: aggregate === 'AVERAGE',
    isSingle: columns.type !== DOUBLE,
  };
  return [{ kind: 'outputs', model, steps: [], width: outputs, classes: null }];
}

const NODES = ['falsenodeids', 'featureids', 'hitrates', 'hitrates_as_tensor', 'missing_value_tracks_true', 'modes'];
const MORE_NODES = ['nodeids', 'treeids', 'truenodeids', 'values', 'values_as_tensor'];
const attributesOf = (kind: string): string[] => [
  ...['base_values', 'base_values_as_tensor', 'post_transform'],
  ...[...NODES, ...MORE_NODES].map((part) => `nodes_${part}`),
  ...['ids', 'nodeids', 'treeids', 'weights', 'weights_as_tensor'].map((part) => `${kind}_${part}`),
];

export const treeOperators: OperatorRows = [
  ['TreeEnsembleClassifier', { attributes: [...attributesOf('class'), ...LABEL_ATTRIBUTES], lower: classify }],
  [
    'TreeEnsembleRegressor',
    { attributes: [...attributesOf('target'), 'n_targets', 'aggregate_function'], lower: regress },
  ],
  ['TreeEnsemble', { attributes: ENSEMBLE_ATTRIBUTES, lower: ensemble }],
];
