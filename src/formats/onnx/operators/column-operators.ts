/**
 * Scaler, Imputer and Normalizer.
 *
 *   Scaler      (x - offset) * scale, in float32, or in float64 and then rounded
 *   Imputer     a value in place of a missing one
 *   Normalizer  of columns: refused, a row's columns are no longer apart;  of probabilities one against the rest: their shares
 */
import { type ColumnStep, castColumn, roundingOf, withStep } from '../columns.js';
import { DOUBLE, FLOAT } from '../file/onnx-tensor.js';
import type { OnnxColumns, Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { columnsAt, followedBy } from './operands.js';
import type { OperatorRows } from './operator.js';

type Inputs = readonly (Value | undefined)[];

function spread(node: NodeView, name: string, width: number, otherwise: number): readonly number[] {
  const numbers = node.floats(name);
  if (numbers.length === 0) return Array<number>(width).fill(otherwise);
  if (numbers.length === 1) return Array<number>(width).fill(numbers[0]);
  node.checkLength(name, numbers.length, width);
  return numbers;
}

function scale(node: NodeView, inputs: Inputs): Value[] {
  const { columns, type } = columnsAt(inputs, 0, node);
  const offsets = spread(node, 'offset', columns.length, 0);
  const scales = spread(node, 'scale', columns.length, 1);
  const scaled = columns.map((column, k) => {
    const own = type === DOUBLE ? column : castColumn(column, FLOAT, node);
    if (own.kind === 'word') throw node.refuse('text');
    return withStep(own, scaleStep(offsets[k], scales[k], type, node));
  });
  return [{ kind: 'columns', type: FLOAT, columns: scaled }];
}

function scaleStep(offset: number, factor: number, type: number, node: NodeView): ColumnStep {
  if (factor === 0 || !Number.isFinite(factor) || !Number.isFinite(offset))
    throw node.refuse(`the scale ${factor}`, 'scale');
  const round = roundingOf(type);
  const run = (x: number) => Math.fround(round(round(x - offset) * factor));
  return { run, map: { factor, shift: -offset * factor }, isRising: factor > 0 };
}

function impute(node: NodeView, inputs: Inputs): Value[] {
  const value = columnsAt(inputs, 0, node);
  if (!Number.isNaN(node.float('replaced_value_float', 0)) || node.has('imputed_value_int64s'))
    throw node.refuse('a number that stands for missing values', 'replaced_value_float');
  const values = spread(node, 'imputed_value_floats', value.columns.length, Number.NaN);
  const columns = value.columns.map((column, k): OnnxColumns['columns'][number] => {
    if (column.kind !== 'number') throw node.refuse('categories');
    return withStep(column, imputeStep(values[k]));
  });
  return [{ ...value, columns }];
}

const imputeStep = (imputed: number): ColumnStep => ({
  run: (x) => (Number.isNaN(x) ? imputed : x),
  map: { factor: 1, shift: 0 },
  isRising: true,
  imputed,
});

function normalize(node: NodeView, [value]: Inputs): Value[] {
  const norm = node.text('norm', 'MAX');
  const isShares = value?.kind === 'outputs' && norm === 'L1' && value.steps.at(-1) === 'logistic';
  if (isShares) return [followedBy(value, 'shares')];
  const isDone = value?.kind === 'outputs' && norm === 'L1' && value.steps.at(-1) === 'softmax';
  if (isDone) return [value];
  throw node.refuse(`the norm ${norm.slice(0, 20)} of columns: each column then depends on all`, 'norm');
}

export const columnOperators: OperatorRows = [
  ['Scaler', { attributes: ['offset', 'scale'], lower: scale }],
  [
    'Imputer',
    {
      attributes: ['imputed_value_floats', 'imputed_value_int64s', 'replaced_value_float', 'replaced_value_int64'],
      lower: impute,
    },
  ],
  ['Normalizer', { attributes: ['norm'], lower: normalize }],
];
