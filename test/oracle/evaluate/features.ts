/**
 * The oracle's own reading of features: a row is numbers by feature (a category is its place in the list, a missing value NaN),
 * a model reads columns (one per category of a one-hot feature, one for everything else).
 */
export type RowValue = number | string | boolean | null;
export type Row = Record<string, RowValue | undefined>;

export interface FeatureSpec {
  name: string;
  type: 'continuous' | 'integer' | 'boolean' | 'categorical';
  min?: number;
  max?: number;
  decimals?: number;
  categories?: string[];
  encoding?: 'one-hot' | 'ordinal';
}

export type Kind = 'continuous' | 'integer' | 'boolean' | 'ordinal' | 'one-hot';

export const kindOf = ({ type, encoding }: FeatureSpec): Kind =>
  type === 'categorical' ? (encoding === 'ordinal' ? 'ordinal' : 'one-hot') : type;

export const isNumeric = (feature: FeatureSpec): boolean => feature.type === 'continuous' || feature.type === 'integer';

export const widthOf = (feature: FeatureSpec): number =>
  kindOf(feature) === 'one-hot' ? feature.categories!.length : 1;

export const columnsOf = (features: readonly FeatureSpec[]): number =>
  features.reduce((sum, feature) => sum + widthOf(feature), 0);

/** First column of every feature. */
export function startsOf(features: readonly FeatureSpec[]): number[] {
  let at = 0;
  return features.map((feature) => {
    const start = at;
    at += widthOf(feature);
    return start;
  });
}

export function numberOf(feature: FeatureSpec, value: RowValue | undefined): number {
  if (value === undefined || value === null) return Number.NaN;
  return feature.type === 'categorical' ? feature.categories!.indexOf(String(value)) : Number(value);
}

export function shownValue(feature: FeatureSpec, value: number): RowValue {
  if (Number.isNaN(value)) return null;
  if (feature.type === 'boolean') return value === 1;
  return feature.type === 'categorical' ? feature.categories![value] : value;
}

export const numbersOf = (features: readonly FeatureSpec[], row: Row): Float64Array =>
  Float64Array.from(features, (feature) => numberOf(feature, row[feature.name]));

export const rowOf = (features: readonly FeatureSpec[], values: ArrayLike<number>): Row =>
  Object.fromEntries(features.map((feature, f) => [feature.name, shownValue(feature, values[f])]));

/** Values by feature -> columns. A missing value is missing in all columns of its feature. */
export function spreadRow(features: readonly FeatureSpec[], values: ArrayLike<number>, columns: Float64Array): void {
  let at = 0;
  for (const [f, feature] of features.entries()) {
    const width = widthOf(feature);
    if (width === 1 && kindOf(feature) !== 'one-hot') columns[at] = values[f];
    else for (let k = 0; k < width; k++) columns[at + k] = Number.isNaN(values[f]) ? Number.NaN : +(k === values[f]);
    at += width;
  }
}

export const isSame = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));
