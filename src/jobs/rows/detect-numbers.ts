/**
 * The number format of a table, from its first rows. A value proves a decimal sign, or is ambiguous:
 *
 *   12.5  0.123  1234.567  1,234.5  1,234,567    the decimal sign is a point
 *   12,5  0,123  1234,567  1.234,5  1.234.567    the decimal sign is a comma
 *   1.234  1,234                                 ambiguous. In a column of whole numbers the separator is one of thousands
 *
 * One proof settles all ambiguous values of the table. Ambiguous values without a proof are told or refused, never read in silence.
 */
import { AMBIGUOUS, isNumberIn, NEUTRAL_GROUPS, type NumberFormat, nameOf, twoMeanings } from './number-format.js';

/** A field of a column of numbers. */
export interface NumberSample {
  readonly column: string;
  readonly text: string;
  /** Whether the column has whole numbers only. */
  readonly isWhole: boolean;
}

export interface DetectedNumbers {
  /** Undefined: plain numbers. */
  readonly format: NumberFormat | undefined;
  /** The parts of one sentence about the format; empty for plain numbers. */
  readonly told: readonly string[];
  readonly warnings: readonly string[];
  /** Set: the numbers can be read in two ways. */
  readonly refusal?: string;
}

type Evidence = 'dot' | 'comma' | 'unclear-dot' | 'unclear-comma' | 'spaced' | 'date' | 'none';

const DATE = /^(?:\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?|\d{1,2}([./-])\d{1,2}\1\d{2,4})$/;
const WHOLE = /^[+-]?\d+$/;

/** `isEuropean`: columns are separated by semicolons, as spreadsheets do where the comma is the decimal sign. */
export function detectNumbers(samples: Iterable<NumberSample>, isEuropean: boolean): DetectedNumbers {
  const found = new Map<Evidence, { first: NumberSample; count: number }>();
  for (const sample of samples) {
    const kind = evidenceOf(sample);
    const known = found.get(kind);
    if (known) known.count++;
    else if (kind !== 'none') found.set(kind, { first: sample, count: 1 });
  }
  const first = (kind: Evidence): NumberSample | undefined => found.get(kind)?.first;
  const count = (kind: Evidence): number => found.get(kind)?.count ?? 0;
  const warnings = dateWarnings(first('date'));
  if (count('dot') && count('comma'))
    return mixed(first('dot')!, first('comma')!, count('dot') >= count('comma'), warnings);
  if (count('comma')) return settled('comma', first('comma')!, first('unclear-dot'), warnings);
  if (count('dot')) return withPoint(first('dot')!, first('unclear-comma') ?? first('spaced'), warnings);
  return unproved(first('unclear-dot'), first('unclear-comma'), first('spaced'), isEuropean, warnings);
}

function evidenceOf({ text, isWhole }: NumberSample): Evidence {
  if (WHOLE.test(text)) return 'none';
  if (DATE.test(text)) return 'date';
  const inDot = isNumberIn('dot', text);
  const inComma = isNumberIn('comma', text);
  if (inDot && inComma) return evidenceOfBoth(text, isWhole);
  if (inDot) return 'dot';
  return inComma ? 'comma' : 'none';
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
  grouped: NumberSample | undefined,
  warnings: readonly string[],
): DetectedNumbers {
  const isPlain = !grouped && Number.isFinite(Number(proof.text));
  return isPlain ? { format: undefined, told: [], warnings } : settled('dot', proof, grouped, warnings);
}

function settled(
  format: 'dot' | 'comma',
  proof: NumberSample,
  grouped: NumberSample | undefined,
  warnings: readonly string[],
): DetectedNumbers {
  const examples = [proof, ...(grouped ? [grouped] : [])].map(({ text }) => `"${text}" is ${plainOf(format, text)}`);
  return { format, told: [`decimal ${nameOf(format)}s (${examples.join(', ')})`], warnings };
}

function plainOf(format: 'dot' | 'comma', text: string): string {
  const [decimal, group] = format === 'comma' ? [',', '.'] : ['.', ','];
  return text.replace(NEUTRAL_GROUPS, '').replaceAll(group, '').replace(decimal, '.');
}

function mixed(dot: NumberSample, comma: NumberSample, isDot: boolean, warnings: readonly string[]): DetectedNumbers {
  const [format, other] = isDot ? (['dot', ','] as const) : (['comma', '.'] as const);
  const both = `"${dot.text}" (column ${dot.column}) and "${comma.text}" (column ${comma.column})`;
  const advice = `most have a decimal ${nameOf(format)}, and rows with others are invalid; --decimal ${other} reads the others`;
  return { format, told: [], warnings: [...warnings, `the numbers have two formats: ${both}; ${advice}`] };
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
    return { format: undefined, told: [], warnings, refusal };
  }
  if (dot) {
    const told = `column ${dot.column}: "${dot.text}" is read with a decimal point; if it means ${dot.text.replace('.', '')}, give --decimal ,`;
    return { format: undefined, told: [], warnings: [...warnings, told] };
  }
  if (!spaced) return { format: 'unsure', told: [], warnings };
  return {
    format: 'dot',
    told: [`spaces between thousands ("${spaced.text}" is ${plainOf('dot', spaced.text)})`],
    warnings,
  };
}

function dateWarnings(sample: NumberSample | undefined): string[] {
  if (!sample) return [];
  const advice = 'the model reads a number there: write days, months or years in place of dates';
  return [`column ${sample.column} has dates such as "${sample.text}", and ${advice}`];
}
