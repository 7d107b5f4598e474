/**
 * LinearClassifier and LinearRegressor: a row of coefficients for each class or target, as a network of one layer.
 *
 *   classifier   the largest sum decides, the first of equal ones;  with one row: the second of two classes where the sum is above 0
 */
import type { OnnxNetwork, Value } from '../values.js';
import { classLabels, LABEL_ATTRIBUTES, postTransform } from './class-labels.js';
import type { NodeView } from './node-view.js';
import { columnsAt, floatsOf } from './operands.js';
import type { OperatorRows } from './operator.js';

type Inputs = readonly (Value | undefined)[];

function network(node: NodeView, inputs: Inputs, count: number): OnnxNetwork {
  const columns = floatsOf(columnsAt(inputs, 0, node), node);
  const numbers = node.floats('coefficients');
  const width = columns.columns.length;
  node.checkLength('coefficients', numbers.length, count * width);
  const intercepts = node.floats('intercepts');
  if (intercepts.length) node.checkLength('intercepts', intercepts.length, count);
  const weights = Array.from({ length: count }, (_, k) => numbers.slice(k * width, (k + 1) * width));
  const bias = weights.map((_, k) => intercepts[k] ?? 0);
  return { kind: 'network', columns, layers: [{ weights, bias, activation: 'identity' }] };
}

function classify(node: NodeView, inputs: Inputs): Value[] {
  const classes = classLabels(node);
  const count = node.floats('intercepts').length || classes.length;
  if (count !== classes.length)
    throw node.refuse(`${count} rows of coefficients for ${classes.length} classes`, 'intercepts');
  const model = network(node, inputs, count);
  return [
    { kind: 'labels', model, names: classes },
    { kind: 'outputs', model, steps: postTransform(node), width: count, classes },
  ];
}

function regress(node: NodeView, inputs: Inputs): Value[] {
  const targets = node.int('targets', 1);
  const model = network(node, inputs, targets);
  if (postTransform(node).length) throw node.refuse('a transformation of predictions', 'post_transform');
  return [{ kind: 'outputs', model, steps: [], width: targets, classes: null }];
}

const SHARED = ['coefficients', 'intercepts', 'post_transform'];

export const linearOperators: OperatorRows = [
  ['LinearClassifier', { attributes: [...SHARED, ...LABEL_ATTRIBUTES, 'multi_class'], lower: classify }],
  ['LinearRegressor', { attributes: [...SHARED, 'targets'], lower: regress }],
];
