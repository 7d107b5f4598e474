/** The format of a table: what the options say, and what its first lines show where the options say nothing. Findings are told once. */
import { ElsewiseError } from '../../documents/error.js';
import type { CsvLayout, HeaderFeature } from '../threads/messages.js';
import { splitFields } from './csv.js';
import { type DetectedNumbers, detectNumbers, type NumberSample } from './detect-numbers.js';
import { type DecimalSign, formatWith } from './number-format.js';
import { recordsOf } from './records.js';

/** All are detected where they are not given. */
export interface TableOptions {
  /** One character. */
  readonly delimiter?: string;
  readonly decimal?: DecimalSign;
  /** A name of the WHATWG standard, such as `latin1` or `utf-16le`. */
  readonly encoding?: string;
}

const DELIMITER_NAMES: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };
const ENCODING_NAMES: Readonly<Record<string, string>> = {
  'windows-1252': 'the encoding Windows-1252 (Latin-1)',
  'utf-16le': 'the encoding UTF-16',
  'utf-16be': 'the encoding UTF-16',
};

/** The numbers of the first records. `lines`: whole lines behind the header. */
export function numbersOf(
  lines: Buffer,
  layout: CsvLayout,
  features: readonly HeaderFeature[],
  { decimal }: TableOptions,
): DetectedNumbers {
  if (decimal) return { formatOf: () => formatWith(decimal), told: [], warnings: [] };
  return detectNumbers(samplesOf(lines, layout, features), layout.delimiter === ';');
}

/** The format of each feature's numbers; undefined: all are plain. */
export function formatsOf({ formatOf }: DetectedNumbers, features: readonly HeaderFeature[]): CsvLayout['numbers'] {
  const formats = features.map(({ name, numbers }) => (numbers === 'none' ? null : (formatOf(name) ?? null)));
  return formats.some((format) => format !== null) ? formats : undefined;
}

function* samplesOf(lines: Buffer, layout: CsvLayout, features: readonly HeaderFeature[]): Generator<NumberSample> {
  const columns = features.flatMap(({ name, numbers }, f) => {
    const at = layout.featureColumns[f];
    return numbers === 'none' || at < 0 ? [] : [{ name, at, isWhole: numbers === 'whole' }];
  });
  const fields: string[] = [];
  for (const { start, end } of recordsOf(lines, layout)) {
    if (splitFields(lines.toString('utf8', start, end), layout.delimiter, fields) !== layout.columns) continue;
    for (const { name, at, isWhole } of columns) yield { column: name, text: fields[at].trim(), isWhole };
  }
}

/** The fields of one column that are not empty. */
export function* fieldsOf(lines: Buffer, layout: CsvLayout, column: number): Generator<string> {
  const fields: string[] = [];
  for (const { start, end } of recordsOf(lines, layout)) {
    if (splitFields(lines.toString('utf8', start, end), layout.delimiter, fields) !== layout.columns) continue;
    const field = fields[column].trim();
    if (field !== '') yield field;
  }
}

export interface TableFindings {
  readonly name: string;
  readonly delimiter: string;
  /** Undefined: UTF-8, or given. */
  readonly encoding: string | undefined;
  /** Whether lines end with CR alone. */
  readonly hasReturns: boolean;
  readonly numbers: DetectedNumbers;
}

/** The warnings about a table whose format was detected. Throws where its numbers have two readings. */
export function tellFormat(
  { name, delimiter, encoding, hasReturns, numbers }: TableFindings,
  given: TableOptions,
): string[] {
  if (numbers.refusal) throw new ElsewiseError('bad-input', numbers.refusal, name);
  const isExpected = given.delimiter !== undefined || (delimiter === '\t' && name.toLowerCase().endsWith('.tsv'));
  const separator = isExpected ? undefined : DELIMITER_NAMES[delimiter];
  const parts = [
    ...(separator ? [`${separator} between columns`] : []),
    ...(encoding ? [ENCODING_NAMES[encoding] ?? `the encoding ${encoding}`] : []),
    ...numbers.told,
  ];
  const told = parts.length ? [`the rows are read with ${listed(parts)}; ${CHANGE}`] : [];
  const returns = hasReturns ? ['the lines of the table end with CR alone (old Mac), and are read as lines'] : [];
  return [...told, ...returns, ...numbers.warnings];
}

const CHANGE = '--delimiter, --encoding and --decimal set other formats';

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
