/**
 * Other spellings of truth values and of categories, as spreadsheets and statistics programs write them. A spelling is read only where
 * exactly one value of the feature can be meant. The exact text of a category is compared before these spellings.
 *
 *   truth values   true, WAHR, vrai, yes, ja, oui, 1, 1.0, 1,0 and their opposites
 *   categories     a pair of truth values in any words ("True" for true); a whole number with a fraction of zeros ("3.0" for "3");
 *                  a number as printf's %e writes it ("1.5e+00" for "1.5")
 *
 * Leading zeros stay text: "007" is not "7". So does a longer fraction: "3.10" is not "3.1", and "3.000" may mean 3000.
 */

const TRUE_WORDS = new Set(['1', 'true', 'yes', 'wahr', 'ja', 'vrai', 'oui']);
const FALSE_WORDS = new Set(['0', 'false', 'no', 'falsch', 'nein', 'faux', 'non']);
const ONE_OR_ZERO = /^([01])[.,]0*(?:e[+-]?0+)?$/;

/** 1 for true, 0 for false; undefined: the text is no truth value. */
export function truthOf(text: string): 0 | 1 | undefined {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return 1;
  if (FALSE_WORDS.has(word)) return 0;
  const digit = ONE_OR_ZERO.exec(word)?.[1];
  return digit === undefined ? undefined : digit === '1' ? 1 : 0;
}

/** Finds a category by another spelling; undefined: none, or several. */
export type SpellingIndex = (text: string) => number | undefined;

export function indexSpellings(categories: readonly string[]): SpellingIndex {
  const truths = truthPair(categories);
  if (truths) return (text) => truths[truthOf(text) ?? NEITHER];
  const numbers = indexNumbers(categories);
  return numbers.size ? (text) => numbers.get(numberSpelling(text.trim()) ?? '') ?? undefined : () => undefined;
}

const NEITHER = 2;

/** The category of false and that of true, where the categories are exactly these two and, at most, one for missing values. */
function truthPair(categories: readonly string[]): readonly (number | undefined)[] | undefined {
  const pair: (number | undefined)[] = [undefined, undefined];
  for (const [k, category] of categories.entries()) {
    if (MISSING_CATEGORIES.has(category.toLowerCase())) continue;
    const truth = truthOf(category);
    if (truth === undefined || pair[truth] !== undefined) return undefined;
    pair[truth] = k;
  }
  return pair.includes(undefined) ? undefined : pair;
}

const MISSING_CATEGORIES = new Set(['(missing)', 'nan', 'none', 'null', 'na']);

/** The category of each number. Null: several categories have the number. */
function indexNumbers(categories: readonly string[]): Map<string, number | null> {
  const index = new Map<string, number | null>();
  for (const [k, category] of categories.entries()) {
    const number = DECIMAL.test(category) ? category : numberSpelling(category);
    if (number !== undefined) index.set(number, index.has(number) ? null : k);
  }
  return index;
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;
const WITH_ZEROS = /^(-?(?:0|[1-9]\d*))(?:[.,]0{1,2})?$/;
const EXPONENTIAL = /^-?\d\.\d+e[+-]\d{2,3}$/i;

/** The number in its shortest spelling; undefined: the text stays text. */
function numberSpelling(text: string): string | undefined {
  const whole = WITH_ZEROS.exec(text)?.[1];
  if (whole !== undefined) return whole === '-0' ? '0' : whole;
  return EXPONENTIAL.test(text) ? String(Number(text)) : undefined;
}
