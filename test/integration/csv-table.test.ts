/** The table of `explain`, read by a program that is not ours: the csv module of Python. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CREDIT, readLines, run, temporaryFolder, writeText } from './cli-process.js';

const READER = fileURLToPath(new URL('../interop/read_tables.py', import.meta.url));

it('is read by Python: integers are integers, and rows without an answer have their reason', async () => {
  const folder = temporaryFolder();
  const [header, ...rows] = readLines(join(CREDIT, 'applicants.csv'));
  const broken = rows[0].replace(/,.*/, ',x'.repeat(header.split(',').length - 1));
  const input = writeText(folder, 'rows.csv', [header, ...rows.slice(0, 60), broken].join('\n'));
  const output = join(folder, 'out.csv');
  const documents = ['--model', join(CREDIT, 'model.json'), '--policy', join(CREDIT, 'policy.json')];
  expect((await run(['explain', ...documents, '--input', input, '--output', output])).code).toBe(0);
  const read = JSON.parse(execFileSync(process.env.PYTHON || 'python3', [READER, 'csv', output], { encoding: 'utf8' }));
  expect(read.rows).toBeGreaterThan(60);
  expect(read.types).toMatchObject({ answer: 'integer', score: 'number', newScore: 'number', cost: 'number' });
  expect(read.types).toMatchObject({ id: 'text', status: 'text', changes: 'text', reason: 'text', age: 'integer' });
});
