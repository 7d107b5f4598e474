/**
 * The cost for one person to enter a box of leaf-boxes.ts, feature by feature. From the present value a cut is
 * crossed in one direction only. Each cut therefore has one price, and a box costs the prices of the cuts that lie before the box:
 *
 *   separable cost   Σ_f price_f, attained by the point that changes only the features of these cuts
 *   mahalanobis      max_f Δ_f²/S_ff + the weights of changed categories: a lower bound
 *
 * Prices of lattices and decimals are first the prices of the cut itself, a lower bound. Their points are searched only in promising boxes.
 * Where the domain excludes the present value, the nearest value of the domain replaces the present value. A missing value stays missing:
 * it lies in a box if every split on the path sends missing values there.
 */
import type { Feature } from '../../../models/features.js';
import { goesLeft } from '../../../models/trees/tree.js';
import { changeCost } from '../../../policy/cost.js';
import { type Domain, mayStand, pin } from '../../../policy/domain.js';
import { narrowTo, nearestWithin } from '../../../policy/values.js';
import type { Problem } from '../../../problems/problem.js';
import { costFactor } from '../../projection/cost-factor.js';
import { closeCells, type FeatureCells, presentCell, valueIn } from '../cells/cells.js';
import { type LeafBoxes, NO_CUT_ABOVE, NO_CUT_BELOW } from './leaf-boxes.js';

export class LeafPrices {
  /** By box: a lower bound on the cost of its points; Infinity: out of reach. */
  readonly bound: Float64Array;
  private readonly columns: Int32Array;
  private domain!: Domain;
  // By feature, at the person's position: the value, its cost, whether it is a change, and its cell.
  private readonly stand: Float64Array;
  private readonly base: Float64Array;
  private readonly leaves: Uint8Array;
  private readonly cell: Int32Array;
  /** By ordered feature: its first cut that is not below the person. */
  private readonly position: Int32Array;
  /** By feature: the present value has no cell (missing, or imputed by no single category), so the splits decide. */
  private readonly odd: Uint8Array;
  private readonly cutPrice: Float64Array;
  /** By cut: the nearest value beyond the cut; valid where `found` is set. */
  private readonly cutValue: Float64Array;
  private readonly found: Uint8Array;
  /** By unordered feature and cell. */
  private readonly cellPrice: Float64Array[];
  private readonly cellValue: Float64Array[];
  /** By feature, under mahalanobis: the variance of a numeric feature; 0: prices are added. */
  private readonly variance: Float64Array;

  constructor(
    private readonly problem: Problem,
    private readonly boxes: LeafBoxes,
  ) {
    const { features } = problem.space;
    const perFeature = () => new Float64Array(features.length);
    const cuts = boxes.end.length;
    this.bound = new Float64Array(boxes.count);
    this.columns = Int32Array.from(features, ({ column }) => column);
    this.stand = perFeature();
    this.base = perFeature();
    this.leaves = new Uint8Array(features.length);
    this.cell = new Int32Array(features.length);
    this.position = new Int32Array(features.length);
    this.odd = new Uint8Array(features.length);
    this.cutPrice = new Float64Array(cuts);
    this.cutValue = new Float64Array(cuts);
    this.found = new Uint8Array(cuts);
    const perCell = () => boxes.cells.features.map(({ unordered, count }) => new Float64Array(unordered ? count : 0));
    this.cellPrice = perCell();
    this.cellValue = perCell();
    this.variance = variances(problem);
  }

  /** Takes a person and bounds every box. False: the domain is empty. */
  fill(domain: Domain): boolean {
    this.domain = domain;
    this.found.fill(0);
    for (const layout of this.boxes.cells.features) {
      if (!(layout.unordered ? this.fillCells(layout) : this.fillCuts(layout.feature))) return false;
    }
    this.boundBoxes();
    return true;
  }

  private fillCells(layout: FeatureCells): boolean {
    const { domain } = this;
    const { feature } = layout;
    const f = feature.index;
    const prices = this.cellPrice[f];
    const present = presentCell(layout, domain.origin);
    const from = feature.kind === 'choice' ? present : domain.origin[feature.column];
    this.odd[f] = +(present < 0);
    let cheapest = 0;
    for (let cell = 0; cell < prices.length; cell++) {
      const value = valueIn(layout, cell, domain);
      this.cellValue[f][cell] = value;
      prices[cell] = Number.isNaN(value) ? Infinity : this.price(feature, from, value);
      if (prices[cell] < prices[cheapest]) cheapest = cell;
    }
    const stays = Number.isNaN(domain.origin[feature.column]) || mayStand(domain, feature);
    this.leaves[f] = +!stays;
    this.cell[f] = stays ? present : cheapest;
    this.base[f] = stays ? 0 : prices[cheapest];
    return this.base[f] < Infinity;
  }

