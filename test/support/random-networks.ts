/** Random networks of relu units, as documents and as a second opinion of what they say. */
import type { Dice } from './dice.js';

export interface RandomNetwork {
  readonly layers: { weights: number[][]; bias: number[]; activation: string }[];
  /** The pre-activations of the last layer. */
  outputs(x: readonly number[]): number[];
}

/** `widths`: inputs, units of each hidden layer, outputs. */
export function randomNetwork(dice: Dice, widths: readonly number[], last: string): RandomNetwork {
  const layers = widths.slice(1).map((units, l) => ({
    weights: dice.matrix(units, widths[l], () => dice.normal() / Math.sqrt(widths[l])),
    bias: dice.vector(units, () => 0.5 * dice.normal()),
    activation: l === widths.length - 2 ? last : 'relu',
  }));
  const outputs = (x: readonly number[]) =>
    layers.reduce((input, { weights, bias, activation }) => {
      const z = weights.map((row, i) => row.reduce((sum, w, j) => sum + w * input[j], bias[i]));
      return activation === 'relu' ? z.map((value) => Math.max(0, value)) : z;
    }, x as number[]);
  return { layers, outputs };
}

export const networkDocument = (features: readonly object[], layers: unknown, classes?: string[]) => ({
  schema: 'elsewise.model/v1',
  name: 'net',
  family: 'mlp',
  features,
  ...(classes && { classes }),
  parameters: { layers },
});
