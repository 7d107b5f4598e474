/** The people by the value of one feature. */
import type { RowValue } from '../../documents/model-document.js';
import { valueInWords } from '../words.js';
import { GroupTally } from './group-tally.js';
import { NumberRanges } from './number-ranges.js';
import type { PersonResult } from './person-result.js';

/** A feature with more values of text names people rather than groups. */
export const MOST_GROUPS = 50;

export interface PeopleGroup {
  readonly name: string;
  readonly value?: RowValue;
  readonly from?: number;
  readonly to?: number;
  readonly isToIncluded?: boolean;
  readonly tally: GroupTally;
}

export class GroupingCounts {
  readonly #numbers = new NumberRanges();
  readonly #values = new Map<RowValue, GroupTally>();
  #hasTooMany = false;

  constructor(readonly feature: string) {}

  add(person: PersonResult): void {
    const { factual } = person;
    if (this.#hasTooMany || !factual || !Object.hasOwn(factual.features, this.feature)) return;
    const value = factual.features[this.feature];
    (typeof value === 'number' ? this.#numbers.tallyOf(value) : this.#tallyOf(value))?.add(person);
  }

  #tallyOf(value: RowValue): GroupTally | undefined {
    const known = this.#values.get(value);
    if (known) return known;
    this.#hasTooMany = this.#values.size >= MOST_GROUPS;
    if (this.#hasTooMany) return undefined;
    const tally = new GroupTally();
    this.#values.set(value, tally);
    return tally;
  }

  get kind(): 'values' | 'ranges' | 'too-many' | 'missing' {
    if (this.#hasTooMany) return 'too-many';
    if (!this.#numbers.isEmpty) return this.#numbers.isCut ? 'ranges' : 'values';
    return this.#values.size > 0 ? 'values' : 'missing';
  }

  /** Numbers in rising order, then other values by their number of people. */
  groups(smallest: number): PeopleGroup[] {
    if (this.#hasTooMany) return [];
    const named = [...this.#values].map(([value, tally]) => ({ name: valueInWords(value), value, tally }));
    const bySize = named.sort((a, b) => b.tally.people - a.tally.people || (a.name < b.name ? -1 : 1));
    return [...this.#numbers.groups(smallest), ...bySize];
  }
}
