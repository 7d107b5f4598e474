/**
 * Layers of networks: Gemm and MatMul with constant weights, and activations.
 *
 *   Gemm     alpha x W + beta b, W transposed or not          MatMul  x W, whose bias is a following Add
 *
 * An activation stays a step of the outputs until another layer or the end of the graph follows.
 */
import { type ConstantTensor, DOUBLE, FLOAT } from '../file/onnx-tensor.js';
import type { OnnxLayer, OnnxNetwork, OutputStep, Outputs, Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { columnsAt, constantAt, followedBy, networkOutputs, outputsAt } from './operands.js';
import type { OperatorRows } from './operator.js';

type Inputs = readonly (Value | undefined)[];
type Activation = OnnxLayer['activation'];

const HIDDEN: ReadonlySet<string> = new Set<Activation>(['relu', 'tanh', 'logistic']);

/** The layers before a new one, and the number of their outputs. */
function before(node: NodeView, inputs: Inputs): { network: OnnxNetwork; width: number } {
  const [value] = inputs;
  if (value?.kind !== 'outputs') {
    const columns = columnsAt(inputs, 0, node);
    if (columns.type !== FLOAT && columns.type !== DOUBLE) throw node.refuse('whole numbers or text');
    return { network: { kind: 'network', columns, layers: [] }, width: columns.columns.length };
  }
  const { model, steps, width } = value;
  const [step, ...others] = steps;
  if (model.kind !== 'network' || value.classes || others.length || (step && !HIDDEN.has(step)))
    throw node.refuse('a layer behind the outputs of a model');
  const last = { ...model.layers.at(-1)!, activation: (step ?? 'identity') as Activation };
  return { network: { ...model, layers: [...model.layers.slice(0, -1), last] }, width };
}

function dense(
  node: NodeView,
  inputs: Inputs,
  isTransposed: boolean,
  factor: number,
  bias: readonly number[],
): Outputs {
  const { network, width } = before(node, inputs);
  const matrix = constantAt(inputs, 1, node);
  const rows = rowsOf(matrix, isTransposed, node);
  if (rows[0]?.length !== width) throw node.fault(`a matrix of the shape [${matrix.dims}] for ${width} inputs`);
  if (bias.length > 1 && bias.length !== rows.length)
    throw node.fault(`${bias.length} biases for ${rows.length} units`);
  const own = rows.map((_, k) => bias[bias.length > 1 ? k : 0] ?? 0);
  const weights = factor === 1 ? rows : rows.map((row) => row.map((weight) => factor * weight));
  return networkOutputs({ ...network, layers: [...network.layers, { weights, bias: own, activation: 'identity' }] });
}

/** By unit. A transposed matrix has a row for each unit. */
function rowsOf({ dims, numbers }: ConstantTensor, isTransposed: boolean, node: NodeView): number[][] {
  if (dims.length > 2 || dims.length === 0 || numbers.length === 0) throw node.refuse('weights that are no matrix');
  const [units, width] = isTransposed ? dims : [dims[1] ?? 1, dims[0]];
  const at = isTransposed ? (k: number, j: number) => k * width + j : (k: number, j: number) => j * units + k;
  return Array.from({ length: units }, (_, k) => Array.from({ length: width }, (__, j) => numbers[at(k, j)]));
}

function gemm(node: NodeView, inputs: Inputs): Value[] {
  if (node.int('transA', 0) !== 0) throw node.refuse('transposed rows', 'transA');
  const beta = node.float('beta', 1);
  const bias = inputs[2] ? constantAt(inputs, 2, node).numbers.map((value) => beta * value) : [];
  return [dense(node, inputs, node.int('transB', 0) !== 0, node.float('alpha', 1), bias)];
}

const activate =
  (step: OutputStep) =>
  (node: NodeView, inputs: Inputs): Value[] => {
    const outputs = outputsAt(inputs, 0, node);
    if (step === 'softmax' && ![1, -1].includes(node.int('axis', -1))) throw node.refuse('another axis', 'axis');
    if (step === 'softmax' && outputs.width === 1) throw node.refuse('one output');
    return [followedBy(outputs, step)];
  };

export const denseOperators: OperatorRows = [
  ['Gemm', { attributes: ['alpha', 'beta', 'transA', 'transB', 'broadcast'], lower: gemm }],
  ['MatMul', { attributes: [], lower: (node, inputs) => [dense(node, inputs, false, 1, [])] }],
  ['Relu', { attributes: [], lower: activate('relu') }],
  ['Tanh', { attributes: [], lower: activate('tanh') }],
  ['Sigmoid', { attributes: [], lower: activate('logistic') }],
  ['Softmax', { attributes: ['axis'], lower: activate('softmax') }],
  ['Exp', { attributes: [], lower: activate('exp') }],
];
