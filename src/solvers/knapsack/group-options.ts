/**
 * The options of a group of coupled features: all combinations of their values that keep the constraints of the policy. Where the present values
 * keep them, a combination that gains nothing is no option.
 */
import type { Feature } from '../../models/features.js';
import { changeCost } from '../../policy/cost.js';
import { type Domain, mayStand } from '../../policy/domain.js';
import { isListed } from '../../policy/listed-values.js';
import { countValues, valuesOf } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import type { CoupledGroup } from './coupled-groups.js';
import { canBe, presentValue } from './feature-values.js';
import { grown, type Menu } from './menu.js';
import { RowChoice } from './row-choice.js';

/** More combinations take too long. */
const MOST_COMBINATIONS = 40_000;

/** What a value of a feature adds to the sum. */
export type GainOf = (domain: Domain, feature: Feature, value: number) => number;

interface Member {
  readonly feature: Feature;
  /** NaN: the present columns. */
  readonly values: number[];
  readonly gains: number[];
  readonly costs: number[];
  /** The present columns. */
  readonly present: Float64Array;
}

export class GroupOptions {
  /** By combination and member. */
  values = new Float64Array(64);
  /** The least gain of the last person's options. */
  leastGain = 0;
  private size = 0;
  private readonly x: Float64Array;
  private readonly chosen: Float64Array;
  private members: readonly Member[] = [];
  private isHome = false;
  /** By member: the constraints that are known with it. */
  private readonly known: readonly (readonly RowChoice[])[];

  /** `mark`: the group's number among the groups. */
  constructor(
    private readonly problem: Problem,
    private readonly menu: Menu,
    private readonly group: CoupledGroup,
    private readonly mark: number,
    private readonly gainOf: GainOf,
  ) {
    this.x = new Float64Array(problem.space.columns);
    this.chosen = new Float64Array(group.features.length);
    this.known = group.known.map((constraints) => constraints.map((rows) => new RowChoice(rows)));
  }

  /** Adds the group's class. False: too many combinations. */
  fill(domain: Domain): boolean {
    const { group, menu, x } = this;
    const count = group.features.reduce((product, feature) => product * sizeOf(domain, feature), 1);
    if (!(count <= MOST_COMBINATIONS)) return false;
    for (let c = 0; c < x.length; c++) x[c] = Number.isNaN(domain.origin[c]) && this.isCategory(c) ? 0 : domain.origin[c];
    this.members = group.features.map((feature) => this.memberOf(domain, feature));
    this.size = this.leastGain = 0;
    this.isHome = group.features.every((feature) => mayStand(domain, feature)) && group.known.every((_, at) => this.keeps(at));
    this.combine(0, 0, 0, 0);
    menu.close();
    return true;
  }

  /** Writes a combination into columns. */
  write(at: number, put: (feature: Feature, value: number) => void): void {
    const { features } = this.group;
    for (let k = 0; k < features.length; k++) put(features[k], this.values[at * features.length + k]);
  }

  private isCategory(c: number): boolean {
    const { features, owner } = this.problem.space;
    return features[owner[c]].kind === 'choice';
  }

  private memberOf(domain: Domain, feature: Feature): Member {
    const here = presentValue(feature, domain.origin);
    const others = isListed(feature)
      ? Array.from({ length: feature.max + 1 }, (_, k) => k).filter((k) => canBe(domain, feature, k))
      : Number.isNaN(here)
        ? []
        : [...valuesOf(domain, feature)];
    const moved = others.filter((value) => value !== here);
    const values = mayStand(domain, feature) || Number.isNaN(here) ? [Number.NaN, ...moved] : moved;
    return {
      feature,
      values,
      gains: values.map((value) => (Number.isNaN(value) ? 0 : this.gainOf(domain, feature, value))),
      costs: values.map((value) => (Number.isNaN(value) ? 0 : changeCost(this.problem.cost, feature, here, value))),
      present: this.x.slice(feature.column, feature.column + feature.width),
    };
  }

  private combine(k: number, cost: number, gain: number, changes: number): void {
    if (k === this.members.length) {
      this.add(cost, gain, changes);
      return;
    }
    const { feature, values, gains, costs, present } = this.members[k];
    const { x, chosen } = this;
    const most = this.problem.maxChanges;
    for (let v = 0; v < values.length; v++) {
      const value = values[v];
      const isMoved = value === value;
      if (isMoved && changes >= most) break;
      chosen[k] = value;
      if (isMoved) put(x, feature, value);
      if (this.keeps(k)) this.combine(k + 1, cost + costs[v], gain + gains[v], isMoved ? changes + 1 : changes);
    }
    for (let i = 0; i < feature.width; i++) x[feature.column + i] = present[i];
  }

  /** Whether the constraints hold that are known with a member. */
  private keeps(k: number): boolean {
    const known = this.known[k];
    for (let i = 0; i < known.length; i++) if (!known[i].holds(this.x)) return false;
    return true;
  }

  private add(cost: number, gain: number, changes: number): void {
    if (this.isHome && changes > 0 && !(gain > 0)) return;
    const { chosen } = this;
    const start = this.size * chosen.length;
    while (this.values.length < start + chosen.length) this.values = grown(this.values);
    this.values.set(chosen, start);
    this.menu.addPoint(~this.mark, this.size++, cost, gain, changes);
    if (gain < this.leastGain) this.leastGain = gain;
  }
}

/** The number of values; 1 for a missing value. */
function sizeOf(domain: Domain, feature: Feature): number {
  if (isListed(feature)) return feature.max + 1;
  return Number.isNaN(domain.origin[feature.column]) ? 1 : countValues(domain, feature);
}

/** Writes a value into the columns of a feature. */
export function put(x: Float64Array, { kind, column, width }: Feature, value: number): void {
  if (Number.isNaN(value)) return;
  if (kind === 'choice') x.fill(0, column, column + width)[column + value] = 1;
  else x[column] = value;
}
