/**
 * Plausibility by an autoencoder (Van Looveren and Klaise 2021):  value(x) = -|A(u) - u|² / n,  u the model's n inputs after preprocessing.
 *
 *   ∇|A(u) - u|² = 2 (Jᵀ (A(u) - u) - (A(u) - u)),   J the Jacobian of A
 *
 * A is background.autoencoder of the model document. A row whose error is NaN is less plausible than all other rows. The penalty is the mean squared error.
 */
import type { PlausibilityDocument } from '../../documents/policy-document.js';
import { pullBackVector } from '../../linalg/affine.js';
import { subtract } from '../../linalg/vector.js';
import type { LoadedModel } from '../../models/load.js';
import { Network } from '../../models/machines/network.js';
import { broughtLayers, sizeOf } from './autoencoder-layers.js';
import { backgroundWhereAsked, plausibilityError } from './background-columns.js';
import { plausibilityBy } from './limit-and-term.js';
import { forEveryTarget, type Measure, type TargetPlausibility } from './plausibility-measure.js';

export function compileAutoencoder(document: PlausibilityDocument, loaded: LoadedModel): TargetPlausibility {
  const layers = broughtLayers(loaded, loaded.background.samples.length);
  if (!layers) throw plausibilityError('.method', 'the model brings no background.autoencoder');
  const measure = new Reconstruction(new Network(layers), loaded);
  const rows = backgroundWhereAsked(loaded, document.atLeast);
  return forEveryTarget(plausibilityBy(measure, document, rows?.map((row) => measure.value(row)) ?? null));
}

class Reconstruction implements Measure {
  readonly flops: number;
  private readonly back: Float64Array;

  constructor(
    private readonly network: Network,
    private readonly loaded: LoadedModel,
  ) {
    this.back = new Float64Array(loaded.preprocessing.inputs);
    this.flops = 2 * sizeOf(network.layers);
  }

  private missOf(columns: Float64Array): Float64Array {
    const u = this.loaded.preprocessing.run(columns);
    return subtract(this.network.run(u), u);
  }

  value(columns: Float64Array): number {
    const sum = this.missOf(columns).reduce((total, miss) => total + miss * miss, 0);
    return Number.isFinite(sum) ? -sum / this.back.length : Number.NEGATIVE_INFINITY;
  }

  readonly slope = (columns: Float64Array, out: Float64Array): void => {
    const { back, network } = this;
    const miss = this.missOf(columns);
    network.pullBack(miss, back);
    const slope = back.map((value, i) => (2 * (miss[i] - value)) / back.length);
    out.set(pullBackVector(this.loaded.preprocessing.map, slope).a);
  };

  penaltyOf = (value: number): number => -value;

  penaltySlope = (): number => -1;
}
