/**
 * `models import` with names of classes and a file of rows: the document knows features, categories and statistics as the person does who
 * trained the model. The scores of 1,000 unseen rows, given in the person's words, have to be those of the library. The fixtures are
 * made by test/fixtures/boosters/make_boosters.py.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { importModel } from '../../../src/cli/commands/registry/models-import.js';
import { readArguments } from '../../../src/cli/options.js';
import { loadModel, loadPolicy, type ModelDocument, prepare } from '../../../src/index.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/boosters/', import.meta.url));
const PEOPLE = join(FIXTURES, 'people.csv');
const NUMBERS = ['age', 'monthly income', 'loans', 'guarantor'];
/** XGBoost computes links in float32. */
const TOLERANCE = { lightgbm: 1e-12, xgboost: 1e-6, catboost: 1e-12 };

const folder = mkdtempSync(join(tmpdir(), 'elsewise-boosters-'));
const output = join(folder, 'out.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(output, { force: true }));

type Scores = Record<'lightgbm' | 'xgboost' | 'xgboost-arrays' | 'catboost', number[][]>;
type Statistics = Record<string, { mad: number; std: number; quantiles: number[] }>;
const expected: Scores & { statistics: Statistics } = JSON.parse(readFileSync(join(FIXTURES, 'expected.json'), 'utf8'));

function readCsv(path: string): Record<string, string>[] {
  const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const names = header.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((text, f) => [names[f], text])));
}

const unseen = readCsv(join(FIXTURES, 'unseen.csv'));

function write(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const writeNumbers = (names = NUMBERS): string =>
  write('numbers.csv', [names, ...readCsv(PEOPLE).map((row) => names.map((name) => row[name]))].join('\n'));

async function run(file: string, ...args: string[]): Promise<{ document: ModelDocument; message: string }> {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const from = file.split(/[-.]/)[0];
    const all = [join(FIXTURES, file), '--from', from, ...args, '--output', output];
    const code = await importModel.run(readArguments(all, importModel.options, importModel.positionals ?? []));
    expect(code).toBe(0);
    return { document: JSON.parse(readFileSync(output, 'utf8')), message: said.mock.calls.join('') };
  } finally {
    said.mockRestore();
  }
}

/** The largest difference of a score of 1,000 rows in the words of the file. */
function largestDifference(document: ModelDocument, scores: number[][]): number {
  const model = loadModel(document);
  expect(unseen.length).toBe(1000);
  const differences = unseen.flatMap((row, r) => {
    const own = model.predict(row).scores;
    return document.classes!.map((label, k) => Math.abs(own[label] - scores[r][k]));
  });
  return Math.max(...differences);
}

const FEATURES = [
  { name: 'housing', type: 'categorical', encoding: 'ordinal', categories: ['free', 'own', 'rent', 'with parents'] },
  { name: 'age', type: 'integer' },
  { name: 'monthly income', type: 'continuous' },
  { name: 'purpose', type: 'categorical', encoding: 'ordinal', categories: ['Möbel', 'car', 'repairs'] },
  { name: 'loans', type: 'integer' },
  { name: 'guarantor', type: 'boolean' },
];

describe.each([
  ['lightgbm.txt', 'lightgbm'],
  ['lightgbm-dump.json', 'lightgbm'],
  ['xgboost.json', 'xgboost'],
  ['xgboost-codes.json', 'xgboost'],
] as const)('%s with --classes and --background', (file, library) => {
  it('knows features as the file does and scores 1,000 rows as the library does', async () => {
    const { document, message } = await run(file, '--classes', 'no, yes', '--background', PEOPLE);
    expect(document.features).toEqual(FEATURES);
    expect(document.classes).toEqual(['no', 'yes']);
    expect(largestDifference(document, expected[library])).toBeLessThanOrEqual(TOLERANCE[library]);
    expect(message).toContain('background of mad, std, quantiles');
    // XGBoost cuts names beyond ASCII: the file has no names that could be used for one of its features.
    const bySorting = { 'xgboost.json': ['purpose'], 'xgboost-codes.json': ['housing', 'purpose'] }[file as string];
    expect([...message.matchAll(/categories of (\w+): .*sorted texts/g)].map(([, name]) => name)).toEqual(
      bySorting ?? [],
    );
  });
});

