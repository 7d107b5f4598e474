/** Parquet in and out of the commands, beside the same rows as CSV. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { ParquetSink } from '../../src/jobs/results/parquet-sink.js';
import { openSink } from '../../src/jobs/rows/streams.js';
import { readLines, run, temporaryFolder, withoutTimes, writeText } from './cli-process.js';
import { MODEL, POLICY, rowsCsv } from './small-task.js';

async function task() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  writeText(folder, 'model.json', MODEL);
  writeText(folder, 'policy.json', POLICY);
  writeText(folder, 'rows.csv', rowsCsv(300));
  await writeRows(at('rows.parquet'), rowsCsv(300));
  const call = (command: string, input: string, output: string, ...more: string[]) => {
    const documents = ['--model', at('model.json'), ...(command === 'explain' ? ['--policy', at('policy.json')] : [])];
    return run([command, ...documents, '--input', at(input), '--output', at(output), '--threads', '1', ...more]);
  };
  return { at, call };
}

async function writeRows(path: string, csv: string): Promise<void> {
  const types = { id: 'text', income: 'number', age: 'integer', city: 'text' } as const;
  const sink = await ParquetSink.open(
    await openSink(path),
    Object.entries(types).map(([name, type]) => ({ name, type })),
  );
  const lines = csv.trimEnd().split('\n').slice(1);
  const cells = lines.map((line) => line.split(',').map((text, c) => (c === 1 || c === 2 ? Number(text) : text)));
  await sink.write(Buffer.from(`${cells.map((line) => JSON.stringify(line)).join('\n')}\n`));
  await sink.close();
}

const readParquet = (path: string) => parquetReadObjects({ file: new Uint8Array(readFileSync(path)).buffer });

it('explains Parquet as it explains CSV, and writes the same table as Parquet', async () => {
  const { at, call } = await task();
  expect((await call('explain', 'rows.csv', 'csv.ndjson')).code).toBe(0);
  expect((await call('explain', 'rows.parquet', 'parquet.ndjson')).code).toBe(0);
  const text = (name: string) => withoutTimes(readFileSync(at(name), 'utf8'));
  expect(text('parquet.ndjson')).toBe(text('csv.ndjson'));
  expect((await call('explain', 'rows.parquet', 'out.csv')).code).toBe(0);
  expect((await call('explain', 'rows.parquet', 'out.parquet')).code).toBe(0);
  const [header, ...lines] = readLines(at('out.csv')).filter(Boolean);
  const table = await readParquet(at('out.parquet'));
  expect(Object.keys(table[0]).join()).toBe(header);
  expect(table.map((row) => Object.values(row).join())).toEqual(lines);
  expect(table[0]).toMatchObject({ id: 'r-1', answer: 1n, age: 19n, income: 1001 });
});

it('predicts into CSV and Parquet', async () => {
  const { at, call } = await task();
  expect((await call('predict', 'rows.parquet', 'scores.csv')).code).toBe(0);
  expect((await call('predict', 'rows.csv', 'scores.parquet')).code).toBe(0);
  const [header, ...lines] = readLines(at('scores.csv')).filter(Boolean);
  expect(header).toBe('id,prediction,score no,score yes,reason');
  const table = await readParquet(at('scores.parquet'));
  expect(table.map((row) => Object.values(row).join())).toEqual(lines);
  expect(table).toHaveLength(300);
});

it('refuses other endings with those that it knows, and to continue a Parquet file', async () => {
  const { at, call } = await task();
  const output = await call('explain', 'rows.csv', 'out.xlsx');
  expect(output).toMatchObject({ code: 2 });
  expect(output.stderr).toContain('the ending .xlsx is not known: give one of .ndjson, .jsonl, .csv, .parquet');
  expect(existsSync(at('out.xlsx'))).toBe(false);
  writeText(at('.'), 'rows.txt', rowsCsv(3));
  expect((await call('predict', 'rows.txt', 'out.csv')).stderr).toContain('the ending .txt is not known');
  expect((await call('explain', 'rows.csv', 'out.parquet', '--resume')).stderr).toContain('cannot be continued');
});
