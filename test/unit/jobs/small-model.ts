/** A model with a feature of every type, for tests of what comes before and behind the solving. */
import { type LoadedModel, loadModel } from '../../../src/models/load.js';

export const SMALL_MODEL = {
  schema: 'elsewise.model/v1',
  name: 'small',
  family: 'logistic-regression',
  features: [
    { name: 'age', type: 'integer', min: 0, max: 120, unit: 'years' },
    { name: 'income', type: 'continuous', min: 0, unit: 'EUR/month' },
    { name: 'owner', type: 'boolean' },
    { name: 'city', type: 'categorical', categories: ['Köln', 'Paris, FR', 'a "b"'] },
  ],
  classes: ['no', 'yes'],
  parameters: { weights: [0.01, 0.001, 0.5, 0.1, 0.2, 0.3], bias: -4, threshold: 0.5 },
};

export function smallModel(changes: object = {}): LoadedModel {
  return loadModel({ ...SMALL_MODEL, ...changes });
}

/** A model that fills in what is missing. */
export function imputingModel(): LoadedModel {
  return smallModel({ preprocessing: [{ type: 'impute', values: [40, 2000, 0, 1, 0, 0] }] });
}
