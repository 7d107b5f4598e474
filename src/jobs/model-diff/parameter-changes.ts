/** Weights by column, and facts about trees. */
import { pullBackVector } from '../../linalg/affine.js';
import type { LoadedModel } from '../../models/load.js';
import type { Goal } from '../../models/region.js';

export interface WeightChange {
  /** The feature, or the category of a feature: `housing=own`. */
  readonly column: string;
  /** In the score before its link, for one unit of the feature. 0 where a version has no such column. */
  readonly before: number;
  readonly after: number;
  /** The change, times the standard deviation of the feature where it is known. */
  readonly effect: number;
}

/** Undefined: the score of a version is no weighted sum of its columns. */
export function weightChanges(before: LoadedModel, after: LoadedModel): readonly WeightChange[] | undefined {
  const [a, b] = [weightsOf(before), weightsOf(after)];
  if (!a || !b) return undefined;
  const columns = [...new Set([...a.keys(), ...b.keys()])];
  return columns
    .map((column) => {
      const change = { column, before: a.get(column) ?? 0, after: b.get(column) ?? 0 };
      return { ...change, effect: (change.after - change.before) * spreadOf(column, after) };
    })
    .filter((change) => change.before !== change.after)
    .sort((one, other) => Math.abs(other.effect) - Math.abs(one.effect));
}

const SECOND: Goal = { kind: 'class', index: 1, margin: 0 };
const PREDICTION: Goal = { kind: 'interval', index: 0, from: 0, to: 0 };

function weightsOf(loaded: LoadedModel): Map<string, number> | undefined {
  const { model, space, preprocessing, classes } = loaded;
  if (classes.length > 2 || preprocessing.curves) return undefined;
  const sum = model.scoreSum?.(classes.length ? SECOND : PREDICTION, 0);
  if (sum?.kind !== 'linear') return undefined;
  const { a } = pullBackVector(preprocessing.map, sum.weights);
  const names = space.features.flatMap(({ name, kind, categories }) =>
    kind === 'choice' ? categories.map((category) => `${name}=${category}`) : [name],
  );
  return new Map(names.map((name, c) => [name, a[c]]));
}

function spreadOf(column: string, { space, background }: LoadedModel): number {
  const feature = space.byName.get(column);
  return (feature && feature.kind !== 'choice' && background.std(feature)) || 1;
}

export interface TreeFacts {
  readonly trees: number;
  readonly splits: number;
  /** The number of splits by feature, the most used first. */
  readonly splitsByFeature: Readonly<Record<string, number>>;
}

/** Null: the model has no trees. */
export function treeFacts({ model: { forest }, space, preprocessing: { single } }: LoadedModel): TreeFacts | null {
  if (!forest) return null;
  const counts = new Map<string, number>();
  let splits = 0;
  for (let n = 0; n < forest.left.length; n++) {
    if (forest.left[n] < 0) continue;
    splits++;
    const name = single
      ? space.features[space.owner[single.column[forest.feature[n]]]].name
      : `input ${forest.feature[n]}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  return { trees: forest.root.length, splits, splitsByFeature: Object.fromEntries(byCount) };
}
