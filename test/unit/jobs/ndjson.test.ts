import { describe, expect, it } from 'vitest';
import { headerFeatures } from '../../../src/jobs/rows/csv.js';
import { createRowReader } from '../../../src/jobs/rows/row-reader.js';
import { RowSource } from '../../../src/jobs/rows/row-source.js';
import { imputingModel, smallModel } from './small-model.js';

const model = smallModel();
const FLAT = { age: 30, income: 2000.5, owner: true, city: 'Köln' };

function read(...lines: (string | object)[]) {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const rows = createRowReader({ format: 'ndjson' }, model)(Buffer.from(text), 1);
  return Array.from(rows, ({ id, raw, target, faults }) => ({ id, raw: [...raw], target, faults }));
}

describe('NDJSON rows', () => {
  it('are nested or flat', () => {
    const expected = { id: 'a', raw: [30, 2000.5, true, 'Köln'], target: 'yes', faults: undefined };
    expect(read({ id: 'a', features: FLAT, target: 'yes' }, { ...FLAT, id: 'a', target: 'yes' })).toEqual([
      expected,
      expected,
    ]);
  });

  it('are numbered when they have no id; a number is a name as well', () => {
    expect(read({ features: FLAT }, { id: 7, features: FLAT }, { id: null, ...FLAT }).map(({ id }) => id)).toEqual([
      'row-1',
      '7',
      'row-3',
    ]);
  });

  it('leave out what the row does not say', () => {
    expect(read({ id: 'a', features: { age: 1 } })[0].raw).toEqual([1, undefined, undefined, undefined]);
  });

  it('name the key that may be meant by a feature that is not there', () => {
    const { income, ...others } = FLAT;
    const [flat, apart, far] = read(
      { ...others, incme: income },
      { features: { ...others, Income: income } },
      { x: 1 },
    );
    const missing = 'is missing, and the model does not impute it';
    expect(flat.faults).toEqual([{ path: 'features.income', message: `${missing}, did you mean "incme"?` }]);
    expect(apart.faults).toEqual([{ path: 'features.income', message: `${missing}, did you mean "Income"?` }]);
    expect(far.faults?.map(({ message }) => message)).toEqual([missing, missing, missing, missing]);
  });

  it('do not keep anything of the row before', () => {
    const [, second] = read({ id: 'a', ...FLAT, target: 'yes' }, {});
    expect(second).toEqual({
      id: 'row-2',
      raw: [undefined, undefined, undefined, undefined],
      target: undefined,
      faults: undefined,
    });
  });

  it.each([
    ['{"id": "a", ', 'row', /not valid JSON/],
    ['[1, 2]', 'row', /JSON object/],
    ['"text"', 'row', /JSON object/],
    ['null', 'row', /JSON object/],
    ['{"id": {"a": 1}}', 'id', /a text or a number/],
  ])('%s is at fault', (line, path, message) => {
    const [row, next] = read(line, { id: 'next', ...FLAT });
    expect(row.faults?.[0].path).toBe(path);
    expect(row.faults?.[0].message).toMatch(message);
    expect(next.faults).toBeUndefined();
  });

  it.each([
    ['{"id": "a", "features": {"age": 1, "income": 2, "age": 3}}', 'features.age'],
    ['{"id": "a", "age": 1, "owner": true, "age": 3}', 'age'],
    ['{"id": "a", "features": {"age": 1}, "features": {"income": 2}}', 'features'],
    ['{"id": "a", "id": "b", "age": 1}', 'id'],
  ])('%s names a key twice', (line, path) => {
    const [row] = read(line);
    expect(row.faults).toEqual([{ path, message: 'is named twice' }]);
  });

  it('may have colons in text, and further keys', () => {
    const row = {
      id: 'urn:a:1',
      features: { ...FLAT, city: 'a: b' },
      target: { from: 1 },
      note: { a: ':', b: [{ a: 1 }] },
    };
    expect(read(row)[0].faults).toBeUndefined();
  });

  it('with a bad id has the faults of its fields as well', () => {
    const [row] = read({ id: [], age: 30.5, income: [1], owner: true, city: { a: 1 } });
    expect(row.faults).toEqual([
      { path: 'id', message: 'expected a text or a number' },
      { path: 'features.age', message: 'expected a whole number, got 30.5' },
      { path: 'features.income', message: 'expected one value, got a list' },
      { path: 'features.city', message: 'expected one value, got an object' },
    ]);
  });

  it('cannot reach a prototype', () => {
    const [row] = read(
      '{"id": "a", "__proto__": {"age": 1, "polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    );
    expect(row.raw[0]).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('take id and target for features when the model has features of these names', () => {
    const features = [
      { name: 'id', type: 'continuous' },
      { name: 'target', type: 'continuous' },
    ];
    const odd = smallModel({ features, parameters: { weights: [1, 1], bias: 0 } });
    const parse = createRowReader({ format: 'ndjson' }, odd);
    const [flat] = parse(Buffer.from('{"id": 1, "target": 2}\n'), 5);
    expect([flat.id, flat.target, ...flat.raw]).toEqual(['row-5', undefined, 1, 2]);
    const [nested] = parse(Buffer.from('{"id": "x", "target": "yes", "features": {"id": 1, "target": 2}}\n'), 5);
    expect([nested.id, nested.target, ...nested.raw]).toEqual(['x', 'yes', 1, 2]);
  });
});

describe('keys of the first records', () => {
  async function warnings(model: ReturnType<typeof smallModel>, ...lines: (string | object)[]) {
    const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
    async function* bytes() {
      yield Buffer.from(text);
    }
    return (await RowSource.open(bytes(), 'rows.ndjson', headerFeatures(model))).warnings;
  }
  const { income, ...others } = FLAT;

  it('are told where the model does not know them, with the feature that may be meant', async () => {
    const rows = [
      { id: 1, ...others, Income: income, note: 'x' },
      { id: 2, target: 'yes', ...others },
    ];
    expect(await warnings(imputingModel(), ...rows)).toEqual([
      'keys that the model does not know are ignored: Income (did you mean "income"?), note',
      'keys that none of the first 2 rows has are imputed: income',
    ]);
    expect(await warnings(imputingModel(), { id: 1, features: { ...others, id: 3 }, Target: 'yes' })).toEqual([
      'keys that the model does not know are ignored: id, Target',
      'keys that the first row lacks are imputed: income',
    ]);
  });

  it('are told as missing where the model imputes nothing', async () => {
    expect(await warnings(smallModel(), others)).toEqual(['keys that the first row lacks are missing: income']);
  });

  it('are no subject where each feature is in some row, nor in lines that are no objects', async () => {
    expect(await warnings(imputingModel(), { ...others }, { income }, '[1]', '{"a"')).toEqual([]);
    expect(await warnings(imputingModel(), { id: 1, features: FLAT, target: 'yes' })).toEqual([]);
  });
});

it.each(['rows.ndjson', 'standard input'])('a JSON list is refused before anything is written: %s', async (name) => {
  async function* bytes() {
    yield Buffer.from(JSON.stringify([FLAT, FLAT]));
  }
  await expect(RowSource.open(bytes(), name, headerFeatures(model))).rejects.toThrow(
    `${name}: the file is a JSON list: write one object per line`,
  );
});
