/**
 * Numbers of a table in the formats of several countries.
 *
 *   plain    (no format)  12.5        as programs write numbers
 *   dot      1,234.5  1 234.5  1'234.5
 *   comma    1.234,5  1 234,5  1'234,5
 *   unsure   as plain, but a number that might have a thousands separator is refused: the first rows did not show the decimal sign
 *
 * A number in another format than that of its table is refused, never read in two ways.
 */

export type NumberFormat = 'dot' | 'comma' | 'unsure';

export type DecimalSign = '.' | ',';

export const formatWith = (decimal: DecimalSign): NumberFormat => (decimal === ',' ? 'comma' : 'dot');

/** Separators of thousands besides the sign that is not decimal: spaces of all widths, apostrophes. */
const NEUTRAL = "\\u0020\\u00a0\\u2009\\u202f'\\u2019";
export const NEUTRAL_GROUPS = new RegExp(`(?<=\\d)[${NEUTRAL}](?=\\d{3}(?!\\d))`, 'g');

const numberIn = (decimal: string, group: string) =>
  new RegExp(
    `^[+-]?(?:[1-9]\\d{0,2}(?:([${group}${NEUTRAL}])\\d{3}(?:\\1\\d{3})*)|\\d+)?(?:${decimal}\\d*)?(?:[eE][+-]?\\d+)?$`,
  );

const PATTERNS = { dot: numberIn('\\.', ','), comma: numberIn(',', '.') } as const;
const SEPARATORS = { dot: new RegExp(`[,${NEUTRAL}]`, 'g'), comma: new RegExp(`[.${NEUTRAL}]`, 'g') } as const;

/** One separator before exactly three digits: a decimal sign, or a separator of thousands. */
export const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
const AMBIGUOUS_DOT = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
const DIGITS = /^\d+$/;

export const isNumberIn = (format: 'dot' | 'comma', text: string): boolean => PATTERNS[format].test(text);

/** The text as a program writes the number. Text that is no number in any format is given back as it is. */
type FieldReader = (text: string) => string | FormatFault;

export class FormatFault {
  constructor(readonly message: string) {}
}

export function createNumberReader(format: NumberFormat): FieldReader {
  return format === 'unsure' ? readUnsure : (text) => readIn(format, text);
}

function readUnsure(text: string): string | FormatFault {
  // Most numbers are whole, and a pattern takes longer than a look for the point.
  if (!text.includes('.')) return text;
  return AMBIGUOUS_DOT.test(text.trim()) ? new FormatFault(twoMeanings(text.trim())) : text;
}

function readIn(format: 'dot' | 'comma', text: string): string | FormatFault {
  if (DIGITS.test(text)) return text;
  const trimmed = text.trim();
  if (PATTERNS[format].test(trimmed)) {
    const digits = trimmed.replace(SEPARATORS[format], '');
    return format === 'comma' ? digits.replace(',', '.') : digits;
  }
  const other = format === 'comma' ? 'dot' : 'comma';
  if (trimmed === '' || !PATTERNS[other].test(trimmed)) return text;
  return new FormatFault(`expected a number with a decimal ${nameOf(format)}, got ${JSON.stringify(trimmed)}`);
}

export const nameOf = (format: 'dot' | 'comma'): string => (format === 'comma' ? 'comma' : 'point');

/** `1.234` is 1.234 or 1234. */
export function twoMeanings(text: string): string {
  const [whole, fraction] = text.split(/[.,]/);
  const asDecimal = text.includes(',') ? '--decimal ,' : '--decimal .';
  const asThousands = text.includes(',') ? '--decimal .' : '--decimal ,';
  return `"${text}" may mean ${whole}.${fraction} (${asDecimal}) or ${whole}${fraction} (${asThousands})`;
}
