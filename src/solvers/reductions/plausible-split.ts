/**
 * Chooses the split of a box whose best point x is not plausible. Moving one column of x over a threshold on its path through a
 * tree leads to another leaf of that tree. Over all trees, the moves of one column in one direction add up:
 *
 *   gain(distance) = Σ_t (value of the leaf after the last threshold within the distance - value of the present leaf)
 *
 * The threshold with the largest gain per cost is chosen. Where none gains, the threshold before the most promising subtree is chosen.
 */
import type { Feature } from '../../models/features.js';
import { type Forest, leafOf } from '../../models/trees/tree.js';
import { changeCost } from '../../policy/cost.js';
import type { Domain } from '../../policy/domain.js';
import type { PlausibleCondition } from './plausible-condition.js';
import type { ThresholdSide } from './split-domain.js';

interface Crossing extends ThresholdSide {
  /** The gain of crossing this threshold, beyond the gain of nearer thresholds of the same tree. */
  readonly gain: number;
}

/** Undefined: the box lies in one leaf of every tree. */
export function chooseSplit(condition: PlausibleCondition, box: Domain, x: Float64Array): ThresholdSide | undefined {
  const crossings = allCrossings(condition.forest, box, x);
  const lines = new Map<number, Crossing[]>();
  for (const crossing of crossings) {
    const key = 2 * crossing.column + +crossing.below;
    const line = lines.get(key);
    if (line) line.push(crossing);
    else lines.set(key, [crossing]);
  }
  let best: ThresholdSide | undefined;
  let most = 0;
  for (const line of lines.values()) {
    const side = line[0].below ? -1 : 1;
    line.sort((a, b) => side * (a.threshold - b.threshold));
    let gain = 0;
    for (const crossing of line) {
      gain += crossing.gain;
      const efficiency = gain / priceOf(condition, box, x, crossing);
      if (efficiency <= most) continue;
      most = efficiency;
      best = crossing;
    }
  }
  return best ?? widest(crossings);
}

/** A threshold between the values to which x may be rounded. Undefined: none. */
export function splitWithin(forest: Forest, lower: Float64Array, upper: Float64Array, x: Float64Array) {
  for (const root of forest.root) {
    for (let node = root; forest.left[node] >= 0; ) {
      const [column, threshold] = [forest.feature[node], forest.threshold[node]];
      const below = x[column] <= threshold;
      if (lower[column] <= threshold && threshold < upper[column]) return { column, threshold, below: !below };
      node = below ? forest.left[node] : forest.right[node];
    }
  }
  return undefined;
}

/** Every threshold on the path of x through the trees with a part of the box on its other side. */
function allCrossings(forest: Forest, { lower, upper }: Domain, x: Float64Array): Crossing[] {
  const crossings: Crossing[] = [];
  const moved = x.slice();
  for (let t = 0; t < forest.root.length; t++) {
    const start = crossings.length;
    const present = forest.value[leafOf(forest, t, x)];
    for (let node = forest.root[t]; forest.left[node] >= 0; ) {
      const [column, threshold] = [forest.feature[node], forest.threshold[node]];
      const below = x[column] <= threshold;
      const other = below ? forest.right[node] : forest.left[node];
      if (threshold > -Infinity && lower[column] <= threshold && threshold < upper[column]) {
        moved[column] = below ? justAbove(threshold) : threshold;
        const gain = forest.value[leafBelow(forest, other, moved)] - present;
        moved[column] = x[column];
        crossings.push({ column, threshold, below: !below, gain });
      }
      node = below ? forest.left[node] : forest.right[node];
    }
    asIncrements(crossings, start);
  }
  return crossings;
}

const justAbove = (t: number): number => t + Math.max(Math.abs(t), 1e-300) * 2 ** -50;

function leafBelow(forest: Forest, from: number, x: Float64Array): number {
  let node = from;
  while (forest.left[node] >= 0)
    node = x[forest.feature[node]] <= forest.threshold[node] ? forest.left[node] : forest.right[node];
  return node;
}

/** Thresholds of one tree, column and direction are crossed from the innermost outwards: each replaces the gain of the one before. */
function asIncrements(crossings: Crossing[], start: number): void {
  const last = new Map<number, number>();
  for (let k = crossings.length - 1; k >= start; k--) {
    const { column, below, gain } = crossings[k];
    const key = 2 * column + +below;
    crossings[k] = { ...crossings[k], gain: gain - (last.get(key) ?? 0) };
    last.set(key, gain);
  }
}

/** The cost of the move, away from the present value or back towards it. */
function priceOf(
  { rest }: PlausibleCondition,
  { origin }: Domain,
  x: Float64Array,
  { column, threshold }: ThresholdSide,
) {
  const feature: Feature = rest.space.features[rest.space.owner[column]];
  const weight = rest.cost.weight[feature.index];
  if (feature.kind === 'choice') return weight;
  const at = (value: number) => changeCost(rest.cost, feature, origin[column], value);
  return Math.abs(at(threshold) - at(x[column])) + TINY * (weight + at(x[column]));
}

const TINY = 1e-6;

function widest(crossings: readonly Crossing[]): ThresholdSide | undefined {
  return crossings.reduce<Crossing | undefined>((a, b) => (a && a.gain >= b.gain ? a : b), undefined);
}
