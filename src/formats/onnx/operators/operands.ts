/** The inputs of a node, by the kinds that its operator takes. */
import { castColumn } from '../columns.js';
import { type ConstantTensor, DOUBLE, FLOAT } from '../file/onnx-tensor.js';
import type { OnnxColumns, OnnxNetwork, OutputStep, Outputs, Value } from '../values.js';
import type { NodeView } from './node-view.js';

type Inputs = readonly (Value | undefined)[];

export function columnsAt(inputs: Inputs, k: number, node: NodeView): OnnxColumns {
  const value = inputs[k];
  if (value?.kind === 'columns') return value;
  throw node.refuse('an input that is not made of columns of the row');
}

export function constantAt(inputs: Inputs, k: number, node: NodeView): ConstantTensor {
  const value = inputs[k];
  if (value?.kind === 'constant') return value.tensor;
  throw node.refuse(`an input ${k} that is not constant`);
}

export function outputsAt(inputs: Inputs, k: number, node: NodeView): Outputs {
  const value = inputs[k];
  if (value?.kind === 'outputs') return value;
  throw node.refuse('an input that is no output of a model');
}

/** Columns that an operator casts to 32 bits by itself. */
export function floatsOf(columns: OnnxColumns, node: NodeView): OnnxColumns {
  if (columns.type === FLOAT) return columns;
  return { ...columns, type: FLOAT, columns: columns.columns.map((column) => castColumn(column, FLOAT, node)) };
}

/** Columns of a tree: of 64 bits, or compared in 32 bits. */
export function numbersAt(inputs: Inputs, node: NodeView): OnnxColumns {
  const columns = columnsAt(inputs, 0, node);
  return columns.type === DOUBLE ? columns : floatsOf(columns, node);
}

export const constant = (tensor: ConstantTensor): Value => ({ kind: 'constant', tensor });

export const networkOutputs = (model: OnnxNetwork): Outputs => ({
  kind: 'outputs',
  model,
  steps: [],
  width: model.layers.at(-1)!.bias.length,
  classes: null,
});

export const followedBy = (outputs: Outputs, step: OutputStep, width = outputs.width): Outputs => ({
  ...outputs,
  steps: [...outputs.steps, step],
  width,
});
