/** Reads and checks the layers of background.autoencoder, and takes the layers of the encoder from them. */
import { ElsewiseError } from '../../documents/error.js';
import type { AutoencoderDocument } from '../../documents/model-document.js';
import { checkMatrixWork } from '../../models/bounds.js';
import type { LoadedModel } from '../../models/load.js';
import type { NetworkLayer } from '../../models/machines/network.js';

/** All layers. Null: the document has no autoencoder. `rows` is the number of background rows that the layers will encode. */
export function broughtLayers({ document, preprocessing, bounds }: LoadedModel, rows: number): NetworkLayer[] | null {
  const brought = document.background?.autoencoder;
  if (!brought) return null;
  if (preprocessing.curves)
    throw new ElsewiseError(
      'unsupported',
      'there is no autoencoder behind a monotone step',
      'model.background.autoencoder',
    );
  const layers = readLayers(brought, preprocessing.inputs);
  checkMatrixWork(rows * sizeOf(layers), 'model.background.autoencoder', 'running the background', bounds);
  return layers;
}

/** The number of weights in all layers. */
export const sizeOf = (layers: readonly NetworkLayer[]): number =>
  layers.reduce((sum, { weights }) => sum + weights.length * weights[0].length, 0);

/** The layers of the encoder: `encoderLayers` of them if the document has that key, else all layers up to the first narrowest layer before the last. */
export function encoderOf({ document }: LoadedModel, layers: readonly NetworkLayer[]): readonly NetworkLayer[] {
  const given = document.background?.autoencoder?.encoderLayers;
  if (given !== undefined && given > layers.length)
    throw new ElsewiseError(
      'bad-document',
      `there are ${layers.length} layers`,
      'model.background.autoencoder.encoderLayers',
    );
  const widths = layers.slice(0, Math.max(1, layers.length - 1)).map(({ bias }) => bias.length);
  return layers.slice(0, given ?? widths.indexOf(Math.min(...widths)) + 1);
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
