/**
 * Isolation forests measure how few random cuts isolate a point.
 *
 *   decision(x) = -2^(-mean over trees of the leaf's path length) - offset,     inlier  <=>  decision > 0
 *
 * Leaves hold path lengths in units of the average path length, so the mean needs no further scaling. The decision grows with the mean. A
 * class or an interval of scores is therefore a bound on the sum over trees: a `trees` atom.
 */
import { ElsewiseError } from '../../documents/error.js';
import { isolationForestSchema } from '../../documents/tree-document.js';
import { lastDouble, nextUp } from '../../linalg/floats.js';
import { defineFamily, EVEN_SCORES, type Model } from '../family.js';
import { insideOf } from '../margins.js';
import type { Goal, Piece, TreeMargin } from '../region.js';
import type { SharedParts } from '../shared-parts.js';
import { type Forest, flatten, forestOf, largestSum, leafOf, partsOf } from '../trees/tree.js';

class IsolationForest implements Model {
  readonly rawOutputs = 1;
  readonly thresholds = EVEN_SCORES;
  readonly takesMissing: boolean;
  readonly shared: SharedParts;

  constructor(
    readonly forest: Forest,
    private readonly offset: number,
  ) {
    this.takesMissing = forest.takesMissing;
    this.shared = partsOf(forest);
  }

  /** Raw output: the decision. */
  raw(x: Float64Array, out: Float64Array): void {
    const { forest } = this;
    let sum = 0;
    for (let t = 0; t < forest.root.length; t++) sum += forest.value[leafOf(forest, t, x)];
    out[0] = this.decision(sum);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    out[0] = -raw[0];
    out[1] = raw[0];
  }

  decide(raw: Float64Array): number {
    return raw[0] > 0 ? 1 : 0;
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    const score = goal.index === 1 ? raw[0] : -raw[0];
    if (goal.kind === 'interval') return score >= goal.from && score <= goal.to;
    return this.decide(raw) === goal.index && score >= goal.margin;
  }

  margin(raw: Float64Array, goal: Goal): number {
    const score = goal.index === 1 ? raw[0] : -raw[0];
    return goal.kind === 'interval' ? insideOf(score, goal.from, goal.to) : score - goal.margin;
  }

  region(goal: Goal): Piece[] {
    const [from, to] = goal.kind === 'class' ? [goal.margin, Infinity] : [goal.from, goal.to];
    const [low, high] = goal.index === 1 ? [from, to] : [-to, -from];
    const least = this.lastSum((decision) => decision < low);
    const most = this.lastSum((decision) => decision <= high);
    if (least === Infinity || most === -Infinity || !(least < most)) return [];
    const margins: TreeMargin[] = [];
    if (least > -Infinity) margins.push({ gain: this.forest.value, need: nextUp(least) });
    if (most < Infinity) margins.push({ gain: this.forest.value.map((value) => -value), need: -most });
    return [{ rows: [], atoms: [{ kind: 'trees', forest: this.forest, margins, slack: this.slack(), map: null }] }];
  }

  private decision(sum: number): number {
    return -(2 ** -(sum / this.forest.root.length)) - this.offset;
  }

  /** The last sum of path lengths at whose decision the predicate holds. The decision rises with the sum. */
  private lastSum(holds: (decision: number) => boolean): number {
    return lastDouble((sum) => holds(this.decision(sum)), this.forest.root.length);
  }

  /** One rounding per tree, and that of the power. */
  private slack(): number {
    const trees = this.forest.root.length;
    return (trees + 2) * (2 ** -50 * largestSum(this.forest) + 2 ** -48);
  }
}

export const isolationForest = defineFamily({
  name: 'isolation-forest',
  task: 'classification',
  schema: isolationForestSchema,
  shares: ['trees'],
  load: (p, context) => {
    if (context.classes !== 2)
      throw new ElsewiseError('bad-document', 'expected outlier and inlier, in this order', 'model.classes');
    const forest =
      forestOf(context.shared) ?? flatten(p.trees, context.inputs, 'model.parameters.trees', context.bounds);
    if (forest.outputs !== 1)
      throw new ElsewiseError('bad-document', 'expected one path length per leaf', 'model.parameters.trees[0].value');
    return new IsolationForest(forest, p.offset);
  },
});
