/**
 * The end of a graph: the class of the largest output, and probabilities by the names of classes.
 *
 *   ArgMax   the place of the largest output, the first of equal ones
 *   ZipMap   the same numbers by name
 *   LpNormalization   the shares of probabilities one against the rest
 */

import type { Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { followedBy, outputsAt } from './operands.js';
import type { OperatorRows } from './operators.js';

type Inputs = readonly (Value | undefined)[];

function largest(node: NodeView, inputs: Inputs): Value[] {
  const { model, width } = outputsAt(inputs, 0, node);
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

export const outputOperators: OperatorRows = [
  ['ArgMax', { attributes: ['axis', 'keepdims', 'select_last_index'], lower: largest }],
  ['LpNormalization', { attributes: ['axis', 'p'], lower: divide }],
  ['ZipMap', { attributes: ['classlabels_strings', 'classlabels_int64s'], lower: zip }],
];
