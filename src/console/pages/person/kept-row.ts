/** The values of the form, and the model that they fit. They stay with another model that has the same features. */
import type { FeatureDocument, RowValue } from '../../../documents/model-document.js';
import type { RowOfFeatures } from './population.js';

export interface KeptRow {
  readonly features: readonly FeatureDocument[];
  readonly row: RowOfFeatures;
}

/** The kept values, where they fit `features`: the same names and types, and categories that are known. */
export function rowFor(features: readonly FeatureDocument[], kept: KeptRow | undefined): RowOfFeatures | undefined {
  if (!kept || kept.features.length !== features.length) return undefined;
  const types = new Map(kept.features.map(({ name, type }) => [name, type]));
  const fits = features.every((feature) => types.get(feature.name) === feature.type && takes(feature, kept.row));
  return fits ? kept.row : undefined;
}

const takes = (feature: FeatureDocument, row: RowOfFeatures): boolean =>
  feature.type !== 'categorical' || isKnown(feature.categories, row[feature.name] ?? null);

const isKnown = (categories: readonly string[], value: RowValue): boolean =>
  value === null || categories.includes(String(value));
