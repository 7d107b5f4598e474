/**
 * The number format of a table, from its first rows. A value proves a decimal sign, or is ambiguous:
 *
 *   12.5  0.123  1234.567  1,234.5  1,234,567    the decimal sign is a point
 *   12,5  0,123  1234,567  1.234,5  1.234.567    the decimal sign is a comma
 *   1.234  1,234                                 ambiguous. In a column of whole numbers the separator is one of thousands
 *
 * The thousands separators of a column settle its ambiguous values. In a column with decimal signs and no thousands separator, `1.125` beside
 * `12,5` stays ambiguous, and makes its row invalid. In a column with neither, the proofs of the table settle it. A table with proofs of
 * both signs settles none: its columns are read by their own proofs, and each ambiguous value makes its row invalid. Ambiguous values
 * without a proof are told or refused, never read in silence.
 */
import {
  AMBIGUOUS,
  isNumberIn,
  NEUTRAL_GROUPS,
  type NumberFormat,
  nameOf,
  type Sign,
  twoMeanings,
} from './number-format.js';

/** A field of a column of numbers. */
export interface NumberSample {
  readonly column: string;
  readonly text: string;
  /** Whether the column has whole numbers only. */
  readonly isWhole: boolean;
}

export interface DetectedNumbers {
  /** The format of a column. Undefined: plain numbers. */
  readonly formatOf: (column: string) => NumberFormat | undefined;
  /** The parts of one sentence about the format; empty for plain numbers. */
  readonly told: readonly string[];
  readonly warnings: readonly string[];
  /** Set: the numbers can be read in two ways. */
  readonly refusal?: string;
}

type Evidence = 'dot' | 'comma' | 'grouped' | 'unclear-dot' | 'unclear-comma' | 'spaced' | 'date' | 'none';

/** The first field of each kind, and how many there are. */
type Findings = Map<Evidence, { first: NumberSample; count: number }>;

const ISO_DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?$/;
const DATE = /^(\d{1,2})([./-])(\d{1,2})\2(?:\d{2}|\d{4})$/;
const WHOLE = /^[+-]?\d+$/;
const PLAIN = (): undefined => undefined;

/** `isEuropean`: columns are separated by semicolons, as spreadsheets do where the comma is the decimal sign. */
export function detectNumbers(samples: Iterable<NumberSample>, isEuropean: boolean): DetectedNumbers {
  const table: Findings = new Map();
  const columns = new Map<string, Findings>();
  for (const sample of samples) {
    const kind = evidenceOf(sample);
    if (kind === 'none') continue;
    count(table, kind, sample);
    const column = columns.get(sample.column) ?? new Map();
    count(column, kind, sample);
    if (hasGroups(kind, sample.text)) count(column, 'grouped', sample);
    columns.set(sample.column, column);
  }
  const warnings = dateWarnings(table.get('date')?.first);
  const [dot, comma] = [table.get('dot')?.first, table.get('comma')?.first];
  if (dot && comma) return mixed(dot, comma, columns, warnings);
  if (comma) return settled('comma', comma, groupsOf('comma', columns), columns, warnings);
  if (dot) return withPoint(dot, columns, warnings);
  const first = (kind: Evidence): NumberSample | undefined => table.get(kind)?.first;
  return unproved(first('unclear-dot'), first('unclear-comma'), first('spaced'), isEuropean, warnings);
}

const hasGroups = (kind: Evidence, text: string): boolean =>
  (kind === 'dot' && text.includes(',')) || (kind === 'comma' && text.includes('.'));

function count(findings: Findings, kind: Evidence, sample: NumberSample): void {
  const known = findings.get(kind);
  if (known) known.count++;
  else findings.set(kind, { first: sample, count: 1 });
}

/** The values that are ambiguous where the decimal sign is known: their separator would be one of thousands. */
const UNCLEAR = { comma: 'unclear-dot', dot: 'unclear-comma' } as const satisfies Record<Sign, Evidence>;

/** Whether the ambiguous values of a column have thousands separators: the column has clear ones, or no decimal sign. */
const isGrouped = (sign: Sign, findings: Findings | undefined): boolean =>
  findings !== undefined && (findings.has('grouped') || (findings.has(UNCLEAR[sign]) && !findings.has(sign)));

/** Of each column the first field with a thousands separator, where the decimal sign is known. */
function groupsOf(sign: Sign, columns: ReadonlyMap<string, Findings>): NumberSample[] {
  return [...columns.values()].flatMap((findings) => {
    const kinds: readonly Evidence[] = isGrouped(sign, findings) ? ['grouped', UNCLEAR[sign], 'spaced'] : ['spaced'];
    const kind = kinds.find((each) => findings.has(each));
    return kind ? [findings.get(kind)!.first] : [];
  });
}

