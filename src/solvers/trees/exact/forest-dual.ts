/**
 * A lower bound for a box of a reachable forest, by dual decomposition. Each tree chooses its leaf and each feature its segment
 * independently; prices make the choices agree.
 *
 *   min Σ_f cost_f(s_f)   s.t.   Σ_t gain_m(leaf_t) >= need_m,   at every split n on the way to its leaf, leaf_t is on the side of s_f
 *
 *   λ_m >= 0: the price of margin m.   w_n > 0: a tree pays w_n for a leaf high of n, feature f(n) is paid w_n for a segment high
 *   of n;  w_n < 0: the same with -w_n and low.
 *
 *   L(λ, w) = Σ_m λ_m need_m + Σ_f min_s [cost_f(s) - paid_f(s)] + Σ_t min_ℓ [paid_t(ℓ) - Σ_m λ_m gain_m(ℓ)]
 *
 * At a point of the box a feature is paid for all its splits, and the trees pay only for the splits on their paths. L is therefore a
 * lower bound for any prices. Its maximum is the linear relaxation of the mixed-integer formulation (Parmentier and Vidal, 2021), often
 * within a tenth of the optimum, where the best leaf of each tree by itself reaches a quarter. Subgradient steps of Polyak's
 * length climb there; each step costs one pass over splits and segments. With at most K changes the features' part takes the K
 * best changes. A segment whose price lifts L to `below` contains no better answer, and the box drops the segment.
 */
import { type Budget, FLOPS_PER_UNIT } from '../../../problems/budget.js';
import { BoxForest, type SegmentBox } from './node-forest.js';
import type { Prices } from './open-boxes.js';
import type { ReachableForest } from './reachable-forest.js';

/** Relative to the sum of the sizes of all terms: an upper bound of the accumulated rounding error. */
const ROUNDING = 1e-12;
/** The step length shrinks after this many steps without progress. */
const PATIENCE = 8;
const SHRINK = 0.7;
const SHORTEST = 0.02;
/** The share of a step's direction that is kept for the next step. */
const MOMENTUM = 0.3;
const LOOK_EVERY = 10;
const FLOPS_PER_SPLIT = 30;
const FLOPS_PER_SEGMENT = 5;
/** A margin with its initial shortfall counts as much as this many disagreements. */
const MARGIN_WEIGHT = 10;

export interface Need {
  readonly gain: Float64Array;
  readonly need: number;
}

export class ForestDual {
  /** Prices by node of the reachable forest and by margin. The prices stay from box to box as a start. */
  prices = new Float64Array(0);
  readonly lambda: Float64Array;
  /** By feature: the segment chosen last. */
  readonly at: Int32Array;
  /** By segment: how often a tree preferred the other side of the cut after the segment, or of the category. */
  conflict = new Float64Array(0);

  private readonly box: BoxForest;
  private forest!: ReachableForest;
  // By split of the box.
  private w = new Float64Array(0);
  private value = new Float64Array(0);
  private direction = new Float64Array(0);
  private slope = new Int8Array(0);
  private goesHigh = new Uint8Array(0);
  // By leaf of the box.
  private leafValue = new Float64Array(0);
  private readonly gain: Float64Array[];
  // By segment.
  private paid = new Float64Array(0);
  private left = new Float64Array(0);
  // By feature.
  private readonly floor: Float64Array;
  private readonly least: Float64Array;
  // By margin.
  private readonly short: Float64Array;
  private readonly lambdaDirection: Float64Array;
  private readonly scale: Float64Array;
  /** By margin: the sum over the trees of the box of the size of their largest gain. */
  private readonly largestGain: Float64Array;

  constructor(
    private readonly needs: readonly Need[],
    trees: number,
    private readonly features: number,
    private readonly maxChanges: number,
  ) {
    const margins = () => new Float64Array(needs.length);
    this.lambda = margins();
    this.lambdaDirection = margins();
    this.short = margins();
    this.scale = margins();
    this.largestGain = margins();
    this.gain = needs.map(() => new Float64Array(0));
    this.at = new Int32Array(features);
    this.floor = new Float64Array(features);
    this.least = new Float64Array(features);
    this.box = new BoxForest(trees, features);
  }

  /** Takes a new forest, without prices. `shortfall`: the amount that the person's own leaves lack of each need. */
  begin(forest: ReachableForest, shortfall: Float64Array): void {
    this.forest = forest;
    if (forest.size > this.prices.length) this.prices = new Float64Array(2 * forest.size);
    this.prices.fill(0);
    if (forest.segments > this.paid.length) {
      this.paid = new Float64Array(2 * forest.segments);
      this.left = new Float64Array(2 * forest.segments);
      this.conflict = new Float64Array(2 * forest.segments);
    }
    for (let m = 0; m < this.needs.length; m++)
      this.scale[m] = MARGIN_WEIGHT / Math.max(shortfall[m], 1e-3 * Math.abs(this.needs[m].need), 1e-9);
  }

