/**
 * CSV, RFC 4180: the header, read once on the main thread, and the fields of a record, read in the threads. Records come from records.ts,
 * which applies the same rules of quoting.
 */
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean, nameSome } from '../../documents/nearest-name.js';
import type { RowFault } from '../../documents/row-error.js';
import type { LoadedModel } from '../../models/load.js';
import { recordFaults } from '../../models/read-row.js';
import type { CsvLayout, HeaderFeature } from '../threads/messages.js';
import { ignoredNames } from './known-names.js';
import { createNumberReader } from './number-format.js';
import { PlainRecords } from './plain-records.js';
import type { RecordBounds } from './records.js';
import { createRow, numberedId, type ParsedRow, type RowParser, readTargetText } from './row.js';

const DELIMITERS = [',', ';', '\t', '|'];
const QUOTE = '"';

export interface CsvHeader {
  readonly layout: CsvLayout;
  readonly warnings: readonly string[];
}

export function headerFeatures({ space, preprocessing: { imputed } }: LoadedModel): HeaderFeature[] {
  return space.features.map(({ name, column, width, kind }) => ({
    name,
    numbers: kind === 'continuous' ? 'any' : kind === 'integer' ? 'whole' : 'none',
    isImputed: imputed.subarray(column, column + width).every((value) => !Number.isNaN(value)),
  }));
}

/** Detects the delimiter: the one with the most known names in the header, else the one with the most names. */
export function detectDelimiter(header: string, features: readonly HeaderFeature[]): string {
  const known = readNames(features);
  const score = (delimiter: string) => {
    const names = splitHeader(header, delimiter);
    return names.filter((name) => known.has(name)).length * header.length + names.length;
  };
  return DELIMITERS.reduce((best, next) => (score(next) > score(best) ? next : best));
}

/** The names of all columns. */
export const headerNames = (header: string): string[] => splitHeader(header, detectDelimiter(header, []));

/** The column of each feature. Throws if a feature is missing that the model requires, or if a column occurs twice. */
export function readHeader(
  header: string,
  delimiter: string,
  features: readonly HeaderFeature[],
  fileName: string,
): CsvHeader {
  const names = splitHeader(header, delimiter);
  const warnings = checkNames(names, features, fileName);
  const special = (name: string) => (features.some((feature) => feature.name === name) ? -1 : names.indexOf(name));
  return {
    layout: {
      format: 'csv',
      delimiter,
      columns: names.length,
      featureColumns: features.map((feature) => names.indexOf(feature.name)),
      idColumn: special('id'),
      targetColumn: special('target'),
    },
    warnings,
  };
}

/** Checks the names of columns, and returns warnings about columns that are ignored or imputed. */
export function checkNames(names: readonly string[], features: readonly HeaderFeature[], fileName: string): string[] {
  const read = readNames(features);
  const fail = (message: string) => new ElsewiseError('bad-input', message, fileName);
  const twice = names.find((name, i) => names.indexOf(name) < i && read.has(name));
  if (twice !== undefined) throw fail(`the column "${twice}" appears twice`);
  const missing = features.filter((feature) => !names.includes(feature.name));
  const needed = missing.filter((feature) => !feature.isImputed);
  if (needed.length) throw fail(missingColumns(needed, names, read));
  return headerWarnings(names, missing, read);
}

function splitHeader(header: string, delimiter: string): string[] {
  const names: string[] = [];
  const count = splitFields(header, delimiter, names);
  return (count < 0 ? header.split(delimiter) : names).map((name) => name.trim());
}

/** Names of columns that are read. */
const readNames = (features: readonly HeaderFeature[]) =>
  new Set([...features.map(({ name }) => name), 'id', 'target']);

function missingColumns(
  missing: readonly HeaderFeature[],
  names: readonly string[],
  read: ReadonlySet<string>,
): string {
  const [first, ...others] = missing;
  const spare = names.filter((name) => !read.has(name));
  const hint = didYouMean(first.name, spare).replace('did you mean', 'is it');
  const more = others.length ? `; also missing: ${nameSome(others.map((feature) => feature.name))}` : '';
  return `the header has no column "${first.name}", which the model needs${hint}${more}`;
}

function headerWarnings(
  names: readonly string[],
  imputed: readonly HeaderFeature[],
  read: ReadonlySet<string>,
): string[] {
  // A delimiter behind the last name makes a column without a name.
  const extra = names.filter((name) => name !== '' && !read.has(name));
  const misspelt = ['id', 'target'].flatMap((special) => {
    const other = names.includes(special) ? undefined : extra.find((name) => name.toLowerCase() === special);
    return other === undefined ? [] : [`the column "${other}" is ignored: is it "${special}"?`];
  });
  return [
    ...misspelt,
    ...ignoredNames(
      'columns',
      extra,
      imputed.map(({ name }) => name),
    ),
    ...(imputed.length ? [`columns that are not there are imputed: ${nameSome(imputed.map((f) => f.name))}`] : []),
  ];
}

/** The parsers of a table share one row. */
export interface CsvParser {
  readonly parse: RowParser;
  /** The same for a record within ASCII bytes, with plain numbers as numbers. Undefined: the layout has no plain records. */
  readonly parseBytes:
    | ((bytes: Uint8Array, text: string, bounds: RecordBounds, rowNumber: number) => ParsedRow)
    | undefined;
}

