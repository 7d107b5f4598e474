/**
 * The distance of two rows: Euclid's distance in a space where every feature has a comparable share.
 *
 *   d(x, y)² = Σ numbers ((x_f - y_f) / s_f)²  +  [categories that differ]  +  [features missing in one row only]
 *
 * s_f is the standard deviation in the background; 1 where the background does not vary, and for yes and no. Ordinal categories are their
 * ranks. The model's imputer replaces a missing value. Without an imputer a missing number is at the mean of the background, and its
 * distance to every known number is 1 more. The sum is a squared distance of points: the triangle inequality holds, and an index may use
 * it.
 *
 * A point consists of `numbers` scaled numbers, then codes that are only compared for equality.
 */
import { SMALLEST } from '../../documents/numbers.js';
import { type Feature, imputedValue } from '../features.js';
import type { LoadedModel } from '../load.js';

/** The code of a missing category that is not imputed. */
const MISSING_CODE = -1;

interface ScaledFeature {
  readonly feature: Feature;
  readonly scale: number;
  readonly imputed: number;
  /** The value that replaces a missing number, in the units of the feature. */
  readonly mean: number;
}

export class RowMetric {
  /** Sizes of a point: its scaled numbers, and all coordinates. */
  readonly numbers: number;
  readonly width: number;
  private readonly scaled: readonly ScaledFeature[];
  private readonly choices: readonly ScaledFeature[];
  /** Numbers that are missing in the background. */
  private readonly gaps: readonly ScaledFeature[];

  constructor(loaded: LoadedModel) {
    const { features } = loaded.space;
    const all = features.map((feature) => scaledFeature(loaded, feature));
    this.scaled = all.filter(({ feature }) => feature.kind !== 'choice');
    this.choices = all.filter(({ feature }) => feature.kind === 'choice');
    this.gaps = this.scaled.filter(
      ({ feature, imputed }) =>
        Number.isNaN(imputed) && loaded.background.samples.some((row) => Number.isNaN(row[feature.index])),
    );
    this.numbers = this.scaled.length;
    this.width = this.numbers + this.choices.length + this.gaps.length;
  }

  /** Writes the point of a row, given by feature. */
  place(values: Float64Array, out: Float64Array, at = 0): void {
    for (const { feature, scale, imputed, mean } of this.scaled)
      out[at++] = known(values[feature.index], imputed, mean) / scale;
    for (const { feature, imputed } of this.choices) out[at++] = known(values[feature.index], imputed, MISSING_CODE);
    for (const { feature } of this.gaps) out[at++] = +Number.isNaN(values[feature.index]);
  }

  /** The squared distance, or some number above `most` if the squared distance exceeds `most`. */
  squareWithin(a: Float64Array, at: number, b: Float64Array, to: number, most: number): number {
    const { numbers, width } = this;
    let sum = 0;
    for (let i = numbers; i < width; i++) if (a[at + i] !== b[to + i]) sum++;
    for (let i = 0; i < numbers && sum <= most; i++) {
      const delta = a[at + i] - b[to + i];
      sum += delta * delta;
    }
    return sum;
  }

  /** The distance between the points at two places. */
  distance(a: Float64Array, at: number, b: Float64Array, to: number): number {
    return Math.sqrt(this.squareWithin(a, at, b, to, Infinity));
  }
}

function scaledFeature({ background, preprocessing }: LoadedModel, feature: Feature): ScaledFeature {
  const imputed = imputedValue(feature, preprocessing.imputed);
  if (feature.kind === 'choice' || feature.kind === 'boolean') return { feature, scale: 1, imputed, mean: 0 };
  const spread = background.std(feature);
  const scale = spread !== undefined && spread >= SMALLEST ? spread : 1;
  return { feature, scale, imputed, mean: meanOf(background.samples, feature) };
}

function meanOf(samples: readonly Float64Array[], { index }: Feature): number {
  let [sum, count] = [0, 0];
  for (const row of samples) {
    if (Number.isNaN(row[index])) continue;
    sum += row[index];
    count++;
  }
  return count ? sum / count : 0;
}

function known(value: number, imputed: number, otherwise: number): number {
  if (!Number.isNaN(value)) return value;
  return Number.isNaN(imputed) ? otherwise : imputed;
}
