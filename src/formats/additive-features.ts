/**
 * Features of an imported additive model: its terms name them, and its categories have their own names.
 *
 *   numbers      boolean, integer or continuous, as the column of the file is; a text is refused
 *   categories   those of the model, and those of the file that have the score of all other categories
 */
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../documents/model-document.js';
import { listNames } from '../documents/nearest-name.js';
import type { TermDocument } from '../models/additive/term-document.js';
import { findCategory, isMissing, layOutFeatures } from '../models/features.js';
import { type Columns, type DescribedFeatures, isNumber, withType } from './described-features.js';

const termsOf = ({ parameters }: ModelDocument) => parameters.terms as readonly TermDocument[];

/** New names of features in the terms. */
export function renameTerms(document: ModelDocument, names: ReadonlyMap<string, string>): ModelDocument {
  const renamed = (name: string) => names.get(name) ?? name;
  const terms = termsOf(document).map((term) =>
    'features' in term
      ? { ...term, features: term.features.map(renamed) }
      : { ...term, feature: renamed(term.feature) },
  );
  return { ...document, parameters: { ...document.parameters, terms } };
}

export function describeAdditive(document: ModelDocument, columns: Columns): DescribedFeatures {
  const features = document.features.map((feature, f) => {
    const values = columns[f].filter((value) => !isMissing(value));
    if (feature.type === 'categorical')
      return takesOthers(document, feature.name) ? withOthers(feature, values) : feature;
    const texts = values.filter((value) => !isNumber(value));
    if (texts.length) throw notNumbers(feature.name, texts);
    return withType(feature, values);
  });
  return { features, sorted: [] };
}

/** Whether every term of a feature has a score for categories that it does not name. */
function takesOthers(document: ModelDocument, name: string): boolean {
  return termsOf(document).every((term) => {
    if (!('features' in term)) return term.feature !== name || ('other' in term && term.other !== undefined);
    const at = term.features.indexOf(name);
    return at < 0 || term.axes[at].other;
  });
}

function withOthers(feature: FeatureDocument & { type: 'categorical' }, values: readonly unknown[]): FeatureDocument {
  const [known] = layOutFeatures([feature]).features;
  const others = new Set(values.map(String).filter((text) => findCategory(known, text) === undefined));
  return { ...feature, categories: [...feature.categories, ...[...others].sort()] };
}

function notNumbers(name: string, texts: readonly unknown[]): ElsewiseError {
  const shown = listNames([...new Set(texts.map(String))].sort());
  return new ElsewiseError('bad-input', `the column has ${shown}, and the model reads numbers`, `features.${name}`);
}
