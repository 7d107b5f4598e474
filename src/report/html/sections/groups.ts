/** The figures by group, with intervals and the words of the tests. */
import type { Grouping, GroupSummary, Rate } from '../../../documents/summary-document.js';
import { formatCount, formatFigure, formatNumber, formatPercent } from '../../numbers.js';
import { MOST_GROUPS } from '../../summary/grouping.js';
import { costsInWords, sharesInWords } from '../difference-words.js';
import { clip, EMPTY, type Html, html } from '../escape.js';
import type { Labels } from '../labels.js';
import type { Report } from '../report.js';
import { wideTable } from '../wide-table.js';

const LONGEST_NAME = 80;

export function groupSections({ summary, labels }: Report): Html {
  const sections = summary.groups.map((grouping, i) =>
    groupSection(grouping, `h-group-${i}`, summary.smallestGroup, labels),
  );
  return sections.length ? html`${sections}` : EMPTY;
}

function groupSection(grouping: Grouping, id: string, smallest: number, labels: Labels): Html {
  const title = html`<h2 id="${id}">By ${labels.name(grouping.feature)}</h2>`;
  return html`<section class="card" aria-labelledby="${id}">${title}${bodyOf(grouping, id, smallest, labels)}</section>`;
}

function bodyOf(grouping: Grouping, id: string, smallest: number, labels: Labels): Html {
  const { kind, groups } = grouping;
  if (kind === 'missing') return html`<p class="soft">No result has this feature.</p>`;
  if (kind === 'too-many')
    return html`<p class="soft">The feature has more than ${MOST_GROUPS} values that are no numbers. There are no groups.</p>`;
  const table = groups.length
    ? wideTable(
        id,
        html`<table><caption>Intervals have a confidence of 95 %. Costs are those of people with an answer.</caption><thead><tr><th scope="col">group</th><th scope="col" class="n">people</th><th scope="col" class="n">no way, proved</th><th scope="col" class="n">interval</th><th scope="col" class="n">median cost</th><th scope="col" class="n">interval</th><th scope="col">most asked change</th></tr></thead><tbody>${groups.map((group) => rowOf(group, grouping.feature, labels))}</tbody></table>`,
      )
    : html`<p class="soft">No group is large enough for figures.</p>`;
  return html`${table}${groups.length > 1 ? html`<p>${sharesInWords(grouping)}</p><p>${costsInWords(grouping)}</p>` : ''}${notes(grouping, smallest)}`;
}

function rowOf({ name, people, noRecourse, cost, mostAsked }: GroupSummary, feature: string, labels: Labels): Html {
  const asked = mostAsked
    ? `${labels.name(mostAsked.feature)} (${formatPercent(mostAsked.answers.people, mostAsked.answers.of)})`
    : '–';
  const costRange = cost?.low == null ? '–' : `${formatFigure(cost.low)} to ${formatFigure(cost.high!)}`;
  return html`<tr><th scope="row"><bdi>${labels.amount(feature, clip(name, LONGEST_NAME))}</bdi></th><td class="n">${formatNumber(people)}</td><td class="n">${noRecourse.of ? formatPercent(noRecourse.people, noRecourse.of) : '–'}</td><td class="n soft">${intervalOf(noRecourse)}</td><td class="n">${cost ? formatFigure(cost.median) : '–'}</td><td class="n soft">${costRange}</td><td class="tight">${asked}</td></tr>`;
}

const intervalOf = ({ of, low, high }: Rate): string =>
  of === 0 ? '–' : `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} %`;

function notes({ groups, suppressed }: Grouping, smallest: number): Html {
  const notFound = groups.reduce((sum, group) => sum + group.notFound, 0);
  const hidden = suppressed.slice(0, 10).map((name) => clip(name, LONGEST_NAME));
  const more = suppressed.length > hidden.length ? ` and ${formatNumber(suppressed.length - hidden.length)} more` : '';
  const parts = [
    suppressed.length
      ? `Without figures, because a group has fewer than ${formatCount(smallest, 'person', 'people')} without the target or would tell the figures of one that has: ${hidden.join(', ')}${more}.`
      : '',
    notFound > 0
      ? `For ${formatCount(notFound, 'person', 'people')} nothing was found and nothing was proved. ${notFound === 1 ? 'This person is not counted as one' : 'They are not counted as people'} without a way: the shares are lower bounds.`
      : '',
  ].filter(Boolean);
  return parts.length ? html`<p class="note">${parts.join(' ')}</p>` : EMPTY;
}
