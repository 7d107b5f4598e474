/** Rows as values by feature. A missing value is refused unless the model imputes it or accepts missing values. */
import { ElsewiseError } from '../documents/error.js';
import type { RowValue } from '../documents/model-document.js';
import { LARGEST } from '../documents/numbers.js';
import { RowError, type RowFault } from '../documents/row-error.js';
import type { Model } from './family.js';
import { type Feature, type FeatureSpace, readValue, rowError } from './features.js';
import type { Preprocessing } from './preprocessing.js';

/** The parts of a loaded model that are needed to read a row. */
interface RowModel {
  readonly space: FeatureSpace;
  readonly preprocessing: Pick<Preprocessing, 'imputed'>;
  readonly model: Pick<Model, 'takesMissing' | 'required'>;
}

type RawRecord = readonly (RowValue | undefined)[];

/** More faults of one row are not told: a row of a thousand bad fields is no row of this model. */
const MOST_FAULTS = 100;

/** Reads raw values in the model's order of features. Throws a `RowError` with all invalid fields. A good row costs no extra work. */
export function readRecord(model: RowModel, raw: RawRecord, values: Float64Array): void {
  try {
    for (const feature of model.space.features) {
      const value = raw[feature.index];
      const isRead = typeof value === 'number' && feature.kind === 'continuous' && Math.abs(value) <= LARGEST;
      values[feature.index] = isRead ? value : readField(model, feature, raw);
    }
  } catch (error) {
    throw error instanceof ElsewiseError ? new RowError(recordFaults(model, raw)) : error;
  }
}

/** The fault of each invalid field, in the model's order of features. */
export function recordFaults(model: RowModel, raw: RawRecord): RowFault[] {
  const faults: RowFault[] = [];
  for (const feature of model.space.features) {
    const fault = fieldFault(model, feature, raw);
    if (fault && faults.push(fault) >= MOST_FAULTS) break;
  }
  return faults;
}

function fieldFault(model: RowModel, feature: Feature, raw: RawRecord): RowFault | undefined {
  try {
    readField(model, feature, raw);
    return undefined;
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    return { path: error.path, message: error.detail };
  }
}

function readField(model: RowModel, feature: Feature, raw: RawRecord): number {
  const value = readValue(feature, raw[feature.index]);
  if (Number.isNaN(value)) checkImputable(model, feature);
  return value;
}

/** Raw values in the model's order of features, from a row by name. Only the row's own properties count. */
export function recordOf(
  { space }: RowModel,
  features: Record<string, RowValue | undefined>,
): (RowValue | undefined)[] {
  return space.features.map(({ name }) => (Object.hasOwn(features, name) ? features[name] : undefined));
}

function checkImputable({ model, preprocessing: { imputed } }: RowModel, feature: Feature): void {
  if (feature.isNeeded) throw rowError(feature, 'is missing, and the threshold depends on it');
  for (let c = feature.column; c < feature.column + feature.width; c++) {
    if (model.takesMissing && !model.required?.[c]) continue;
    if (Number.isNaN(imputed[c])) throw rowError(feature, 'is missing, and the model does not impute it');
  }
}