  copyPrices(): Prices {
    return { w: this.prices.slice(0, this.forest.size), lambda: this.lambda.slice() };
  }

  takePrices({ w, lambda }: Prices): void {
    this.prices.set(w);
    this.lambda.set(lambda);
  }

  /**
   * Climbs for at most `steps` steps, or until the bound reaches `below`, and narrows the box on the way. Returns the best bound; Infinity
   * when the box becomes empty. `look` is called now and then with the chosen segments in `at`, and returns the new `below`.
   */
  climb(box: SegmentBox, below: number, steps: number, budget: Budget, look?: () => number): number {
    if (!this.enter(box, below)) return Infinity;
    let best = Number.NEGATIVE_INFINITY;
    let length = 1;
    let stale = 0;
    let target = below;
    for (let step = 0; step < steps; step++) {
      const bound = this.evaluate(box);
      budget.spend(this.stepWork());
      if (bound === Infinity) return Infinity;
      stale = bound > best + 1e-3 * (Math.min(target, 2 * Math.abs(best)) - best) ? 0 : stale + 1;
      if (bound > best) {
        best = bound;
        if (best >= target || !this.narrow(box, target - bound)) break;
      }
      if (look && step % LOOK_EVERY === LOOK_EVERY - 1) {
        if (budget.isSpent) break;
        target = look();
        if (best >= target) break;
      }
      if (stale > PATIENCE) {
        length *= SHRINK;
        stale = 0;
        if (length < SHORTEST) break;
      }
      // Without an incumbent the target lies well above the best bound.
      const aim = target < Infinity ? target : 1 + 2 * Math.abs(best);
      if (!this.step(length * (aim - bound))) break;
    }
    for (let n = 0; n < this.box.splits; n++) this.prices[this.box.node[n]] = this.w[n];
    return this.isEmpty(box) ? Infinity : best;
  }

  /** A step passes over all splits and segments of the box, a few operations each. */
  private stepWork(): number {
    return (FLOPS_PER_SPLIT * this.box.splits + FLOPS_PER_SEGMENT * this.forest.segments) / FLOPS_PER_UNIT;
  }

  private isEmpty({ lo, hi, sets }: SegmentBox): boolean {
    for (let f = 0; f < this.features; f++) if (sets[f] ? !sets[f]!.includes(1) : lo[f] > hi[f]) return true;
    return false;
  }

  private enter(box: SegmentBox, below: number): boolean {
    if (!this.box.build(this.forest, box, below)) return false;
    const { splits, leaves, node, leafNode } = this.box;
    if (splits > this.w.length) this.growSplits(2 * splits);
    if (leaves > this.leafValue.length) this.growLeaves(2 * leaves);
    for (let n = 0; n < splits; n++) this.w[n] = this.prices[node[n]];
    this.direction.fill(0, 0, splits);
    this.lambdaDirection.fill(0);
    this.conflict.fill(0, 0, this.forest.segments);
    const { origin } = this.forest;
    for (let m = 0; m < this.needs.length; m++) {
      const { gain } = this.needs[m];
      const own = this.gain[m];
      for (let k = 1; k < leaves; k++) own[k] = gain[origin[leafNode[k]]];
    }
    return this.needs.every(({ need }, m) => this.mostGain(m) >= need);
  }

  /** The sum of the best leaves of all trees. */
  private mostGain(m: number): number {
    const { root, lastLeaf } = this.box;
    const gain = this.gain[m];
    let total = 0;
    this.largestGain[m] = 0;
    for (let t = 0, k = 1; t < root.length; t++) {
      let most = Number.NEGATIVE_INFINITY;
      let size = 0;
      for (; k <= lastLeaf[t]; k++) {
        if (gain[k] > most) most = gain[k];
        size = Math.max(size, Math.abs(gain[k]));
      }
      total += most;
      this.largestGain[m] += size;
    }
    return total;
  }

  private growSplits(length: number): void {
    this.w = new Float64Array(length);
    this.value = new Float64Array(length);
    this.direction = new Float64Array(length);
    this.slope = new Int8Array(length);
    this.goesHigh = new Uint8Array(length);
  }

  private growLeaves(length: number): void {
    this.leafValue = new Float64Array(length);
    for (let m = 0; m < this.gain.length; m++) this.gain[m] = new Float64Array(length);
  }

