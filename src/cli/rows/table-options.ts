/** The format of tables on the command line: delimiter, decimal sign, encoding. */
import { ElsewiseError } from '../../documents/error.js';
import type { DecimalSign } from '../../jobs/rows/number-format.js';
import type { TableOptions } from '../../jobs/rows/table-format.js';
import { readEncoding } from '../../jobs/rows/text-encoding.js';
import type { OptionTable, OptionValues } from '../options.js';

export const TABLE_OPTIONS = {
  delimiter: { kind: 'text', value: 'C', help: 'the character between the columns of CSV, or tab (detected)' },
  decimal: {
    kind: 'choice',
    choices: ['.', ','],
    help: 'the decimal sign of CSV; the other sign, spaces and apostrophes\nmay separate thousands (detected, told where it is no plain point)',
  },
  encoding: { kind: 'text', value: 'NAME', help: 'the encoding of CSV and NDJSON: latin1, utf-16le, ... (detected)' },
} as const satisfies OptionTable;

const NAMES: Readonly<Record<string, string>> = { tab: '\t', '\\t': '\t' };
const DELIMITER = /^[\t !#-/:-@[-`{-~]$/;

/** A wrong value is refused before anything is read. */
export function readTableOptions(given: OptionValues<typeof TABLE_OPTIONS>): TableOptions {
  const delimiter = given.delimiter && (NAMES[given.delimiter] ?? given.delimiter);
  if (delimiter !== undefined && !DELIMITER.test(delimiter))
    throw new ElsewiseError('usage', `--delimiter: expected one character such as ; or |, or tab, got "${delimiter}"`);
  const decimal = given.decimal as DecimalSign | undefined;
  return { delimiter, decimal, encoding: checked(given.encoding) };
}

const checked = (encoding: string | undefined): string | undefined =>
  encoding === undefined ? undefined : readEncoding(encoding);
