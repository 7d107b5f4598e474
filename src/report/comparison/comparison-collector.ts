/**
 * The results of the same people under two models or policies, in one pass: pairs in, a comparison document out. The memory does not grow
 * with the people.
 */
import type { ComparisonDocument } from '../../documents/comparison-document.js';
import { ElsewiseError } from '../../documents/error.js';
import { distributionOf, rateOf } from '../summary/figures.js';
import { GroupingCounts } from '../summary/grouping.js';
import { KeyCounts } from '../summary/key-counts.js';
import type { PersonResult } from '../summary/person-result.js';
import { ReasonSummary } from '../summary/reason-summary.js';
import { SAMPLE_SEED, SMALLEST_GROUP, SummaryCollector } from '../summary/summary-collector.js';
import { ValueCounts } from '../summary/value-counts.js';
import { comparisonInWords } from './comparison-words.js';
import { commonHistogram, compareCosts, directionTest } from './pair-figures.js';
import { comparedGroupings } from './pair-groups.js';
import { PairTally, type PersonPair } from './pair-tally.js';

export interface ComparisonOptions {
  /** The second side in words: `features.collateral removed`. */
  readonly change: string;
  readonly solved: ComparisonDocument['solved'];
  /** Whether both sides measure costs alike. */
  readonly hasSameCosts: boolean;
  readonly by?: readonly string[];
  readonly smallestGroup?: number;
  readonly seed?: number;
}

const MOST_PAIRS = 20;

/** Whether an answer is missing: neither the target nor a way to it. */
export const isWithoutAnswer = ({ status }: Pick<PersonResult, 'status'>): boolean =>
  status === 'infeasible' || status === 'not-found';

export class ComparisonCollector {
  readonly #options: Required<ComparisonOptions>;
  readonly #before: SummaryCollector;
  readonly #after: SummaryCollector;
  readonly #reasons = new ReasonSummary();
  readonly #read = { people: 0, withoutAnswer: 0, infeasible: 0 };
  readonly #readCosts = new ValueCounts();
  readonly #pairs = new PairTally();
  readonly #predictions = { same: 0, differing: 0 };
  readonly #classes = new KeyCounts<string>();
  readonly #groupings: readonly GroupingCounts<PersonPair, PairTally>[];
  #people = 0;

  constructor(options: ComparisonOptions) {
    const { by = [], smallestGroup = SMALLEST_GROUP, seed = SAMPLE_SEED } = options;
    this.#options = { ...options, by, smallestGroup, seed };
    this.#before = new SummaryCollector({ seed, smallestGroup });
    this.#after = new SummaryCollector({ seed, smallestGroup });
    this.#groupings = by.map((feature) => new GroupingCounts(feature, () => new PairTally()));
  }

  /** Notes a result of the first side. Returns whether the person is to be compared. */
  read(person: PersonResult): boolean {
    this.#read.people++;
    if (isWithoutAnswer(person)) this.#read.withoutAnswer++;
    if (person.status === 'infeasible') this.#read.infeasible++;
    if (person.answer) this.#readCosts.add(person.answer.cost);
    this.#reasons.add(person);
    return this.#options.solved === 'all' || isWithoutAnswer(person);
  }

  /** Both results of one person. */
  add(before: PersonResult, after: PersonResult): void {
    if (before.id !== after.id) throw otherPerson(before.id, after.id);
    this.#people++;
    this.#before.add(before);
    this.#after.add(after);
    if (before.status === 'invalid' || after.status === 'invalid') return;
    const pair = { before, after, factual: before.factual ?? after.factual };
    this.#pairs.add(pair);
    this.#comparePredictions(pair);
    for (const grouping of this.#groupings) grouping.add(pair);
  }

  #comparePredictions({ before, after }: PersonPair): void {
    const [one, other] = [before.factual?.prediction, after.factual?.prediction];
    if (one === undefined || other === undefined) return;
    this.#predictions[one === other ? 'same' : 'differing']++;
    if (one !== other && typeof one === 'string') this.#classes.add(JSON.stringify([one, other]));
  }

  /** `sampleOf`: the number of people among whom the compared people were drawn. Omitted: nobody was left out. */
  summarise(sampleOf?: number): ComparisonDocument {
    const { change, solved, smallestGroup, hasSameCosts, seed } = this.#options;
    const { gained, gainedProved, lost, lostProved, asked, people, costsBefore, costsAfter } = this.#pairs;
    const isSample = sampleOf !== undefined && sampleOf > this.#people;
    const document: Omit<ComparisonDocument, 'words'> = {
      schema: 'elsewise.comparison/v1',
      change,
      solved,
      read: {
        people: this.#read.people,
        withoutAnswer: this.#read.withoutAnswer,
        cost: distributionOf(this.#readCosts) ?? null,
      },
      sample: isSample ? { people: this.#people, of: sampleOf, seed } : null,
      people: this.#people,
      invalid: this.#people - people,
      before: this.#before.summarise(),
      after: this.#after.summarise(),
      transitions: this.#transitions(),
      gained: rateOf(gained, asked),
      gainedProved,
      lost: rateOf(lost, people - asked),
      lostProved,
      answersTest: solved === 'all' ? directionTest(gained, lost) : null,
      predictions: { ...this.#predictions, pairs: this.#differingClasses() },
      cost: compareCosts(this.#pairs, hasSameCosts),
      costHistogram: commonHistogram(costsBefore, costsAfter),
      relaxations: this.#relaxations(),
      smallestGroup,
      groups: comparedGroupings(this.#groupings, smallestGroup),
    };
    return { ...document, words: comparisonInWords(document) };
  }

  #transitions(): ComparisonDocument['transitions'] {
    return this.#pairs.statuses.ranked().map(([key, people]) => {
      const [before, after] = key.split(' ') as PersonResult['status'][];
      return { before, after, people };
    });
  }

  #differingClasses(): ComparisonDocument['predictions']['pairs'] {
    return this.#classes
      .ranked()
      .slice(0, MOST_PAIRS)
      .map(([key, people]) => {
        const [before, after] = JSON.parse(key) as [string, string];
        return { before, after, people };
      });
  }

  #relaxations(): ComparisonDocument['relaxations'] {
    const { relaxations: entries, noSingleEntry, undetermined } = this.#reasons.summarise();
    return { people: this.#read.infeasible, entries, noSingleEntry, undetermined };
  }
}

function otherPerson(before: string, after: string): ElsewiseError {
  return new ElsewiseError('conflict', `the sides have other people or another order: "${before}" against "${after}"`);
}