  private evaluate(box: SegmentBox): number {
    const { root, low, high } = this.box;
    let bound = 0;
    // Rounding is relative to the sizes of all terms before they cancel.
    let size = 2 * this.payFeatures();
    for (let m = 0; m < this.needs.length; m++) {
      bound += this.lambda[m] * this.needs[m].need;
      size += this.lambda[m] * (Math.abs(this.needs[m].need) + this.largestGain[m]);
    }
    const features = this.chooseSegments(box);
    if (features === Infinity) return Infinity;
    bound += features;
    for (let f = 0; f < this.features; f++) size += Math.abs(this.least[f]);
    this.priceLeaves();
    this.priceSplits(low, high);
    for (let t = 0; t < root.length; t++) bound += root[t] < 0 ? this.leafValue[~root[t]] : this.value[root[t]];
    this.compare();
    return bound - ROUNDING * size;
  }

  /** Fills paid[s]; for ordered features as differences from segment to segment. Returns the sum of the sizes of all prices. */
  private payFeatures(): number {
    const { paid, floor, w } = this;
    const { feature, cut, sides, splits } = this.box;
    const { first, side } = this.forest;
    paid.fill(0, 0, this.forest.segments);
    floor.fill(0);
    let size = 0;
    for (let n = 0; n < splits; n++) {
      const price = w[n];
      if (price === 0) continue;
      size += Math.abs(price);
      if (sides[n] < 0) {
        paid[cut[n] + 1] += price;
        if (price < 0) floor[feature[n]] -= price;
        continue;
      }
      const f = feature[n];
      for (let k = sides[n], s = first[f]; s < first[f + 1]; k++, s++) {
        if (side[k]) paid[s] += Math.max(price, 0);
        else paid[s] -= Math.min(price, 0);
      }
    }
    return size;
  }

  /** Chooses each feature's best segment of the box. Returns the sum of their values, or Infinity. */
  private chooseSegments(box: SegmentBox): number {
    let total = 0;
    for (let f = 0; f < this.features; f++) {
      if (box.sets[f]) this.chooseCategory(f, box.sets[f]!);
      else this.chooseBetween(f, box.lo[f], box.hi[f]);
      if (this.at[f] < 0) return Infinity;
      total += this.least[f];
    }
    return this.maxChanges < this.features ? this.capChanges(box) : total;
  }

  private chooseCategory(f: number, set: Uint8Array): void {
    const { left, paid } = this;
    const { first, cost } = this.forest;
    let best = Infinity;
    let chosen = -1;
    for (let s = first[f]; s < first[f + 1]; s++) {
      left[s] = set[s - first[f]] ? cost[s] - paid[s] : Infinity;
      if (left[s] >= best) continue;
      best = left[s];
      chosen = s;
    }
    this.at[f] = chosen;
    this.least[f] = best;
  }

  private chooseBetween(f: number, lo: number, hi: number): void {
    const { left, paid } = this;
    const { first, cost } = this.forest;
    let sum = this.floor[f];
    let best = Infinity;
    let chosen = -1;
    for (let s = first[f]; s < lo; s++) sum += paid[s];
    for (let s = lo; s <= hi; s++) {
      sum += paid[s];
      const value = cost[s] - sum;
      left[s] = value;
      if (value >= best) continue;
      best = value;
      chosen = s;
    }
    this.at[f] = chosen;
    this.least[f] = best;
  }

  /** At most K features change: the K with the largest gain. */
  private capChanges(box: SegmentBox): number {
    const { forest, at, left, least } = this;
    let total = 0;
    let free = this.maxChanges;
    const changed: { f: number; still: number; gain: number }[] = [];
    for (let f = 0; f < this.features; f++) {
      const still = forest.cost[at[f]] === 0 ? at[f] : this.standing(f, box);
      if (still === at[f]) total += least[f];
      else if (still >= 0) {
        total += left[still];
        changed.push({ f, still, gain: left[still] - least[f] });
      } else {
        total += least[f];
        free--;
      }
    }
    if (free < 0) return Infinity;
    changed.sort((a, b) => b.gain - a.gain);
    for (const [k, { f, still, gain }] of changed.entries()) {
      if (k < free) total -= gain;
      else at[f] = still;
    }
    return total;
  }

  /** The segment of the box in which a feature does not change; -1: none. */
  private standing(f: number, { lo, hi, sets }: SegmentBox): number {
    const { first, present, cost } = this.forest;
    const s = first[f] + present[f];
    if (present[f] < 0 || cost[s] !== 0) return -1;
    const inside = sets[f] ? sets[f]![present[f]] === 1 : s >= lo[f] && s <= hi[f];
    return inside ? s : -1;
  }

