/** The table of `explain`, opened by pandas and by LibreOffice: integers are integers, and text is text. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CREDIT, readLines, run, temporaryFolder, writeText } from '../integration/cli-process.js';

const READER = fileURLToPath(new URL('./read_tables.py', import.meta.url));
const COLUMNS = {
  ...{ id: 'text', status: 'text', answer: 'integer', newScore: 'number', proof: 'text', changes: 'text' },
  ...{ age: 'integer', income: 'integer', hasGuarantor: 'boolean', housing: 'text', reason: 'text' },
};
const ROWS = 60;
/** The path of a table of answers. */
async function writeTable(): Promise<string> {
  const folder = temporaryFolder();
  const lines = readLines(join(CREDIT, 'applicants.csv')).slice(0, ROWS + 1);
  const input = writeText(folder, 'rows.csv', lines.join('\n'));
  const output = join(folder, 'out.csv');
  const documents = ['--model', join(CREDIT, 'model.json'), '--policy', join(CREDIT, 'policy.json')];
  expect((await run(['explain', ...documents, '--input', input, '--output', output])).code).toBe(0);
  return output;
}

const read = (reader: string, file: string) =>
  JSON.parse(execFileSync(process.env.PYTHON || 'python3', [READER, reader, file], { encoding: 'utf8' }));

describe('a table for people', () => {
  it('has the types of its columns in pandas', async () => {
    const { rows, types } = read('pandas', await writeTable());
    expect(rows).toBeGreaterThanOrEqual(ROWS);
    expect(types).toMatchObject(COLUMNS);
  });

  it('has the types of its columns in LibreOffice', async () => {
    const folder = temporaryFolder();
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    const convert = ['--headless', profile, '--convert-to', 'fods', '--outdir', folder, await writeTable()];
    execFileSync(process.env.SOFFICE || 'soffice', convert, { stdio: 'ignore' });
    const { rows, types } = read('spreadsheet', join(folder, 'out.fods'));
    expect(rows).toBeGreaterThanOrEqual(ROWS);
    // LibreOffice reads true and false in a CSV file as text
    expect(types).toMatchObject({ ...COLUMNS, hasGuarantor: 'text' });
  });
});
