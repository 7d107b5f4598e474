/**
 * Numbers of a table in the formats of several countries.
 *
 *   plain (no format)               12.5        as programs write numbers
 *   dot                             1,234.5  1 234.5  1'234.5
 *   comma                           1.234,5  1 234,5  1'234,5
 *   dot-ungrouped, comma-ungrouped  the same, but the first rows of the column had no thousands separator: a number that is
 *                                   only clear with one ("1.234" beside decimal commas) is refused
 *   dot-strict, comma-strict        the same, and the table has both signs: every ambiguous number is refused
 *   unknown                         as plain, but every ambiguous number is refused: the first rows did not show the decimal sign
 *   disputed                        the rows show both signs, and neither is commoner: numbers with either are refused
 *
 * A number in another format than that of its column is refused, never read in two ways. The refusal names the options.
 */

export type Sign = 'dot' | 'comma';

export type NumberFormat = Sign | `${Sign}-ungrouped` | `${Sign}-strict` | 'unknown' | 'disputed';

export type DecimalSign = '.' | ',';

export const formatWith = (decimal: DecimalSign): Sign => (decimal === ',' ? 'comma' : 'dot');

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
const DIGITS = /^\d+$/;

export const isNumberIn = (sign: Sign, text: string): boolean => PATTERNS[sign].test(text);

/** The text as a program writes the number. Text that is no number in any format is given back as it is. */
type FieldReader = (text: string) => string | FormatFault;

export class FormatFault {
  constructor(readonly message: string) {}
}

/** Undefined: numbers as programs write them. */
export function createNumberReader(format: NumberFormat | undefined): FieldReader {
  if (format === undefined) return (text) => (isPlain(text) ? text : readUnshown(text.trim(), text));
  if (format === 'unknown') return readUnknown;
  if (format === 'disputed') return (text) => (DIGITS.test(text) ? text : readDisputed(text.trim(), text));
  const [sign, doubt] = format.split('-') as [Sign, 'ungrouped' | 'strict' | undefined];
  const doubtful = doubt && (doubt === 'strict' ? AMBIGUOUS : AMBIGUOUS_GROUPS[sign]);
  return (text) => readIn(sign, text, doubtful);
}

/** Numbers whose only separator would be one of thousands. */
const AMBIGUOUS_GROUPS = { dot: /^[+-]?[1-9]\d{0,2},\d{3}$/, comma: /^[+-]?[1-9]\d{0,2}\.\d{3}$/ } as const;

/** Digits, points and minus signs only. Most fields of most tables end here, and a pattern takes longer. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code < ZERO || code > NINE) && code !== POINT && code !== MINUS) return false;
  }
  return true;
}

const [ZERO, NINE, POINT, MINUS] = [48, 57, 46, 45];

function readUnknown(text: string): string | FormatFault {
  if (isPlain(text) && !text.includes('.')) return text;
  const trimmed = text.trim();
  return AMBIGUOUS.test(trimmed) ? new FormatFault(twoMeanings(trimmed)) : readUnshown(trimmed, text);
}

/** A number that the first rows did not announce: only plain numbers and spaces between thousands have one reading without a format. */
function readUnshown(trimmed: string, text: string): string | FormatFault {
  const sign = signOf(trimmed);
  if (sign === undefined || Number.isFinite(Number(trimmed))) return text;
  if (sign === 'both') return AMBIGUOUS.test(trimmed) ? new FormatFault(twoMeanings(trimmed)) : withoutGroups(trimmed);
  return new FormatFault(
    `expected a number as in the first rows, got ${JSON.stringify(trimmed)}: ${optionOf(sign)} reads it`,
  );
}

function readDisputed(trimmed: string, text: string): string | FormatFault {
  const sign = signOf(trimmed);
  if (sign === undefined) return text;
  if (sign === 'both') return AMBIGUOUS.test(trimmed) ? new FormatFault(twoMeanings(trimmed)) : withoutGroups(trimmed);
  return new FormatFault(
    `the rows have decimal points and decimal commas, and neither is commoner: ${optionOf(sign)} reads ${JSON.stringify(trimmed)}`,
  );
}

/** The format that reads the text; undefined: it is no number. */
function signOf(text: string): Sign | 'both' | undefined {
  if (text === '') return undefined;
  const isDot = PATTERNS.dot.test(text);
  return PATTERNS.comma.test(text) ? (isDot ? 'both' : 'comma') : isDot ? 'dot' : undefined;
}

const withoutGroups = (text: string): string => text.replace(NEUTRAL_GROUPS, '');

function readIn(sign: Sign, text: string, doubtful: RegExp | undefined): string | FormatFault {
  if (DIGITS.test(text)) return text;
  const trimmed = text.trim();
  if (doubtful?.test(trimmed)) return new FormatFault(twoMeanings(trimmed));
  if (PATTERNS[sign].test(trimmed)) {
    const digits = trimmed.replace(SEPARATORS[sign], '');
    return sign === 'comma' ? digits.replace(',', '.') : digits;
  }
  const other = sign === 'comma' ? 'dot' : 'comma';
  if (trimmed === '' || !PATTERNS[other].test(trimmed)) return text;
  const got = JSON.stringify(trimmed);
  return new FormatFault(`expected a number with a decimal ${nameOf(sign)}, got ${got}: ${optionOf(other)} reads it`);
}

const optionOf = (sign: Sign): string => (sign === 'comma' ? '--decimal ,' : '--decimal .');

export const nameOf = (sign: Sign): string => (sign === 'comma' ? 'comma' : 'point');

/** `1.234` is 1.234 or 1234. */
export function twoMeanings(text: string): string {
  const [whole, fraction] = text.split(/[.,]/);
  const asDecimal = text.includes(',') ? '--decimal ,' : '--decimal .';
  const asThousands = text.includes(',') ? '--decimal .' : '--decimal ,';
  return `"${text}" may mean ${whole}.${fraction} (${asDecimal}) or ${whole}${fraction} (${asThousands})`;
}
