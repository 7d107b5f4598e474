/**
 * The plain form of a scorecard, which anyone can write:
 *
 *   feature,from,to,categories,points
 *   age,,25,,10                      below 25
 *   age,25,,,30                      25 and above
 *   housing,,,own|free,20            one of these categories; ["a|b","c"] is a list as well
 *   housing,,,(other),0              all other categories
 *   housing,,,(missing),5            no value
 */
import { listNames } from '../../documents/nearest-name.js';
import type { CsvTable, TableRow } from './csv-table.js';
import { readNumber, rowFault, type ScorecardRow, type ScorecardValues } from './scorecard-row.js';

const COLUMNS = ['feature', 'from', 'to', 'categories', 'points'] as const;
type Column = (typeof COLUMNS)[number];

const WORDS = new Map<string, ScorecardValues>([
  ['(missing)', { kind: 'missing' }],
  ['(other)', { kind: 'other' }],
]);

export const isPlain = ({ header }: CsvTable): boolean => header.some((name) => name.toLowerCase() === 'feature');

export function readPlainRows({ header, rows, hasDecimalCommas }: CsvTable): ScorecardRow[] {
  const names = header.map((name) => name.toLowerCase());
  const absent = (['feature', 'points'] as const).filter((name) => !names.includes(name));
  if (absent.length)
    throw rowFault(1, `the header has no column ${listNames(absent)}; columns are ${COLUMNS.join(', ')}`);
  const places = new Map(COLUMNS.map((name) => [name, names.indexOf(name)]));
  return rows.map((row) => {
    const cell = (column: Column) => (row.cells[places.get(column)!] ?? '').trim();
    const feature = cell('feature');
    if (!feature) throw rowFault(row.line, 'the row names no feature');
    const points = readNumber(cell('points'), hasDecimalCommas, row.line, 'points');
    return { line: row.line, feature, values: readValues(row, cell, hasDecimalCommas), points };
  });
}

function readValues(row: TableRow, cell: (column: Column) => string, hasDecimalCommas: boolean): ScorecardValues {
  const [from, to, categories] = [cell('from'), cell('to'), cell('categories')];
  if (categories && (from || to)) throw rowFault(row.line, 'give "from" and "to", or "categories"');
  if (categories) return WORDS.get(categories) ?? { kind: 'categories', names: readNames(categories, row.line) };
  const end = (text: string, open: number, what: string) =>
    isOpen(text) ? open : readNumber(text, hasDecimalCommas, row.line, what);
  return { kind: 'interval', from: end(from, -Infinity, 'from'), to: end(to, Infinity, 'to') };
}

const isOpen = (text: string): boolean => text === '' || /^[+-]?inf(inity)?$/i.test(text);

function readNames(text: string, line: number): string[] {
  if (!text.startsWith('[')) return text.split('|').map((name) => name.trim());
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  } catch {
    // The fault below says what is expected.
  }
  throw rowFault(line, `categories: expected names as a|b, or a JSON list of texts, got ${text.slice(0, 40)}`);
}
