/** Rows of the example as single requests have them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

export interface ReadRow {
  readonly id: string;
  readonly features: Readonly<Record<string, string | number | boolean>>;
}

/** Of a CSV file whose first column is the id. */
export function readRows(path: string): ReadRow[] {
  const [header, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const [, ...names] = header.split(',');
  return rows.map((row) => {
    const [id, ...cells] = row.split(',');
    return { id, features: Object.fromEntries(names.map((name, i) => [name, readValue(cells[i])])) };
  });
}

export function firstApplicant(): ReadRow['features'] {
  return readRows(join(EXAMPLES, 'credit', 'applicants.csv'))[0].features;
}

function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}
