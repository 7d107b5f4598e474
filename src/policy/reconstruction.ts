/**
 * Plausibility by an autoencoder (Van Looveren and Klaise 2021):  -|A(u) - u|² / n  >=  need,  u the model's n inputs after preprocessing.
 *
 *   ∇|A(u) - u|² = 2 (Jᵀ (A(u) - u) - (A(u) - u)),   J the Jacobian of A
 *
 * The model document brings A in background.autoencoder. A row whose error is no number is less plausible than all others.
 */
import { ElsewiseError } from '../documents/error.js';
import type { AutoencoderDocument } from '../documents/model-document.js';
import type { PlausibilityDocument } from '../documents/policy-document.js';
import { pullBackVector } from '../linalg/affine.js';
import { subtract } from '../linalg/vector.js';
import { checkMatrixWork } from '../models/bounds.js';
import type { LoadedModel } from '../models/load.js';
import { Network, type NetworkLayer } from '../models/machines/network.js';
import { BackgroundValues, backgroundColumns, eased, plausibilityError, spreadOf } from './background-columns.js';
import type { Plausibility } from './plausibility-measure.js';

export function compileAutoencoder({ atLeast }: PlausibilityDocument, loaded: LoadedModel): Plausibility {
  const { document, preprocessing, bounds } = loaded;
  const brought = document.background?.autoencoder;
  if (!brought) throw plausibilityError('.method', 'the model brings no background.autoencoder');
  if (atLeast === undefined) throw plausibilityError('.atLeast', 'is needed for the method "autoencoder"');
  const layers = readLayers(brought, preprocessing.inputs);
  const rows = backgroundColumns(loaded);
  const work = rows.length * layers.reduce((sum, { weights }) => sum + weights.length * weights[0].length, 0);
  checkMatrixWork(work, 'model.background.autoencoder', 'the errors of the background', bounds);
  return measure(new Network(layers), rows, atLeast, loaded);
}

function measure(network: Network, rows: readonly Float64Array[], atLeast: number, loaded: LoadedModel): Plausibility {
  const { run, map, inputs } = loaded.preprocessing;
  const out = new Float64Array(inputs);
  const missOf = (u: Float64Array) => subtract(network.run(u), u);
  const value = (columns: Float64Array): number => {
    const sum = missOf(run(columns)).reduce((total, miss) => total + miss * miss, 0);
    return Number.isFinite(sum) ? -sum / inputs : Number.NEGATIVE_INFINITY;
  };
  const values = rows.map(value);
  const background = new BackgroundValues(values);
  const need = eased(background.quantile(atLeast));
  const spread = spreadOf(values.filter(Number.isFinite));
  return {
    atom: null,
    holds: (columns) => value(columns) >= need,
    shareOf: (columns) => background.shareUpTo(value(columns)),
    margin: (columns) => (value(columns) - need) / spread,
    gradient: (columns, slope) => {
      const miss = missOf(run(columns));
      network.pullBack(miss, out);
      const scale = 2 / (inputs * spread);
      slope.set(
        pullBackVector(
          map,
          out.map((value, i) => scale * (miss[i] - value)),
        ).a,
      );
    },
  };
}

function readLayers({ layers }: AutoencoderDocument, inputs: number): NetworkLayer[] {
  let width = inputs;
  for (const [l, { weights, bias }] of layers.entries()) {
    const units = l === layers.length - 1 ? inputs : bias.length;
    const fits = weights.length === units && bias.length === units && weights.every((row) => row.length === width);
    if (!fits) throw badLayer(l, `expected ${units} units, each with a bias and ${width} weights`);
    width = units;
  }
  return layers.map(({ weights, bias, activation }) => ({
    weights: weights.map((row) => Float64Array.from(row)),
    bias: Float64Array.from(bias),
    activation,
  }));
}

const badLayer = (l: number, message: string) =>
  new ElsewiseError('bad-document', message, `model.background.autoencoder.layers[${l}]`);
