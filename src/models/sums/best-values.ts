/**
 * The best value of each feature for trees of one feature each, such as boosted stumps and scorecards:
 *
 *   s(x) = Σ_f s_f(x_f),   points lost = s_f(x_f) - max s_f
 *
 * A step function changes at its thresholds only. The maximum over the permitted values is at an end of the range, at the last value before a
 * threshold, or at the first value after a threshold.
 */
import { nextUp } from '../../linalg/floats.js';
import type { Feature } from '../features.js';
import { Scorer } from '../load.js';
import { onColumns } from '../trees/forest-columns.js';
import { leafOf, ranksOf } from '../trees/tree.js';
import { rangeOf } from './feature-range.js';
import {
  type Direction,
  ownersOf,
  type RowContributions,
  refuseReasons,
  type SummedModel,
} from './row-contributions.js';
import type { TreeSum } from './score-sum.js';

export function bestOfTrees(loaded: SummedModel, sum: TreeSum, direction: Direction): RowContributions {
  const { space } = loaded;
  const treesOf = treesByFeature(loaded, sum);
  const thresholds = thresholdsByFeature(loaded, sum);
  const scorer = new Scorer(loaded);
  const pointsAt = (x: Float64Array, f: number) =>
    treesOf[f].reduce((points, tree) => points + sum.gain[leafOf(sum.forest, tree, x)] / sum.count, 0);
  const values = new Float64Array(space.features.length);
  const best = space.features.map((feature, f) => {
    const points = candidatesOf(loaded, feature, thresholds[f], treesOf[f].length > 0).map((value) => {
      values[f] = value;
      return direction * pointsAt(scorer.inputOf(values), f);
    });
    return direction * points.reduce((most, own) => Math.max(most, own), -Infinity);
  });
  return (row, out) => {
    const x = scorer.inputOf(row);
    for (let f = 0; f < out.length; f++) out[f] = pointsAt(x, f) - best[f];
  };
}

function treesByFeature(loaded: SummedModel, { forest }: TreeSum): number[][] {
  const { space } = loaded;
  const owner = ownersOf(loaded);
  const trees: number[][] = space.features.map(() => []);
  for (let t = 0; t < forest.root.length; t++) {
    const owners = new Set<number>();
    const end = t + 1 < forest.root.length ? forest.root[t + 1] : forest.left.length;
    for (let n = forest.root[t]; n < end; n++) if (forest.left[n] >= 0) owners.add(owner[forest.feature[n]]);
    if (owners.size > 1)
      throw refuseReasons(
        '"best" is for linear models and for sums of trees that each read one feature: take "population" or "accepted"',
        '.reference',
      );
    for (const owner of owners) trees[owner].push(t);
  }
  return trees;
}

function thresholdsByFeature({ space, preprocessing }: SummedModel, { forest }: TreeSum): ReadonlySet<number>[] {
  const { threshold, left, set, feature } = onColumns(forest, preprocessing.single!, ranksOf(space));
  const found = space.features.map(() => new Set<number>());
  for (let n = 0; n < left.length; n++)
    if (left[n] >= 0 && set[n] < 0) found[space.owner[feature[n]]].add(threshold[n]);
  return found;
}

/** Splits by a set of numbers are for codes: every code is a category of its own. */
function candidatesOf(
  loaded: SummedModel,
  feature: Feature,
  thresholds: ReadonlySet<number>,
  matters: boolean,
): readonly number[] {
  const { kind, categories, decimals } = feature;
  if (kind === 'boolean') return [0, 1];
  if (kind === 'choice' || kind === 'ordinal') return categories.map((_, k) => k);
  const { lower, upper } = rangeOf(loaded, feature, matters);
  const unit = decimals >= 0 ? 10 ** decimals : 0;
  const around = [...thresholds].flatMap((last) => {
    const below = unit ? Math.floor(last * unit) / unit : last;
    return [below, unit ? (Math.floor(last * unit) + 1) / unit : nextUp(last)];
  });
  return [lower, upper, ...around.filter((value) => value > lower && value < upper)];
}
