/** The scores at which a model's decision changes, where they are the same for all rows. */
import type { Thresholds } from '../family.js';
import type { LoadedModel } from '../load.js';

/** Undefined: no such numbers are known, or they depend on a feature. */
export const thresholdsOf = ({ model, segments }: Pick<LoadedModel, 'model' | 'segments'>): Thresholds | undefined =>
  segments ? undefined : model.thresholds;
