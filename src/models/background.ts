/**
 * Knowledge of the population: statistics by feature and rows of the training set. A statistic in the document wins. Otherwise the
 * statistic is computed from the samples. Otherwise the statistic is absent, and the caller decides.
 */
import { ElsewiseError } from '../documents/error.js';
import type { BackgroundDocument, RowValue } from '../documents/model-document.js';
import type { IsolationForestDocument } from '../documents/tree-document.js';
import { momentsOf } from '../linalg/moments.js';
import { dot } from '../linalg/vector.js';
import { type Bounds, checkMatrixWork, DEFAULT_BOUNDS } from './bounds.js';
import { type Feature, type FeatureSpace, listedNames, readValue } from './features.js';
import { type BroughtMixture, readMixture } from './rows/brought-mixture.js';
import { rowsOf, shareRows } from './shared-parts.js';
import { hasSets } from './trees/category-sets.js';
import { type Forest, flatten } from './trees/tree.js';

export interface Background {
  /** Rows of the training set as values by feature. */
  readonly samples: readonly Float64Array[];
  /** The model's class (or number) for each sample, as given; empty when not given. */
  readonly labels: readonly (string | number)[];
  mad(feature: Feature): number | undefined;
  std(feature: Feature): number | undefined;
  /** Ascending values at equally spaced probabilities from 0 to 1. */
  quantiles(feature: Feature): readonly number[] | undefined;
  /** By category, or for false and true: the share of rows. Undefined for numbers, and where the document has no shares. */
  shares(feature: Feature): Float64Array | undefined;
  /** Covariance of the named features, if given or computable. */
  covariance(features: readonly Feature[]): number[][] | undefined;
  /** A forest over the model's columns, before preprocessing, that measures normality. Null: the document has none. */
  readonly isolationForest: BroughtForest | null;
  /** The density of numbers. Null: the document has none. */
  readonly mixture: BroughtMixture | null;
  /** The samples and the forest, which threads share. */
  readonly shared: SharedBackground;
}

export interface SharedBackground {
  /** Row by row, a value for each feature. */
  readonly samples: Float64Array;
  readonly isolationForest: BroughtForest | null;
}

export interface BroughtForest {
  readonly forest: Forest;
  readonly offset: number;
}

const QUANTILES = 101;

/** `known`: the document's samples and forest, if they were read before and left out of the document. */
export function buildBackground(
  document: BackgroundDocument,
  space: FeatureSpace,
  known?: SharedBackground,
  bounds: Bounds = DEFAULT_BOUNDS,
): Background {
  const shared = known ?? readShared(document, space, bounds);
  const samples = rowsOf(shared.samples, space.features.length);
  const labels = document.labels ?? [];
  if (labels.length && labels.length !== samples.length) {
    throw new ElsewiseError(
      'bad-document',
      `${labels.length} labels for ${samples.length} samples`,
      'model.background.labels',
    );
  }
  checkNames(document, space);
  checkShapes(document, space);
  const shares = readShares(document, space);
  const column = (feature: Feature) => samples.map((row) => row[feature.index]).filter((value) => !Number.isNaN(value));
  return {
    samples,
    labels,
    mad: once((feature) => own(document.mad, feature) ?? whenAny(column(feature), medianDeviation)),
    std: once((feature) => own(document.std, feature) ?? whenAny(column(feature), standardDeviation)),
    quantiles: once(
      (feature) => own(document.quantiles, feature) ?? whenAny(column(feature), (values) => quantileTable(values)),
    ),
    shares: ({ name }) => shares.get(name),
    covariance: (features) =>
      givenCovariance(document, features) ?? whenAny(samples, (rows) => sampleCovariance(rows, features, bounds)),
    isolationForest: shared.isolationForest,
    mixture: document.mixture ? readMixture(document.mixture, space, bounds) : null,
    shared,
  };
}

function readShared(
  { samples = [], isolationForest }: BackgroundDocument,
  space: FeatureSpace,
  bounds: Bounds,
): SharedBackground {
  return {
    samples: shareRows(readRows(samples, space, 'model.background.samples')),
    isolationForest: isolationForest ? readForest(isolationForest, space, bounds) : null,
  };
}

function readForest(
  { trees, offset }: IsolationForestDocument,
  { columns }: FeatureSpace,
  bounds: Bounds,
): BroughtForest {
  const path = 'model.background.isolationForest.trees';
  const forest = flatten(trees, columns, path, bounds);
  if (forest.outputs !== 1) throw new ElsewiseError('bad-document', 'expected one path length per leaf', path);
  if (hasSets(forest))
    throw new ElsewiseError('unsupported', 'isolation forests have no splits by sets of categories', path);
  return { forest, offset };
}

/** Caches a statistic, because every compiled policy asks for it again. */
function once<T>(compute: (feature: Feature) => T): (feature: Feature) => T {
  const known = new Map<Feature, T>();
  return (feature) => {
    if (!known.has(feature)) known.set(feature, compute(feature));
    return known.get(feature)!;
  };
}

export function readRows(rows: readonly (readonly RowValue[])[], space: FeatureSpace, path: string): Float64Array[] {
  return rows.map((row, r) => {
    if (row.length !== space.features.length) {
      throw new ElsewiseError(
        'bad-document',
        `expected ${space.features.length} values, one per feature, got ${row.length}`,
        `${path}[${r}]`,
      );
    }
    return Float64Array.from(space.features, (feature) => {
      try {
        return readValue(feature, row[feature.index]);
      } catch (error) {
        throw new ElsewiseError('bad-document', (error as Error).message, `${path}[${r}][${feature.index}]`);
      }
    });
  });
}

function own<T>(values: Record<string, T> | undefined, { name }: Pick<Feature, 'name'>): T | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

