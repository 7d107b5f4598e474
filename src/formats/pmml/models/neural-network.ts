/**
 * NeuralNetwork with layers that read the layer before, as the family `mlp`.
 *
 *   number         the output neuron; NormContinuous of the output turns it back: y = ((v - n_0) / (n_1 - n_0)) (o_1 - o_0) + o_0
 *   two classes    one logistic neuron p, and neurons p and 1 - p behind it
 *   classes        softmax of the last layer
 */

import { readDerived } from '../fields/transformations.js';
import { type DocumentPart, isSingle, type ModelContext, readRescaling } from '../model-context.js';
import { classNames } from '../trees/forest.js';
import type { XmlElement } from '../xml/xml-element.js';
import { writeInputs } from './linear-sum.js';

interface Layer {
  readonly element: XmlElement;
  readonly ids: readonly string[];
  readonly weights: number[][];
  readonly bias: number[];
  readonly activation: string;
  readonly isSoftmax: boolean;
}

/** By the name of PMML. */
const ACTIVATIONS: Readonly<Record<string, string>> = {
  rectifier: 'relu',
  tanh: 'tanh',
  logistic: 'logistic',
  identity: 'identity',
};

export function importNetwork(model: XmlElement, context: ModelContext): DocumentPart {
  if (isSingle(model)) throw model.refusal('x-mathContext="float" of a network: export in double precision');
  const inputs = model.needed('NeuralInputs').all('NeuralInput');
  const fields = inputs.map((input) => readDerived(input.needed('DerivedField'), context.scope.find));
  const preprocessing = writeInputs(fields, context.features, model);
  const layers: Layer[] = [];
  for (const element of model.all('NeuralLayer'))
    layers.push(readLayer(element, model, layers.at(-1)?.ids ?? inputs.map((input) => input.needs('id'))));
  if (!layers.length) throw model.fault('has no NeuralLayer');
  const outputs = model.needed('NeuralOutputs').all('NeuralOutput');
  const written = context.classes ? classLayers(layers, outputs, model, context) : numberLayers(layers, outputs, model);
  return {
    family: 'mlp',
    features: [...context.features],
    ...classNames(context),
    ...(preprocessing.length && { preprocessing }),
    parameters: { layers: written.map(({ weights, bias, activation }) => ({ weights, bias, activation })) },
  };
}

function readLayer(element: XmlElement, model: XmlElement, before: readonly string[]): Layer {
  const name = element.get('activationFunction') ?? model.needs('activationFunction');
  if (!Object.hasOwn(ACTIVATIONS, name))
    throw element.refusal(
      `the activation function "${name.slice(0, 40)}"; known are ${Object.keys(ACTIVATIONS).join(', ')}`,
    );
  for (const key of ['leakage', 'threshold'])
    if (name === 'rectifier' && element.number(key, model.number(key, 0)) !== 0)
      throw element.refusal(`a rectifier with ${key}: use a plain rectifier`);
  const method = element.get('normalizationMethod') ?? model.get('normalizationMethod') ?? 'none';
  if (method !== 'none' && method !== 'softmax')
    throw element.refusal(`normalizationMethod="${method.slice(0, 40)}" of a layer: use softmax or none`);
  const neurons = element.all('Neuron');
  const places = new Map(before.map((id, k) => [id, k]));
  return {
    element,
    ids: neurons.map((neuron) => neuron.needs('id')),
    weights: neurons.map((neuron) => weightsOf(neuron, places)),
    bias: neurons.map((neuron) => neuron.number('bias', 0)),
    activation: ACTIVATIONS[name],
    isSoftmax: method === 'softmax',
  };
}

function weightsOf(neuron: XmlElement, places: ReadonlyMap<string, number>): number[] {
  const weights = Array<number>(places.size).fill(0);
  for (const connection of neuron.all('Con')) {
    const from = connection.needs('from');
    const place = places.get(from);
    if (place === undefined)
      throw connection.refusal(
        `a connection from "${from.slice(0, 40)}", which is not in the layer before: connect each layer with the one before`,
      );
    weights[place] += connection.number('weight');
  }
  return weights;
}

const isPlainLayer = ({ activation, isSoftmax }: Layer): boolean => activation === 'identity' && !isSoftmax;

