/** The counts of people under two models or policies. Tallies of ranges can be added up. */

import type { PeopleTally } from '../summary/group-tally.js';
import { KeyCounts } from '../summary/key-counts.js';
import type { PersonResult } from '../summary/person-result.js';
import { ValueCounts } from '../summary/value-counts.js';

export interface PersonPair extends Pick<PersonResult, 'factual'> {
  readonly before: PersonResult;
  readonly after: PersonResult;
}

const EXACT_COSTS = 1024;
const REACHING: readonly PersonResult['status'][] = ['found', 'already'];
/** Costs that differ by rounding only are the same. */
const EQUAL = 1e-9;

export class PairTally implements PeopleTally<PersonPair, PairTally> {
  people = 0;
  /** People without target and answer on the first side, and those of them who gain. */
  asked = 0;
  gained = 0;
  gainedProved = 0;
  lost = 0;
  lostProved = 0;
  same = 0;
  readonly costsBefore = new ValueCounts(EXACT_COSTS);
  readonly costsAfter = new ValueCounts(EXACT_COSTS);
  /** The sizes of differences of costs, by their direction. */
  readonly cheaper = new ValueCounts(EXACT_COSTS);
  readonly dearer = new ValueCounts(EXACT_COSTS);
  readonly statuses = new KeyCounts<string>();

  add({ before, after }: PersonPair): void {
    this.people++;
    this.statuses.add(`${before.status} ${after.status}`);
    this.#countOutcome(before.status, after.status);
    if (before.answer) this.costsBefore.add(before.answer.cost);
    if (after.answer) this.costsAfter.add(after.answer.cost);
    if (before.answer && after.answer) this.#countDifference(before.answer.cost, after.answer.cost);
  }

  #countOutcome(before: PersonResult['status'], after: PersonResult['status']): void {
    const reaches = REACHING.includes(after);
    if (!REACHING.includes(before)) this.asked++;
    if (REACHING.includes(before) === reaches) return;
    if (reaches) {
      this.gained++;
      if (before === 'infeasible') this.gainedProved++;
    } else {
      this.lost++;
      if (after === 'infeasible') this.lostProved++;
    }
  }

  #countDifference(before: number, after: number): void {
    const size = Math.abs(after - before);
    if (size <= EQUAL * Math.max(before, after)) this.same++;
    else (after < before ? this.cheaper : this.dearer).add(size);
  }

  merge(other: PairTally): void {
    for (const key of ['people', 'asked', 'gained', 'gainedProved', 'lost', 'lostProved', 'same'] as const)
      this[key] += other[key];
    for (const key of ['costsBefore', 'costsAfter', 'cheaper', 'dearer'] as const) this[key].merge(other[key]);
    this.statuses.merge(other.statuses);
  }
}
