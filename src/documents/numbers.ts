/** The numbers of documents. */
import { z } from 'zod';
import { listOf } from './collections.js';
import { typeFault } from './faults/fault-words.js';

export const finite = z.number({
  error: (issue) => (issue.code === 'invalid_type' ? typeFault('a finite number', issue.input, show) : undefined),
});

/**
 * The largest absolute value of a number in a document or a row. Squares of differences of such numbers, times a weight, summed over all
 * features, stay finite: no result can contain an infinite cost or distance.
 */
export const LARGEST = 1e100;

const tooLarge = { error: (issue: { input?: unknown }) => tooLargeNumber(Number(issue.input)) };
export const tooLargeNumber = (value: number): string => `${value} is too large: at most ${LARGEST} in size`;

/** A number that may be squared. */
export const bounded = finite.min(-LARGEST, tooLarge).max(LARGEST, tooLarge);

/** The smallest divisor. */
export const SMALLEST = 1 / LARGEST;

/** A number above 0 that is large enough to be a divisor. */
export const positive = bounded.min(SMALLEST, {
  error: (issue) => `expected a number above 0, at least ${SMALLEST}, got ${issue.input}`,
});
export const vector = listOf(bounded).min(1);
export const matrix = listOf(vector).min(1);

function show(value: unknown): string {
  if (typeof value === 'number' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? `"${value.slice(0, 40)}"` : typeof value;
}
