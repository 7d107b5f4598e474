/** Models of which only scores are known: a model of ours, seen through its raw outputs alone. */
import type { Model } from '../../src/models/family.js';
import { type LoadedModel, loadModel } from '../../src/models/load.js';
import { ScoreMemory } from '../../src/models/score-memory.js';

/** The same model without a word about its region. */
export function opaque(loaded: LoadedModel): LoadedModel {
  const { model } = loaded;
  const hidden: Model = {
    rawOutputs: model.rawOutputs,
    raw: (x, out) => model.raw(x, out),
    scores: (raw, out) => model.scores(raw, out),
    decide: (raw) => model.decide(raw),
    achieves: (raw, goal) => model.achieves(raw, goal),
    margin: (raw, goal) => model.margin(raw, goal),
    region: () => 'unknown',
  };
  return { ...loaded, model: hidden };
}

/** The same, and its raw outputs come from a memory that somebody else has to fill. */
export function remote(loaded: LoadedModel): LoadedModel {
  const hidden = opaque(loaded);
  const memory = new ScoreMemory();
  return { ...hidden, model: { ...hidden.model, memory, raw: (x, out) => memory.recall(x, out) } };
}

/** What a scorer somewhere else would answer. */
export function rawOf({ model }: LoadedModel, input: Float64Array): Float64Array {
  const raw = new Float64Array(model.rawOutputs);
  model.raw(input, raw);
  return raw;
}

const FEATURES = [
  { name: 'a', type: 'integer', min: 0, max: 4 },
  { name: 'b', type: 'continuous', min: 0, max: 1, decimals: 1 },
  { name: 'c', type: 'categorical', categories: ['x', 'y', 'z'] },
];

/** Three features of few values, a linear score and rows of the training set. */
export function fewValues(bias = -2.05): LoadedModel {
  const samples = Array.from({ length: 24 }, (_, k) => [k % 5, (k % 11) / 10, ['x', 'y', 'z'][k % 3]]);
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'few',
    family: 'hyperplane',
    features: FEATURES,
    classes: ['no', 'yes'],
    parameters: { weights: [0.5, 1, 0, 0.3, -0.2], bias },
    background: { samples, labels: samples.map(() => 'no') },
  });
}
