/**
 * Add, Sub, Mul and Div with a constant: a step of each column, or a change of the last layer of a network.
 *
 *   columns   x + c, x - c, c - x, x * c, x / c, rounded to the type of the column
 *   outputs   p / total: the shares
 *   network   the last layer is affine: the constant goes into its weights and bias
 */
import { type ColumnStep, roundingOf, withStep } from '../columns.js';
import { type ConstantTensor, DOUBLE, FLOAT } from '../file/onnx-tensor.js';
import type { OnnxColumns, OnnxModel, OnnxNetwork, Outputs, Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { followedBy, networkOutputs } from './operands.js';
import type { OperatorRows } from './operator.js';

interface Affine {
  readonly factor: number;
  readonly shift: number;
}

interface Arithmetic {
  run(x: number, c: number): number;
  map(c: number): Affine;
}

/** By operator, with the constant on the right and on the left. Null: no affine function. */
const RIGHT: Readonly<Record<string, Arithmetic>> = {
  Add: { run: (x, c) => x + c, map: (c) => ({ factor: 1, shift: c }) },
  Sub: { run: (x, c) => x - c, map: (c) => ({ factor: 1, shift: -c }) },
  Mul: { run: (x, c) => x * c, map: (c) => ({ factor: c, shift: 0 }) },
  Div: { run: (x, c) => x / c, map: (c) => ({ factor: 1 / c, shift: 0 }) },
};
const LEFT: Readonly<Record<string, Arithmetic | null>> = {
  Add: RIGHT.Add,
  Sub: { run: (x, c) => c - x, map: (c) => ({ factor: -1, shift: c }) },
  Mul: RIGHT.Mul,
  Div: null,
};

function lower(node: NodeView, [left, right]: readonly (Value | undefined)[]): Value[] {
  if (node.operator === 'Div' && left?.kind === 'outputs' && isTotalOf(right, left))
    return [followedBy(left, 'shares')];
  const isRight = right?.kind === 'constant';
  const [value, other] = isRight ? [left, right] : [right, left];
  const arithmetic = (isRight ? RIGHT : LEFT)[node.operator];
  if (other?.kind !== 'constant' || !value || !arithmetic) throw node.refuse('two inputs that are not constant');
  if (value.kind === 'columns') return [withConstant(value, other.tensor, arithmetic, node)];
  if (value.kind === 'outputs') return [changed(value, other.tensor, arithmetic, node)];
  throw node.refuse('arithmetic with constants or labels');
}

const isTotalOf = (total: Value | undefined, { model, steps }: Outputs): boolean =>
  total?.kind === 'outputs' && total.model === model && [...steps, 'total'].join() === total.steps.join();

function spreadTo(width: number, { numbers }: ConstantTensor, node: NodeView): readonly number[] {
  if (numbers.length === width) return numbers;
  if (numbers.length === 1) return Array<number>(width).fill(numbers[0]);
  throw node.fault(`a constant of ${numbers.length} numbers for ${width} columns`);
}

function withConstant(value: OnnxColumns, tensor: ConstantTensor, arithmetic: Arithmetic, node: NodeView): OnnxColumns {
  if (value.type !== FLOAT && value.type !== DOUBLE) throw node.refuse('arithmetic with whole numbers or text');
  const numbers = spreadTo(value.columns.length, tensor, node);
  const columns = value.columns.map((column, k) => {
    if (column.kind === 'word') throw node.refuse('arithmetic with text');
    return withStep(column, stepOf(arithmetic, numbers[k], value.type, node));
  });
  return { ...value, columns };
}

export function stepOf({ run, map }: Arithmetic, c: number, type: number, node: NodeView): ColumnStep {
  const round = roundingOf(type);
  const own = map(c);
  if (!Number.isFinite(own.factor) || !Number.isFinite(own.shift) || own.factor === 0)
    throw node.refuse(`the constant ${c}`);
  return { run: (x) => round(run(x, c)), map: own, isRising: own.factor > 0 };
}

function changed(value: Outputs, tensor: ConstantTensor, { map }: Arithmetic, node: NodeView): Outputs {
  const maps = spreadTo(value.width, tensor, node).map(map);
  const isRest = value.width === 1 && maps[0].factor === -1 && maps[0].shift === 1;
  if (value.steps.length && isRest) return followedBy(value, 'rest');
  if (value.steps.join() === 'exp' && maps.every(({ factor, shift }) => factor > 0 && shift === 0))
    return {
      ...value,
      model: raised(
        value.model,
        maps.map(({ factor }) => Math.log(factor)),
        node,
      ),
    };
  if (value.steps.length || value.model.kind !== 'network' || value.classes)
    throw node.refuse('arithmetic with the outputs of a model');
  return networkOutputs(scaled(value.model, maps));
}

/** c e^s is e^(s + log c). */
function raised(model: OnnxModel, logs: readonly number[], node: NodeView): OnnxModel {
  if (model.kind === 'network')
    return scaled(
      model,
      logs.map((shift) => ({ factor: 1, shift })),
    );
  if (model.kind !== 'trees' || model.form !== 'all') throw node.refuse('arithmetic with the outputs of a model');
  return { ...model, base: logs.map((shift, k) => (model.base[k] ?? 0) + shift) };
}

function scaled(network: OnnxNetwork, maps: readonly Affine[]): OnnxNetwork {
  const last = network.layers.at(-1)!;
  const weights = last.weights.map((row, k) => (maps[k].factor === 1 ? row : row.map((w) => w * maps[k].factor)));
  const bias = last.bias.map((b, k) => b * maps[k].factor + maps[k].shift);
  return { ...network, layers: [...network.layers.slice(0, -1), { ...last, weights, bias }] };
}

export const arithmeticOperators: OperatorRows = Object.keys(RIGHT).map((name) => [
  name,
  { attributes: ['axis', 'broadcast'], lower },
]);
