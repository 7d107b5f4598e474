/**
 * Lines of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front: a category or an id from
 * outside must not act on the machine of the reader. Numbers stay numbers, negative ones included.
 */
import type { RowValue } from '../../documents/model-document.js';

export function csvLine(fields: readonly RowValue[]): string {
  return `${fields.map(csvField).join(',')}\n`;
}

function csvField(field: RowValue): string {
  if (field === null) return '';
  return typeof field === 'string' ? quote(withoutFormula(field)) : String(field);
}

const FORMULA = /^[=+\-@\t\r]./s;
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

export function withoutFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
