/**
 * The leaves that a box can reach, tree by tree, each with the extra cost of going there, and what follows from them:
 *
 *   best_t(c) = the largest gain among tree t's leaves of extra cost <= c          (a step function)
 *   leastExtra = min { c : Σ_t best_t(c) >= need }
 *
 * Flat arrays that grow once and are used again for every box.
 */
import type { Forest } from '../models/tree.js';

export class LeafReach {
  private leaf = new Int32Array(1024);
  private extra = new Float64Array(1024);
  /** End of each tree's leaves, ascending in extra cost. */
  private readonly end: Int32Array;
  private sorted = new Float64Array(1024);
  private used = 0;

  constructor(forest: Forest) {
    this.end = new Int32Array(forest.root.length);
  }

  clear(): void {
    this.used = 0;
  }

  add(leaf: number, extra: number): void {
    if (this.used === this.leaf.length) this.grow();
    this.leaf[this.used] = leaf;
    this.extra[this.used++] = extra;
  }

  private grow(): void {
    const leaf = new Int32Array(2 * this.leaf.length);
    const extra = new Float64Array(2 * this.leaf.length);
    leaf.set(this.leaf);
    extra.set(this.extra);
    this.leaf = leaf;
    this.extra = extra;
    this.sorted = new Float64Array(leaf.length);
  }

  /** Sorts what was added for a tree. False: the tree has no leaf within reach. */
  closeTree(t: number): boolean {
    const start = t === 0 ? 0 : this.end[t - 1];
    const { leaf, extra } = this;
    for (let i = start + 1; i < this.used; i++) {
      const [cost, node] = [extra[i], leaf[i]];
      let j = i;
      for (; j > start && extra[j - 1] > cost; j--) {
        extra[j] = extra[j - 1];
        leaf[j] = leaf[j - 1];
      }
      extra[j] = cost;
      leaf[j] = node;
    }
    this.end[t] = this.used;
    return this.used > start;
  }

  /** The least extra cost at which the trees' best gains add up to the need; Infinity: never. */
  leastExtra(gain: Float64Array, need: number): number {
    let floor = 0;
    for (let t = 0, at = 0; t < this.end.length; at = this.end[t++]) floor = Math.max(floor, this.extra[at]);
    if (this.sumAt(gain, floor) >= need) return floor;
    if (this.sumAt(gain, Infinity) < need) return Infinity;
    const costs = this.sorted.subarray(0, this.used);
    costs.set(this.extra.subarray(0, this.used));
    costs.sort();
    let low = 0;
    let high = this.used - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sumAt(gain, costs[middle]) >= need) high = middle;
      else low = middle + 1;
    }
    return Math.max(floor, costs[low]);
  }

  private sumAt(gain: Float64Array, cost: number): number {
    let sum = 0;
    for (let t = 0, at = 0; t < this.end.length; t++) {
      let best = Number.NEGATIVE_INFINITY;
      for (; at < this.end[t]; at++) {
        if (this.extra[at] > cost) break;
        if (gain[this.leaf[at]] > best) best = gain[this.leaf[at]];
      }
      at = this.end[t];
      sum += best;
    }
    return sum;
  }

  /** By tree: the best leaf within a cost, and how much more it gains than the best of the leaves that cost nothing. */
  *chosen(gain: Float64Array, cost: number): Generator<{ leaf: number; rise: number }> {
    for (let t = 0, at = 0; t < this.end.length; at = this.end[t++]) {
      let free = Number.NEGATIVE_INFINITY;
      let best = at;
      for (let k = at; k < this.end[t] && this.extra[k] <= cost; k++) {
        if (this.extra[k] <= 0) free = Math.max(free, gain[this.leaf[k]]);
        if (gain[this.leaf[k]] > gain[this.leaf[best]]) best = k;
      }
      if (this.extra[best] > 0)
        yield {
          leaf: this.leaf[best],
          rise: gain[this.leaf[best]] - (free === Number.NEGATIVE_INFINITY ? 0 : free) + 1e-12,
        };
    }
  }
}
