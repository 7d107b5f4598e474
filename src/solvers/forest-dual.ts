/**
 * A lower bound for a box of a reachable forest, by dual decomposition. Each tree may choose its leaf and each feature its
 * segment on their own; prices make them agree.
 *
 *   min Σ_f cost_f(s_f)   s.t.   Σ_t gain_m(leaf_t) >= need_m,   at every split n on the way to its leaf, leaf_t is on the side of s_f
 *
 *   λ_m >= 0: the price of margin m.   w_n > 0: tree pays w_n for a leaf high of n, feature f(n) is paid w_n for a segment high
 *   of n;  w_n < 0: the same with -w_n and low.
 *
 *   L(λ, w) = Σ_m λ_m need_m + Σ_f min_s [cost_f(s) - paid_f(s)] + Σ_t min_ℓ [paid_t(ℓ) - Σ_m λ_m gain_m(ℓ)]
 *
 * For a point of the box a feature is paid for all its splits and the trees pay only for those on their ways, so L is a lower bound
 * for any prices. At its best it is the linear relaxation of the mixed-integer formulation (Parmentier and Vidal, 2021), which
 * here is often within a tenth of the optimum, where the best leaf of each tree by itself reaches a quarter. Subgradient steps
 * of Polyak's length climb there; each costs one pass over nodes and segments. With at most K changes the features' part
 * takes the K best changes. Segments whose price lifts L to `below` hold nothing better: the box loses them.
 */
import type { ReachableForest } from './reachable-forest.js';

/** A box: an interval of segments for ordered features, a set (by cell) for unordered ones. */
export interface SegmentBox {
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  readonly sets: (Uint8Array | null)[];
}

/** Relative to the sum of all terms' sizes: more than rounding can add up to. */
const ROUNDING = 1e-12;
/** Without progress for so many steps the step length shrinks. */
const PATIENCE = 8;
const SHRINK = 0.7;
const SHORTEST = 0.02;
/** How much of a step's direction is kept for the next. */
const MOMENTUM = 0.3;

export class ForestDual {
  /** Prices by node and by margin: they stay from box to box, as good a start as any. */
  w = new Float64Array(0);
  readonly lambda: Float64Array;
  /** By feature: the segment chosen last. */
  readonly at: Int32Array;
  /** By segment: how often a tree wanted to be on the other side of the cut after it, or of the category. */
  conflict = new Float64Array(0);
  private value = new Float64Array(0);
  private direction = new Float64Array(0);
  private slope = new Int8Array(0);
  private high = new Uint8Array(0);
  private paid = new Float64Array(0);
  private left = new Float64Array(0);
  private gain: Float64Array[] = [];
  private readonly floor: Float64Array;
  private readonly least: Float64Array;
  private readonly short: Float64Array;
  private readonly lambdaDirection: Float64Array;
  private readonly scale: Float64Array;
  private forest!: ReachableForest;

  constructor(
    private readonly margins: readonly { readonly gain: Float64Array; readonly need: number }[],
    private readonly features: number,
    private readonly unordered: Uint8Array,
    private readonly maxChanges: number,
  ) {
    this.lambda = new Float64Array(margins.length);
    this.lambdaDirection = new Float64Array(margins.length);
    this.short = new Float64Array(margins.length);
    this.scale = new Float64Array(margins.length);
    this.at = new Int32Array(features);
    this.floor = new Float64Array(features);
    this.least = new Float64Array(features);
  }

  /** Takes on a forest with no prices, or with those of the splits that were there before (`prices` by node of the whole forest). */
  begin(forest: ReachableForest, lambda: ArrayLike<number> | null, prices: Float64Array | null, shortfall: ArrayLike<number>): void {
    this.forest = forest;
    if (forest.size > this.w.length) this.grow(2 * forest.size);
    if (forest.segments > this.paid.length) {
      this.paid = new Float64Array(2 * forest.segments);
      this.left = new Float64Array(2 * forest.segments);
      this.conflict = new Float64Array(2 * forest.segments);
    }
    for (let m = 0; m < this.margins.length; m++) {
      const { gain } = this.margins[m];
      const own = this.gain[m];
      for (let n = 0; n < forest.size; n++) own[n] = gain[forest.origin[n]];
      this.lambda[m] = lambda ? lambda[m] : 0;
      // A margin's slope counts about as much as ten disagreements when it is as far off as at the start.
      this.scale[m] = 10 / Math.max(shortfall[m], 1e-9);
    }
    for (let n = 0; n < forest.size; n++) this.w[n] = prices && forest.feature[n] >= 0 ? prices[forest.origin[n]] : 0;
    this.direction.fill(0, 0, forest.size);
  }

  /** The prices by node of the whole forest. */
  savePrices(prices: Float64Array): void {
    for (let n = 0; n < this.forest.size; n++) prices[this.forest.origin[n]] = this.w[n];
  }

  private grow(length: number): void {
    this.w = new Float64Array(length);
    this.value = new Float64Array(length);
    this.direction = new Float64Array(length);
    this.slope = new Int8Array(length);
    this.high = new Uint8Array(length);
    this.gain = this.margins.map(() => new Float64Array(length));
  }

