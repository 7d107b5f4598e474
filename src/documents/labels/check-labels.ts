/** Names for people are given by category and by class. A name for an unknown one is a typing error and is refused. */
import { ElsewiseError } from '../error.js';
import type { FeatureDocument } from '../model-document.js';
import { didYouMean, listNames } from '../nearest-name.js';
import { type FeatureLabels, LANGUAGES, type ModelLabels } from './label-document.js';

export function checkLabels(
  labels: ModelLabels,
  features: readonly FeatureDocument[],
  classes: readonly string[],
): void {
  checkKeys(labels, 'classLabels', classes, 'model');
  for (const [index, feature] of features.entries()) checkFeatureLabels(feature, feature, `model.features[${index}]`);
}

/** `labels`: the names beside the feature in its document, or apart from it. */
export function checkFeatureLabels(labels: FeatureLabels, feature: FeatureDocument, path: string): void {
  checkKeys(labels, 'categoryLabels', feature.type === 'categorical' ? feature.categories : [], path);
}

type Named<K extends string> = { readonly [key in K]?: Readonly<Record<string, string>> };

/** Checks a key here and in each translation. */
export function checkKeys<K extends string>(
  labels: Named<K> & { readonly translations?: Readonly<Partial<Record<string, Named<K>>>> },
  key: K,
  known: readonly string[],
  path: string,
): void {
  checkNames(labels[key], known, `${path}.${key}`);
  for (const language of LANGUAGES)
    checkNames(labels.translations?.[language]?.[key], known, `${path}.translations.${language}.${key}`);
}

function checkNames(names: Readonly<Record<string, string>> | undefined, known: readonly string[], path: string): void {
  const wrong = Object.keys(names ?? {}).find((name) => !known.includes(name));
  if (wrong === undefined) return;
  const hint = didYouMean(wrong, known) || (known.length ? `; known are ${listNames(known)}` : '');
  throw new ElsewiseError('bad-document', `there is no "${wrong}"${hint}`, path);
}