export function createCsvParser(layout: CsvLayout, model: LoadedModel): CsvParser {
  const row: ParsedRow = { ...createRow(model), raw: unreadFields(layout) };
  const fields: string[] = [];
  const columns = Int32Array.from(layout.featureColumns);
  const { idColumn, targetColumn, delimiter } = layout;
  const readNumbers = createNumbersReader(layout.numbers, model);
  const readTarget = (text: string) => {
    const target = text.trim();
    return target === '' ? undefined : readTargetText(target, model.classes);
  };
  const parse: RowParser = (record, rowNumber) => {
    const count = splitFields(record, delimiter, fields);
    row.faults = faultsOf(count, layout.columns);
    const read = count < 0 ? ~count : count;
    row.id = (idColumn >= 0 && idColumn < read && fields[idColumn]) || numberedId(rowNumber);
    if (row.faults) return row;
    for (let f = 0; f < columns.length; f++) row.raw[f] = columns[f] < 0 ? undefined : fields[columns[f]];
    row.faults = readNumbers(row.raw);
    row.target = targetColumn >= 0 ? readTarget(fields[targetColumn]) : undefined;
    return row;
  };
  const plain = PlainRecords.of(layout, model);
  const parseBytes: CsvParser['parseBytes'] = (bytes, text, bounds, rowNumber) => {
    const { start, end } = bounds;
    if (!plain!.read(bytes, text, bounds, row.raw)) return parse(text.slice(start, end), rowNumber);
    row.id = (idColumn >= 0 && plain!.field(text, start, idColumn)) || numberedId(rowNumber);
    row.faults = readNumbers(row.raw);
    row.target = targetColumn >= 0 ? readTarget(plain!.field(text, start, targetColumn)) : undefined;
    return row;
  };
  return { parse, parseBytes: plain && parseBytes };
}

/** V8 keeps numbers unboxed in a list that has only ever held numbers: a table of numbers is then read without garbage. */
const unreadFields = ({ featureColumns }: CsvLayout): ParsedRow['raw'] =>
  featureColumns.map((column) => (column < 0 ? undefined : Number.NaN));

/** Rewrites the numbers of a row as programs write them. Returns the faults of a row with numbers in another format. */
function createNumbersReader(
  formats: CsvLayout['numbers'],
  model: LoadedModel,
): (raw: ParsedRow['raw']) => ParsedRow['faults'] {
  const numeric = model.space.features
    .filter(({ kind }) => kind === 'continuous' || kind === 'integer')
    .map(({ index, name }) => ({ index, name, read: createNumberReader(formats?.[index] ?? undefined) }));
  return (raw) => {
    let faults: RowFault[] | undefined;
    for (const { index, name, read } of numeric) {
      const text = raw[index];
      if (typeof text !== 'string') continue;
      const number = read(text);
      if (typeof number === 'string') raw[index] = number;
      else faults = [...(faults ?? []), { path: `features.${name}`, message: number.message }];
    }
    return faults && withOthers(faults, recordFaults(model, raw));
  };
}

function withOthers(faults: readonly RowFault[], all: readonly RowFault[]): RowFault[] {
  return [...faults, ...all.filter(({ path }) => faults.every((fault) => fault.path !== path))];
}

function faultsOf(count: number, expected: number): ParsedRow['faults'] {
  if (count === expected) return undefined;
  if (count < 0) return [{ path: 'row', message: 'a quoted field is not closed correctly' }];
  return [{ path: 'row', message: `expected ${expected} fields, as in the header, got ${count}` }];
}

/**
 * Fills `fields` and returns their number. For broken quotes: the complement (~) of the number of fields before them. Surplus entries of a
 * longer earlier record stay in `fields`.
 */
export function splitFields(record: string, delimiter: string, fields: string[]): number {
  if (record.includes(QUOTE)) return splitQuoted(record, delimiter, fields);
  let count = 0;
  let start = 0;
  for (let end = record.indexOf(delimiter); end >= 0; end = record.indexOf(delimiter, start)) {
    fields[count++] = record.slice(start, end);
    start = end + 1;
  }
  fields[count++] = record.slice(start);
  return count;
}

function splitQuoted(record: string, delimiter: string, fields: string[]): number {
  let count = 0;
  for (let start = 0; start <= record.length; ) {
    const quoted = record[start] === QUOTE;
    const end = quoted ? closeQuote(record, start + 1) : indexOrEnd(record, delimiter, start);
    if (end < 0 || (end < record.length && record[end] !== delimiter)) return ~count;
    fields[count++] = quoted ? record.slice(start + 1, end - 1).replaceAll('""', '"') : record.slice(start, end);
    start = end + 1;
  }
  return count;
}

/** Position after the closing quote; -1: none. */
function closeQuote(record: string, inside: number): number {
  for (let at = record.indexOf(QUOTE, inside); at >= 0; at = record.indexOf(QUOTE, at + 2)) {
    if (record[at + 1] !== QUOTE) return at + 1;
  }
  return -1;
}

function indexOrEnd(record: string, delimiter: string, start: number): number {
  const at = record.indexOf(delimiter, start);
  return at < 0 ? record.length : at;
}
