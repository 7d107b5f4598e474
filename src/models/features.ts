/**
 * Features and columns. A row is given by feature; a model reads columns.
 *
 *   numeric feature (continuous, integer, boolean, ordinal category)   -> one column: the number, 0/1 or the rank
 *   one-hot category with K categories                                 -> K columns, one of them 1
 *
 * A row travels as one Float64Array of *values* by feature (a category is its index, a missing value NaN), and is
 * spread over *columns* for the model. Both directions are exact.
 */
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, RowValue } from '../documents/model-document.js';
import { didYouMean, listNames } from '../documents/nearest-name.js';
import { LARGEST, tooLargeNumber } from '../documents/numbers.js';
import { indexSpellings, type SpellingIndex, truthOf } from './rows/spellings.js';

export type FeatureKind = 'continuous' | 'integer' | 'boolean' | 'ordinal' | 'choice';

export interface Feature {
  readonly name: string;
  readonly index: number;
  readonly kind: FeatureKind;
  readonly unit: string;
  /** First model column. A `choice` (one-hot) feature has `width` columns, all others one. */
  readonly column: number;
  readonly width: number;
  readonly categories: readonly string[];
  /** The index of each category. */
  readonly categoryIndex: ReadonlyMap<string, number>;
  readonly otherSpellings: SpellingIndex;
  readonly min: number;
  readonly max: number;
  /** Digits after the decimal point that an answer may have: 0 for whole numbers and ranks; -1: any. */
  readonly decimals: number;
  /** No answer changes the feature: the model's threshold depends on it. */
  readonly isFixed?: boolean;
  /** A missing value is invalid, whatever the model imputes: the model has no threshold for such rows. */
  readonly isNeeded?: boolean;
}

export interface FeatureSpace {
  readonly features: readonly Feature[];
  readonly columns: number;
  /** Feature of each column. */
  readonly owner: Int32Array;
  readonly byName: ReadonlyMap<string, Feature>;
}

export function layOutFeatures(documents: readonly FeatureDocument[]): FeatureSpace {
  const byName = new Map<string, Feature>();
  const features: Feature[] = [];
  let columns = 0;
  for (const [index, document] of documents.entries()) {
    const feature = toFeature(document, index, columns);
    if (byName.has(feature.name)) throw featureError(index, 'name', `"${feature.name}" is used twice`);
    byName.set(feature.name, feature);
    features.push(feature);
    columns += feature.width;
  }
  const owner = Int32Array.from(features.flatMap((f) => Array<number>(f.width).fill(f.index)));
  return { features, columns, owner, byName };
}

const NO_CATEGORIES: ReadonlyMap<string, number> = new Map();
const NO_SPELLINGS: SpellingIndex = () => undefined;

function toFeature(document: FeatureDocument, index: number, column: number): Feature {
  const shared = {
    name: document.name,
    index,
    unit: document.unit ?? '',
    column,
    width: 1,
    categories: [] as string[],
    categoryIndex: NO_CATEGORIES,
    otherSpellings: NO_SPELLINGS,
    decimals: -1,
  };
  if (document.type === 'boolean') return { ...shared, kind: 'boolean', decimals: 0, min: 0, max: 1 };
  if (document.type === 'categorical') {
    const { categories, encoding } = document;
    const categoryIndex = new Map(categories.map((category, k) => [category, k]));
    if (categoryIndex.size !== categories.length) throw featureError(index, 'categories', 'a category is listed twice');
    const ordinal = encoding === 'ordinal';
    const kind: FeatureKind = ordinal ? 'ordinal' : 'choice';
    return {
      ...shared,
      kind,
      decimals: 0,
      categories,
      categoryIndex,
      otherSpellings: indexSpellings(categories),
      width: ordinal ? 1 : categories.length,
      min: 0,
      max: categories.length - 1,
    };
  }
  const min = document.min ?? -Infinity;
  const max = document.max ?? Infinity;
  if (min > max) throw featureError(index, 'min', `${min} is above max ${max}`);
  if (document.type === 'integer')
    return { ...shared, kind: 'integer', decimals: 0, min: Math.ceil(min), max: Math.floor(max) };
  return { ...shared, kind: 'continuous', min, max, decimals: document.decimals ?? -1 };
}

