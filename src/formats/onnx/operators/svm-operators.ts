/**
 * SVMClassifier and SVMRegressor, whose numbers are those of libsvm -> a `kernel-svm`.
 *
 *   kernel_params   gamma, coef0, degree
 *   rho             the intercepts: one for each pair of classes, added to the sum
 *   no vectors      linear: a row of coefficients for each class, and one intercept for all
 *
 * With prob_a and prob_b the scores are probabilities by another rule than the decision (Platt's): refused.
 */
import type { OnnxColumns, OnnxNetwork, OnnxSvm, Value } from '../values.js';
import { classLabels, LABEL_ATTRIBUTES, postTransform } from './class-labels.js';
import type { NodeView } from './node-view.js';
import { columnsAt, floatsOf, networkOutputs } from './operands.js';
import type { OperatorRows } from './operator.js';
import { votesOf } from './svm-votes.js';

type Inputs = readonly (Value | undefined)[];

const KERNELS: ReadonlyMap<string, string> = new Map([
  ['LINEAR', 'linear'],
  ['POLY', 'poly'],
  ['RBF', 'rbf'],
  ['SIGMOID', 'sigmoid'],
]);

function kernelOf(node: NodeView): Record<string, unknown> {
  const name = node.text('kernel_type', 'LINEAR');
  const type = KERNELS.get(name);
  const [gamma = 0, coef0 = 0, degree = 3] = node.floats('kernel_params');
  if (!type) throw node.refuse(`the kernel ${name.slice(0, 20)}`, 'kernel_type');
  if (type === 'linear') return { type };
  if (type === 'poly' && !Number.isInteger(degree)) throw node.refuse(`the degree ${degree}`, 'kernel_params');
  return { type, gamma, ...(type !== 'rbf' && { coef0 }), ...(type === 'poly' && { degree }) };
}

function rowsOf(numbers: readonly number[], width: number): number[][] {
  const count = width > 0 ? numbers.length / width : 0;
  return Array.from({ length: count }, (_, k) => numbers.slice(k * width, (k + 1) * width));
}

function vectorsOf(node: NodeView, count: number, width: number): number[][] {
  const numbers = node.floats('support_vectors');
  node.checkLength('support_vectors', numbers.length, count * width);
  return rowsOf(numbers, width);
}

function classify(node: NodeView, inputs: Inputs): Value[] {
  const classes = classLabels(node);
  if (node.floats('prob_a').length) throw node.refuse('probabilities (train with probability=False)', 'prob_a');
  if (postTransform(node).length) throw node.refuse('a transformation of sums', 'post_transform');
  const columns = floatsOf(columnsAt(inputs, 0, node), node);
  const supportCounts = node.ints('vectors_per_class');
  const count = supportCounts.reduce((sum, own) => sum + own, 0);
  if (count === 0) return linearClassifier(node, columns, classes);
  const pairs = (classes.length * (classes.length - 1)) / 2;
  const [coefficients, intercepts] = [node.floats('coefficients'), node.floats('rho')];
  node.checkLength('coefficients', coefficients.length, (classes.length - 1) * count);
  node.checkLength('rho', intercepts.length, pairs);
  const parameters = {
    supportVectors: vectorsOf(node, count, columns.columns.length),
    kernel: kernelOf(node),
    dualCoefficients: rowsOf(coefficients, count),
    intercept: intercepts,
    supportCounts,
  };
  const model: OnnxSvm = { kind: 'svm', columns, parameters };
  return [
    { kind: 'labels', model, names: classes },
    (classes.length > 2 ? votesOf(model, classes) : null) ?? {
      kind: 'outputs',
      model,
      steps: [],
      width: classes.length,
      classes,
    },
  ];
}

function linearClassifier(node: NodeView, columns: OnnxColumns, classes: readonly string[]): Value[] {
  if (classes.length === 2) throw node.refuse('two classes without support vectors', 'vectors_per_class');
  const width = columns.columns.length;
  const numbers = node.floats('coefficients');
  node.checkLength('coefficients', numbers.length, classes.length * width);
  const model = layer(columns, rowsOf(numbers, width), node.floats('rho')[0] ?? 0);
  return [
    { kind: 'labels', model, names: classes },
    { ...networkOutputs(model), classes },
  ];
}

function layer(columns: OnnxColumns, weights: readonly number[][], intercept: number): OnnxNetwork {
  const bias = weights.map(() => intercept);
  return { kind: 'network', columns, layers: [{ weights, bias, activation: 'identity' }] };
}

function regress(node: NodeView, inputs: Inputs): Value[] {
  if (node.int('one_class', 0) !== 0) throw node.refuse('models of one class', 'one_class');
  if (postTransform(node).length) throw node.refuse('a transformation of predictions', 'post_transform');
  const columns = floatsOf(columnsAt(inputs, 0, node), node);
  const [coefficients, intercepts] = [node.floats('coefficients'), node.floats('rho')];
  const count = node.int('n_supports', 0);
  node.checkLength('rho', intercepts.length, 1);
  node.checkLength('coefficients', coefficients.length, count || columns.columns.length);
  if (count === 0) return [networkOutputs(layer(columns, [[...coefficients]], intercepts[0]))];
  const parameters = {
    supportVectors: vectorsOf(node, count, columns.columns.length),
    kernel: kernelOf(node),
    dualCoefficients: coefficients,
    intercept: intercepts[0],
  };
  return [{ kind: 'outputs', model: { kind: 'svm', columns, parameters }, steps: [], width: 1, classes: null }];
}

const SHARED = ['coefficients', 'kernel_params', 'kernel_type', 'post_transform', 'rho', 'support_vectors'];

export const svmOperators: OperatorRows = [
  [
    'SVMClassifier',
    { attributes: [...SHARED, ...LABEL_ATTRIBUTES, 'prob_a', 'prob_b', 'vectors_per_class'], lower: classify },
  ],
  ['SVMRegressor', { attributes: [...SHARED, 'n_supports', 'one_class'], lower: regress }],
];
