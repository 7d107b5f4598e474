/** Tables in the formats of other countries, through the commands that read rows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { here, readLines, temporaryFolder, withoutTimes, writeText } from './cli-process.js';
import { MODEL, POLICY } from './small-task.js';

const ROWS = Array.from(
  { length: 30 },
  (_, i) => [`r-${i}`, 1000.5 + 37 * i, 20 + i, i % 2 ? 'Köln' : 'Paris'] as const,
);
const HEADER = ['id', 'income', 'age', 'city'];

const german = (value: string | number) =>
  typeof value === 'number' ? value.toLocaleString('de-DE', { minimumFractionDigits: 0 }) : value;
const lines = (delimiter: string, write: (value: string | number) => string | number) =>
  `${[HEADER, ...ROWS.map((row) => row.map(write))].map((fields) => fields.join(delimiter)).join('\r\n')}\r\n`;

const PLAIN = lines(',', (value) => value);
const GERMAN = Buffer.from(lines(';', german), 'latin1');

function files(rows: string | Buffer) {
  const folder = temporaryFolder();
  const [model, policy, input] = [
    writeText(folder, 'model.json', MODEL),
    writeText(folder, 'policy.json', POLICY),
    writeText(folder, 'rows.csv', rows),
  ];
  return { folder, model, policy, input, output: join(folder, 'out.ndjson') };
}

async function explain(rows: string | Buffer, ...options: string[]) {
  const { model, policy, input, output } = files(rows);
  const documents = ['--model', model, '--policy', policy, '--threads', '1'];
  const ended = await here(['explain', ...documents, '--input', input, '--output', output, ...options]);
  return { ...ended, text: ended.code === 2 ? '' : withoutTimes(readFileSync(output, 'utf8')) };
}

describe('a German table in Latin-1', () => {
  it('is explained as the same rows in plain CSV, and told once', async () => {
    const [plain, read] = [await explain(PLAIN), await explain(GERMAN)];
    expect(read.code).toBe(0);
    expect(read.text).toBe(plain.text);
    expect(plain.stderr).not.toContain('are read with');
    const told = read.stderr.split('\n').filter((line) => line.includes('are read with'));
    expect(told).toHaveLength(1);
    for (const part of ['semicolons', 'Windows-1252', '"1.000,5" is 1000.5']) expect(told[0]).toContain(part);
  });

  it('is read without words when the options tell its format', async () => {
    const given = await explain(GERMAN, '--delimiter', ';', '--decimal', ',', '--encoding', 'latin1');
    expect(given.text).toBe((await explain(PLAIN)).text);
    expect(given.stderr).not.toContain('are read with');
  });

  it('is read by predict, policies init and policies check', async () => {
    const { model, policy, input, output } = files(GERMAN);
    const predicted = await here(['predict', '--model', model, '--input', input, '--output', output, '--threads', '1']);
    expect(predicted.code).toBe(0);
    expect(readLines(output).every((line) => JSON.parse(line).prediction !== null)).toBe(true);
    const options = ['--data', input, '--decimal', ',', '--delimiter', ';', '--encoding', 'latin1'];
    const drafted = await here(['policies', 'init', '--model', model, '--target', 'yes', ...options]);
    expect(drafted).toMatchObject({ code: 0, stdout: expect.stringContaining('2073.5') });
    const checked = await here(['policies', 'check', policy, '--model', model, ...options]);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
  });

  it('with a column of targets is told by policies check', async () => {
    const { model, policy, input } = files('id,income,age,city,target\na,1000,30,Paris,no\n');
    const { stderr } = await here(['policies', 'check', policy, '--model', model, '--data', input]);
    expect(stderr).toContain('the column target gives rows their own target, in place of yes');
  });
});

describe('a table with two readings', () => {
  const ambiguous = 'id;income;age;city\na;1.234;30;Paris\nb;5.678;31;Paris\n';

  it('is refused with the options, and nothing is written', async () => {
    const { code, stderr } = await explain(ambiguous);
    expect(code).toBe(2);
    expect(stderr).toContain('column income: "1.234" may mean 1.234 (--decimal .) or 1234 (--decimal ,)');
  });

  it('is read as the option says', async () => {
    const incomes = async (decimal: string) =>
      (await explain(ambiguous, '--decimal', decimal)).text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).factual.features.income);
    expect(await incomes(',')).toEqual([1234, 5678]);
    expect(await incomes('.')).toEqual([1.234, 5.678]);
  });
});

it.each([
  [['--decimal', ';'], '--decimal: ";" is none of ., ,'],
  [['--delimiter', 'ab'], '--delimiter: expected one character'],
  [['--delimiter', 'a'], '--delimiter: expected one character'],
  [['--encoding', 'klingon'], '--encoding: unknown encoding "klingon"'],
])('%j is refused', async (options, message) => {
  const { code, stderr } = await explain(PLAIN, ...options);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

it('dates in a column of numbers are told, and the run of invalid rows ends with code 4', async () => {
  const { code, stderr } = await explain('id,income,age,city\na,31.01.2024,30,Paris\nb,28.02.2024,31,Paris\n');
  expect(code).toBe(4);
  expect(stderr).toContain('column income has dates such as "31.01.2024"');
});
