/**
 * Layers of a feed-forward network:
 *
 *   h_0 = x,   h_l = σ_l(W_l h_{l-1} + b_l)        σ: relu, tanh, logistic, identity
 *
 * Gradients are propagated backwards:  ∂/∂h_{l-1} = W_lᵀ (σ_l'(z_l) ∂/∂h_l).  The slope of relu at 0 is 0, as in scikit-learn.
 */
import { dot } from '../../linalg/vector.js';

/** The output of a unit for its input z, and the slope at the output h. */
interface ActivationFunction {
  value(z: number): number;
  /** The slope as a function of the output: each of these functions has one. */
  slope(h: number): number;
}

export const ACTIVATIONS = {
  relu: { value: (z) => Math.max(0, z), slope: (h) => (h > 0 ? 1 : 0) },
  tanh: { value: Math.tanh, slope: (h) => 1 - h * h },
  logistic: { value: (z) => 1 / (1 + Math.exp(-z)), slope: (h) => h * (1 - h) },
  identity: { value: (z) => z, slope: () => 1 },
} satisfies Record<string, ActivationFunction>;

export type Activation = keyof typeof ACTIVATIONS;

export interface NetworkLayer {
  /** By unit, a weight for each input. */
  readonly weights: readonly Float64Array[];
  readonly bias: Float64Array;
  readonly activation: Activation;
}

/** Runs layers. It holds the scratch arrays, so each use needs its own. */
export class Network {
  /** By layer. */
  private readonly activations: readonly Float64Array[];
  private readonly slopes: readonly Float64Array[];

  constructor(readonly layers: readonly NetworkLayer[]) {
    this.activations = layers.map(({ bias }) => new Float64Array(bias.length));
    this.slopes = layers.map(({ bias }) => new Float64Array(bias.length));
  }

  /** The activations of the last layer, valid until the next call; x itself if there is no layer. */
  run(x: Float64Array): Float64Array {
    let input = x;
    for (let l = 0; l < this.layers.length; l++) {
      const { weights, bias, activation } = this.layers[l];
      const { value } = ACTIVATIONS[activation];
      const out = this.activations[l];
      for (let i = 0; i < out.length; i++) out[i] = value(dot(weights[i], input) + bias[i]);
      input = out;
    }
    return input;
  }

  /** The activations of layer l of the last run. */
  activationsOf(l: number): Float64Array {
    return this.activations[l];
  }

  /** From the slope by activations of the last layer to the slope by x, at the x of the last run. */
  pullBack(slope: Float64Array, out: Float64Array): void {
    let outer = slope;
    for (let l = this.layers.length - 1; l >= 0; l--) {
      const inner = l > 0 ? this.slopes[l - 1] : out;
      this.pullBackLayer(l, outer, inner.fill(0));
      outer = inner;
    }
    if (!this.layers.length) out.set(slope);
  }

  private pullBackLayer(l: number, outer: Float64Array, inner: Float64Array): void {
    const { weights, activation } = this.layers[l];
    const { slope } = ACTIVATIONS[activation];
    const h = this.activations[l];
    for (let i = 0; i < h.length; i++) {
      const factor = outer[i] * slope(h[i]);
      if (factor === 0) continue;
      const row = weights[i];
      for (let j = 0; j < row.length; j++) inner[j] += factor * row[j];
    }
  }
}