  /**
   * Climbs for at most `steps` steps, or until the bound reaches `below`; narrows the box on the way. Returns the best bound;
   * Infinity when nothing is left of the box. `look` is shown the chosen segments now and then; what it returns is the new `below`.
   */
  climb(box: SegmentBox, below: number, steps: number, look?: () => number): number {
    let best = Number.NEGATIVE_INFINITY;
    let length = 1;
    let stale = 0;
    let target = below;
    this.conflict.fill(0, 0, this.forest.segments);
    this.direction.fill(0, 0, this.forest.size);
    this.lambdaDirection.fill(0);
    for (let step = 0; step < steps; step++) {
      const bound = this.evaluate(box);
      if (bound === Infinity) return Infinity;
      stale = bound > best + 1e-3 * (target - best) ? 0 : stale + 1;
      if (bound > best) {
        best = bound;
        if (!this.narrow(box, target - bound)) return Infinity;
      }
      if (best >= target) return best;
      if (look && step % LOOK_EVERY === LOOK_EVERY - 1) target = look();
      if (stale > PATIENCE) {
        length *= SHRINK;
        stale = 0;
        if (length < SHORTEST) break;
      }
      if (!this.step(length * (target - bound))) break;
    }
    return best;
  }

  private evaluate(box: SegmentBox): number {
    const { forest, margins } = this;
    let bound = 0;
    let size = 0;
    for (let m = 0; m < margins.length; m++) {
      const term = this.lambda[m] * margins[m].need;
      bound += term;
      size += Math.abs(term);
    }
    this.payFeatures();
    const features = this.chooseSegments(box);
    if (features === Infinity) return Infinity;
    bound += features;
    size += Math.abs(features);
    this.priceTrees(box);
    for (let t = 0; t < forest.root.length; t++) {
      const value = this.value[forest.root[t]];
      bound += value;
      size += Math.abs(value);
    }
    this.compare();
    return bound === Infinity ? Infinity : bound - ROUNDING * size;
  }

  private payFeatures(): void {
    const { forest, paid, floor, w } = this;
    const { feature, cut, size, first } = forest;
    paid.fill(0, 0, forest.segments);
    floor.fill(0);
    for (let n = 0; n < size; n++) {
      const price = w[n];
      if (price === 0) continue;
      const f = feature[n];
      if (f < 0) continue;
      if (this.unordered[f]) {
        const set = forest.set[n]!;
        for (let cell = 0, at = first[f]; at < first[f + 1]; cell++, at++) {
          if (price > 0) paid[at] += set[cell] ? 0 : price;
          else if (set[cell]) paid[at] -= price;
        }
      } else {
        paid[cut[n] + 1] += price;
        if (price < 0) floor[f] -= price;
      }
    }
  }

  /** Each feature's best segment of the box; the sum of their values, or Infinity. */
  private chooseSegments(box: SegmentBox): number {
    const { forest, paid, left, at, floor, least } = this;
    const { first, cost } = forest;
    let total = 0;
    for (let f = 0; f < this.features; f++) {
      const set = box.sets[f];
      const start = first[f];
      let best = Infinity;
      let chosen = -1;
      if (set) {
        for (let s = start; s < first[f + 1]; s++) {
          const value = (left[s] = set[s - start] ? cost[s] - paid[s] : Infinity);
          if (value < best) {
            best = value;
            chosen = s;
          }
        }
      } else {
        let sum = floor[f];
        const [lo, hi] = [box.lo[f], box.hi[f]];
        for (let s = start; s <= hi; s++) {
          sum += paid[s];
          if (s < lo) continue;
          const value = (left[s] = cost[s] - sum);
          if (value < best) {
            best = value;
            chosen = s;
          }
        }
      }
      if (chosen < 0) return Infinity;
      at[f] = chosen;
      least[f] = best;
      total += best;
    }
    return this.maxChanges < this.features ? this.capChanges(box) : total;
  }

