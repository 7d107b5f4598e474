/** The reasons of people without an answer: blocking entries, relaxations, and faults by kind. */
import type { SummaryDocument } from '../../documents/summary-document.js';
import { commonestReasons, countReasons, type ReasonCounts } from '../reason-counts.js';
import { distributionOf } from './figures.js';
import { KeyCounts } from './key-counts.js';
import type { PersonResult } from './person-result.js';
import { ValueCounts } from './value-counts.js';

const SHOWN = 20;
const MOST_ENTRIES = 500;
const EXACT_COSTS = 256;
const MOST_CHARACTERS = 300;

export class ReasonSummary {
  readonly #blocking = new KeyCounts<string>(MOST_ENTRIES);
  readonly #relaxations = new Map<string, ValueCounts>();
  readonly #kinds: ReasonCounts = new Map();
  #noSingleEntry = 0;
  #undetermined = 0;

  add({ status, reason }: PersonResult): void {
    if (!reason) return;
    if (status !== 'infeasible') countReasons(this.#kinds, status, reason);
    const { blocking = [], relaxation } = reason;
    for (const entry of blocking) this.#blocking.add(entry);
    if (relaxation === null) this.#noSingleEntry++;
    else if (relaxation === 'undetermined') this.#undetermined++;
    else if (typeof relaxation === 'object') this.#relax(relaxation.entry, relaxation.cost);
  }

  #relax(entry: string, cost: number): void {
    const known = this.#relaxations.get(entry);
    if (known) known.add(cost);
    else if (this.#relaxations.size < MOST_ENTRIES) {
      const costs = new ValueCounts(EXACT_COSTS);
      costs.add(cost);
      this.#relaxations.set(entry, costs);
    }
  }

  summarise(): SummaryDocument['reasons'] {
    const relaxed = [...this.#relaxations].sort((a, b) => b[1].count - a[1].count || (a[0] < b[0] ? -1 : 1));
    return {
      blocking: this.#blocking
        .ranked()
        .slice(0, SHOWN)
        .map(([entry, people]) => ({ entry, people })),
      relaxations: relaxed.slice(0, SHOWN).map(([entry, costs]) => {
        return { entry, people: costs.count, cost: distributionOf(costs)! };
      }),
      noSingleEntry: this.#noSingleEntry,
      undetermined: this.#undetermined,
      notFound: this.#commonest('not-found'),
      invalid: this.#commonest('invalid'),
    };
  }

  #commonest(status: 'not-found' | 'invalid') {
    const shown = commonestReasons(this.#kinds, status).slice(0, SHOWN);
    return shown.map(({ rows, words }) => ({ reason: words.slice(0, MOST_CHARACTERS), people: rows }));
  }
}
