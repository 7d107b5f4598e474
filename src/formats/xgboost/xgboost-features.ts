/**
 * Features of an XGBoost model. Codes of categories are those of the training data. Since 3.1 the file may contain their names (`cats`): for
 * each feature the bytes of all names in a row with their offsets, or numbers.
 */
import type { FeatureDocument } from '../../documents/model-document.js';
import type { TreeDocument } from '../../documents/tree-document.js';
import { categoricalFeature, lastCodes } from '../ensemble.js';
import { type CategoryEncoding, ROOT, type XgboostLearner } from './xgboost-file.js';

/** `feature_types` -> the type of a feature without set splits. */
const FEATURE_TYPES: Readonly<Record<string, 'integer' | 'boolean'>> = { c: 'integer', int: 'integer', i: 'boolean' };

/** A feature is categorical if a tree has a set split on it, or if the file names its categories: `c` alone does not name them. */
export function featuresOf(
  { feature_names: names, feature_types: types, learner_model_param: { num_feature } }: XgboostLearner,
  trees: readonly TreeDocument[],
  encodings: readonly CategoryEncoding[],
): FeatureDocument[] {
  const codes = lastCodes(trees);
  return Array.from({ length: num_feature }, (_, f) => {
    const name = names[f] ?? `f${f}`;
    const categories = readNames(encodings[f]);
    const last = codes.get(f) ?? categories.length - 1;
    if (last >= 0) return categoricalFeature(name, last, `${ROOT}.learner.feature_types[${f}]`, categories);
    return { name, type: FEATURE_TYPES[types[f]] ?? 'continuous' };
  });
}

/** XGBoost counts letters and stores bytes: beyond ASCII its lists are cut, and the codes stay without names. */
function readNames(encoding: CategoryEncoding | undefined): (string | number)[] {
  const { offsets, values } = encoding ?? { offsets: [], values: [] };
  if (!offsets) return values;
  if (values.some((byte) => byte < 0 || byte > 127)) return [];
  return offsets.slice(1).map((end, k) => String.fromCharCode(...values.slice(offsets[k], end)));
}