  /** At most K features change: the K that gain most by it. */
  private capChanges(box: SegmentBox): number {
    const { forest, at, left, least } = this;
    let total = 0;
    let free = this.maxChanges;
    const changed: { f: number; still: number; gain: number }[] = [];
    for (let f = 0; f < this.features; f++) {
      if (forest.cost[at[f]] === 0) {
        total += least[f];
        continue;
      }
      const still = this.standing(f, box);
      if (still >= 0) {
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
  private standing(f: number, box: SegmentBox): number {
    const { first, cost } = this.forest;
    const set = box.sets[f];
    const from = set ? first[f] : box.lo[f];
    const to = set ? first[f + 1] - 1 : box.hi[f];
    for (let s = from; s <= to; s++) if (cost[s] === 0 && (!set || set[s - first[f]])) return s;
    return -1;
  }

  /** The best leaf of every tree that the box leaves open, from the leaves up. */
  private priceTrees(box: SegmentBox): void {
    const { forest, w, value, lambda, gain, high, at } = this;
    const { feature, cut, low, high: upper, size } = forest;
    const { lo, hi, sets } = box;
    const single = lambda.length === 1;
    const [price, rise] = [lambda[0], gain[0]];
    for (let n = size - 1; n >= 0; n--) {
      const f = feature[n];
      if (f < 0) {
        if (single) value[n] = -price * rise[n];
        else {
          let sum = 0;
          for (let m = 0; m < lambda.length; m++) sum -= lambda[m] * gain[m][n];
          value[n] = sum;
        }
        continue;
      }
      let lowOpen = low[n] >= 0;
      let highOpen = upper[n] >= 0;
      let isHigh: boolean;
      const box1 = sets[f];
      if (box1) {
        const set = forest.set[n]!;
        let [some, others] = [false, false];
        for (let cell = 0; cell < set.length; cell++) {
          if (!box1[cell]) continue;
          if (set[cell]) some = true;
          else others = true;
        }
        lowOpen &&= some;
        highOpen &&= others;
        isHigh = set[at[f] - forest.first[f]] === 0;
      } else {
        lowOpen &&= lo[f] <= cut[n];
        highOpen &&= hi[f] > cut[n];
        isHigh = at[f] > cut[n];
      }
      const own = w[n];
      const toLow = lowOpen ? value[low[n]] + (own < 0 ? -own : 0) : Infinity;
      const toHigh = highOpen ? value[upper[n]] + (own > 0 ? own : 0) : Infinity;
      // Of two equal ways the one that agrees with the feature.
      const goesHigh = toHigh < toLow || (toHigh === toLow && isHigh);
      value[n] = goesHigh ? toHigh : toLow;
      high[n] = +goesHigh;
      this.slope[n] = own > 0 && isHigh ? -1 : own < 0 && !isHigh ? 1 : 0;
    }
  }

  /** Slopes of the splits on the trees' ways, and what the leaves miss of each need. */
  private compare(): void {
    const { forest, slope, high, at, short, margins, gain, conflict } = this;
    const { feature, cut, low, high: upper, root, first } = forest;
    for (let m = 0; m < margins.length; m++) short[m] = margins[m].need;
    for (let t = 0; t < root.length; t++) {
      let n = root[t];
      while (feature[n] >= 0) {
        const f = feature[n];
        const isHigh = this.unordered[f] ? forest.set[n]![at[f] - first[f]] === 0 : at[f] > cut[n];
        const goesHigh = high[n] === 1;
        slope[n] = isHigh === goesHigh ? 0 : goesHigh ? 2 : -2;
        if (isHigh !== goesHigh) conflict[this.unordered[f] ? at[f] : cut[n]]++;
        n = goesHigh ? upper[n] : low[n];
        if (n < 0) return;
      }
      for (let m = 0; m < margins.length; m++) short[m] -= gain[m][n];
    }
  }

  /** A step uphill; false when there is no way up. */
  private step(rise: number): boolean {
    const { forest, slope, direction, w, lambda, lambdaDirection, short, scale } = this;
    let norm = 0;
    for (let n = 0; n < forest.size; n++) {
      const old = direction[n];
      const own = slope[n];
      if (old === 0 && own === 0) continue;
      const next = (own > 0 ? 1 : own < 0 ? -1 : 0) + MOMENTUM * old;
      direction[n] = Math.abs(next) < 1e-3 ? 0 : next;
      norm += direction[n] * direction[n];
    }
    for (let m = 0; m < lambda.length; m++) {
      const own = lambda[m] > 0 || short[m] > 0 ? short[m] * scale[m] : 0;
      lambdaDirection[m] = own + MOMENTUM * lambdaDirection[m];
      norm += lambdaDirection[m] * lambdaDirection[m];
    }
    if (norm < 1e-18) return false;
    const length = rise / norm;
    for (let n = 0; n < forest.size; n++) {
      if (direction[n] === 0) continue;
      const next = w[n] + length * direction[n];
      // A split that no way passes has no price of the other sign to go to.
      w[n] = (slope[n] === 1 || slope[n] === -1) && next * w[n] < 0 ? 0 : next;
    }
    for (let m = 0; m < lambda.length; m++)
      lambda[m] = Math.max(0, lambda[m] + length * lambdaDirection[m] * scale[m]);
    return true;
  }

  /** Drops the segments at the ends, and the categories, that cost `room` more than the chosen one. False: nothing is left. */
  private narrow(box: SegmentBox, room: number): boolean {
    if (this.maxChanges < this.features) return true;
    const { forest, left, least } = this;
    for (let f = 0; f < this.features; f++) {
      const limit = least[f] + room;
      const set = box.sets[f];
      if (set) {
        const start = forest.first[f];
        for (let cell = 0; cell < set.length; cell++) if (set[cell] && left[start + cell] >= limit) set[cell] = 0;
        continue;
      }
      while (box.lo[f] <= box.hi[f] && left[box.lo[f]] >= limit) box.lo[f]++;
      while (box.hi[f] >= box.lo[f] && left[box.hi[f]] >= limit) box.hi[f]--;
      if (box.lo[f] > box.hi[f]) return false;
    }
    return true;
  }
}

const LOOK_EVERY = 10;
