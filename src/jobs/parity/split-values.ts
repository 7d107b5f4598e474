/** The numbers at which the trees of a model change their side, by feature: a threshold as a column sees it, and the doubles beside it. */
import { nextDown, nextUp } from '../../linalg/floats.js';
import type { LoadedModel } from '../../models/load.js';
import { onColumns } from '../../models/trees/forest-columns.js';
import { ranksOf } from '../../models/trees/tree.js';

/** By feature, ascending: thresholds, and the last double on the left of each split. Empty for a model without trees, and behind steps that mix columns. */
export function splitValues({ model, space, preprocessing: { single } }: LoadedModel): readonly Float64Array[] {
  const found = space.features.map(() => new Set<number>());
  if (model.forest && single) {
    const { threshold, left, set, feature } = onColumns(model.forest, single, ranksOf(space));
    for (let n = 0; n < left.length; n++) {
      const { index, kind } = space.features[space.owner[feature[n]]];
      const isNumber = kind === 'continuous' || kind === 'integer';
      if (left[n] < 0 || set[n] >= 0 || !isNumber) continue;
      const given = model.forest.threshold[n];
      if (Number.isFinite(threshold[n])) found[index].add(threshold[n]);
      // A library that compares in float32 rounds numbers: its threshold is not the last double on the left.
      if (single.run(model.forest.feature[n], given) === given) found[index].add(given);
    }
  }
  return found.map((values) => Float64Array.from(values).sort());
}

/** Whether a row has a value at a split, at the double after it, or at the double before it. */
export function isAtSplit(values: Float64Array, splits: readonly Float64Array[]): boolean {
  return splits.some((own, f) => [values[f], nextDown(values[f]), nextUp(values[f])].some((value) => has(own, value)));
}

function has(ascending: Float64Array, value: number): boolean {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === value;
}
