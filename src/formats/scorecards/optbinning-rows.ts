/**
 * The table of optbinning: `scorecard.table(style="detailed").to_csv(FILE, index=False)`.
 *
 *   Variable,...,Bin,...,Points
 *   age,...,"[25.50, 29.50)",...,55.8        numbers: the ends as printed
 *   housing,...,"['own' 'free']",...,144     categories: a list as numpy or pandas prints it
 *   age,...,Special,...,93.7                 special codes
 *   age,...,Missing,...,76.6                 no value, and categories that the table does not know
 */
import { unsupported } from '../ensemble.js';
import type { CsvTable } from './csv-table.js';
import { ROOT, readNumber, rowFault, type ScorecardRow, type ScorecardValues } from './scorecard-row.js';

const NEEDED = ['Variable', 'Bin', 'Points'];

export const isOptbinning = ({ header }: CsvTable): boolean => NEEDED.every((name) => header.includes(name));

/** `hasCodes`: the caller names the special codes, which the table does not. */
export function readOptbinningRows({ header, rows, hasDecimalCommas }: CsvTable, hasCodes: boolean): ScorecardRow[] {
  const [variable, bin, points] = NEEDED.map((name) => header.indexOf(name));
  const count = header.indexOf('Count');
  const coded = rows.find(({ cells }) => cells[bin] === 'Special' && Number(cells[count] ?? 0) > 0);
  if (coded && !hasCodes)
    throw rowFault(coded.line, 'rows of the training data have special codes: name the codes by --special-codes');
  const own = rows.map(({ line, cells }) => ({
    line,
    feature: cells[variable].trim(),
    values: readBin(cells[bin]?.trim() ?? '', line),
    points: readNumber(cells[points] ?? '', hasDecimalCommas, line, 'Points'),
  }));
  return own.flatMap((row) => (isForOthers(row, own) ? [row, { ...row, values: { kind: 'other' } }] : [row]));
}

/** Categories that the table does not know have the points of a missing value. */
const isForOthers = ({ feature, values }: ScorecardRow, all: readonly ScorecardRow[]): boolean =>
  values.kind === 'missing' && all.some((row) => row.feature === feature && row.values.kind === 'categories');

const INTERVAL = /^[[(](\S+), (\S+)\)$/;
const WORDS = new Map<string, ScorecardValues>([
  ['Special', { kind: 'special' }],
  ['Missing', { kind: 'missing' }],
]);

function readBin(text: string, line: number): ScorecardValues {
  const word = WORDS.get(text);
  if (word) return word;
  const interval = INTERVAL.exec(text);
  if (interval) return { kind: 'interval', from: endOf(interval[1], line), to: endOf(interval[2], line) };
  return { kind: 'categories', names: readList(text, line) };
}

const endOf = (text: string, line: number): number => {
  if (text === '-inf') return -Infinity;
  return text === 'inf' ? Infinity : readNumber(text, false, line, 'Bin');
};

/** Texts in quotes, as Python writes them, with commas or blanks between them. */
const ELEMENT = /^(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")(?=[\s,]|$)[\s,]*/;

function readList(text: string, line: number): string[] {
  const inside = /^(?:<\w+>\s*)?\[([\s\S]*)\](?:\s*Length: \d+, dtype: \w+)?$/.exec(text)?.[1];
  if (inside === undefined)
    throw rowFault(
      line,
      `Bin: expected an interval, a list of categories, Special or Missing, got "${text.slice(0, 40)}"`,
    );
  const names: string[] = [];
  let rest = inside.trim();
  while (rest) {
    const found = ELEMENT.exec(rest);
    if (!found)
      throw unsupported(
        `a list of categories that is printed with ambiguous quotes or cut short (${ADVICE})`,
        `${ROOT}, line ${line}`,
      );
    names.push((found[1] ?? found[2]).replaceAll(/\\(['"\\])/g, '$1'));
    rest = rest.slice(found[0].length);
  }
  return names;
}

const ADVICE = 'write the table with export_scorecard of the Python package';
