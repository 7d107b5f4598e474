import { describe, expect, it } from 'vitest';
import { headerFeatures } from '../../../src/jobs/rows/csv.js';
import { createRowReader } from '../../../src/jobs/rows/row-reader.js';
import { RowSource } from '../../../src/jobs/rows/row-source.js';
import type { TableOptions } from '../../../src/jobs/rows/table-format.js';
import { smallModel } from './small-model.js';

const model = smallModel();

/** The bytes in pieces of one size: their arrival must not matter. */
async function* piecesOf(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(content: string | Buffer, options: TableOptions = {}, size = 1 << 20) {
  const source = await RowSource.open(
    piecesOf(Buffer.from(content as string), size),
    'rows.csv',
    headerFeatures(model),
    options,
  );
  const reader = createRowReader(source.layout, model);
  const rows = [];
  for (let chunk = await source.take(100); chunk; chunk = await source.take(100))
    for (const { id, raw, faults } of reader(chunk.bytes, chunk.firstRow))
      rows.push({ id, age: raw[0], income: raw[1], city: raw[3], faults });
  return { rows, warnings: source.warnings, layout: source.layout };
}

/** A table with semicolons and these incomes. */
const european = (...incomes: string[]) =>
  `id;age;income;owner;city\n${incomes.map((income, i) => `r${i};30;${income};true;Köln\n`).join('')}`;
/** A table with commas: a field with a comma is quoted. */
const american = (...incomes: string[]) =>
  `id,age,income,owner,city\n${incomes.map((income, i) => `r${i},30,"${income}",true,Köln\n`).join('')}`;

const incomesOf = async (content: string, options?: TableOptions) =>
  (await read(content, options)).rows.map(({ income }) => Number(income));

describe('numbers', () => {
  it.each([
    [
      'German',
      european('1.234,5', '12,25', '1.234', '1.234.567,125', '-3,5', '7'),
      [1234.5, 12.25, 1234, 1234567.125, -3.5, 7],
    ],
    ['French', european('1 234,5', '1\u00a0234', '1\u202f234\u202f567,5', '0,5'), [1234.5, 1234, 1234567.5, 0.5]],
    ['Swiss', european("1'234.5", '1’234', '0.5'), [1234.5, 1234, 0.5]],
    ['American', american('1,234.5', '1,234', '0.125', '1,234,567'), [1234.5, 1234, 0.125, 1234567]],
    ['with spaces only', european('1 234', '12 345 678', '99'), [1234, 12345678, 99]],
  ])('%s are read, and told once', async (_, content, expected) => {
    expect(await incomesOf(content)).toEqual(expected);
    const { warnings } = await read(content);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^the rows are read with .*"[^"]+" is -?[\d.]+.*--decimal/);
  });

  it('as programs write them need no words', async () => {
    const content = american('1234.5', '0.125', '1e3', '12');
    const { warnings, layout } = await read(content);
    expect(warnings).toEqual([]);
    expect(layout).not.toHaveProperty('numbers');
    expect(await incomesOf(content)).toEqual([1234.5, 0.125, 1000, 12]);
  });

  it.each([
    [
      '1,234 alone',
      american('1,234', '2,345'),
      /column income: "1,234" may mean 1\.234 \(--decimal ,\) or 1234 \(--decimal \.\)/,
    ],
    [
      '1.234 alone between semicolons',
      european('1.234', '12'),
      /"1.234" may mean 1\.234 \(--decimal \.\) or 1234 \(--decimal ,\)/,
    ],
    ['1.234 and 1,234', european('1.234', '1,234'), /may mean/],
  ])('%s are refused with the option to give', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
    const { rows } = await read(content, { decimal: ',' });
    expect(rows.map(({ faults }) => faults)).toEqual(rows.map(() => undefined));
  });

  it('with the sign given are read by it', async () => {
    const both = european('1.234', '1,234');
    expect(await incomesOf(both, { decimal: ',' })).toEqual([1234, 1.234]);
    expect(await incomesOf(both, { decimal: '.' })).toEqual([1.234, 1234]);
  });

  it('that may be thousands are told where commas separate columns', async () => {
    const content = american('1.234', '5.678');
    expect(await incomesOf(content)).toEqual([1.234, 5.678]);
    expect((await read(content)).warnings).toEqual([
      'column income: "1.234" is read with a decimal point; if it means 1234, give --decimal ,',
    ]);
  });

  it.each([
    ['one point among decimal commas', european('12,5', '0,75', '1.125', '7'), ','],
    ['one comma among decimal points', american('12.5', '0.75', '1,125', '7'), '.'],
  ] as const)(
    'that thousands would explain make their row invalid in a column without thousands: %s',
    async (_, content, sign) => {
      const { rows } = await read(content);
      const texts = rows.map(({ income, faults }) => faults?.[0].message ?? income);
      expect(texts).toEqual(['12.5', '0.75', expect.stringContaining('may mean 1.125'), '7']);
      expect(await incomesOf(content, { decimal: sign })).toEqual([12.5, 0.75, 1125, 7]);
    },
  );

  it('of a column without any decimal sign are thousands, as the other columns prove', async () => {
    const space = headerFeatures(model).map((feature) => ({ ...feature, numbers: 'any' as const }));
    const content = 'id;age;income;owner;city\na;12,5;1.125;1;1\nb;13,5;2.250;1;1\n';
    const source = await RowSource.open(piecesOf(Buffer.from(content), 99), 'rows.csv', space);
    expect(source.layout).toMatchObject({
      numbers: ['comma-ungrouped', 'comma', 'comma-ungrouped', 'comma-ungrouped'],
    });
    expect(source.warnings[0]).toContain('"1.125" is 1125');
  });

  it('of a whole column show thousands', async () => {
    const rows = 'id;age;income;owner;city\na;1.234;5;true;Köln\n';
    const { rows: read_, warnings } = await read(rows);
    expect(read_[0].age).toBe('1234');
    expect(warnings[0]).toContain('"1.234" is 1234');
  });

  it('of two formats are told, and the fewer are invalid', async () => {
    const { rows, warnings } = await read(european('12,5', '13,5', '14.5'));
    expect(warnings[1]).toContain('the numbers have two formats: "14.5" (column income) and "12,5" (column income)');
    expect(rows.map(({ faults }) => faults?.map(({ path, message }) => `${path}: ${message}`))).toEqual([
      undefined,
      undefined,
      ['features.income: expected a number with a decimal comma, got "14.5": --decimal . reads it'],
    ]);
  });

  const READ = undefined;
  const TWO_MEANINGS = expect.stringContaining('may mean');
  const OTHER_SIGN = expect.stringContaining('--decimal');
  it.each<[string, string, unknown[]]>([
    ['a comma beside points', american('500.5', '600.5', '700,5', '1,234'), [READ, READ, OTHER_SIGN, TWO_MEANINGS]],
    ['a point beside commas', european('500,5', '600,5', '700.5', '1.234'), [READ, READ, OTHER_SIGN, TWO_MEANINGS]],
    ['the commoner sign itself', european('500,5', '600,5', '700.5', '1,234'), [READ, READ, OTHER_SIGN, TWO_MEANINGS]],
    ['as many of each', european('500,5', '600.5', '1.234', '7'), [OTHER_SIGN, OTHER_SIGN, TWO_MEANINGS, READ]],
  ])('that are ambiguous among both signs are no guess: %s', async (_, content, expected) => {
    const { rows } = await read(content);
    expect(rows.map(({ faults }) => faults?.[0].message)).toEqual(expected);
  });

  it('of two formats in two columns are read by their own columns', async () => {
    const pairs = [
      ['500,5', '0.255'],
      ['600,5', '0.312'],
      ['700,5', '1.125'],
    ];
    const content = `id;age;income;owner;city\n`;
    const space = headerFeatures(model).map((feature) => ({ ...feature, numbers: 'any' as const }));
    const source = await RowSource.open(
      piecesOf(Buffer.from(content + pairs.map(([income, age]) => `a;${age};${income};true;Köln\n`).join('')), 99),
      'rows.csv',
      space,
    );
    expect(source.layout).toMatchObject({ numbers: ['dot-strict', 'comma-strict', 'disputed', 'disputed'] });
    expect(source.warnings.at(-1)).toContain('each column is read with the decimal sign that it has more often');
  });

  it('behind the first lines that thousands would explain are refused in a column without thousands', async () => {
    const { rows } = await read(european(...Array.from({ length: 300 }, () => '0,5'), '1.125', '1.125,5', '1.5'));
    expect(rows[300].faults?.[0].message).toContain('"1.125" may mean 1.125 (--decimal .) or 1125 (--decimal ,)');
    expect(rows[301]).toMatchObject({ income: '1125.5', faults: undefined });
    expect(rows[302].faults?.[0].message).toContain('--decimal . reads it');
    const grouped = european('1.234,5', ...Array.from({ length: 300 }, () => '0,5'), '1.125');
    expect((await read(grouped)).rows[301]).toMatchObject({ income: '1125', faults: undefined });
  });

  it.each([
    ['whole numbers', european],
    ['decimal points', american],
  ])('with a comma far behind %s name the option', async (words, table) => {
    const early = words === 'whole numbers' ? '7' : '7.5';
    const { rows } = await read(table(...Array.from({ length: 300 }, () => early), '1,5', '1,234', '1 234'));
    expect(rows[300].faults?.[0].message).toBe(
      'expected a number as in the first rows, got "1,5": --decimal , reads it',
    );
    expect(rows[301].faults?.[0].message).toContain('may mean');
    expect(rows[302]).toMatchObject({ income: '1234', faults: undefined });
  });

  it('that the first rows left open are refused in later rows, not guessed', async () => {
    const late = european(...Array.from({ length: 300 }, () => '7'), '1.234', '12.5');
    const { rows, warnings } = await read(late);
    expect(warnings).toHaveLength(1); // the semicolons
    expect(rows[300].faults).toEqual([{ path: 'features.income', message: expect.stringContaining('may mean 1.234') }]);
    expect(rows[301]).toMatchObject({ income: '12.5', faults: undefined });
  });

  it('in another format are listed with the other faults of their row', async () => {
    const { rows } = await read('id;age;income;owner;city\na;x;0.5;true;Rome\n', { decimal: ',' });
    expect(rows[0].faults?.map(({ path }) => path)).toEqual(['features.income', 'features.age', 'features.city']);
  });

  it('are not mistaken for dates', async () => {
    const { warnings } = await read(european('31.01.2024', '12,5'));
    expect(warnings).toContainEqual(
      expect.stringMatching(/^column income has dates such as "31.01.2024", and the model/),
    );
    expect((await read(american('2024-01-31', '1.5'))).warnings[0]).toContain('column income has dates');
    for (const text of ['12.34.567', '12.34.56', '45.1.2024'])
      expect((await read(american(text, '1.5'))).warnings).toEqual([]);
  });
});

