/**
 * Bounds on the normality of an isolation forest within a box, that is a narrowed domain of one person:
 *
 *   most(box, budget)   Σ_t of the largest value among tree t's leaves that meet the box and cost less than the budget by
 *                       themselves: no answer within the budget is more normal
 *   least(lo, hi)       Σ_t of the smallest value among the leaves that meet an interval per column
 *
 * The conditions of a leaf cost their changes, feature by feature, on top of the cost of the region (reduced-cost.ts). The walk visits the
 * better side of each split first. It skips a side whose best leaf is no better than the best leaf so far.
 */
import type { Feature } from '../../models/features.js';
import type { Forest } from '../../models/trees/tree.js';
import type { Domain } from '../../policy/domain.js';
import type { PlausibleCondition } from './plausible-condition.js';
import { ReducedCost } from './reduced-cost.js';

/** The largest rounding error of a sum of costs, relative to its terms. */
const ROUNDING = 1e-12;

export class PlausibleBox {
  readonly forest: Forest;
  /** By node: the largest and smallest value of the leaves below it. */
  private readonly top: Float64Array;
  private readonly bottom: Float64Array;
  private readonly features: readonly Feature[];
  // During the walk of a tree: the box as narrowed so far, the category taken (its column, or -1), the cost by feature.
  private readonly lower: Float64Array;
  private readonly upper: Float64Array;
  private readonly taken: Int32Array;
  private readonly spent: Float64Array;
  private readonly reduced: ReducedCost;
  private budget = Infinity;
  private found = Number.NEGATIVE_INFINITY;

  constructor(private readonly condition: PlausibleCondition) {
    const { forest, rest } = condition;
    this.forest = forest;
    this.top = extremes(forest, Math.max);
    this.bottom = extremes(forest, Math.min);
    this.features = rest.space.features;
    this.reduced = new ReducedCost(rest);
    this.lower = new Float64Array(rest.space.columns);
    this.upper = new Float64Array(rest.space.columns);
    this.taken = new Int32Array(this.features.length).fill(-1);
    this.spent = new Float64Array(this.features.length);
  }

  most(box: Domain, budget: number): number {
    this.lower.set(box.lower);
    this.upper.set(box.upper);
    this.reduced.fit(box);
    let base = this.reduced.constant;
    let size = Math.abs(base);
    for (const feature of this.features) {
      this.spent[feature.index] = this.cheapest(feature);
      base += this.spent[feature.index];
      size += Math.abs(this.spent[feature.index]);
    }
    this.budget = budget + ROUNDING * size;
    let sum = 0;
    for (const root of this.forest.root) {
      this.found = Number.NEGATIVE_INFINITY;
      this.climb(root, base);
      sum += this.found;
      if (sum === Number.NEGATIVE_INFINITY) return sum;
    }
    return sum;
  }

  least(lower: Float64Array, upper: Float64Array): number {
    let sum = 0;
    for (const root of this.forest.root) sum += this.smallest(root, lower, upper);
    return sum;
  }

  private smallest(node: number, lower: Float64Array, upper: Float64Array): number {
    const { forest } = this;
    for (let at = node; ; ) {
      if (forest.left[at] < 0) return forest.value[at];
      const column = forest.feature[at];
      const t = forest.threshold[at];
      if (upper[column] <= t) at = forest.left[at];
      else if (lower[column] > t) at = forest.right[at];
      else {
        const [first, second] = this.ordered(at, this.bottom, 1);
        const best = this.smallest(first, lower, upper);
        return this.bottom[second] >= best ? best : Math.min(best, this.smallest(second, lower, upper));
      }
    }
  }

  private cheapest(feature: Feature): number {
    return this.reduced.of(feature, this.lower, this.upper, this.taken[feature.index]);
  }

  /** The children of a node, the more promising one first. */
  private ordered(node: number, extreme: Float64Array, sign: 1 | -1): [number, number] {
    const { left, right } = this.forest;
    return sign * (extreme[left[node]] - extreme[right[node]]) <= 0
      ? [left[node], right[node]]
      : [right[node], left[node]];
  }

  /** Finds the best leaf below a node. `total`: the cost of the box as narrowed so far. */
  private climb(node: number, total: number): void {
    const { forest } = this;
    if (this.top[node] <= this.found || total >= this.budget) return;
    if (forest.left[node] < 0) {
      this.found = forest.value[node];
      return;
    }
    for (const child of this.ordered(node, this.top, -1)) this.descend(node, child, total);
  }

  private descend(node: number, child: number, total: number): void {
    const column = this.forest.feature[node];
    const t = this.forest.threshold[node];
    const left = child === this.forest.left[node];
    if (left ? this.lower[column] > t : this.upper[column] <= t) return;
    const feature = this.features[this.condition.rest.space.owner[column]];
    if (feature.kind === 'choice') this.descendChoice(feature, column, t, child, left, total);
    else this.descendNumber(feature, column, t, child, left, total);
  }

  private descendNumber(feature: Feature, c: number, t: number, child: number, left: boolean, total: number): void {
    const { lower, upper, spent } = this;
    const f = feature.index;
    if (left ? upper[c] <= t : lower[c] > t) {
      this.climb(child, total);
      return;
    }
    const [low, high, before] = [lower[c], upper[c], spent[f]];
    if (left) upper[c] = t;
    else lower[c] = t;
    spent[f] = this.cheapest(feature);
    this.climb(child, total + spent[f] - before);
    lower[c] = low;
    upper[c] = high;
    spent[f] = before;
  }

  /** Right: only this category. Left: any other category. A threshold with 0 and 1 on the same side restricts nothing. */
  private descendChoice(feature: Feature, c: number, t: number, child: number, left: boolean, total: number): void {
    if (t < 0 || t >= 1) {
      this.climb(child, total);
      return;
    }
    const { taken, spent, upper } = this;
    const f = feature.index;
    const other = taken[f];
    if (left ? other === c : other >= 0 && other !== c) return;
    const [high, before] = [upper[c], spent[f]];
    if (left) upper[c] = Math.min(high, t);
    else taken[f] = c;
    spent[f] = this.cheapest(feature);
    this.climb(child, total + spent[f] - before);
    taken[f] = other;
    upper[c] = high;
    spent[f] = before;
  }
}

/** By node: the extreme value of its leaves. Children may be numbered in any order. */
function extremes(forest: Forest, choose: (a: number, b: number) => number): Float64Array {
  const out = new Float64Array(forest.feature.length);
  const visit = (node: number): number => {
    const leaf = forest.left[node] < 0;
    out[node] = leaf ? forest.value[node] : choose(visit(forest.left[node]), visit(forest.right[node]));
    return out[node];
  };
  forest.root.forEach(visit);
  return out;
}
