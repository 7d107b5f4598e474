/** The figures of a comparison by group, with one test for each feature: whether the shares of gains differ. Small groups have no figures. */
import type { ComparedGroup, ComparedGrouping } from '../../documents/comparison-document.js';
import { type TestOutcome, testShares } from '../statistics/tests.js';
import { medianWithInterval, rateOf } from '../summary/figures.js';
import { againstOthers, asSummary, holmOf, smallestOf, suppress } from '../summary/group-figures.js';
import type { GroupingCounts, PeopleGroup } from '../summary/grouping.js';
import { PairTally, type PersonPair } from './pair-tally.js';

type Counts = GroupingCounts<PersonPair, PairTally>;

/** The tests of all features are corrected together. */
export function comparedGroupings(all: readonly Counts[], smallest: number): ComparedGrouping[] {
  const groupings = all.map((one) => comparedGrouping(one, smallest));
  const adjusted = holmOf(groupings.map(({ gainedTest }) => gainedTest.p));
  return groupings.map((grouping, i) => ({
    ...grouping,
    gainedTest: { ...grouping.gainedTest, adjusted: adjusted[i] },
  }));
}

function comparedGrouping(counts: Counts, smallest: number): ComparedGrouping {
  const { shown, suppressed } = suppress(counts.groups(smallest), smallest);
  const tallies = shown.map(({ tally }) => tally);
  const gains = againstOthers(tallies, () => new PairTally(), compareGains);
  return {
    feature: counts.feature,
    kind: counts.kind,
    groups: shown.map((group, i) => comparedGroup(group, gains[i])),
    suppressed: suppressed.map(({ name }) => name),
    gainedTest: asSummary(tallies.length > 1 ? (compareGains(tallies) ?? smallestOf(gains)) : undefined),
  };
}

function comparedGroup({ tally, ...group }: PeopleGroup<PairTally>, gainedAdjusted: number | null): ComparedGroup {
  const { people, asked, gained, lost, costsBefore, costsAfter } = tally;
  return {
    ...group,
    people,
    gained: rateOf(gained, asked),
    lost: rateOf(lost, people - asked),
    costBefore: medianWithInterval(costsBefore),
    costAfter: medianWithInterval(costsAfter),
    gainedAdjusted,
  };
}

const compareGains = (tallies: readonly PairTally[]): TestOutcome | undefined =>
  testShares(tallies.map(({ gained, asked }) => ({ count: gained, total: asked })));
