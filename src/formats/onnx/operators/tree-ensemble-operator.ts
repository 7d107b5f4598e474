/**
 * TreeEnsemble, of version 5 of ONNX-ML: trees as flat arrays. Children are places of nodes or of leaves, and a leaf adds to one target.
 *
 *   nodes_modes         0 <=, 1 <, 2 >=, 3 >, 4 =, 5 !=, 6 one of the members
 *   membership_values   the members of the nodes of mode 6, in their order, each list ended by NaN
 *   a tree of one leaf  a node whose two children are the same leaf
 */
import { DOUBLE } from '../file/onnx-tensor.js';
import {
  checkForest,
  checkTargets,
  leafAt,
  type SplitForest,
  type SplitMode,
  type SplitNode,
} from '../trees/split-forest.js';
import type { OnnxTrees, OutputStep, Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { numbersAt } from './operands.js';

const MODES: readonly SplitMode[] = ['LEQ', 'LT', 'GTE', 'GT', 'EQ', 'NEQ', 'MEMBER'];
const AVERAGE = 0;
const SUM = 1;
/** 0 none, 1 softmax, 2 logistic. */
const TRANSFORMS: readonly (readonly OutputStep[])[] = [[], ['softmax'], ['logistic']];

export const ENSEMBLE_ATTRIBUTES = [
  ...[
    'aggregate_function',
    'post_transform',
    'n_targets',
    'tree_roots',
    'membership_values',
    'leaf_targetids',
    'leaf_weights',
  ],
  ...[
    'falseleafs',
    'falsenodeids',
    'featureids',
    'hitrates',
    'missing_value_tracks_true',
    'modes',
    'splits',
    'trueleafs',
    'truenodeids',
  ].map((part) => `nodes_${part}`),
];

const numbersOf = (node: NodeView, name: string): readonly number[] => node.tensor(name)?.numbers ?? [];

export function ensemble(node: NodeView, inputs: readonly (Value | undefined)[]): Value[] {
  const columns = numbersAt(inputs, node);
  const outputs = node.int('n_targets', 1);
  const aggregate = node.int('aggregate_function', SUM);
  if (aggregate !== SUM && aggregate !== AVERAGE)
    throw node.refuse('the least or the largest of trees', 'aggregate_function');
  const steps = TRANSFORMS[node.int('post_transform', 0)];
  if (!steps) throw node.refuse('such a transformation', 'post_transform');
  const forest = forestOf(node, columns.columns.length);
  checkTargets(forest, outputs, node);
  const model: OnnxTrees = {
    ...{ kind: 'trees', node, columns, forest, outputs, base: [], form: 'all', target: 0 },
    isMean: aggregate === AVERAGE,
    isSingle: columns.type !== DOUBLE,
  };
  return [{ kind: 'outputs', model, steps, width: outputs, classes: null }];
}

function forestOf(node: NodeView, columns: number): SplitForest {
  const [targets, weights] = [node.ints('leaf_targetids'), numbersOf(node, 'leaf_weights')];
  node.checkLength('leaf_weights', weights.length, targets.length);
  const nodes = nodesOf(node);
  const roots = node.ints('tree_roots').map((root) => {
    const own = nodes[root];
    return own && own.whenTrue < 0 && own.whenTrue === own.whenFalse ? own.whenTrue : root;
  });
  const forest = { roots, nodes, leaves: targets.map((target, k) => new Map([[target, weights[k]]])) };
  checkForest(forest, columns, node);
  return forest;
}

function nodesOf(node: NodeView): SplitNode[] {
  const [features, modes, splits] = [
    node.ints('nodes_featureids'),
    numbersOf(node, 'nodes_modes'),
    numbersOf(node, 'nodes_splits'),
  ];
  node.checkLength('nodes_modes', modes.length, features.length);
  node.checkLength('nodes_splits', splits.length, features.length);
  const whenTrue = childrenOf(node, 'true', features.length);
  const whenFalse = childrenOf(node, 'false', features.length);
  const tracks = node.ints('nodes_missing_value_tracks_true');
  const nextMembers = membersOf(node);
  return features.map((column, n) => {
    const mode = MODES[modes[n]];
    if (!mode) throw node.refuse(`the mode ${modes[n]}`, `nodes_modes[${n}]`);
    const values = mode === 'MEMBER' ? nextMembers() : [splits[n]];
    return { column, mode, values, isMissingTrue: tracks[n] === 1, whenTrue: whenTrue[n], whenFalse: whenFalse[n] };
  });
}

function childrenOf(node: NodeView, side: 'true' | 'false', size: number): number[] {
  const [places, leafs] = [node.ints(`nodes_${side}nodeids`), node.ints(`nodes_${side}leafs`)];
  node.checkLength(`nodes_${side}nodeids`, places.length, size);
  node.checkLength(`nodes_${side}leafs`, leafs.length, size);
  const wrong = places.findIndex((place) => place < 0);
  if (wrong >= 0) throw node.fault(`there is no place ${places[wrong]}`, `nodes_${side}nodeids[${wrong}]`);
  return places.map((place, n) => (leafs[n] === 1 ? leafAt(place) : place));
}

/** The members of one node after the other. */
function membersOf(node: NodeView): () => number[] {
  const values = numbersOf(node, 'membership_values');
  let at = 0;
  return () => {
    let end = at;
    while (end < values.length && !Number.isNaN(values[end])) end++;
    if (end === values.length) throw node.fault('a list of members has no end', 'membership_values');
    const members = values.slice(at, end);
    at = end + 1;
    return members;
  };
}
