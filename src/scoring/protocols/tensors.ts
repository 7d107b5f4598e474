/**
 * Rows as tensors and back, for protocols and runtimes that name the inputs and outputs of a model.
 *
 *   one input [n, columns]        all numbers of a row
 *   an input [n] or [n, 1] for each feature, by its name        numbers, or texts for categories
 */
import type { RowValue } from '../../documents/model-document.js';
import { createInputTable } from '../input-table.js';
import type { ScoredModel } from '../point-scorer.js';
import { ScorerFault } from '../scorer-fault.js';

export interface TensorSignature {
  readonly name: string;
  readonly isText: boolean;
  /** -1: any size; the first entry is the number of rows. */
  readonly shape: readonly number[];
}

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: readonly RowValue[];
}

export type TensorWriter = (inputs: readonly Float64Array[]) => Tensor[];

/** Throws if the signature does not fit the model's features. */
export function createTensorWriter(model: ScoredModel, signature: readonly TensorSignature[]): TensorWriter {
  const [only] = signature;
  const isTable =
    signature.length === 1 && !only.isText && only.shape.length === 2 && fits(only.shape[1], model.inputs);
  return isTable ? tableWriter(model, only) : featureWriter(model, signature);
}

const fits = (size: number, expected: number): boolean => size === expected || size < 0;

function tableWriter({ inputs: width }: ScoredModel, { name }: TensorSignature): TensorWriter {
  return (inputs) => [{ name, shape: [inputs.length, width], data: inputs.flatMap((input) => Array.from(input)) }];
}

function featureWriter(model: ScoredModel, signature: readonly TensorSignature[]): TensorWriter {
  const { columns, row } = createInputTable(model, 'features');
  const places = signature.map(({ name, shape }) => {
    const place = columns.indexOf(name);
    if (place < 0 || shape.length > 2 || !fits(shape[1] ?? 1, 1)) throw otherInputs(model, signature);
    return place;
  });
  if (places.length !== columns.length) throw otherInputs(model, signature);
  return (inputs) => {
    const rows = inputs.map(row);
    return signature.map(({ name, shape, isText }, k) => {
      const data = rows.map((values) => asEntry(values[places[k]], isText));
      return { name, shape: shape.length === 2 ? [inputs.length, 1] : [inputs.length], data };
    });
  };
}

/** Tensors of numbers contain no booleans. */
function asEntry(value: RowValue, isText: boolean): RowValue {
  if (isText) return String(value);
  return typeof value === 'boolean' ? Number(value) : value;
}

function otherInputs({ inputs, features }: ScoredModel, signature: readonly TensorSignature[]): ScorerFault {
  const has = signature.map(({ name, shape }) => `${name} [${shape.join(', ')}]`).join(', ');
  const wants = `one input [-1, ${inputs}], or an input for each of the ${features.length} features by its name`;
  return new ScorerFault('shape', `the inputs of the scorer are ${has}; expected ${wants}`, false);
}

/** The rows of an output [n], [n, 1] or [n, k]. */
export function rowsOfTensor(data: ArrayLike<unknown>, shape: readonly number[], count: number): unknown[] {
  const [rows, width = 1] = shape;
  if (shape.length < 1 || shape.length > 2 || rows !== count || data.length !== rows * width)
    throw new ScorerFault('shape', `an output of shape [${shape.join(', ')}] for ${count} inputs`);
  const entries = Array.from(data);
  return Array.from({ length: rows }, (_, r) => entries.slice(r * width, (r + 1) * width));
}
