/** A comparison on a terminal: its sentences, the changes of both sides, and the entries that would help most. */
import type { ComparisonDocument } from '../../documents/comparison-document.js';
import { formatFigure, formatNumber, formatPercent } from '../../report/numbers.js';
import { formatTable } from '../table.js';

const MOST_LINES = 10;

export function describeComparison(document: ComparisonDocument): string {
  const tables = [changes(document), relaxations(document)].filter(Boolean);
  return [`${document.words.join('\n')}\n`, ...tables].join('\n');
}

function changes({ before, after }: ComparisonDocument): string {
  const shares = (side: ComparisonDocument['before']) =>
    new Map(side.changes.map(({ feature, answers }) => [feature, formatPercent(answers.people, answers.of)]));
  const [one, other] = [shares(before), shares(after)];
  const names = [...new Set([...other.keys(), ...one.keys()])].slice(0, MOST_LINES);
  if (names.length === 0) return '';
  const rows = names.map((name) => [name, one.get(name) ?? '-', other.get(name) ?? '-']);
  return `${formatTable([['changes of answers', 'before', 'after'], ...rows], ['left', 'right', 'right'])}\n`;
}

function relaxations({ relaxations: { entries } }: ComparisonDocument): string {
  if (entries.length === 0) return '';
  const rows = entries
    .slice(0, MOST_LINES)
    .map(({ entry, people, cost }) => [entry, formatNumber(people), formatFigure(cost.median)]);
  return `${formatTable([['without the entry', 'people', 'median cost'], ...rows], ['left', 'right', 'right'])}\n`;
}
