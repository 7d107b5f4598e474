import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetMetadata, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ParquetSink } from '../../../src/jobs/results/parquet-sink.js';
import type { TableColumn } from '../../../src/jobs/results/result-table.js';
import { headerFeatures } from '../../../src/jobs/rows/csv.js';
import { checkGroups } from '../../../src/jobs/rows/parquet-columns.js';
import { readParquet } from '../../../src/jobs/rows/parquet-rows.js';
import { createRowReader } from '../../../src/jobs/rows/row-reader.js';
import { RowSource } from '../../../src/jobs/rows/row-source.js';
import { openSink, openSource } from '../../../src/jobs/rows/streams.js';
import { smallModel } from './small-model.js';

const model = smallModel();
const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/parquet/${name}`, import.meta.url));

async function readRows(bytes: AsyncIterable<Uint8Array>, name: string) {
  const source = await RowSource.open(bytes, name, headerFeatures(model));
  const rows = [];
  for (let chunk = await source.take(3); chunk; chunk = await source.take(3))
    for (const { id, raw, target, faults } of createRowReader(source.layout, model)(chunk.bytes, chunk.firstRow))
      rows.push({ id, raw: [...raw], target, faults });
  await source.close();
  return { rows, warnings: source.warnings };
}

const readFixture = async (name: string) => readRows((await openSource(fixture(name))).bytes, fixture(name));

async function* inPieces(name: string) {
  const bytes = readFileSync(fixture(name));
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}

const FRAME = [
  ['a', [30, 2000.5, true, 'Köln']],
  ['b', [41, 2100, false, 'Paris, FR']],
  ['c', [null, null, null, null]],
  ['d', [55, 1e-7, true, 'a "b"']],
];

describe('Parquet as rows', () => {
  it.each(['pandas.parquet', 'gzip-groups.parquet'])('has the values that pandas wrote: %s', async (name) => {
    const { rows } = await readFixture(name);
    expect(rows.map(({ id, raw }) => [id, raw])).toEqual(FRAME);
  });

  it('warns of columns that the model does not know, and names a missing one', async () => {
    expect((await readFixture('pandas.parquet')).warnings.join()).toContain('ignored: note');
    const other = smallModel({
      features: [{ name: 'agee', type: 'integer' }],
      parameters: { weights: [1], bias: 0 },
    });
    const { bytes } = await openSource(fixture('pandas.parquet'));
    await expect(RowSource.open(bytes, 'x.parquet', headerFeatures(other))).rejects.toThrow(
      'no column "agee", which the model needs, is it "age"?',
    );
  });

  it.each([50_000, 1 << 30])('is read in slices of a large row group, with pages of %i bytes', async (pageSize) => {
    const rows = 300_000;
    const of = <T>(value: (i: number) => T) => Array.from({ length: rows }, (_, i) => value(i));
    const columnData = [
      { name: 'id', type: 'STRING' as const, data: of((i) => `r-${i}`) },
      { name: 'age', type: 'INT64' as const, data: of((i) => (i % 7 ? BigInt(i) : null)) },
      { name: 'income', type: 'DOUBLE' as const, data: of((i) => i / 8) },
      { name: 'owner', type: 'BOOLEAN' as const, data: of((i) => i % 3 === 0) },
      { name: 'city', type: 'STRING' as const, data: of((i) => (i === 250_000 ? null : `c${i % 5}`)) },
    ];
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: rows, pageSize }));
    const readAt = async (start: number, end: number) => bytes.slice(start, end).buffer;
    const { lines } = await readParquet({ bytes: bytes.length, readAt }, 'x', headerFeatures(model));
    let i = 0;
    for await (const piece of lines)
      for (const line of Buffer.from(piece).toString().trimEnd().split('\n')) {
        const [age, city] = [i % 7 ? i : null, i === 250_000 ? null : `"c${i % 5}"`];
        if (line !== `{"id":"r-${i}","age":${age},"income":${i / 8},"owner":${i % 3 === 0},"city":${city}}`)
          expect.fail(`row ${i}: ${line}`);
        i++;
      }
    expect(i).toBe(rows);
  });

  it('is refused with a row group that does not fit into memory', async () => {
    const columnData = [{ name: 'age', data: [1] }];
    const { row_groups, ...rest } = parquetMetadata(parquetWriteBuffer({ columnData }));
    const [group] = row_groups;
    const long = { ...rest, row_groups: [{ ...group, num_rows: 2n ** 27n }] };
    expect(() => checkGroups(long, ['age'])).toThrow('write smaller row groups');
    const [column] = group.columns;
    const heavy = { ...column, meta_data: { ...column.meta_data!, total_compressed_size: 2n ** 29n } };
    expect(() => checkGroups({ ...rest, row_groups: [{ ...group, columns: [heavy] }] }, ['age'])).toThrow(
      'column of a row',
    );
    expect(() => checkGroups({ ...rest, row_groups }, ['age'])).not.toThrow();
  });

  it.each([
    ['is empty', () => Buffer.alloc(0), 'the file is empty'],
    ['is text', () => Buffer.from('age,income\n30,2000\n'), 'it is another kind of file'],
    ['is a part', () => readFileSync(fixture('pandas.parquet')).subarray(0, 900), 'the file is not whole'],
    ['is damaged', damaged, 'the file is damaged: its bytes do not fit its index'],
  ])('is refused in plain words: the file %s', async (_, bytesOf, message) => {
    const bytes = new Uint8Array(bytesOf());
    const readAt = async (start: number, end: number) => bytes.slice(start, end).buffer;
    const reading = readParquet({ bytes: bytes.length, readAt }, 'x', headerFeatures(model)).then(async ({ lines }) => {
      for await (const _ of lines);
    });
    await expect(reading).rejects.toThrow(`x: cannot be read as Parquet: ${message}`);
  });

  function damaged(): Buffer {
    const bytes = readFileSync(fixture('pandas.parquet'));
    return Buffer.from(bytes).fill(0xff, 4, bytes.length - 12 - bytes.readUInt32LE(bytes.length - 8));
  }

  it('tells of dates in a column of numbers', async () => {
    const columnData = [
      { name: 'age', type: 'TIMESTAMP' as const, data: [new Date(0)] },
      ...['income', 'owner', 'city'].map((name) => ({ name, data: [1] })),
    ];
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData }));
    const readAt = async (start: number, end: number) => bytes.slice(start, end).buffer;
    const { warnings } = await readParquet({ bytes: bytes.length, readAt }, 'x', headerFeatures(model));
    expect(warnings).toEqual([
      'column age has dates, and the model reads a number there: write days, months or years in place of dates',
    ]);
  });

  it('may come as a stream, also without a name that says it', async () => {
    const { rows } = await readRows(inPieces('pandas.parquet'), 'standard input');
    expect(rows.map(({ id, raw }) => [id, raw])).toEqual(FRAME);
  });

  it('may hold features in a struct, and targets as JSON', async () => {
    const { rows } = await readFixture('nested.parquet');
    expect(rows.map(({ id, raw, target }) => [id, raw, target])).toEqual([
      ['n1', [30, 2000, true, 'Köln'], 'yes'],
      ['n2', [31, null, false, 'Köln'], { from: 0.9 }],
    ]);
  });

  it('has narrow types; a number that is not finite is no missing value', async () => {
    const { rows } = await readFixture('narrow-types.parquet');
    expect(rows.map(({ id, raw }) => [id, raw])).toEqual([
      ['row-1', [30, 0.5, 1, 'Köln']],
      ['row-2', [31, 'Infinity', 0, 'Köln']],
    ]);
  });

  it('is refused with the reason where it cannot be read', async () => {
    await expect(readFixture('lz4.parquet')).rejects.toThrow(
      'the compression LZ4_RAW is not read: write the file with',
    );
    const cut = async function* () {
      yield readFileSync(fixture('pandas.parquet')).subarray(0, 900);
    };
    await expect(readRows(cut(), 'cut.parquet')).rejects.toThrow('cut.parquet: cannot be read as Parquet');
  });
});

const COLUMNS: TableColumn[] = [
  { name: 'id', type: 'text' },
  { name: 'age', type: 'integer' },
  { name: 'income', type: 'number' },
  { name: 'owner', type: 'boolean' },
];

async function write(lines: (number | string | boolean | null)[][], perWrite: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'elsewise-parquet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'out.parquet');
  const sink = await ParquetSink.open(await openSink(path), COLUMNS);
  for (let at = 0; at < lines.length; at += perWrite)
    await sink.write(
      Buffer.from(
        lines
          .slice(at, at + perWrite)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      ),
    );
  await sink.close();
  return path;
}

async function readBack(path: string) {
  const file = new Uint8Array(readFileSync(path)).buffer;
  const metadata = await parquetMetadataAsync(file);
  return { metadata, rows: await parquetReadObjects({ file, metadata }) };
}

describe('a table as Parquet', () => {
  it('has typed columns, and null where a value is missing', async () => {
    const { metadata, rows } = await readBack(
      await write(
        [
          ['ä', 41, 2.5, true],
          [null, null, null, null],
          ['=1', -3, 1e-9, false],
        ],
        2,
      ),
    );
    const types = parquetSchema(metadata).children.map(({ element }) => [element.name, element.type]);
    expect(types).toEqual([
      ['id', 'BYTE_ARRAY'],
      ['age', 'INT64'],
      ['income', 'DOUBLE'],
      ['owner', 'BOOLEAN'],
    ]);
    expect(rows).toEqual([
      { id: 'ä', age: 41n, income: 2.5, owner: true },
      { id: null, age: null, income: null, owner: null },
      { id: '=1', age: -3n, income: 1e-9, owner: false },
    ]);
  });

  it('is written in row groups, and is whole without rows', async () => {
    const many = Array.from({ length: 45_000 }, (_, i) => [`r-${i}`, i, i / 3, i % 2 === 0]);
    const { metadata, rows } = await readBack(await write(many, 1_000));
    expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([20_000, 20_000, 5_000]);
    expect(rows[44_999]).toEqual({ id: 'r-44999', age: 44_999n, income: 44_999 / 3, owner: false });
    expect((await readBack(await write([], 1))).rows).toEqual([]);
  });
});
