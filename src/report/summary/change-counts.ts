/** The changes of one feature in the cheapest answers: how many, in which direction, by how much. */
import type { RowValue } from '../../documents/model-document.js';
import type { ChangeSummary } from '../../documents/summary-document.js';
import { distributionOf, rateOf } from './figures.js';
import { KeyCounts } from './key-counts.js';
import type { PersonChange } from './person-result.js';
import { ValueCounts } from './value-counts.js';

const SHOWN_VALUES = 5;
const MOST_VALUES = 500;
const EXACT_SIZES = 1024;

export class ChangeCounts {
  answers = 0;
  #increases = 0;
  #decreases = 0;
  readonly #increase = new ValueCounts(EXACT_SIZES);
  readonly #decrease = new ValueCounts(EXACT_SIZES);
  /** By JSON of the values before and after. */
  readonly #values = new KeyCounts<string>(MOST_VALUES);

  add({ from, to }: PersonChange): void {
    this.answers++;
    const direction = Math.sign(orderOf(to) - orderOf(from));
    if (direction > 0) this.#increases++;
    if (direction < 0) this.#decreases++;
    if (typeof from === 'number' && typeof to === 'number')
      (direction > 0 ? this.#increase : this.#decrease).add(Math.abs(to - from));
    else if (typeof to !== 'number') this.#values.add(JSON.stringify(from === undefined ? [to] : [to, from]));
  }

  summarise(feature: string, found: number): ChangeSummary {
    const [increase, decrease] = [distributionOf(this.#increase), distributionOf(this.#decrease)];
    return {
      feature,
      answers: rateOf(this.answers, found),
      increases: this.#increases,
      decreases: this.#decreases,
      ...(increase && { increase }),
      ...(decrease && { decrease }),
      values: this.#values.ranked().slice(0, SHOWN_VALUES).map(changedValue),
    };
  }
}

function changedValue([key, answers]: [string, number]): ChangeSummary['values'][number] {
  const [to, from] = JSON.parse(key) as RowValue[];
  return from === undefined ? { to, answers } : { from, to, answers };
}

/** NaN for a category: its order is not known here. */
const orderOf = (value: RowValue | undefined): number =>
  typeof value === 'number' || typeof value === 'boolean' ? Number(value) : Number.NaN;