  private fillCuts(feature: Feature): boolean {
    const { domain } = this;
    const { index: f, column } = feature;
    const here = domain.origin[column];
    this.odd[f] = +Number.isNaN(here);
    this.leaves[f] = +(here < domain.lower[column] || here > domain.upper[column]);
    const stand = this.leaves[f] ? nearestWithin(domain, feature, Number.NEGATIVE_INFINITY, Infinity) : here;
    this.stand[f] = stand;
    this.base[f] = this.leaves[f] ? this.price(feature, here, stand) : 0;
    if (this.leaves[f] && Number.isNaN(stand)) return false;
    this.priceCuts(feature, here, stand);
    return true;
  }

  private priceCuts(feature: Feature, here: number, stand: number): void {
    const { boxes, domain, cutPrice } = this;
    const { index: f, column } = feature;
    const lower = domain.lower[column];
    const upper = domain.upper[column];
    const last = boxes.cutStart[f + 1];
    let cut = boxes.cutStart[f];
    for (; cut < last && stand > boxes.end[cut]; cut++) {
      const end = boxes.end[cut];
      cutPrice[cut] = end >= lower ? this.price(feature, here, end) : Infinity;
    }
    this.position[f] = cut;
    for (; cut < last; cut++) {
      const end = boxes.start[cut];
      cutPrice[cut] = end <= upper ? this.price(feature, here, end) : Infinity;
    }
  }

  private price(feature: Feature, from: number, to: number): number {
    const variance = this.variance[feature.index];
    return variance > 0 ? (to - from) ** 2 / variance : changeCost(this.problem.cost, feature, from, to);
  }

  private boundBoxes(): void {
    const { boxes, bound, base, leaves, variance } = this;
    let forced = 0;
    let total = 0;
    let most = 0;
    for (let f = 0; f < base.length; f++) {
      forced += leaves[f];
      if (variance[f] > 0) most = Math.max(most, base[f]);
      else total += base[f];
    }
    for (let b = 0; b < bound.length; b++) {
      let changes = forced;
      let sum = total;
      let largest = most;
      for (let k = boxes.first[b]; k < boxes.first[b + 1]; k++) {
        if (this.stands(k)) continue;
        const f = boxes.feature[k];
        const price = this.crossingPrice(k);
        changes += 1 - leaves[f];
        if (variance[f] > 0) largest = Math.max(largest, price);
        else sum += price - base[f];
      }
      bound[b] = changes > this.problem.maxChanges ? Infinity : sum + largest;
    }
  }

  /** Whether the person meets a bound already. */
  private stands(k: number): boolean {
    const { boxes } = this;
    const f = boxes.feature[k];
    if (this.odd[f]) return this.leaves[f] === 0 && this.followsTurns(k);
    const set = boxes.sets[k];
    if (set) return set[this.cell[f]] === 1;
    return boxes.above[k] < this.position[f] && boxes.below[k] >= this.position[f];
  }

  private followsTurns(k: number): boolean {
    const { cells, turns } = this.boxes;
    const { forest } = cells.atom;
    return turns[k].every((turn) => {
      const column = forest.feature[turn >> 1];
      return +goesLeft(forest, turn >> 1, this.domain.origin[column]) === (turn & 1);
    });
  }

  /** The price to meet a bound that the person does not meet. */
  private crossingPrice(k: number): number {
    const f = this.boxes.feature[k];
    if (Number.isNaN(this.domain.origin[this.columns[f]])) return Infinity;
    const set = this.boxes.sets[k];
    return set ? (this.cellPrice[f][this.cheapestCell(f, set)] ?? Infinity) : this.cutPrice[this.crossed(k)];
  }

  /** The cut that has to be crossed to meet a bound. */
  private crossed(k: number): number {
    const { above, below, feature } = this.boxes;
    return above[k] >= this.position[feature[k]] ? above[k] : below[k];
  }

  /** -1: the set is empty. */
  private cheapestCell(f: number, set: Uint8Array): number {
    const prices = this.cellPrice[f];
    let best = set.indexOf(1);
    for (let cell = best + 1; cell < set.length; cell++) if (set[cell] && prices[cell] < prices[best]) best = cell;
    return best;
  }

