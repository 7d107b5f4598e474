/** The groups of features that the policy couples, with their options. */
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { keepsLink } from '../shared/linear-rows.js';
import { type Coupling, couplingOf } from './coupled-groups.js';
import { type GainOf, GroupOptions, put } from './group-options.js';
import type { Menu } from './menu.js';

export class PolicyGroups {
  /** What the options of the groups take from the sum at most, as a number up to 0. */
  leastGain = 0;
  private readonly coupling: Coupling;
  private readonly groups: readonly GroupOptions[];
  private readonly coupled: ReadonlySet<number>;
  private gainOf: GainOf = () => 0;

  constructor(
    problem: Problem,
    private readonly menu: Menu,
  ) {
    this.coupling = couplingOf(problem);
    const { groups } = this.coupling;
    const gainOf: GainOf = (domain, feature, value) => this.gainOf(domain, feature, value);
    this.groups = groups.map((group, mark) => new GroupOptions(problem, menu, group, mark, gainOf));
    this.coupled = new Set(groups.flatMap(({ features }) => features.map(({ index }) => index)));
  }

  has({ index }: Feature): boolean {
    return this.coupled.has(index);
  }

  /** Adds a class for each group. A constraint that no change can meet adds a class without options. False: too many combinations. */
  fill(domain: Domain, gainOf: GainOf): boolean {
    this.gainOf = gainOf;
    this.leastGain = 0;
    const isKept = this.coupling.constant.every((rows) => rows.some((row) => keepsLink(row, domain.origin)));
    if (!isKept) this.menu.close();
    for (const group of this.groups) {
      if (!group.fill(domain)) return false;
      this.leastGain += group.leastGain;
    }
    return true;
  }

  /** Writes the option of a group into columns. */
  write(mark: number, at: number, x: Float64Array): void {
    this.groups[mark].write(at, (feature, value) => put(x, feature, value));
  }
}
