/**
 * The end of a graph: the class of the largest output, and probabilities by the names of classes.
 *
 *   ArgMax   the place of the largest output, the first of equal ones
 *   ZipMap   the same numbers by name
 *   LpNormalization   the shares of probabilities one against the rest
 */
import type { Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { constantAt, followedBy, outputsAt } from './operands.js';
import type { OperatorRows } from './operator.js';

type Inputs = readonly (Value | undefined)[];

/** Functions that keep the order of the numbers of a model. */
const KEEPS_ORDER = new Set(['logistic', 'softmax', 'exp', 'shares', 'complement', 'tanh']);

function largest(node: NodeView, inputs: Inputs): Value[] {
  const { model, width, steps } = outputsAt(inputs, 0, node);
  if (!steps.every((step) => KEEPS_ORDER.has(step)))
    throw node.refuse(`the largest of numbers behind ${steps.join(', ')}`);
  if (![1, -1].includes(node.int('axis', 0))) throw node.refuse('another axis than the columns', 'axis');
  if (node.int('select_last_index', 0) !== 0) throw node.refuse('the last of equal outputs', 'select_last_index');
  if (width === 1) throw node.refuse('one output');
  return [{ kind: 'labels', model, names: null }];
}

function zip(node: NodeView, inputs: Inputs): Value[] {
  const outputs = outputsAt(inputs, 0, node);
  const names = [...node.texts('classlabels_strings'), ...node.ints('classlabels_int64s').map(String)];
  if (names.length !== outputs.width) throw node.fault(`${names.length} names for ${outputs.width} outputs`);
  return [{ ...outputs, classes: outputs.classes ?? names }];
}

/** Behind outputs of one class against the rest. */
function divide(node: NodeView, inputs: Inputs): Value[] {
  const outputs = outputsAt(inputs, 0, node);
  const isShares =
    node.int('p', 2) === 1 && [1, -1].includes(node.int('axis', -1)) && outputs.steps.at(-1) === 'logistic';
  if (!isShares) throw node.refuse('such a norm', 'p');
  return [followedBy(outputs, 'shares')];
}

/** Probabilities are their own sizes. */
function size(node: NodeView, inputs: Inputs): Value[] {
  const outputs = outputsAt(inputs, 0, node);
  if (!['logistic', 'softmax', 'exp'].includes(outputs.steps.at(-1) ?? ''))
    throw node.refuse('sizes of numbers that may be below 0');
  return [outputs];
}

function total(node: NodeView, inputs: Inputs): Value[] {
  const axes = inputs[1] ? constantAt(inputs, 1, node).numbers : node.ints('axes');
  const isRow = axes.length === 1 && [1, -1].includes(axes[0]) && node.int('keepdims', 1) === 1;
  if (!isRow) throw node.refuse('another sum than that of a row', 'axes');
  return [followedBy(outputsAt(inputs, 0, node), 'total', 1)];
}

export const outputOperators: OperatorRows = [
  ['ArgMax', { attributes: ['axis', 'keepdims', 'select_last_index'], lower: largest }],
  ['Abs', { attributes: [], lower: size }],
  ['ReduceSum', { attributes: ['axes', 'keepdims', 'noop_with_empty_axes'], lower: total }],
  ['LpNormalization', { attributes: ['axis', 'p'], lower: divide }],
  ['ZipMap', { attributes: ['classlabels_strings', 'classlabels_int64s'], lower: zip }],
];