  private priceLeaves(): void {
    const { leafValue, lambda, gain } = this;
    const { leaves } = this.box;
    for (let m = 0; m < lambda.length; m++) {
      const [price, own] = [lambda[m], gain[m]];
      if (m === 0) for (let k = 1; k < leaves; k++) leafValue[k] = -price * own[k];
      else for (let k = 1; k < leaves; k++) leafValue[k] -= price * own[k];
    }
    leafValue[0] = Infinity;
  }

  /** Computes the best leaf below every split, from the leaves up, and the slope of splits that no tree's path passes. */
  private priceSplits(low: Int32Array, high: Int32Array): void {
    const { w, value, leafValue, goesHigh, slope, at } = this;
    const { feature, cut, sides, splits } = this.box;
    const { side, first } = this.forest;
    for (let n = splits - 1; n >= 0; n--) {
      const own = w[n];
      const [l, h] = [low[n], high[n]];
      let toLow = l < 0 ? leafValue[~l] : value[l];
      let toHigh = h < 0 ? leafValue[~h] : value[h];
      if (own > 0) toHigh += own;
      else toLow -= own;
      const chosen = at[feature[n]];
      const isHigh = sides[n] < 0 ? chosen > cut[n] : side[sides[n] + chosen - first[feature[n]]] === 1;
      // Of two equal paths the tree takes the one that agrees with the feature.
      if (toHigh < toLow || (toHigh === toLow && isHigh)) {
        value[n] = toHigh;
        goesHigh[n] = 1;
      } else {
        value[n] = toLow;
        goesHigh[n] = 0;
      }
      slope[n] = own > 0 && isHigh ? -1 : own < 0 && !isHigh ? 1 : 0;
    }
  }

  /** Computes the slopes of the splits on the trees' paths, and the amount that the leaves lack of each need. */
  private compare(): void {
    const { slope, goesHigh, at, short, needs, gain, conflict } = this;
    const { feature, cut, sides, low, high, root } = this.box;
    const { side, first } = this.forest;
    for (let m = 0; m < needs.length; m++) short[m] = needs[m].need;
    for (let t = 0; t < root.length; t++) {
      let n = root[t];
      while (n >= 0) {
        const chosen = at[feature[n]];
        const isHigh = sides[n] < 0 ? +(chosen > cut[n]) : side[sides[n] + chosen - first[feature[n]]];
        const way = goesHigh[n];
        slope[n] = isHigh === way ? 0 : way ? 2 : -2;
        if (isHigh !== way) conflict[sides[n] < 0 ? cut[n] : chosen]++;
        n = way ? high[n] : low[n];
      }
      for (let m = 0; m < needs.length; m++) short[m] -= gain[m][~n];
    }
  }

  /** Makes a step uphill. False: the direction is zero. */
  private step(rise: number): boolean {
    const { slope, direction, w, lambda, lambdaDirection, short, scale } = this;
    const { splits } = this.box;
    let norm = 0;
    for (let n = 0; n < splits; n++) {
      const own = slope[n];
      const next = MOMENTUM * direction[n] + (own > 0 ? 1 : own < 0 ? -1 : 0);
      direction[n] = next;
      norm += next * next;
    }
    for (let m = 0; m < lambda.length; m++) {
      const own = lambda[m] > 0 || short[m] > 0 ? short[m] * scale[m] : 0;
      lambdaDirection[m] = own + MOMENTUM * lambdaDirection[m];
      norm += lambdaDirection[m] * lambdaDirection[m];
    }
    if (norm < 1e-18) return false;
    const length = rise / norm;
    for (let n = 0; n < splits; n++) {
      const old = w[n];
      const next = old + length * direction[n];
      // The price of a split that no path passes does not change its sign: it stops at zero.
      w[n] = next * old < 0 && slope[n] * slope[n] === 1 ? 0 : next;
    }
    for (let m = 0; m < lambda.length; m++) lambda[m] = Math.max(0, lambda[m] + length * lambdaDirection[m] * scale[m]);
    return true;
  }

  /** Drops the segments at the ends, and the categories, that cost `room` more than the chosen one. False: the box is empty. */
  private narrow(box: SegmentBox, room: number): boolean {
    if (this.maxChanges < this.features) return true;
    const { left, least } = this;
    const { first } = this.forest;
    for (let f = 0; f < this.features; f++) {
      const limit = least[f] + room;
      const set = box.sets[f];
      if (set) {
        for (let cell = 0; cell < set.length; cell++) if (set[cell] && left[first[f] + cell] >= limit) set[cell] = 0;
        continue;
      }
      while (box.lo[f] <= box.hi[f] && left[box.lo[f]] >= limit) box.lo[f]++;
      while (box.hi[f] >= box.lo[f] && left[box.hi[f]] >= limit) box.hi[f]--;
    }
    return !this.isEmpty(box);
  }
}
