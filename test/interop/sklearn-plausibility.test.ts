/**
 * Mixtures and autoencoders that the exporter puts beside a model: fit_plausibility.py fits them with a real scikit-learn, and what we
 * make of rows that nothing was fitted on has to be scikit-learn's own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadedModel, loadModel, loadPolicy, type ModelDocument, type RowValue } from '../../src/index.js';
import { logSumExp } from '../../src/linalg/vector.js';
import { readRows } from '../../src/models/background.js';
import { spread } from '../../src/models/features.js';
import { logTerms } from '../../src/models/rows/gaussian-mixture.js';
import { compilePolicy } from '../../src/problems/compile.js';
import { fittedBy } from './fitted-by.js';

/** Relative to the value where that is above 1. */
const TOLERANCE = 1e-8;

interface Expected {
  /** A mixture's rows have the features of the mixture only. */
  rows: Record<string, RowValue>[];
  /** By row: the logarithm of the density in the units of the features, or the mean squared error. */
  values: number[];
  /** Of a mixture: the logarithm of the density at the densest centre. */
  peak: number;
}

const KINDS = ['full', 'tied', 'diag', 'spherical'];
const MIXTURES = [...KINDS.flatMap((kind) => [kind, `${kind}-scaled`]), 'whitened', 'searched', 'all-numbers', 'named'];
const AUTOENCODERS = ['tanh', 'relu', 'categories', 'trees'];