/** The row of the last layer for an output. */
function placeOf(output: XmlElement, { ids }: Layer): number {
  const id = output.needs('outputNeuron');
  const place = ids.indexOf(id);
  if (place >= 0) return place;
  throw output.refusal(
    `an output of the neuron "${id.slice(0, 40)}", which is not in the last layer: read the last layer`,
  );
}

const hiddenSoftmax = (layers: readonly Layer[]): void => {
  const wrong = layers.slice(0, -1).find(({ isSoftmax }) => isSoftmax);
  if (wrong) throw wrong.element.refusal('softmax before the last layer: use softmax in the last layer only');
};

type Written = Pick<Layer, 'weights' | 'bias' | 'activation'>;

function numberLayers(layers: readonly Layer[], outputs: readonly XmlElement[], model: XmlElement): Written[] {
  hiddenSoftmax(layers);
  const [output, ...others] = outputs;
  if (!output || others.length) throw model.refusal(`a network of ${outputs.length} outputs: write one model for each`);
  const last = layers.at(-1)!;
  if (last.isSoftmax) throw last.element.refusal('softmax of a regressor: use identity');
  const place = placeOf(output, last);
  const { factor, constant } = outputLine(output, model);
  if (!isPlainLayer(last)) {
    const weights = [last.ids.map((_, k) => (k === place ? factor : 0))];
    return [...layers, { weights, bias: [constant], activation: 'identity' }];
  }
  const weights = [last.weights[place].map((weight) => weight * factor)];
  return [...layers.slice(0, -1), { weights, bias: [last.bias[place] * factor + constant], activation: 'identity' }];
}

/** The result as a line of the output neuron. */
function outputLine(output: XmlElement, model: XmlElement): { factor: number; constant: number } {
  const rescaling = readRescaling(model);
  const derived = output.needed('DerivedField');
  const norm = derived.child('NormContinuous');
  if (!norm) {
    derived.needed('FieldRef');
    return rescaling;
  }
  const [a, b, ...others] = norm
    .all('LinearNorm')
    .map((own) => ({ orig: own.number('orig'), norm: own.number('norm') }));
  if (!b || others.length || a.norm === b.norm) throw norm.refusal('an output of several lines: use two LinearNorm');
  const factor = (b.orig - a.orig) / (b.norm - a.norm);
  return {
    factor: factor * rescaling.factor,
    constant: (a.orig - a.norm * factor) * rescaling.factor + rescaling.constant,
  };
}

function classLayers(
  layers: readonly Layer[],
  outputs: readonly XmlElement[],
  model: XmlElement,
  { classes }: ModelContext,
): Written[] {
  hiddenSoftmax(layers);
  const last = layers.at(-1)!;
  const places = classes!.names.map(() => -1);
  for (const output of outputs) {
    const discrete = output.needed('DerivedField').child('NormDiscrete');
    if (!discrete) throw output.refusal('an output of classes without NormDiscrete: write NormDiscrete for each class');
    places[classes!.indexOf(discrete.needs('value'), discrete)] = placeOf(output, last);
  }
  const absent = places.indexOf(-1);
  if (absent >= 0) throw model.fault(`has no output of the class "${classes!.names[absent]}"`);
  if (last.isSoftmax && last.activation === 'identity') {
    const ordered = { weights: places.map((k) => last.weights[k]), bias: places.map((k) => last.bias[k]) };
    return [...layers.slice(0, -1), { ...ordered, activation: 'softmax' }];
  }
  const logistic = pairLayer(layers, places);
  if (logistic) return [...layers.slice(0, -2), logistic];
  throw last.element.refusal(
    'outputs of classes that are neither softmax nor p and 1 - p of one logistic neuron: train with softmax',
  );
}

/** The logistic neuron of two classes, as the probability of the second. Null: the layers have another form. */
function pairLayer(layers: readonly Layer[], places: readonly number[]): Written | null {
  const [before, last] = layers.slice(-2);
  if (!last || before.activation !== 'logistic' || before.isSoftmax || before.ids.length !== 1 || !isPlainLayer(last))
    return null;
  const [first, second] = places.map((k) => `${last.weights[k][0]} ${last.bias[k]}`);
  const sign = second === '1 0' && first === '-1 1' ? 1 : first === '1 0' && second === '-1 1' ? -1 : 0;
  if (sign === 0 || places.length !== 2) return null;
  return { weights: [before.weights[0].map((w) => sign * w)], bias: [sign * before.bias[0]], activation: 'logistic' };
}
