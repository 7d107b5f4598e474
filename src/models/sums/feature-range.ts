/** The values that a feature may have, for the best of them: the bounds of the model document, else the range of the background. */
import type { Feature } from '../features.js';
import { refuseReasons, type SummedModel } from './row-contributions.js';

export interface FeatureRange {
  readonly lower: number;
  readonly upper: number;
}

const NO_RANGE: FeatureRange = { lower: 0, upper: 0 };

/** `matters`: the score depends on the feature. */
export function rangeOf(
  { background }: Pick<SummedModel, 'background'>,
  feature: Feature,
  matters = true,
): FeatureRange {
  if (!matters) return NO_RANGE;
  const seen = background.quantiles(feature);
  const lower = Number.isFinite(feature.min) ? feature.min : seen?.[0];
  const upper = Number.isFinite(feature.max) ? feature.max : seen?.[seen.length - 1];
  if (lower !== undefined && upper !== undefined) return { lower, upper };
  throw refuseReasons(
    `"${feature.name}" has no best value: give it min and max in the model document, or give the model a background`,
    '.reference',
  );
}