/** The type of the error, and what its message has to name. */
const REFUSED: Record<string, [type: string, message: RegExp]> = {
  'mixture-of-another-class': ['UnsupportedEstimator', /^mixture: BayesianGaussianMixture is no GaussianMixture/],
  'mixture-behind-of-another-class': ['UnsupportedEstimator', /^mixture: LogisticRegression is no GaussianMixture/],
  'mixture-not-fitted': ['ValueError', /^mixture: GaussianMixture has no n_features_in_: fit it first/],
  'mixture-columns': [
    'ValueError',
    /^mixture: has 3 columns, the document has 4 continuous and integer features: \['se/,
  ],
  'mixture-columns-of-types': [
    'ValueError',
    /^mixture: has 2 columns, the document has 4 .*: \['age', 'income', 'debt', 'region'\]/,
  ],
  'mixture-unknown-name': ['ValueError', /^mixture: 'a' is no continuous or integer feature of the document/],
  'mixture-of-a-boolean': ['ValueError', /^mixture: 'guarantor' is no continuous or integer feature of the document/],
  'mixture-of-fewer-columns': ['UnsupportedEstimator', /^mixture: its 2 columns do not tell the 4 features apart/],
  'mixture-imputes': ['UnsupportedEstimator', /^mixture: imputes missing values: that is left to the model/],
  'mixture-encodes': ['UnsupportedEstimator', /^mixture: one-hot encodes numbers/],
  'autoencoder-of-another-class': ['UnsupportedEstimator', /^autoencoder: MLPClassifier is no MLPRegressor/],
  'autoencoder-not-fitted': ['ValueError', /^autoencoder: MLPRegressor has no coefs_: fit it first/],
  'autoencoder-inputs': ['ValueError', /^autoencoder: has 3 inputs, the model has 4 after preprocessing/],
  'autoencoder-outputs': ['ValueError', /^autoencoder: has 4 inputs and 3 outputs: fit it to give back its inputs/],
  'autoencoder-of-dropped-columns': ['ValueError', /^autoencoder: has 2 inputs, the model has 4 after preprocessing/],
  'encoder-of-too-many-layers': ['ValueError', /^encoder_layers: 3, the autoencoder has 2 layers/],
  'encoder-of-no-layers': ['ValueError', /^encoder_layers: 0, the autoencoder has 2 layers/],
  'encoder-without-autoencoder': ['ValueError', /^encoder_layers: there is no autoencoder/],
};

const folder = fittedBy('./fit_plausibility.py', 'python3-sklearn');

const read = <T>(name: string): T => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const readModel = (name: string) => read<ModelDocument>(`${name}.model.json`);
const readExpected = (name: string) => read<Expected>(`${name}.expected.json`);

function expectClose(own: number, wanted: number, what: string): void {
  const allowed = TOLERANCE * Math.max(1, Math.abs(wanted));
  expect(Math.abs(own - wanted), `${what}: ${own}, scikit-learn has ${wanted}`).toBeLessThanOrEqual(allowed);
}

function penaltyBy(method: string, model: LoadedModel): (columns: Float64Array) => number {
  const policy = loadPolicy({ schema: 'elsewise.policy/v1', plausibility: { method, weight: 1 } });
  const { term } = compilePolicy(policy.document, model).plausibility!.of([]);
  return (columns) => term!.penalty(columns);
}

/** Rows of all features; those that a mixture has no part of stand as in the background. */
function columnsOf(model: LoadedModel, rows: readonly Record<string, RowValue>[]): Float64Array[] {
  const [sample] = model.document.background!.samples!;
  const whole = rows.map((row) => model.document.features.map(({ name }, f) => row[name] ?? sample[f]));
  return readRows(whole, model.space, 'rows').map((values) => {
    const columns = new Float64Array(model.space.columns);
    spread(model.space, values, columns);
    return columns;
  });
}

it('has all cases in its tables', () => {
  expect(read('cases.json')).toEqual({ mixture: MIXTURES, autoencoder: AUTOENCODERS });
  expect(Object.keys(read('refusals.json')).sort()).toEqual(Object.keys(REFUSED).sort());
});

describe.each(MIXTURES)('a mixture: %s', (name) => {
  it('has the density that scikit-learn has, in the units of the features', () => {
    const model = loadModel(readModel(`mixture-${name}`));
    const { rows, values } = readExpected(`mixture-${name}`);
    const { scales, components } = model.background.mixture!;
    const volume = scales.reduce((sum, { deviation }) => sum + Math.log(deviation), 0);
    for (const [r, columns] of columnsOf(model, rows).entries()) {
      const z = Float64Array.from(scales, ({ column, mean, deviation }) => (columns[column] - mean) / deviation);
      expectClose(logSumExp(logTerms(components, z)) - volume, values[r], `row ${r}`);
    }
    expect(rows).toHaveLength(50);
  });

  it('is penalised by how far the density lies below that of the densest centre', () => {
    const model = loadModel(readModel(`mixture-${name}`));
    const { rows, values, peak } = readExpected(`mixture-${name}`);
    const penalty = penaltyBy('density', model);
    for (const [r, columns] of columnsOf(model, rows).entries())
      expectClose(penalty(columns), Math.max(0, peak - values[r]), `row ${r}`);
  });
});

describe('the features of a mixture', () => {
  const featuresOf = (name: string) => readModel(`mixture-${name}`).background!.mixture!.features;

  it('are the continuous and integer ones in the order of the document', () => {
    expect(featuresOf('all-numbers')).toEqual(['age', 'income', 'debt', 'region']);
  });

  it('are those that it was fitted on by name, in its own order', () => {
    expect(featuresOf('named')).toEqual(['debt', 'income']);
  });
});

describe.each(AUTOENCODERS)('an autoencoder: %s', (name) => {
  it('has the mean squared error that scikit-learn has', () => {
    const model = loadModel(readModel(`autoencoder-${name}`));
    const { rows, values } = readExpected(`autoencoder-${name}`);
    const penalty = penaltyBy('autoencoder', model);
    for (const [r, columns] of columnsOf(model, rows).entries()) expectClose(penalty(columns), values[r], `row ${r}`);
    expect(rows).toHaveLength(50);
  });
});

describe('the layers', () => {
  const autoencoderOf = (name: string) => readModel(`autoencoder-${name}`).background!.autoencoder!;

  it('are the encoder as far as asked for, else the document leaves that open', () => {
    expect(autoencoderOf('tanh').encoderLayers).toBe(1);
    expect(autoencoderOf('relu')).not.toHaveProperty('encoderLayers');
  });

  it('have the activations of the network, the last one that of its output', () => {
    expect(autoencoderOf('relu').layers.map(({ activation }) => activation)).toEqual([
      'relu',
      'relu',
      'relu',
      'identity',
    ]);
  });
});

describe('is refused', () => {
  it.each(Object.entries(REFUSED))('%s', (name, [type, message]) => {
    const found = read<Record<string, { type: string | null; message: string }>>('refusals.json')[name];
    expect(found.message).toMatch(message);
    expect(found.type).toBe(type);
  });
});