describe.each(['catboost.json', 'catboost.cbm'])('%s with --background', (file) => {
  it('knows all words of the file and scores 1,000 rows as the library does', async () => {
    const { document, message } = await run(file, '--background', PEOPLE);
    const [purpose] = document.features.splice(4, 1);
    expect(purpose).toMatchObject({ name: 'purpose', type: 'categorical', encoding: 'one-hot' });
    expect([...(purpose as { categories: string[] }).categories].sort()).toEqual(['Möbel', 'car', 'repairs']);
    expect(document.features.map(({ type }) => type)).toEqual(['integer', 'continuous', 'integer', 'boolean']);
    document.features.splice(4, 0, purpose);
    expect(largestDifference(document, expected.catboost)).toBeLessThanOrEqual(TOLERANCE.catboost);
    expect(message).not.toContain('name all words');
  });

  it('has words that no tree asks for as others, and says so', async () => {
    const { document, message } = await run(file);
    const { categories } = document.features[4] as { categories: string[] };
    expect(categories.at(-1)).toBe('(other)');
    expect(message).toContain('words of purpose that no tree asks for are "(other)"');
    const words = write('words.json', { purpose: ['car', 'Möbel', 'repairs', 'travel'] });
    const named = await run(file, '--categories', words);
    const all = (named.document.features[4] as { categories: string[] }).categories;
    expect([...all].sort()).toEqual(['Möbel', 'car', 'repairs', 'travel']);
    named.document.features[3] = { name: 'guarantor', type: 'boolean' };
    expect(largestDifference(named.document, expected.catboost)).toBeLessThanOrEqual(TOLERANCE.catboost);
  });
});

it('is told which hashes of catboost.cbm have no word', async () => {
  const words = write('words.json', { purpose: ['boat'] });
  await expect(run('catboost.cbm', '--categories', words)).rejects.toThrow(/none of the words given has #\d+/);
});

describe('a model of CatBoost', () => {
  it("is explained: the answers have the library's decision, words change as a whole", async () => {
    const { document } = await run('catboost.json', '--background', PEOPLE);
    const model = loadModel(document);
    const plan = await prepare(model, loadPolicy({ schema: 'elsewise.policy/v1', target: '1', cost: { norm: 'l0' } }));
    const results = unseen.slice(0, 60).map((row, r) => plan.explain({ id: String(r), features: row }));
    const found = results.filter(({ status }) => status === 'found');
    expect(found.length).toBeGreaterThan(10);
    for (const { counterfactuals } of found) {
      expect(model.predict(counterfactuals[0].features).prediction).toBe('1');
      expect(counterfactuals[0].proof.kind).toBe('optimal');
      expect(['Möbel', 'car', 'repairs']).toContain(counterfactuals[0].features.purpose);
    }
  });
});

describe('the background', () => {
  it('has the statistics of numpy and no row', async () => {
    const { document } = await run('lightgbm.txt', '--background', PEOPLE);
    const { mad, std, quantiles, shares, ...rest } = document.background!;
    expect(rest).toEqual({});
    for (const values of Object.values(shares!))
      expect(Object.values(values).reduce((sum, share) => sum + share)).toBeCloseTo(1, 9);
    const listed = document.features.filter(({ type }) => type === 'boolean' || type === 'categorical');
    expect(Object.keys(shares!)).toEqual(listed.map(({ name }) => name));
    expect(Object.keys(mad!)).toEqual(NUMBERS);
    for (const [name, statistics] of Object.entries(expected.statistics)) {
      expect(mad![name]).toBeCloseTo(statistics.mad, 9);
      expect(std![name]).toBeCloseTo(statistics.std, 9);
      expect(quantiles![name].length).toBe(21);
      for (const [i, value] of statistics.quantiles.entries()) expect(quantiles![name][i]).toBeCloseTo(value, 9);
    }
  });

  it('has rows with predictions where they are asked for', async () => {
    const { document } = await run('xgboost.json', '--background', PEOPLE, '--background-rows', '40');
    const { samples, labels } = document.background!;
    expect(samples).toHaveLength(40);
    expect(samples![0]).toEqual(['rent', 28, null, 'car', 3, false]);
    expect(new Set(labels)).toEqual(new Set(['0', '1']));
    await expect(run('xgboost.json', '--background-rows', '40')).rejects.toThrow(/needs --background/);
    await expect(run('xgboost.json', '--background', '-')).rejects.toThrow(/give a file/);
  });

  it('is kept from a file with other columns by their names', async () => {
    const { message } = await run('xgboost.json', '--background', write('more.csv', more()));
    expect(message).toContain('columns that the model does not know are ignored: remark');
  });
});

const more = () =>
  readFileSync(PEOPLE, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line, i) => `${i ? 'x' : 'remark'},${line}`)
    .join('\n');

