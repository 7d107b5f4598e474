/** Numbers as documents hold them. */
import { z } from 'zod';
import { listOf } from './collections.js';

export const finite = z.number({
  error: (issue) => (issue.code === 'invalid_type' ? `expected a finite number, got ${show(issue.input)}` : undefined),
});
export const vector = listOf(finite).min(1);
export const matrix = listOf(vector).min(1);

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? `"${value.slice(0, 40)}"` : typeof value;
}