describe('the encoding', () => {
  const text = `id;age;income;owner;city\n${'ä;30;12,5;true;Köln\n'.repeat(3)}`;

  it.each([
    ['Latin-1', Buffer.from(text, 'latin1'), 'the encoding Windows-1252 (Latin-1)'],
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]), 'UTF-16'],
    ['big-endian UTF-16', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]), 'UTF-16'],
  ])('%s is detected and told, however the bytes arrive', async (_, bytes, told) => {
    for (const size of [1, 7, 1 << 20]) {
      const { rows, warnings } = await read(bytes, {}, size);
      expect(rows).toHaveLength(3);
      expect(rows[0]).toMatchObject({ id: 'ä', city: 'Köln', income: '12.5', faults: undefined });
      expect(warnings).toEqual([expect.stringContaining(told)]);
    }
  });

  it('with a mark of UTF-8 needs no words', async () => {
    const { rows, warnings } = await read(Buffer.from(`\uFEFF${american('1.5')}`));
    expect(rows[0]).toMatchObject({ id: 'r0', income: '1.5' });
    expect(warnings).toEqual([]);
  });

  it('of UTF-8 with a broken row stays UTF-8', async () => {
    const [header, row] = text.split('\n');
    const broken = Buffer.concat([Buffer.from(`${header}\n${row}\n`), Buffer.from(`${row}\n`, 'latin1')]);
    const { rows } = await read(broken);
    expect(rows.map(({ id, faults }) => [id.length > 1, faults?.[0].message])).toEqual([
      [false, undefined],
      [false, 'not valid UTF-8'],
    ]);
  });

  it.each(['sep=;\n', 'SEP=;\r\n', '"sep=;"\n', '\ufeffsep=;\n'])('is named by the line %j of Excel', async (first) => {
    const { rows, warnings } = await read(first + european('1.5'));
    expect(rows).toEqual((await read(european('1.5'))).rows);
    expect(warnings).toEqual([expect.stringContaining('semicolons between columns')]);
  });

  it('can be given', async () => {
    const { rows, warnings } = await read(Buffer.from(american('1.5'), 'utf16le'), { encoding: 'utf-16le' });
    expect(rows[0]).toMatchObject({ id: 'r0', city: 'Köln' });
    expect(warnings).toEqual([]);
    await expect(read('x', { encoding: 'klingon' })).rejects.toThrow('unknown encoding "klingon"');
  });
});

