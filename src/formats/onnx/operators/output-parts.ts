/**
 * Parts of outputs and outputs side by side:
 *
 *   second       the second of two numbers
 *   [1 - p, p]   of one number p
 *   [a, b, ...]  of networks that differ in their last layer only: one network with the rows of all
 */
import type { OnnxColumn } from '../columns.js';
import type { OnnxNetwork, Outputs, Value } from '../values.js';
import type { NodeView } from './node-view.js';
import { followedBy } from './operands.js';

export function secondOf(outputs: Outputs, places: readonly number[], node: NodeView): Outputs {
  if (outputs.width === 1 && places.length === 1 && (places[0] === 0 || places[0] === -1)) return outputs;
  const isSecond = outputs.width === 2 && places.length === 1 && (places[0] === 1 || places[0] === -1);
  if (!isSecond) throw node.refuse(`the outputs ${places.slice(0, 8)} of ${outputs.width}`);
  return followedBy(outputs, 'second', 1);
}

/** Null: the inputs are no outputs. */
export function joinOutputs(inputs: readonly (Value | undefined)[], node: NodeView): Outputs | null {
  const parts = inputs.filter((input) => input?.kind === 'outputs');
  if (!parts.length || parts.length !== inputs.length) return null;
  const joined = parts.length === 1 ? parts[0] : (complementOf(parts) ?? stacked(parts));
  if (joined) return joined;
  throw node.refuse('outputs of several models');
}

function complementOf([rest, own, ...others]: readonly Outputs[]): Outputs | null {
  const isRest = rest.steps.at(-1) === 'rest' && rest.steps.length === own.steps.length + 1;
  const isSame = rest.model === own.model && own.width === 1 && own.steps.every((step, k) => step === rest.steps[k]);
  return isRest && isSame && !others.length ? followedBy(own, 'complement', 2) : null;
}

function stacked(parts: readonly Outputs[]): Outputs | null {
  const rows = parts.map(lastRows);
  const [first] = rows;
  if (!first || !rows.every((row) => row && isLike(first, row))) return null;
  const layers = rows.map((row) => row!.network.layers.at(-1)!);
  const [weights, bias] = [layers.flatMap((layer) => layer.weights), layers.flatMap((layer) => layer.bias)];
  const model: OnnxNetwork = {
    ...first.network,
    layers: [...first.network.layers.slice(0, -1), { weights, bias, activation: 'identity' }],
  };
  return { kind: 'outputs', model, steps: first.steps, width: bias.length, classes: null };
}

interface Rows {
  readonly network: OnnxNetwork;
  readonly steps: Outputs['steps'];
}

/** Steps that act on each number by itself. */
const SINGLE = new Set(['logistic', 'exp', 'second']);

/** The network of an output, without the row that is not taken. Null: no such network. */
function lastRows({ model, steps }: Outputs): Rows | null {
  if (model.kind !== 'network' || !steps.every((step) => SINGLE.has(step))) return null;
  if (!steps.includes('second')) return { network: model, steps };
  const { weights, bias, activation } = model.layers.at(-1)!;
  const own = { weights: weights.slice(1), bias: bias.slice(1), activation };
  return {
    network: { ...model, layers: [...model.layers.slice(0, -1), own] },
    steps: steps.filter((step) => step !== 'second'),
  };
}

function isLike(a: Rows, b: Rows): boolean {
  const [inner, other] = [a.network.layers.slice(0, -1), b.network.layers.slice(0, -1)];
  const isSameNetwork = inner.length === other.length && inner.every((layer, l) => layer === other[l]);
  return isSameNetwork && isSameList(a.steps, b.steps) && areSameColumns(a.network, b.network);
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((entry, k) => entry === b[k]);

function areSameColumns({ columns: { columns: a } }: OnnxNetwork, { columns: { columns: b } }: OnnxNetwork): boolean {
  return a.length === b.length && a.every((column, k) => column === b[k] || isSameNumber(column, b[k]));
}

const isSameNumber = (a: OnnxColumn, b: OnnxColumn): boolean =>
  a.kind === 'number' && b.kind === 'number' && a.input === b.input && isSameList(a.steps, b.steps);
