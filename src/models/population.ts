/**
 * The background of a model as pictures need it: for a number the share of people in each of B equal parts of its range, for other features
 * the share of each value. With the quantiles q_0..q_n at equally spaced shares, and F the distribution function through them:
 *
 *   share of [a, b)  =  F(b) - F(a)
 *
 * Samples are counted where there are samples, because they know ties.
 */
import type { BandDocument } from '../documents/decision/decision-document.js';
import type { FeatureDocument } from '../documents/model-document.js';
import type { Background } from './background.js';
import { thresholdsOf } from './decision/common-thresholds.js';
import { type Feature, listedNames } from './features.js';
import type { LoadedModel } from './load.js';

export interface NumberPopulation {
  readonly min: number;
  readonly max: number;
  /** The shares of equal parts from `min` to `max`. */
  readonly shares: readonly number[];
}

export interface CategoryPopulation {
  /** The share by value: a category, or `true` and `false`. */
  readonly values: Readonly<Record<string, number>>;
}

export interface ModelPopulation {
  readonly features: readonly FeatureDocument[];
  readonly classes: readonly string[];
  /** Names of the classes for people. */
  readonly classLabels?: Readonly<Record<string, string>>;
  /** For two classes: the score of each class at which the decision changes, where one number tells it. */
  readonly thresholds?: Readonly<Record<string, number>>;
  /** The bands of reported scores, best first. */
  readonly bands?: readonly BandDocument[];
  /** By name. A feature about which nothing is known is missing. */
  readonly background: Readonly<Record<string, NumberPopulation | CategoryPopulation>>;
  /** Rows of the background, by feature. */
  readonly rows: readonly Readonly<Record<string, string | number | boolean | null>>[];
}

const PARTS = 24;

/** `rows`: the largest number of rows of the background in the answer. */
export function populationOf(model: LoadedModel, rows: number): ModelPopulation {
  const { space, background, document, classes, bands } = model;
  const thresholds = thresholdsOf(model);
  const known = space.features.flatMap((feature) => {
    const population = describe(feature, model);
    return population ? [[feature.name, population] as const] : [];
  });
  return {
    features: document.features,
    classes,
    ...(document.classLabels && { classLabels: document.classLabels }),
    ...(thresholds && { thresholds: Object.fromEntries(zip(classes, thresholds)) }),
    ...(bands.length && { bands }),
    background: Object.fromEntries(known),
    rows: evenly(background.samples, rows).map((sample) =>
      Object.fromEntries(space.features.map((feature) => [feature.name, shown(feature, sample[feature.index])])),
    ),
  };
}

const zip = (names: readonly string[], numbers: readonly number[]) =>
  names.map((name, k) => [name, numbers[k]] as const);

/** Rows at equal distances: the first of them are not always typical. */
function evenly<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, k) => list[Math.floor((k * list.length) / count)]);
}

function shown(feature: Feature, value: number): string | number | boolean | null {
  if (Number.isNaN(value)) return null;
  if (feature.kind === 'boolean') return value === 1;
  return feature.kind === 'choice' || feature.kind === 'ordinal' ? feature.categories[value] : value;
}

function describe(feature: Feature, { background }: LoadedModel): ModelPopulation['background'][string] | undefined {
  const values = background.samples.map((row) => row[feature.index]).filter((value) => !Number.isNaN(value));
  if (feature.kind !== 'continuous' && feature.kind !== 'integer') return shares(feature, values, background);
  const quantiles = background.quantiles(feature);
  if (!quantiles) return undefined;
  const [min, max] = [quantiles[0], quantiles[quantiles.length - 1]];
  if (!(max > min)) return { min, max, shares: [1] };
  return { min, max, shares: values.length ? counted(values, min, max) : between(quantiles) };
}

function shares(feature: Feature, values: readonly number[], background: Background): CategoryPopulation | undefined {
  const known = background.shares(feature);
  if (!known && !values.length) return undefined;
  const shareOf = (k: number) => known?.[k] ?? values.filter((value) => value === k).length / values.length;
  return { values: Object.fromEntries(listedNames(feature).map((name, k) => [name, shareOf(k)])) };
}

function counted(values: readonly number[], min: number, max: number): number[] {
  const parts = new Array<number>(PARTS).fill(0);
  for (const value of values) {
    const part = Math.floor((PARTS * (value - min)) / (max - min));
    parts[Math.min(PARTS - 1, Math.max(0, part))] += 1 / values.length;
  }
  return parts;
}

function between(quantiles: readonly number[]): number[] {
  const [min, max] = [quantiles[0], quantiles[quantiles.length - 1]];
  const ends = Array.from({ length: PARTS + 1 }, (_, k) =>
    k === PARTS ? 1 : shareBelow(quantiles, min + (k * (max - min)) / PARTS),
  );
  return ends.slice(1).map((end, k) => end - ends[k]);
}

/** F(x), linear between the quantiles. */
function shareBelow(quantiles: readonly number[], x: number): number {
  const above = quantiles.findIndex((quantile) => quantile > x);
  if (above <= 0) return above === 0 ? 0 : 1;
  const [low, high] = [quantiles[above - 1], quantiles[above]];
  return (above - 1 + (x - low) / (high - low)) / (quantiles.length - 1);
}