const featureError = (index: number, key: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.features[${index}].${key}`);

const MISSING_WORDS = new Set(['', 'na', 'nan', 'null']);

/** Whether a value of a file stands for none. */
export const isMissing = (raw: RowValue | undefined): boolean =>
  raw === undefined || raw === null || (typeof raw === 'string' && MISSING_WORDS.has(raw.trim().toLowerCase()));

/** Reads one value of a row as the feature's number. Throws with the path of the field if the value is not valid. */
export function readValue(feature: Feature, raw: RowValue | undefined): number {
  if (raw === undefined || raw === null) return Number.NaN;
  if (typeof raw === 'object') throw rowError(feature, `expected one value, got ${kindOf(raw)}`);
  switch (feature.kind) {
    case 'continuous':
      return readNumber(feature, raw);
    case 'integer':
      return readInteger(feature, raw);
    case 'boolean':
      return readBoolean(feature, raw);
    default:
      return readCategory(feature, raw);
  }
}

/** JSON of untrusted rows may have objects where its type says values. */
const kindOf = (raw: object): string => (Array.isArray(raw) ? 'a list' : 'an object');

/** The length of a value in a message. */
const MOST_SHOWN = 60;

const quote = (raw: RowValue): string => JSON.stringify(typeof raw === 'string' ? raw.slice(0, MOST_SHOWN) : raw);

function readNumber(feature: Feature, raw: RowValue): number {
  if (typeof raw === 'number') {
    if (!Number.isFinite(raw)) throw rowError(feature, `expected a finite number, got ${raw}`);
    return checkSize(feature, raw);
  }
  if (typeof raw === 'string') {
    const plain = plainNumber(raw);
    if (!Number.isNaN(plain)) return plain;
    const text = raw.trim();
    if (MISSING_WORDS.has(text.toLowerCase())) return Number.NaN;
    const value = Number(text);
    if (Number.isFinite(value) && !/^0[xob]/i.test(text)) return checkSize(feature, value);
  }
  throw rowError(feature, `expected a finite number, got ${quote(raw)}`);
}

/** Above 2^53 neighbours of a whole number are no doubles: the number may already be another one. */
function readInteger(feature: Feature, raw: RowValue): number {
  const value = readNumber(feature, raw);
  if (Number.isNaN(value) || Number.isSafeInteger(value)) return value;
  const expected = Number.isInteger(value) ? 'a whole number below 2^53' : 'a whole number';
  throw rowError(feature, `expected ${expected}, got ${String(raw).slice(0, MOST_SHOWN)}`);
}

/**
 * The number of a text of digits, a point and a minus sign, as most texts are. NaN: read the text with more care. The digits form a whole
 * number m below 2^53, and m / 10^k is rounded once, as by `Number` (Clinger 1990).
 */
function plainNumber(text: string): number {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (text.length === start || text.length > start + MOST_DIGITS) return Number.NaN;
  let whole = 0;
  let point = -1;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= NINE) whole = 10 * whole + (code - ZERO);
    else if (code === POINT && point < 0 && text.length > start + 1) point = i;
    else return Number.NaN;
  }
  const value = point < 0 ? whole : whole / POWERS_OF_TEN[text.length - 1 - point];
  return start ? -value : value;
}

const [ZERO, NINE, POINT, MINUS] = [48, 57, 46, 45];
const MOST_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: MOST_DIGITS }, (_, k) => 10 ** k);

function checkSize(feature: Feature, value: number): number {
  if (Math.abs(value) > LARGEST) throw rowError(feature, tooLargeNumber(value));
  return value;
}

function readBoolean(feature: Feature, raw: RowValue): number {
  if (raw === true || raw === 1) return 1;
  if (raw === false || raw === 0) return 0;
  const truth = truthOf(String(raw));
  if (truth !== undefined) return truth;
  if (isMissing(raw)) return Number.NaN;
  throw rowError(feature, `expected true or false, got ${quote(raw)}`);
}

function readCategory(feature: Feature, raw: RowValue): number {
  const text = String(raw);
  const index = findCategory(feature, text);
  if (index !== undefined) return index;
  if (text.trim() === '') return Number.NaN;
  const hint = didYouMean(text, feature.categories) || `, known are ${listNames(feature.categories)}`;
  throw rowError(feature, `unknown category ${quote(text)}${hint}`);
}

/** The category of a text: by its own text first, then by another spelling. */
export function findCategory({ categoryIndex, otherSpellings }: Feature, text: string): number | undefined {
  return categoryIndex.get(text) ?? categoryIndex.get(text.trim()) ?? otherSpellings(text);
}

/** The names of the values of a category or a boolean, by value. Empty for numbers. */
export const listedNames = ({ kind, categories }: Pick<Feature, 'kind' | 'categories'>): readonly string[] =>
  kind === 'boolean' ? TRUTH_NAMES : categories;

const TRUTH_NAMES = ['false', 'true'];

export const rowError = (feature: Feature, message: string) =>
  new ElsewiseError('bad-row', message, `features.${feature.name}`);

/** The value as a document shows it: a number, true/false, the category's name; null when missing. */
export function showValue(feature: Feature, value: number): RowValue {
  if (Number.isNaN(value)) return null;
  if (feature.kind === 'boolean') return value === 1;
  if (feature.kind === 'ordinal' || feature.kind === 'choice') return feature.categories[value];
  return value;
}

/** Values by feature -> model columns. A missing value is NaN in all columns of its feature. */
export function spread(space: FeatureSpace, values: Float64Array, columns: Float64Array): void {
  for (const feature of space.features) {
    const value = values[feature.index];
    if (feature.kind !== 'choice') columns[feature.column] = value;
    else {
      const missing = Number.isNaN(value) ? Number.NaN : 0;
      columns.fill(missing, feature.column, feature.column + feature.width);
      if (missing === 0) columns[feature.column + value] = 1;
    }
  }
}

/** The value that the imputer's columns represent; NaN: the model does not impute the feature. */
export function imputedValue(feature: Feature, imputed: Float64Array): number {
  if (feature.kind !== 'choice') return imputed[feature.column];
  for (let k = 0; k < feature.width; k++) if (imputed[feature.column + k] > 0) return k;
  return Number.NaN;
}

/** Model columns -> values by feature. */
export function gather(space: FeatureSpace, columns: Float64Array, values: Float64Array): void {
  for (const feature of space.features) values[feature.index] = gatherValue(feature, columns);
}

/** The value of a feature; the largest column of a one-hot group is its category. */
export function gatherValue({ kind, column, width }: Feature, columns: Float64Array): number {
  if (kind !== 'choice') return columns[column];
  let at = column;
  for (let c = column + 1; c < column + width; c++) if (columns[c] > columns[at]) at = c;
  return at - column;
}