describe('the delimiter', () => {
  it.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['|', 'bars'],
  ])('%j is detected and told', async (delimiter, words) => {
    const { rows, warnings } = await read(european('1.5').replaceAll(';', delimiter));
    expect(rows[0]).toMatchObject({ id: 'r0', income: '1.5', city: 'Köln' });
    expect(warnings).toEqual([expect.stringContaining(`${words} between columns`)]);
  });

  it('can be given', async () => {
    const { rows, warnings } = await read(european('1.5').replaceAll(';', '#'), { delimiter: '#' });
    expect(rows[0]).toMatchObject({ id: 'r0', income: '1.5' });
    expect(warnings).toEqual([]);
  });
});

describe('lines that end with CR alone', () => {
  const content = 'id;age;income;owner;city\ra;30;12,5;true;Köln\rb;40;"7";true;"a\rb"\r';

  it.each([1, 7, 1 << 20])('are read in pieces of %i bytes, and told once', async (size) => {
    const { rows, warnings } = await read(content, {}, size);
    expect(rows.map(({ id, income, city }) => [id, income, city])).toEqual([
      ['a', '12.5', 'Köln'],
      ['b', '7', 'a\nb'],
    ]);
    expect(warnings.filter((text) => text.includes('CR alone'))).toHaveLength(1);
  });

  it('are read in other encodings', async () => {
    const { rows, warnings } = await read(Buffer.from(content, 'latin1'));
    expect(rows[0].city).toBe('Köln');
    expect(warnings[0]).toContain('Windows-1252');
    expect((await read(Buffer.from(`\ufeff${content}`, 'utf16le'))).rows[0].city).toBe('Köln');
  });

  it('are not seen where lines end with LF, or with CR and LF', async () => {
    for (const end of ['\n', '\r\n']) {
      const { rows, warnings } = await read(content.replaceAll('\r', end).replace(`a${end}b`, 'a\rb'));
      expect(rows).toHaveLength(2);
      expect(rows[1].city).toBe('a\rb');
      expect(warnings.filter((text) => text.includes('CR'))).toEqual([]);
    }
  });
});
