/**
 * Operators that move numbers and change none: selections, concatenations, shapes, casts.
 *
 * A document has one row at a time. Shapes matter only as far as the columns of a row stay in their order.
 */
import { castColumn, roundingOf } from '../columns.js';
import { type ConstantTensor, DOUBLE, FLOAT, INT64, STRING } from '../file/onnx-tensor.js';
import type { OnnxColumns, Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { columnsAt, constant, constantAt } from './operands.js';
import type { OperatorRows } from './operator.js';
import { joinOutputs, secondOf } from './output-parts.js';

type Inputs = readonly (Value | undefined)[];

function first(node: NodeView, inputs: Inputs): Value {
  if (inputs[0]) return inputs[0];
  throw node.fault('has no input');
}

function cast(node: NodeView, inputs: Inputs): Value[] {
  const value = first(node, inputs);
  const to = node.int('to', 0);
  if (value.kind === 'constant') return [constant(castTensor(value.tensor, to, node))];
  if (value.kind === 'outputs' && to !== FLOAT && to !== DOUBLE) throw node.refuse('a cast of scores', 'to');
  if (value.kind !== 'columns') return [value];
  return [{ ...value, type: to, columns: value.columns.map((column) => castColumn(column, to, node)) }];
}

/** As in a trained model. */
function dropout(node: NodeView, inputs: Inputs): Value[] {
  if (inputs[2]) throw node.refuse('the mode of training');
  return [first(node, inputs)];
}

function castTensor(tensor: ConstantTensor, to: number, node: NodeView): ConstantTensor {
  if (tensor.type === STRING || to === STRING) throw node.refuse('a cast from or to text', 'to');
  const round = to === FLOAT || to === DOUBLE ? roundingOf(to) : Math.trunc;
  return { ...tensor, type: to, numbers: tensor.numbers.map(round) };
}

/** The same columns in the same order. Rows stay apart. */
function keepOrder(node: NodeView, inputs: Inputs): Value[] {
  const value = first(node, inputs);
  const axes = inputs[1] ? constantAt(inputs, 1, node).numbers : [...node.ints('axes'), node.int('axis', 1)];
  if (value.kind !== 'constant' && axes.includes(0)) throw node.refuse('another shape of the rows', 'axes');
  return [value.kind === 'constant' ? constant(flat(value.tensor, node)) : value];
}

/** Only lengths of 1 come and go. */
function flat(tensor: ConstantTensor, node: NodeView): ConstantTensor {
  if (tensor.dims.filter((length) => length !== 1).length <= 1) return { ...tensor, dims: [entriesOf(tensor)] };
  throw node.refuse('another shape of a constant matrix');
}

const entriesOf = ({ type, texts, numbers }: ConstantTensor): number => (type === STRING ? texts : numbers).length;

function reshape(node: NodeView, inputs: Inputs): Value[] {
  const value = first(node, inputs);
  const shape = constantAt(inputs, 1, node).numbers;
  if (value.kind === 'constant') return [constant(flat(value.tensor, node))];
  const width = value.kind === 'columns' ? value.columns.length : value.kind === 'outputs' ? value.width : 1;
  const isRow = shape.length === 2 && (shape[1] === width || (shape[1] === -1 && shape[0] === 0));
  if (isRow || (shape.length === 1 && width === 1)) return [value];
  throw node.refuse(`the shape [${shape.slice(0, 8)}] of rows with ${width} columns`);
}

function isColumnAxis(node: NodeView, otherwise: number): boolean {
  const axis = node.int('axis', otherwise);
  return axis === 1 || axis === -1;
}

function concat(node: NodeView, inputs: Inputs): Value[] {
  if (!isColumnAxis(node, 1)) throw node.refuse('another axis than the columns', 'axis');
  const joined = joinOutputs(inputs, node);
  if (joined) return [joined];
  const parts = inputs.map((_, k) => columnsAt(inputs, k, node));
  const [{ type }] = parts;
  if (parts.some((part) => part.type !== type)) throw node.refuse('columns of several types');
  return [{ kind: 'columns', type, columns: parts.flatMap(({ columns }) => columns) }];
}

function vectorize(node: NodeView, inputs: Inputs): Value[] {
  const parts = inputs.map((_, k) => columnsAt(inputs, k, node));
  const widths = node.ints('inputdimensions');
  const wrong = parts.findIndex(({ columns }, k) => widths.length > 0 && widths[k] !== columns.length);
  if (wrong >= 0) throw node.refuse(`${widths[wrong]} of ${parts[wrong].columns.length} columns`, 'inputdimensions');
  const columns = parts.flatMap((part) => part.columns.map((column) => castColumn(column, FLOAT, node)));
  return [{ kind: 'columns', type: FLOAT, columns }];
}

/** Entries of a row by their places; or the names of classes by the place of the class. */
function select(node: NodeView, inputs: Inputs): Value[] {
  const [from, places] = inputs;
  if (from?.kind === 'constant' && places?.kind === 'labels') return [named(from.tensor, places, node)];
  const chosenPlaces = constantAt(inputs, 1, node).numbers;
  if (from?.kind === 'outputs') return [secondOf(from, chosenPlaces, node)];
  const { columns, type } = columnsAt(inputs, 0, node);
  const chosen = chosenPlaces.map((place) => columns.at(place));
  const missing = chosen.indexOf(undefined);
  if (missing >= 0) throw node.fault(`there are ${columns.length} columns`);
  return [{ kind: 'columns', type, columns: chosen as OnnxColumns['columns'] }];
}

function named(tensor: ConstantTensor, labels: Value & { kind: 'labels' }, node: NodeView): Value {
  if (labels.names) throw node.refuse('names of names');
  return { ...labels, names: tensor.type === STRING ? tensor.texts : tensor.numbers.map(String) };
}

function gather(node: NodeView, inputs: Inputs): Value[] {
  const isNames = inputs[0]?.kind === 'constant';
  if (isNames ? node.int('axis', 0) !== 0 : !isColumnAxis(node, 0)) throw node.refuse('another axis', 'axis');
  return select(node, inputs);
}

/** From `start` to `end` of the columns, one by one. */
function slice(node: NodeView, inputs: Inputs): Value[] {
  const [start, end, axis = 0, step = 1] = [1, 2, 3, 4].map((k) =>
    inputs[k] ? constantAt(inputs, k, node).numbers[0] : undefined,
  );
  if (start === undefined || end === undefined || (axis !== 1 && axis !== -1) || step !== 1)
    throw node.refuse('such a part');
  const width = inputs[0]?.kind === 'outputs' ? inputs[0].width : columnsAt(inputs, 0, node).columns.length;
  const at = (place: number) => Math.min(width, Math.max(0, place < 0 ? place + width : place));
  const places = Array.from({ length: Math.max(0, at(end) - at(start)) }, (_, k) => at(start) + k);
  return select(node, [
    inputs[0],
    constant({ name: '', type: INT64, dims: [places.length], numbers: places, texts: [] }),
  ]);
}

function transpose(node: NodeView, inputs: Inputs): Value[] {
  const tensor = constantAt(inputs, 0, node);
  const [rows, width] = tensor.dims;
  if (tensor.dims.length !== 2 || tensor.type === STRING) throw node.refuse('a constant that is no matrix');
  const numbers = tensor.numbers.map((_, k) => tensor.numbers[(k % rows) * width + Math.floor(k / rows)]);
  return [constant({ ...tensor, dims: [width, rows], numbers })];
}

/** The forms of a constant without a tensor. */
function constantNode(node: NodeView): Value[] {
  const tensor = node.tensor('value');
  if (tensor) return [constant(tensor)];
  const texts = node.has('value_string') ? [node.text('value_string', '')] : node.texts('value_strings');
  const floats = node.has('value_float') ? [node.float('value_float', 0)] : node.floats('value_floats');
  const ints = node.has('value_int') ? [node.int('value_int', 0)] : node.ints('value_ints');
  const type = texts.length ? STRING : floats.length ? FLOAT : INT64;
  const numbers = [...floats, ...ints];
  return [constant({ name: '', type, texts, numbers, dims: [texts.length || numbers.length] })];
}

const VALUES = ['value', 'value_float', 'value_floats', 'value_int', 'value_ints', 'value_string', 'value_strings'];

export const plumbingOperators: OperatorRows = [
  ['Identity', { attributes: [], lower: (node, inputs) => [first(node, inputs)] }],
  ['Dropout', { attributes: ['ratio', 'seed'], lower: dropout }],
  ['Cast', { attributes: ['to', 'saturate', 'round_mode'], lower: cast }],
  ['Reshape', { attributes: ['allowzero'], lower: reshape }],
  ['Flatten', { attributes: ['axis'], lower: keepOrder }],
  ['Squeeze', { attributes: ['axes'], lower: keepOrder }],
  ['Unsqueeze', { attributes: ['axes'], lower: keepOrder }],
  ['Concat', { attributes: ['axis'], lower: concat }],
  ['FeatureVectorizer', { attributes: ['inputdimensions'], lower: vectorize }],
  ['ArrayFeatureExtractor', { attributes: [], lower: select }],
  ['Gather', { attributes: ['axis'], lower: gather }],
  ['Slice', { attributes: [], lower: slice }],
  ['Transpose', { attributes: ['perm'], lower: transpose }],
  ['Constant', { attributes: VALUES, lower: constantNode }],
];
