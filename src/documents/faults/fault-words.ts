/**
 * THE TABLE that words the faults of schemas. A schema may give its own words for a fault. Every other fault of zod gets its words here,
 * in the place of zod's own text. A message stands behind the path of its value: `policy.cost.norm: expected "l0", "l1" or "l2"`.
 */
import type { z } from 'zod';
import { nearestName } from '../nearest-name.js';

export type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;
/** A fault with the key of a table. */
type IssueOf<Code extends Issue['code']> = Extract<RawIssue, { code: Code }>;

/** By the name of a type in zod. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const WORDS: { readonly [Code in Issue['code']]?: (issue: IssueOf<Code>) => string } = {
  invalid_type: ({ expected, input }) => typeFault(typeWords(expected), input),
  invalid_value: ({ values, input }) => (input === undefined ? missing(oneOf(values)) : `expected ${oneOf(values)}`),
  too_small: ({ origin, minimum, inclusive }) => smallFault(origin, minimum, inclusive !== false),
  too_big: ({ origin, maximum, inclusive }) => bigFault(origin, maximum, inclusive !== false),
  not_multiple_of: ({ divisor }) => `expected a multiple of ${divisor}`,
  invalid_format: ({ format, pattern }) =>
    pattern === undefined ? `expected text of the form ${format}` : `expected text of the form ${pattern}`,
  invalid_union: ({ discriminator, options, input }) =>
    discriminator === undefined ? 'has none of the possible forms' : discriminatorFault(discriminator, options, input),
};

/** The message of a fault for which the schema has no words. Undefined: the table has none either. */
export function wordsOf(issue: RawIssue): string | undefined {
  const words = WORDS[issue.code] as ((issue: RawIssue) => string) | undefined;
  return words?.(issue);
}

/** The forms that a value may have, without the verb. Undefined: the fault is not about the form. */
export function expectedForm(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') return typeWords(issue.expected);
  return issue.code === 'invalid_value' ? oneOf(issue.values) : undefined;
}

/** The message for a value of another form. `show` tells the value. */
export const typeFault = (expected: string, input: unknown, show = kindOf): string =>
  input === undefined ? missing(expected) : `expected ${expected}, got ${show(input)}`;

const missing = (expected: string): string => `is missing: expected ${expected}`;
const typeWords = (expected: string): string => TYPES[expected] ?? expected;
const oneOf = (values: readonly unknown[]): string => alternatives(values.map((value) => JSON.stringify(value)));

/** `a, b or c` */
export const alternatives = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;

/** The kind of a value. Text is not quoted, because documents may hold personal data. */
function kindOf(input: unknown): string {
  if (input === null) return 'null';
  if (Number.isNaN(input)) return 'text that is no number';
  if (typeof input === 'number') return String(input);
  return Array.isArray(input) ? 'a list' : (TYPES[typeof input] ?? typeof input);
}

/** The unit of a size, by the kind of value. */
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['letter', 'letters'],
  array: ['element', 'elements'],
};

function smallFault(origin: string, minimum: number | bigint, isInclusive: boolean): string {
  const units = UNITS[origin];
  if (!units) return `expected a number ${isInclusive ? 'of at least' : 'above'} ${minimum}`;
  return minimum === 1 ? 'must not be empty' : `expected at least ${minimum} ${units[1]}`;
}

function bigFault(origin: string, maximum: number | bigint, isInclusive: boolean): string {
  const units = UNITS[origin];
  if (!units) return `expected a number ${isInclusive ? 'of at most' : 'below'} ${maximum}`;
  return `expected at most ${maximum} ${units[maximum === 1 ? 0 : 1]}`;
}

function discriminatorFault(key: string, options: unknown, input: unknown): string {
  const names = Array.isArray(options) ? options.map(String) : [];
  const given = (input as Readonly<Record<string, unknown>> | null)?.[key];
  const expected = alternatives(names.map((name) => JSON.stringify(name)));
  if (given === undefined) return missing(expected);
  return `expected ${expected}${typeof given === 'string' ? suggestion(given, names) : ''}`;
}

/** `, did you mean "x"?` for text that is none of several options. A single option needs no suggestion: the message names it. */
export function suggestion(text: string, options: readonly string[]): string {
  const nearest = options.length > 1 ? nearestName(text, options) : undefined;
  return nearest === undefined ? '' : `, did you mean "${nearest}"?`;
}
