/** Numbers, dates and lists in the language of a letter. Numbers of features are shown exactly: a rounded answer may not be an answer. */
import type { Language } from '../../documents/labels/label-document.js';
import { placesOf } from '../../linalg/decimals.js';

/** Beyond these sizes a number is shown with an exponent. */
const LARGEST_PLAIN = 1e15;
const SMALLEST_PLAIN = 1e-9;
/** The digits of a double that are enough to read it back. */
const ALL_DIGITS = 17;
/** The digits of an end of a range without decimals of its own. */
const END_DIGITS = 6;
/** A smaller share is shown as this one. */
const LEAST_SHARE = 0.001;
const SCORE_DIGITS = { least: 2, most: 6 };
/** The digits of a score that is very near to 0 or 1. */
const MOST_END_DIGITS = 9;

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR' };
const INWARD = { 1: 'ceil', [-1]: 'floor' } as const;

type Rounding = Intl.NumberFormatOptions & { roundingMode?: 'ceil' | 'floor' };

export class LetterFormat {
  readonly #locale: string;
  /** Formats are expensive to build. */
  readonly #numbers = new Map<string, Intl.NumberFormat>();
  readonly #and: Intl.ListFormat;
  readonly #or: Intl.ListFormat;
  readonly #plurals: Intl.PluralRules;

  constructor(language: Language) {
    this.#locale = LOCALES[language];
    this.#and = new Intl.ListFormat(this.#locale, { type: 'conjunction' });
    this.#plurals = new Intl.PluralRules(this.#locale);
    this.#or = new Intl.ListFormat(this.#locale, { type: 'disjunction' });
  }

  /** All digits that the number has. */
  number(value: number): string {
    return this.#format(digitsOf(value)).format(value + 0);
  }

  /**
   * The end of a range. `side` 1 rounds up, -1 rounds down: a shown end is never outside the range. `reaches`: whether the range from a shown
   * end still has the values that the letter names.
   */
  end(value: number, side: 1 | -1, reaches: (end: number) => boolean): string {
    if (Number.isInteger(value)) return this.number(value);
    const roundingMode = INWARD[side];
    for (let digits = END_DIGITS; digits < shortDigits(value); digits++) {
      const rounding = { maximumSignificantDigits: digits, roundingMode };
      const end = Number(this.#format({ ...rounding, useGrouping: false }, 'en').format(value));
      if (reaches(end)) return this.#format({ ...notationOf(value), ...rounding }).format(value);
    }
    return this.number(value);
  }

  /**
   * Scores with the same number of digits: two, or more where a score would look the same as a different one of the `marks`. A score that
   * would look like 0 or 1 and is not has more digits than the others.
   */
  scores(values: readonly number[], marks: readonly number[]): string[] {
    for (let digits = SCORE_DIGITS.least; digits <= SCORE_DIGITS.most; digits++) {
      const show = (value: number) => this.#fixed(value, digits);
      const isClear = values.every((value) => marks.every((mark) => value === mark || show(value) !== show(mark)));
      if (isClear) return values.map((value) => this.#beforeEnd(value, digits));
    }
    return values.map((value) => this.number(value));
  }

  /** `0.99997` in place of `1.00`. */
  #beforeEnd(value: number, least: number): string {
    const end = Math.round(value);
    if (value === end || (end !== 0 && end !== 1)) return this.#fixed(value, least);
    for (let digits = least; digits <= MOST_END_DIGITS; digits++)
      if (this.#fixed(value, digits) !== this.#fixed(end, digits)) return this.#fixed(value, digits);
    return this.number(value);
  }

  #fixed(value: number, digits: number): string {
    return this.#format({
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay: 'negative',
    }).format(value);
  }

  /** The form of a noun after the number. */
  plural(value: number): Intl.LDMLPluralRule {
    return this.#plurals.select(value);
  }

  /** A share, rounded up: a limit must not look smaller than it is. */
  percentUp(share: number): string {
    return this.#format({ style: 'percent', maximumSignificantDigits: 2, roundingMode: 'ceil' }).format(
      Math.max(LEAST_SHARE, share),
    );
  }

  percent(share: number): string {
    return this.#format({ style: 'percent', maximumSignificantDigits: 2 }).format(share);
  }

  count(value: number): string {
    return this.#format({ maximumFractionDigits: 0 }).format(value);
  }

  /** `day`: a date of the calendar, 2026-12-17. */
  date(day: string): string {
    return new Intl.DateTimeFormat(this.#locale, { dateStyle: 'long', timeZone: 'UTC' }).format(
      new Date(`${day}T00:00Z`),
    );
  }

  and(parts: readonly string[]): string {
    return this.#and.format(parts);
  }

  or(parts: readonly string[]): string {
    return this.#or.format(parts);
  }

  #format(options: Rounding, locale = this.#locale): Intl.NumberFormat {
    const key = locale + JSON.stringify(options);
    const known = this.#numbers.get(key) ?? new Intl.NumberFormat(locale, options as Intl.NumberFormatOptions);
    this.#numbers.set(key, known);
    return known;
  }
}

/** The largest `maximumFractionDigits` of Node 20. */
const MOST_PLACES = 20;

function digitsOf(value: number): Rounding {
  const notation = notationOf(value);
  const places = placesOf(value);
  return notation || places < 0 || places > MOST_PLACES
    ? { ...notation, maximumSignificantDigits: shortDigits(value) }
    : { maximumFractionDigits: places };
}

/** Very large and very small numbers have an exponent. */
function notationOf(value: number): Rounding | undefined {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size < LARGEST_PLAIN && size >= SMALLEST_PLAIN);
  return isPlain ? undefined : { notation: 'scientific' };
}

/** The digits of the shortest text that reads back as the number. */
function shortDigits(value: number): number {
  for (let digits = 1; digits < ALL_DIGITS; digits++) if (Number(value.toPrecision(digits)) === value) return digits;
  return ALL_DIGITS;
}
