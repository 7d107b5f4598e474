/**
 * The options of a person for a sum over moves of columns (sums.ts): numbers move to both sides, categories and ranks are points. A feature of
 * which no move helps has no class.
 */
import type { Feature } from '../../models/features.js';
import { changeCost } from '../../policy/cost.js';
import { type Domain, isFixed, mayStand } from '../../policy/domain.js';
import { isListed } from '../../policy/listed-values.js';
import type { Problem } from '../../problems/problem.js';
import { canBe, presentValue } from '../shared/feature-values.js';
import type { Menu } from './menu.js';
import { NumberOptions } from './number-options.js';
import type { Lack, MovedSum } from './sums.js';

/** The source of a person's options. */
export interface OptionSource {
  /** Fills the menu. Null: a number overflows. */
  fill(domain: Domain, nudge: number): Lack | null;
}

export class MovedOptions implements OptionSource {
  private readonly numbers: NumberOptions;
  private readonly free: readonly Feature[];

  constructor(
    private readonly problem: Problem,
    private readonly menu: Menu,
    private readonly sum: MovedSum,
  ) {
    this.numbers = new NumberOptions(problem.cost, menu);
    this.free = problem.rules.filter(({ never }) => !never).map(({ feature }) => feature);
  }

  fill(domain: Domain, nudge: number): Lack | null {
    const { menu, sum, numbers, free } = this;
    const lack = sum.begin(domain, nudge);
    if (!lack) return null;
    menu.begin();
    numbers.enough = lack.need + 2 * lack.slack + lack.depth + this.forcedLoss(domain);
    for (const feature of free) {
      if (isFixed(domain, feature) && mayStand(domain, feature)) continue;
      const mayStay = mayStand(domain, feature);
      const isListing = isListed(feature);
      if (isListing) this.addListed(domain, feature, mayStay);
      else if (!numbers.add(domain, feature, sum.slopes[feature.column], sum.bends[feature.column], mayStay))
        return null;
      if (mayStay && menu.isStarted) menu.addPoint(feature.index, Number.NaN, 0, 0, 0);
      if (!mayStay || menu.isStarted) menu.close();
    }
    return lack;
  }

  /** What features that may not stay take from the sum at most. */
  private forcedLoss(domain: Domain): number {
    let loss = 0;
    for (const feature of this.free) {
      if (mayStand(domain, feature)) continue;
      const { column, max } = feature;
      let least = 0;
      if (!isListed(feature))
        least = NumberOptions.forcedGain(domain, feature, this.sum.slopes[column], this.sum.bends[column]);
      else
        for (let k = 0; k <= max; k++)
          if (canBe(domain, feature, k)) least = Math.min(least, this.gainOf(domain, feature, k));
      loss += Math.max(0, -least);
    }
    return loss;
  }

  private addListed(domain: Domain, feature: Feature, mayStay: boolean): void {
    const { index, max } = feature;
    const here = presentValue(feature, domain.origin);
    for (let k = 0; k <= max; k++) {
      if (k === here || !canBe(domain, feature, k)) continue;
      const gain = this.gainOf(domain, feature, k);
      if (mayStay && !(gain > 0)) continue;
      this.menu.addPoint(index, k, changeCost(this.problem.cost, feature, here, k), gain, 1);
    }
  }

  private gainOf({ origin }: Domain, { kind, column, width }: Feature, value: number): number {
    const { slopes, bends } = this.sum;
    let gain = 0;
    for (let c = column; c < column + width; c++) {
      const move = (kind === 'choice' ? +(c - column === value) : value) - origin[c];
      if (move !== 0) gain += move * (slopes[c] + bends[c] * move);
    }
    return gain;
  }
}
