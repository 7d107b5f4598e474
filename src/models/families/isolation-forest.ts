/**
 * Isolation forests: how few random cuts it takes to isolate a point.
 *
 *   decision(x) = -2^(-mean over trees of the leaf's path length) - offset,     inlier  <=>  decision > 0
 *
 * Leaves hold path lengths in units of the average path length, so that the mean needs no further scaling. The decision
 * grows with the mean, so a class or an interval of scores is a bound on the sum over trees: `additive-trees`.
 */
import { ElsewiseError } from '../../documents/error.js';
import { isolationForestSchema } from '../../documents/tree-document.js';
import { defineFamily, type Model } from '../family.js';
import type { Goal, Piece } from '../region.js';
import { type Forest, flatten, leafOf } from '../trees/tree.js';

class IsolationForest implements Model {
  readonly rawOutputs = 1;
  readonly takesMissing: boolean;

  constructor(
    readonly forest: Forest,
    private readonly offset: number,
  ) {
    this.takesMissing = forest.takesMissing;
  }

  /** Raw output: the decision. */
  raw(x: Float64Array, out: Float64Array): void {
    const { forest } = this;
    let sum = 0;
    for (let t = 0; t < forest.root.length; t++) sum += forest.value[leafOf(forest, t, x)];
    out[0] = -(2 ** -(sum / forest.root.length)) - this.offset;
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

  region(goal: Goal): Piece[] {
    const [from, to] = goal.kind === 'class' ? [goal.margin, Infinity] : [goal.from, goal.to];
    const [low, high] = goal.index === 1 ? [from, to] : [-to, -from];
    const margins = [];
    const [least, most] = [this.sumFor(low), this.sumFor(high)];
    if (least === Infinity || most === -Infinity) return [];
    if (least > -Infinity) margins.push({ gain: this.forest.value, need: least });
    if (most < Infinity) margins.push({ gain: this.forest.value.map((value) => -value), need: -most });
    return [{ kind: 'additive-trees', rows: [], forest: this.forest, margins, slack: 1e-9, map: null }];
  }

  /** The sum of path lengths at which the decision has a value; it rises from -1 - offset to -offset. */
  private sumFor(decision: number): number {
    const power = -(decision + this.offset);
    if (power <= 0) return Infinity;
    return power === Infinity ? -Infinity : -this.forest.root.length * Math.log2(power);
  }
}

export const isolationForest = defineFamily({
  name: 'isolation-forest',
  task: 'classification',
  schema: isolationForestSchema,
  treesKey: 'trees',
  load: (p, context) => {
    if (context.classes !== 2)
      throw new ElsewiseError('bad-document', 'are outlier and inlier, in this order', 'model.classes');
    const forest = context.forest ?? flatten(p.trees, context.inputs, 'model.parameters.trees');
    if (forest.outputs !== 1)
      throw new ElsewiseError('bad-document', 'expected one path length per leaf', 'model.parameters.trees[0].value');
    return new IsolationForest(forest, p.offset);
  },
});
