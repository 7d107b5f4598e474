/**
 * The outcome of tests between groups in words. A test can show that groups differ by more than chance. No test shows that groups do not
 * differ, and none tells the cause of a difference: the sentences say no more.
 */
import type { Grouping, GroupSummary, TestSummary } from '../../documents/summary-document.js';
import { formatFigure } from '../numbers.js';

/** The level below which a difference is told. */
const LEVEL = 0.05;

const METHODS: Readonly<Record<TestSummary['method'], string>> = {
  'chi-square': 'chi-square test',
  fisher: "Fisher's exact test",
  'kruskal-wallis': 'Kruskal-Wallis test',
  'not-tested': '',
};

export function sharesInWords({ groups, noRecourseTest: test }: Grouping): string {
  if (test.adjusted === null) return 'The shares without recourse were not compared: there are too few groups.';
  if (test.adjusted >= LEVEL) return noDifference('the share without recourse', test);
  const sorted = [...groups].sort((a, b) => a.noRecourse.share - b.noRecourse.share);
  const [lowest, highest] = [sorted[0], sorted[sorted.length - 1]];
  const range = `The shares range from ${percent(lowest.noRecourse.share)} (${lowest.name}) to ${percent(highest.noRecourse.share)} (${highest.name}).`;
  const parts = [difference('share without recourse', test), range, distinct(groups, 'noRecourseAdjusted'), CAUSES];
  return parts.filter(Boolean).join(' ');
}

export function costsInWords({ groups, costTest: test }: Grouping): string {
  if (test.adjusted === null) return 'The costs were not compared: there are too few groups or answers.';
  if (test.adjusted >= LEVEL) return noDifference('the cost of answers', test);
  const priced = groups.filter(({ cost }) => cost !== null).sort((a, b) => a.cost!.median - b.cost!.median);
  const [lowest, highest] = [priced[0], priced[priced.length - 1]];
  const range =
    lowest.cost!.median === highest.cost!.median
      ? 'The medians are equal: the difference lies in other parts of the distributions.'
      : `The medians range from ${formatFigure(lowest.cost!.median)} (${lowest.name}) to ${formatFigure(highest.cost!.median)} (${highest.name}).`;
  const parts = [difference('cost of answers', test), range, distinct(groups, 'costAdjusted'), CAUSES];
  return parts.filter(Boolean).join(' ');
}

const CAUSES = 'The test does not tell causes: the groups may also differ in other features.';

const difference = (subject: string, test: TestSummary): string =>
  `The ${subject} differs between the groups by more than chance alone explains (${METHODS[test.method]}, ${chance(test)}).`;

const noDifference = (subject: string, test: TestSummary): string =>
  `The data do not show a difference in ${subject} between the groups (${METHODS[test.method]}, ${chance(test)}). This is no proof of equality: differences within the intervals remain possible.`;

/** Only told where the groups differ as a whole. */
function distinct(groups: readonly GroupSummary[], key: 'noRecourseAdjusted' | 'costAdjusted'): string {
  const names = groups.filter((group) => (group[key] ?? 1) < LEVEL).map(({ name }) => name);
  if (groups.length < 3 || names.length === 0) return '';
  return `Compared with all others, ${names.length === 1 ? 'this group differs' : 'these groups differ'}: ${names.join(', ')}.`;
}

const chance = ({ adjusted }: TestSummary): string =>
  adjusted! < 0.001 ? 'corrected p < 0.001' : `corrected p = ${adjusted!.toFixed(3)}`;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