function checkNames(document: BackgroundDocument, space: FeatureSpace): void {
  for (const statistic of ['mad', 'std', 'quantiles', 'shares'] as const) {
    for (const name of Object.keys(document[statistic] ?? {})) {
      if (!space.byName.has(name))
        throw new ElsewiseError('bad-document', 'no such feature', `model.background.${statistic}.${name}`);
    }
  }
}

/** Samples alone give no shares: a rare category may be in none of them. */
function readShares({ shares = {} }: BackgroundDocument, space: FeatureSpace): Map<string, Float64Array> {
  const read = Object.entries(shares).map(([name, given]) => {
    const feature = space.byName.get(name)!;
    const categories = listedNames(feature);
    const path = `model.background.shares.${name}`;
    if (!categories.length) throw new ElsewiseError('bad-document', 'a number has no shares: give `quantiles`', path);
    const unknown = Object.keys(given).find((category) => !categories.includes(category));
    if (unknown !== undefined)
      throw new ElsewiseError('bad-document', 'the feature has no such category', `${path}.${unknown}`);
    if (!Object.values(given).some((value) => value > 0))
      throw new ElsewiseError('bad-document', 'no category has a share above 0', path);
    return [name, Float64Array.from(categories, (category) => own(given, { name: category }) ?? 0)] as const;
  });
  return new Map(read);
}

function checkShapes({ quantiles = {}, covariance }: BackgroundDocument, space: FeatureSpace): void {
  const fail = (path: string, message: string) =>
    new ElsewiseError('bad-document', message, `model.background.${path}`);
  for (const [name, values] of Object.entries(quantiles)) {
    if (values.some((value, i) => i > 0 && value < values[i - 1]))
      throw fail(`quantiles.${name}`, 'quantiles must ascend');
  }
  if (!covariance) return;
  const size = covariance.features.length;
  const unknown = covariance.features.findIndex((name) => !space.byName.has(name));
  if (unknown >= 0) throw fail(`covariance.features[${unknown}]`, 'no such feature');
  if (covariance.matrix.length !== size || covariance.matrix.some((row) => row.length !== size)) {
    throw fail('covariance.matrix', `expected a ${size} x ${size} matrix`);
  }
}

function givenCovariance(document: BackgroundDocument, features: readonly Feature[]): number[][] | undefined {
  const given = document.covariance;
  if (!given) return undefined;
  const at = features.map((feature) => given.features.indexOf(feature.name));
  return at.includes(-1) ? undefined : at.map((i) => at.map((j) => given.matrix[i][j]));
}

const whenAny = <T, R>(values: readonly T[], compute: (values: readonly T[]) => R): R | undefined =>
  values.length ? compute(values) : undefined;

const ascending = (values: readonly number[]) => Float64Array.from(values).sort();

function quantileAt(sorted: Float64Array, probability: number): number {
  const position = probability * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

export function medianDeviation(values: readonly number[]): number {
  const median = quantileAt(ascending(values), 0.5);
  return quantileAt(ascending(values.map((value) => Math.abs(value - median))), 0.5);
}

export const standardDeviation = (values: readonly number[]): number => momentsOf(values).deviation;

function quantileTable(values: readonly number[], count = QUANTILES): number[] {
  const sorted = ascending(values);
  return Array.from({ length: count }, (_, i) => quantileAt(sorted, i / (count - 1)));
}

/** The quantiles that a document stores by default: as many as the Python package writes. */
const STORED_QUANTILES = 21;

/** Statistics of rows for a document, without the rows. Features without a value have none. Categories have shares only. */
export function statisticsOf(
  rows: readonly Float64Array[],
  { features }: FeatureSpace,
): Required<Pick<BackgroundDocument, 'mad' | 'std' | 'quantiles' | 'shares'>> {
  const columns = features.flatMap(({ name, index, kind }) => {
    const values = rows.map((row) => row[index]).filter((value) => !Number.isNaN(value));
    return kind === 'choice' || kind === 'ordinal' || !values.length ? [] : [{ name, values }];
  });
  const statistic = <T>(compute: (values: readonly number[]) => T) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, compute(values)]));
  return {
    mad: statistic(medianDeviation),
    std: statistic(standardDeviation),
    quantiles: statistic((values) => quantileTable(values, STORED_QUANTILES)),
    shares: Object.fromEntries(features.flatMap((feature) => sharesOf(feature, rows))),
  };
}

/** The name of the feature with its shares. Empty: the feature is a number, or has no value. */
function sharesOf(feature: Feature, rows: readonly Float64Array[]): [string, Record<string, number>][] {
  const names = listedNames(feature);
  const counts = new Float64Array(names.length);
  for (const row of names.length ? rows : []) if (!Number.isNaN(row[feature.index])) counts[row[feature.index]]++;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return [];
  const seen = names.flatMap((name, k) => (counts[k] ? [[name, counts[k] / total] as const] : []));
  return [[feature.name, Object.fromEntries(seen)]];
}

function sampleCovariance(rows: readonly Float64Array[], features: readonly Feature[], bounds: Bounds): number[][] {
  const work = rows.length * features.length ** 2;
  checkMatrixWork(work, 'policy.cost.norm', 'the covariance of the background', bounds);
  const complete = rows.filter((row) => features.every((feature) => !Number.isNaN(row[feature.index])));
  const away = features.map((f) => {
    const values = Float64Array.from(complete, (row) => row[f.index]);
    const { mean } = momentsOf(values);
    return values.map((value) => value - mean);
  });
  const half = away.map((a, i) => away.slice(0, i + 1).map((b) => dot(a, b) / complete.length));
  return half.map((row, i) => away.map((_, j) => (j <= i ? row[j] : half[j][i])));
}