function evidenceOf({ text, isWhole }: NumberSample): Evidence {
  if (WHOLE.test(text)) return 'none';
  if (isDate(text)) return 'date';
  const inDot = isNumberIn('dot', text);
  const inComma = isNumberIn('comma', text);
  if (inDot && inComma) return evidenceOfBoth(text, isWhole);
  if (inDot) return 'dot';
  return inComma ? 'comma' : 'none';
}

function isDate(text: string): boolean {
  const [, first, , second] = DATE.exec(text) ?? [];
  if (first === undefined) return ISO_DATE.test(text);
  const [low, high] = [Number(first), Number(second)].sort((a, b) => a - b);
  return low <= 12 && high <= 31;
}

/** The text is a number in both formats: the separator of thousands is neutral, or the only separator is ambiguous. */
function evidenceOfBoth(text: string, isWhole: boolean): Evidence {
  if (!AMBIGUOUS.test(text)) return text.replace(NEUTRAL_GROUPS, '') === text ? 'none' : 'spaced';
  const hasPoint = text.includes('.');
  if (isWhole && !text.endsWith('000')) return hasPoint ? 'comma' : 'dot';
  return hasPoint ? 'unclear-dot' : 'unclear-comma';
}

function withPoint(
  proof: NumberSample,
  columns: ReadonlyMap<string, Findings>,
  warnings: readonly string[],
): DetectedNumbers {
  const groups = groupsOf('dot', columns);
  const isUnclear = [...columns.values()].some((findings) => findings.has('unclear-comma'));
  const isPlain = groups.length === 0 && !isUnclear && Number.isFinite(Number(proof.text));
  return isPlain ? { formatOf: PLAIN, told: [], warnings } : settled('dot', proof, groups, columns, warnings);
}

/** Examples of thousands in one sentence. */
const MOST_GROUPS = 3;

function settled(
  sign: Sign,
  proof: NumberSample,
  groups: readonly NumberSample[],
  columns: ReadonlyMap<string, Findings>,
  warnings: readonly string[],
): DetectedNumbers {
  const texts = new Set([proof, ...groups].slice(0, 1 + MOST_GROUPS).map(({ text }) => text));
  const examples = [...texts].map((text) => `"${text}" is ${plainOf(sign, text)}`);
  const told = [`decimal ${nameOf(sign)}s (${examples.join(', ')})`];
  const formatOf = (column: string): NumberFormat =>
    isGrouped(sign, columns.get(column)) ? sign : `${sign}-ungrouped`;
  return { formatOf, told, warnings };
}

function plainOf(format: 'dot' | 'comma', text: string): string {
  const [decimal, group] = format === 'comma' ? [',', '.'] : ['.', ','];
  return text.replace(NEUTRAL_GROUPS, '').replaceAll(group, '').replace(decimal, '.');
}

/** Both signs are proved. A column is read by the sign that is commoner in it. */
function mixed(
  dot: NumberSample,
  comma: NumberSample,
  columns: ReadonlyMap<string, Findings>,
  warnings: readonly string[],
): DetectedNumbers {
  const formatOf = (column: string): NumberFormat => {
    const [dots, commas] = (['dot', 'comma'] as const).map((sign) => columns.get(column)?.get(sign)?.count ?? 0);
    return dots === commas ? 'disputed' : dots > commas ? 'dot-strict' : 'comma-strict';
  };
  const both = `"${dot.text}" (column ${dot.column}) and "${comma.text}" (column ${comma.column})`;
  const rule =
    'each column is read with the decimal sign that it has more often, and rows with other or ambiguous numbers are invalid';
  const told = `the numbers have two formats: ${both}; ${rule}; --decimal . and --decimal , read all columns alike`;
  return { formatOf, told: [], warnings: [...warnings, told] };
}

function unproved(
  dot: NumberSample | undefined,
  comma: NumberSample | undefined,
  spaced: NumberSample | undefined,
  isEuropean: boolean,
  warnings: readonly string[],
): DetectedNumbers {
  const unclear = comma ?? dot;
  if (unclear && (comma || isEuropean)) {
    const refusal = `column ${unclear.column}: ${twoMeanings(unclear.text)}: say which by --decimal`;
    return { formatOf: PLAIN, told: [], warnings, refusal };
  }
  if (dot) {
    const told = `column ${dot.column}: "${dot.text}" is read with a decimal point; if it means ${dot.text.replace('.', '')}, give --decimal ,`;
    return { formatOf: PLAIN, told: [], warnings: [...warnings, told] };
  }
  const told = spaced ? [`spaces between thousands ("${spaced.text}" is ${plainOf('dot', spaced.text)})`] : [];
  return { formatOf: () => 'unknown', told, warnings };
}

function dateWarnings(sample: NumberSample | undefined): string[] {
  if (!sample) return [];
  return [datesInColumn(sample.column, ` such as "${sample.text}"`)];
}

export const datesInColumn = (column: string, examples = ''): string =>
  `column ${column} has dates${examples}, and the model reads a number there: write days, months or years in place of dates`;
