/**
 * Features of an imported model as people know them: names, types and categories from the columns of a file, or from the caller. A tree reads
 * numbers. A column of text therefore needs the code of each text:
 *
 *   categories known   from the model's own mapping, or from the caller: the texts must be among them
 *   coded              the model has splits by sets of codes: sorted texts are the codes 0, 1, ..., as pandas numbers them
 *   never read         no split reads the feature: any order is right
 *   otherwise          refused: the model reads numbers that the file does not have
 *
 * One-hot features keep their words: one-hot-words.ts. A column of numbers is boolean (0 and 1 only), integer or continuous. Numbers beyond the codes of a coded feature are names of codes, and
 * are refused likewise: sorting them would be a guess.
 */
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, ModelDocument, RowValue } from '../documents/model-document.js';
import { listNames } from '../documents/nearest-name.js';
import type { TreeDocument } from '../documents/tree-document.js';
import { isMissing } from '../models/features.js';
import { isOpen, widthOf } from './one-hot-words.js';

/** By feature: its values in the spelling of a file. */
export type Columns = readonly (readonly (RowValue | undefined)[])[];

export interface DescribedFeatures {
  readonly features: FeatureDocument[];
  /** Features whose categories are the sorted texts of the file. */
  readonly sorted: readonly string[];
}

export function describeTreeFeatures({ features, parameters }: ModelDocument, columns: Columns): DescribedFeatures {
  const read = readFeatures(features, parameters.trees as readonly TreeDocument[] | undefined);
  const sorted: string[] = [];
  const described = features.map((feature, f) => {
    const values = columns[f].filter((value) => !isMissing(value));
    if (read.has(f) && !values.length) throw withoutValues(feature.name);
    if (feature.type === 'categorical' && feature.encoding === 'one-hot') return feature;
    const texts = values.some((value) => !isNumber(value));
    if (!texts && feature.type !== 'categorical') return withType(feature, values);
    if (feature.type === 'categorical' && !isCoded(feature.categories)) return feature;
    if (!texts && withinCodes(values, feature)) return feature;
    if (read.has(f) && (!texts || feature.type !== 'categorical')) throw needsCodes(feature, values);
    if (read.has(f)) sorted.push(feature.name);
    return sortedCategories(feature, values);
  });
  return { features: described, sorted };
}

/** Categories that the caller names, in the order of the codes 0, 1, ... */
export function nameCategories(
  features: readonly FeatureDocument[],
  named: Readonly<Record<string, readonly string[]>>,
): FeatureDocument[] {
  return features.map((feature) => {
    const categories = Object.hasOwn(named, feature.name) ? named[feature.name] : undefined;
    return categories && !isOpen(feature) ? categorical(feature, categories) : feature;
  });
}

function categorical(feature: FeatureDocument, categories: readonly string[]): FeatureDocument {
  const least = feature.type === 'categorical' ? feature.categories.length : 0;
  if (categories.length < least) {
    const message = `the model has codes from 0 to ${least - 1}, and there are ${categories.length} categories: ${listNames(categories)}. Name all categories by --categories, in the order of the codes`;
    throw new ElsewiseError('bad-input', message, `features.${feature.name}`);
  }
  return { name: feature.name, type: 'categorical', encoding: 'ordinal', categories: [...categories] };
}

const sortedCategories = (feature: FeatureDocument, values: readonly unknown[]): FeatureDocument =>
  categorical(feature, [...new Set(values.map(String))].sort());

/** Without names, a code is its own name. */
const isCoded = (categories: readonly string[]): boolean => categories.every((name, code) => name === String(code));

/** A column of codes has no names: the codes stay the categories. */
const withinCodes = (values: readonly unknown[], feature: FeatureDocument): boolean =>
  feature.type === 'categorical' && values.every((value) => feature.categories.includes(String(Number(value))));

/** A model without trees reads every feature. */
function readFeatures(features: readonly FeatureDocument[], trees?: readonly TreeDocument[]): Set<number> {
  if (!trees) return new Set(features.keys());
  const owners = features.flatMap((feature, f) => Array<number>(widthOf(feature)).fill(f));
  const columns = new Set(trees.flatMap(({ feature, left }) => feature.filter((_, node) => left[node] >= 0)));
  return new Set([...columns].map((column) => owners[column]));
}

const TRUTHS = new Set(['true', 'false']);

/** Words for true and false are numbers for a tree. */
export const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || isNumberText(String(value).trim());

const isNumberText = (text: string): boolean =>
  TRUTHS.has(text.toLowerCase()) || (text !== '' && Number.isFinite(Number(text)));

function numericType(values: readonly unknown[]): 'boolean' | 'integer' | 'continuous' {
  const words = values.map((value) => String(value).trim().toLowerCase());
  if (!words.length) return 'continuous';
  if (words.every((word) => TRUTHS.has(word) || Number(word) === 0 || Number(word) === 1)) return 'boolean';
  return words.every((word) => Number.isInteger(Number(word))) ? 'integer' : 'continuous';
}

/** A feature of numbers with the type of its column. A boolean has no limits. */
export function withType(feature: FeatureDocument, values: readonly unknown[]): FeatureDocument {
  const type = numericType(values);
  if (type !== 'boolean') return { ...feature, type } as FeatureDocument;
  const { min: _, max: __, ...rest } = feature as Extract<FeatureDocument, { type: 'integer' }>;
  return { ...rest, type };
}

const withoutValues = (name: string): ElsewiseError =>
  new ElsewiseError(
    'bad-input',
    `no row has a value of "${name}": name the features as the file does, by --features`,
    'rows',
  );

function needsCodes({ name, type }: FeatureDocument, values: readonly unknown[]): ElsewiseError {
  const shown = [...new Set(values.map(String))].sort();
  const reads = type === 'categorical' ? 'codes of categories' : 'numbers';
  const example = JSON.stringify({ [name]: shown.slice(0, 3) });
  const message = `the column has ${listNames(shown)}, and the model reads ${reads}. Name the categories in the order of the codes 0, 1, ... in a file like ${example} and give it by --categories, or export the whole pipeline with the Python package`;
  return new ElsewiseError('bad-input', message, `features.${name}`);
}
