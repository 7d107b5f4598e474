/** Numbers as documents hold them. */
import { z } from 'zod';

export const finite = z.number({
  error: (issue) => (issue.code === 'invalid_type' ? `expected a finite number, got ${show(issue.input)}` : undefined),
});
export const vector = z.array(finite).min(1);
export const matrix = z.array(vector).min(1);

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? `"${value.slice(0, 40)}"` : typeof value;
}
