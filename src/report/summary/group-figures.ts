/**
 * The figures of groups, and tests of their differences.
 *
 *   suppression   a group with fewer than n people without the target has no figures. As long as the people of all such groups are
 *                 fewer than n, the next smallest group has no figures either: totals minus the groups that are shown would tell theirs.
 *   tests         one of all groups for the shares, one for the costs. Where counts are too few for chi-square of several groups,
 *                 each group is compared with all others by Fisher's exact test, and the smallest corrected p counts.
 */
import type { Grouping, GroupSummary, TestSummary } from '../../documents/summary-document.js';
import { holm, type TestOutcome, testShares, testValues } from '../statistics/tests.js';
import { medianWithInterval, rateOf } from './figures.js';
import { GroupTally, mergeTallies, type PeopleTally } from './group-tally.js';
import type { GroupingCounts, PeopleGroup } from './grouping.js';
import type { PersonResult } from './person-result.js';
import { alignedValues } from './value-counts.js';

/** The distribution of the statistic is known well enough from this number of values per group. */
const LEAST_ANSWERS = 5;
const NOT_TESTED: TestSummary = { method: 'not-tested', statistic: null, p: null, adjusted: null };

type Counts = GroupingCounts<PersonResult, GroupTally>;

export function summariseGroupings(all: readonly Counts[], smallest: number): Grouping[] {
  return withAdjusted(all.map((one) => summariseGrouping(one, smallest)));
}

function summariseGrouping(counts: Counts, smallest: number): Grouping {
  const { shown, suppressed } = suppress(counts.groups(smallest), smallest);
  const tallies = shown.map(({ tally }) => tally);
  const [shares, costs] = [compareShares, compareCosts].map((compare) =>
    againstOthers(tallies, () => new GroupTally(), compare),
  );
  return {
    feature: counts.feature,
    kind: counts.kind,
    groups: shown.map((group, i) => summariseGroup(group, shares[i], costs[i])),
    suppressed: suppressed.map(({ name }) => name),
    noRecourseTest: asSummary(tallies.length > 1 ? (compareShares(tallies) ?? smallestOf(shares)) : undefined),
    costTest: asSummary(compareCosts(tallies)),
  };
}

export function suppress<T extends PeopleTally<never, T>>(groups: readonly PeopleGroup<T>[], smallest: number) {
  const bySize = [...groups].sort((a, b) => a.tally.asked - b.tally.asked);
  const hidden = new Set<PeopleGroup<T>>();
  let people = 0;
  for (const group of bySize) {
    if (group.tally.asked >= smallest && (hidden.size === 0 || people >= smallest)) break;
    hidden.add(group);
    people += group.tally.asked;
  }
  return {
    shown: groups.filter((group) => !hidden.has(group)),
    suppressed: groups.filter((group) => hidden.has(group)),
  };
}

function summariseGroup(
  { tally, ...group }: PeopleGroup<GroupTally>,
  shares: number | null,
  costs: number | null,
): GroupSummary {
  const [most] = tally.changes.ranked();
  return {
    ...group,
    people: tally.people,
    already: tally.already,
    notFound: tally.notFound,
    noRecourse: rateOf(tally.infeasible, tally.asked),
    cost: medianWithInterval(tally.costs),
    mostAsked: most ? { feature: most[0], answers: rateOf(most[1], tally.found) } : null,
    noRecourseAdjusted: shares,
    costAdjusted: costs,
  };
}

const compareShares = (tallies: readonly GroupTally[]): TestOutcome | undefined =>
  testShares(tallies.map(({ infeasible, asked }) => ({ count: infeasible, total: asked })));

function compareCosts(tallies: readonly GroupTally[]): TestOutcome | undefined {
  const enough = tallies.filter(({ found }) => found >= LEAST_ANSWERS).map(({ costs }) => costs);
  return enough.length > 1 ? testValues(alignedValues(enough)) : undefined;
}

/** The corrected p of each group against all others; null where the comparison is not possible. */
export function againstOthers<T extends PeopleTally<never, T>>(
  tallies: readonly T[],
  create: () => T,
  compare: (two: readonly T[]) => TestOutcome | undefined,
): (number | null)[] {
  if (tallies.length < 2) return tallies.map(() => null);
  return holmOf(
    tallies.map(
      (tally) =>
        compare([
          tally,
          mergeTallies(
            tallies.filter((other) => other !== tally),
            create(),
          ),
        ])?.p ?? null,
    ),
  );
}

/** Holm for the values that exist. */
export function holmOf(ps: readonly (number | null)[]): (number | null)[] {
  const adjusted = holm(ps.filter((p) => p !== null));
  let next = 0;
  return ps.map((p) => (p === null ? null : adjusted[next++]));
}

export function smallestOf(ps: readonly (number | null)[]): TestOutcome | undefined {
  const known = ps.filter((p) => p !== null);
  return known.length ? { method: 'fisher', statistic: null, p: Math.min(...known) } : undefined;
}

export const asSummary = (outcome: TestOutcome | undefined): TestSummary =>
  outcome ? { ...outcome, adjusted: null } : NOT_TESTED;

/** Corrects the tests of all features together. */
function withAdjusted(groupings: readonly Grouping[]): Grouping[] {
  const adjusted = holmOf(groupings.flatMap(({ noRecourseTest, costTest }) => [noRecourseTest.p, costTest.p]));
  return groupings.map((grouping, i) => ({
    ...grouping,
    noRecourseTest: { ...grouping.noRecourseTest, adjusted: adjusted[2 * i] },
    costTest: { ...grouping.costTest, adjusted: adjusted[2 * i + 1] },
  }));
}