describe('the file of the background', () => {
  const asLines = (names: readonly string[]) =>
    readCsv(PEOPLE).map((row) => JSON.stringify(Object.fromEntries(names.map((name) => [name, row[name] || null]))));

  it('may be NDJSON', async () => {
    const { document } = await run(
      'lightgbm.txt',
      '--background',
      write('people.ndjson', asLines(Object.keys(unseen[0])).join('\n')),
    );
    expect(document.features).toEqual(FEATURES);
  });

  it('names features of NDJSON in the first row, those of Parquet by --features', async () => {
    const file = write('numbers.ndjson', asLines(NUMBERS).join('\n'));
    const { document } = await run('xgboost-arrays.json', '--background', file);
    expect(largestDifference(document, expected['xgboost-arrays'])).toBeLessThanOrEqual(TOLERANCE.xgboost);
    const parquet = fileURLToPath(new URL('../../fixtures/parquet/pandas.parquet', import.meta.url));
    await expect(run('xgboost-arrays.json', '--background', parquet)).rejects.toThrow(/name them by --features/);
  });

  it('may have semicolons, decimal commas and Latin-1', async () => {
    const rows = readCsv(PEOPLE).map((row) => Object.values(row).map((text) => text.replace('.', ',')));
    const text = [Object.keys(unseen[0]), ...rows].map((fields) => fields.join(';')).join('\n');
    const path = join(folder, 'german.csv');
    writeFileSync(path, Buffer.from(text, 'latin1'));
    const { document, message } = await run('lightgbm.txt', '--background', path);
    expect(document.features).toEqual(FEATURES);
    expect(document.background!.mad!['monthly income']).toBeCloseTo(expected.statistics['monthly income'].mad, 9);
    expect(message).toMatch(/semicolons/);
    const given = ['--delimiter', ';', '--decimal', ',', '--encoding', 'latin1'];
    expect((await run('lightgbm.txt', '--background', path, ...given)).document).toEqual(document);
  });

  it('has a value for each feature that the trees read', async () => {
    const file = write('less.ndjson', '{"age": 30, "loans": 1}\n{"age": 31, "loans": 0}\n');
    await expect(run('xgboost.json', '--background', file)).rejects.toThrow(/no row has a value of "housing"/);
  });
});

describe('a model without names of features', () => {
  it('takes the header in order, and says it', async () => {
    const { document, message } = await run(
      'xgboost-arrays.json',
      '--classes',
      'C,B,A',
      '--background',
      writeNumbers(),
    );
    expect(document.features.map(({ name }) => name)).toEqual(NUMBERS);
    expect(document.features.map(({ type }) => type)).toEqual(['integer', 'continuous', 'integer', 'boolean']);
    expect(message).toContain('the header names them in order');
    expect(largestDifference(document, expected['xgboost-arrays'])).toBeLessThanOrEqual(TOLERANCE.xgboost);
  });

  it('takes --features, and the columns of the file by name', async () => {
    const { document } = await run('xgboost-arrays.json', '--features', NUMBERS.join(), '--background', PEOPLE);
    expect(largestDifference(document, expected['xgboost-arrays'])).toBeLessThanOrEqual(TOLERANCE.xgboost);
  });

  it.each<[string, () => string[], RegExp]>([
    [
      'a header of another length',
      () => ['--background', PEOPLE],
      /4 features without names, and the file has 6 columns: .*--features/,
    ],
    [
      'too few --features',
      () => ['--features', 'a,b'],
      /--features has 2 names \(a, b\), and the model reads 4 columns/,
    ],
    ['too few --classes', () => ['--classes', 'a,b'], /--classes has 2 names, and the model has 3 classes/],
    [
      'text where trees read numbers',
      () => ['--background', textForNumbers()],
      /features\.age: the column has old, young.*--categories/,
    ],
  ])('refuses %s with the way out', async (_, args, message) => {
    await expect(run('xgboost-arrays.json', ...args())).rejects.toThrow(message);
    expect(existsSync(output)).toBe(false);
  });
});

const textForNumbers = () => write('text.csv', 'age,monthly income,loans,guarantor\nold,2000,1,0\nyoung,1500.5,0,1\n');

describe('--categories', () => {
  it('names the codes of a model that has none', async () => {
    const names = { housing: ['free', 'own', 'rent', 'with parents'], purpose: ['Möbel', 'car', 'repairs'] };
    const { document } = await run('xgboost-codes.json', '--categories', write('names.json', names));
    expect(document.features[0]).toEqual(FEATURES[0]);
    expect(largestDifference({ ...document, classes: ['0', '1'] }, expected.xgboost)).toBeLessThanOrEqual(1e-6);
  });

  it.each<[string, object, RegExp]>([
    ['an unknown feature', { housin: ['a'] }, /housin: no such feature, did you mean "housing"\?/],
    [
      'too few names',
      { housing: ['free', 'own'] },
      /features\.housing: the model has codes from 0 to 3, and there are 2/,
    ],
  ])('refuses %s', async (_, names, message) => {
    await expect(run('xgboost-codes.json', '--categories', write('names.json', names))).rejects.toThrow(message);
  });

  it('is asked for where numbers of the file are no codes', async () => {
    const file = write(
      'numbers.csv',
      'housing,age,monthly income,purpose,loans,guarantor\n7,30,2000.5,car,1,0\n9,31,1,repairs,0,1\n',
    );
    await expect(run('xgboost-codes.json', '--background', file)).rejects.toThrow(
      /features\.housing: .*codes of categories.*--categories/,
    );
  });
});
