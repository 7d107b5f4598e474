/** Rows as values by feature. A missing value is refused unless the model imputes it or accepts missing values. */
import type { RowValue } from '../documents/model-document.js';
import type { Model } from './family.js';
import { type Feature, type FeatureSpace, readValue, rowError } from './features.js';
import type { Preprocessing } from './preprocessing.js';

/** The parts of a loaded model that are needed to read a row. */
interface RowModel {
  readonly space: FeatureSpace;
  readonly preprocessing: Pick<Preprocessing, 'imputed'>;
  readonly model: Pick<Model, 'takesMissing'>;
}

/** Reads raw values in the model's order of features. Throws with the path of the invalid field. */
export function readRecord(model: RowModel, raw: readonly (RowValue | undefined)[], values: Float64Array): void {
  for (const feature of model.space.features) {
    const value = readValue(feature, raw[feature.index]);
    if (Number.isNaN(value)) checkImputable(model, feature);
    values[feature.index] = value;
  }
}

/** Raw values in the model's order of features, from a row by name. Only the row's own properties count. */
export function recordOf(
  { space }: RowModel,
  features: Record<string, RowValue | undefined>,
): (RowValue | undefined)[] {
  return space.features.map(({ name }) => (Object.hasOwn(features, name) ? features[name] : undefined));
}

function checkImputable({ model, preprocessing: { imputed } }: RowModel, feature: Feature): void {
  if (model.takesMissing) return;
  for (let c = feature.column; c < feature.column + feature.width; c++) {
    if (Number.isNaN(imputed[c])) throw rowError(feature, 'is missing, and the model does not impute it');
  }
}
