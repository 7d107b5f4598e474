/**
 * Layers in memory that threads share: the concatenated numbers of all layers, and their shape.
 *
 *   numbers   by layer: the weights, unit by unit, then the biases
 *   shape     by layer: the number of units, then the activation
 */
import { sharedFloats, sharedInts } from '../../linalg/shared.js';
import type { SharedParts } from '../shared-parts.js';
import type { Activation, NetworkLayer } from './network.js';

/** Only the last layer may be softmax. The model that reads the last layer handles it. */
export type LayerActivation = Activation | 'softmax';

export interface LayerNumbers {
  readonly weights: readonly ArrayLike<number>[];
  readonly bias: ArrayLike<number>;
  readonly activation: LayerActivation;
}

/** A layer that may be the last one. */
export interface AnyLayer extends Omit<NetworkLayer, 'activation'> {
  readonly activation: LayerActivation;
}

const ORDER: readonly LayerActivation[] = ['relu', 'tanh', 'logistic', 'identity', 'softmax'];

export function packLayers(layers: readonly LayerNumbers[]): SharedParts {
  const sizes = layers.map(({ weights, bias }) => weights.length * weights[0].length + bias.length);
  const numbers = sharedFloats(sizes.reduce((sum, size) => sum + size, 0));
  const shape = sharedInts(2 * layers.length);
  let at = 0;
  for (const [l, { weights, bias, activation }] of layers.entries()) {
    shape.set([bias.length, ORDER.indexOf(activation)], 2 * l);
    for (const row of [...weights, bias]) {
      numbers.set(row, at);
      at += row.length;
    }
  }
  return { numbers, shape };
}

export function unpackLayers(
  { numbers, shape }: SharedParts,
  inputs: number,
): (Omit<NetworkLayer, 'activation'> & { activation: LayerActivation })[] {
  const [flat, sizes] = [numbers as Float64Array, shape as Int32Array];
  let [at, width] = [0, inputs];
  const take = (length: number) => {
    at += length;
    return flat.subarray(at - length, at);
  };
  return Array.from({ length: sizes.length / 2 }, (_, l) => {
    const units = sizes[2 * l];
    const weights = Array.from({ length: units }, () => take(width));
    width = units;
    return { weights, bias: take(units), activation: ORDER[sizes[2 * l + 1]] };
  });
}
