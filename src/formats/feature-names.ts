/**
 * Names of the features of an imported model. Models that were trained on arrays have none: XGBoost calls them f0, f1, ..., LightGBM Column_0,
 * Column_1, ..., CatBoost 0, 1, .... LightGBM also writes an underscore for a blank in a name.
 */
import { ElsewiseError } from '../documents/error.js';
import type { ModelDocument } from '../documents/model-document.js';
import { listNames } from '../documents/nearest-name.js';
import { renameTerms } from './additive-features.js';

/** Columns of a file that are no features unless the model has them. */
const NO_FEATURES = ['id', 'target'];

/** By library: the name of a feature without a name. */
const DEFAULT_NAMES: readonly ((index: number) => string)[] = [
  (f) => `f${f}`,
  (f) => `Column_${f}`,
  (f) => `feature_${String(f).padStart(4, '0')}`,
  (f) => `${f}`,
];

export function isNameless({ features }: ModelDocument): boolean {
  return DEFAULT_NAMES.some((nameOf) => features.every(({ name }, f) => name === nameOf(f)));
}

/** Names that the caller gives, in the order of the model's columns. */
export function renameFeatures(document: ModelDocument, names: readonly string[], option: string): ModelDocument {
  const { features } = document;
  if (names.length !== features.length) {
    const message = `${option} has ${names.length} names (${listNames(names)}), and the model reads ${features.length} columns`;
    throw new ElsewiseError('usage', message);
  }
  return withNames(document, names);
}

/** Names from the header of a file: all columns in order for a model without names, else the spelling of the header. */
export function nameByHeader(document: ModelDocument, header: readonly string[], file: string): ModelDocument {
  if (!isNameless(document))
    return withNames(
      document,
      document.features.map(({ name }) => respell(name, header)),
    );
  if (document.features.every(({ name }) => header.includes(name))) return document;
  const columns = header.filter((name) => !NO_FEATURES.includes(name));
  if (columns.length !== document.features.length) {
    const message = `the model has ${document.features.length} features without names, and the file has ${columns.length} columns: name the columns that the model reads, in its order, by --features a,b,...`;
    throw new ElsewiseError('bad-input', message, file);
  }
  return renameFeatures(document, columns, file);
}

function withNames(document: ModelDocument, names: readonly string[]): ModelDocument {
  const features = document.features.map((feature, f) => ({ ...feature, name: names[f] }));
  const renamed = { ...document, features };
  if (document.family !== 'additive') return renamed;
  return renameTerms(renamed, new Map(document.features.map(({ name }, f) => [name, names[f]])));
}

function respell(name: string, header: readonly string[]): string {
  return header.includes(name) ? name : (header.find((spelled) => spelled.replace(/\s/g, '_') === name) ?? name);
}
