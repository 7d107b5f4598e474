/** The first applicant of the example as the features of one row. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

export function firstApplicant(): Record<string, string | number | boolean> {
  const [header, row] = readFileSync(join(EXAMPLES, 'credit', 'applicants.csv'), 'utf8').split('\n');
  const values = row.split(',').map(readValue);
  const named = header.split(',').map((name, column) => [name, values[column]] as const);
  return Object.fromEntries(named.filter(([name]) => name !== 'id'));
}

function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}