  /** Writes the cheapest point of a box under a separable cost and returns its cost; Infinity: no point exists. */
  place(b: number, x: Float64Array): number {
    const { boxes } = this;
    this.placeStanding(x);
    let total = 0;
    for (let f = 0; f < this.base.length; f++) total += this.base[f];
    for (let k = boxes.first[b]; k < boxes.first[b + 1]; k++) {
      if (this.stands(k)) continue;
      const f = boxes.feature[k];
      total += this.cross(k, x) - this.base[f];
    }
    return total;
  }

  private placeStanding(x: Float64Array): void {
    x.set(this.domain.origin);
    for (let f = 0; f < this.leaves.length; f++) {
      if (!this.leaves[f]) continue;
      const { feature, unordered } = this.boxes.cells.features[f];
      writeValue(feature, unordered ? this.cellValue[f][this.cell[f]] : this.stand[f], x);
    }
  }

  private cross(k: number, x: Float64Array): number {
    const { boxes } = this;
    const f = boxes.feature[k];
    const { feature } = boxes.cells.features[f];
    const set = boxes.sets[k];
    if (set) {
      const cell = this.cheapestCell(f, set);
      writeValue(feature, this.cellValue[f][cell], x);
      return this.cellPrice[f][cell];
    }
    const value = this.beyond(this.crossed(k), feature);
    if (!this.isInside(k, value)) return Infinity;
    x[feature.column] = value;
    return this.price(feature, this.domain.origin[feature.column], value);
  }

  /** The nearest value to the present one beyond a cut; NaN: the domain ends before the cut. */
  private beyond(cut: number, feature: Feature): number {
    if (this.found[cut]) return this.cutValue[cut];
    const isAbove = cut >= this.position[feature.index];
    const { end, start } = this.boxes;
    this.cutValue[cut] = isAbove
      ? nearestWithin(this.domain, feature, start[cut], Infinity)
      : nearestWithin(this.domain, feature, Number.NEGATIVE_INFINITY, end[cut]);
    this.found[cut] = 1;
    return this.cutValue[cut];
  }

  private isInside(k: number, value: number): boolean {
    const { boxes } = this;
    const above = boxes.above[k];
    const below = boxes.below[k];
    if (Number.isNaN(value) || (above !== NO_CUT_ABOVE && value <= boxes.end[above])) return false;
    return below === NO_CUT_BELOW || value <= boxes.end[below];
  }

  /**
   * Narrows a copy of the person's domain to a box. False: the result differs from the box. A category whose present value is an imputer's
   * mixture is left out; numbers between two listed numbers of a set stay in.
   */
  narrow(b: number, domain: Domain): boolean {
    const { boxes } = this;
    let whole = true;
    for (let k = boxes.first[b]; k < boxes.first[b + 1]; k++) {
      const f = boxes.feature[k];
      const layout = boxes.cells.features[f];
      if (Number.isNaN(domain.origin[layout.feature.column])) continue;
      if (this.odd[f] && this.stands(k)) {
        whole = false;
        pin(domain, layout.feature);
      } else if (boxes.sets[k]) whole = closeCells(layout, boxes.sets[k]!, domain) && whole;
      else this.narrowEnds(k, layout.feature, domain);
    }
    return whole;
  }

  private narrowEnds(k: number, feature: Feature, domain: Domain): void {
    const { boxes } = this;
    const [above, below] = [boxes.above[k], boxes.below[k]];
    const low = above === NO_CUT_ABOVE ? Number.NEGATIVE_INFINITY : boxes.start[above];
    narrowTo(domain, feature, low, below === NO_CUT_BELOW ? Infinity : boxes.end[below]);
  }
}

/** S_ff from the factor of S; 0 for features whose prices are added. */
function variances(problem: Problem): Float64Array {
  const out = new Float64Array(problem.space.features.length);
  if (!problem.cost.metric) return out;
  const factor = costFactor(problem);
  for (const { index, column } of problem.cost.metric.features)
    out[index] = factor[column].reduce((sum, entry) => sum + entry * entry, 0);
  return out;
}

function writeValue({ kind, column, width }: Feature, value: number, x: Float64Array): void {
  if (kind !== 'choice') x[column] = value;
  else for (let k = 0; k < width; k++) x[column + k] = +(k === value);
}
