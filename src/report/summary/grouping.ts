/** The people by the value of one feature. */
import type { RowValue } from '../../documents/model-document.js';
import { valueInWords } from '../words.js';
import type { PeopleTally } from './group-tally.js';
import { NumberRanges } from './number-ranges.js';
import type { PersonResult } from './person-result.js';

/** A feature with more values of text names people rather than groups. */
export const MOST_GROUPS = 50;

export interface PeopleGroup<T> {
  readonly name: string;
  readonly value?: RowValue;
  readonly from?: number;
  readonly to?: number;
  readonly isToIncluded?: boolean;
  readonly tally: T;
}

export class GroupingCounts<P extends Pick<PersonResult, 'factual'>, T extends PeopleTally<P, T>> {
  readonly #numbers: NumberRanges<T>;
  readonly #values = new Map<RowValue, T>();
  readonly #create: () => T;
  #hasTooMany = false;

  /** `create`: an empty tally. */
  constructor(
    readonly feature: string,
    create: () => T,
  ) {
    this.#create = create;
    this.#numbers = new NumberRanges(create);
  }

  add(person: P): void {
    const { factual } = person;
    if (this.#hasTooMany || !factual || !Object.hasOwn(factual.features, this.feature)) return;
    const value = factual.features[this.feature];
    (typeof value === 'number' ? this.#numbers.tallyOf(value) : this.#tallyOf(value))?.add(person);
  }

  #tallyOf(value: RowValue): T | undefined {
    const known = this.#values.get(value);
    if (known) return known;
    this.#hasTooMany = this.#values.size >= MOST_GROUPS;
    if (this.#hasTooMany) return undefined;
    const tally = this.#create();
    this.#values.set(value, tally);
    return tally;
  }

  get kind(): 'values' | 'ranges' | 'too-many' | 'missing' {
    if (this.#hasTooMany) return 'too-many';
    if (!this.#numbers.isEmpty) return this.#numbers.isCut ? 'ranges' : 'values';
    return this.#values.size > 0 ? 'values' : 'missing';
  }

  /** Numbers in rising order, then other values by their number of people. */
  groups(smallest: number): PeopleGroup<T>[] {
    if (this.#hasTooMany) return [];
    const named = [...this.#values].map(([value, tally]) => ({ name: valueInWords(value), value, tally }));
    const bySize = named.sort((a, b) => b.tally.people - a.tally.people || (a.name < b.name ? -1 : 1));
    return [...this.#numbers.groups(smallest), ...bySize];
  }
}
