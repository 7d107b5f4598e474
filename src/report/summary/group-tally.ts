/** The counts of one group of people. Tallies of ranges can be added up. */
import { KeyCounts } from './key-counts.js';
import type { PersonResult } from './person-result.js';
import { ValueCounts } from './value-counts.js';

const EXACT_COSTS = 1024;

/** Counts of people that can be added up. */
export interface PeopleTally<P, T> {
  readonly people: number;
  /** The people without the target, by whose number groups are suppressed. */
  readonly asked: number;
  add(person: P): void;
  merge(other: T): void;
}

export class GroupTally implements PeopleTally<PersonResult, GroupTally> {
  people = 0;
  already = 0;
  found = 0;
  infeasible = 0;
  notFound = 0;
  readonly costs = new ValueCounts(EXACT_COSTS);
  readonly changes = new KeyCounts<string>();

  add({ status, answer }: PersonResult): void {
    this.people++;
    if (status === 'already') this.already++;
    else if (status === 'infeasible') this.infeasible++;
    else if (status === 'not-found') this.notFound++;
    if (!answer) return;
    this.found++;
    this.costs.add(answer.cost);
    for (const { feature } of answer.changes) this.changes.add(feature);
  }

  merge(other: GroupTally): void {
    for (const key of ['people', 'already', 'found', 'infeasible', 'notFound'] as const) this[key] += other[key];
    this.costs.merge(other.costs);
    this.changes.merge(other.changes);
  }

  /** The people without the target. */
  get asked(): number {
    return this.found + this.infeasible + this.notFound;
  }
}

/** Adds tallies to `total`. */
export function mergeTallies<T extends PeopleTally<never, T>>(tallies: Iterable<T>, total: T): T {
  for (const tally of tallies) total.merge(tally);
  return total;
}
