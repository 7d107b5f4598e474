import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ElsewiseError } from '../../../src/documents/error.js';
import type { RowValue } from '../../../src/documents/model-document.js';
import { faultsOf } from '../../../src/documents/row-error.js';
import { detectDelimiter, headerFeatures, readHeader } from '../../../src/jobs/rows/csv.js';
import type { NumberFormat } from '../../../src/jobs/rows/number-format.js';
import { createRowReader } from '../../../src/jobs/rows/row-reader.js';
import { readRecord } from '../../../src/models/read-row.js';
import { imputingModel, smallModel } from './small-model.js';

const model = smallModel();
const features = headerFeatures(model);
const HEADER = 'id,age,income,owner,city';

function rowsOf(header: string, text: string | Buffer, delimiter = ',') {
  const { layout } = readHeader(header, delimiter, features, 'rows.csv');
  const rows = createRowReader(layout, model)(Buffer.from(text), 1);
  return Array.from(rows, ({ id, raw, target, faults }) => ({ id, raw: [...raw], target, faults }));
}

describe('the header', () => {
  it.each([[','], [';'], ['\t']])('is split by "%s"', (delimiter) => {
    expect(detectDelimiter(HEADER.replaceAll(',', delimiter), features)).toBe(delimiter);
  });

  it('is split by what makes known names of it', () => {
    expect(detectDelimiter('id;age;income;owner;city;"a,b,c,d,e,f,g"', features)).toBe(';');
  });

  it('may be in any order, quoted and spaced', () => {
    const [row] = rowsOf('city, "id",owner , income,age', 'Köln,x,1,2,3\n'.replace('"id"', 'id'));
    expect(row.raw).toEqual(['3', '2', '1', 'Köln']);
  });

  it('names what is missing, with the nearest column', () => {
    const read = () => readHeader('id,age,incone,owner,city', ',', features, 'rows.csv');
    expect(read).toThrow('rows.csv: the header has no column "income", which the model needs, is it "incone"?');
  });

  it('lists all that is missing', () => {
    expect(() => readHeader('id,owner', ',', features, 'rows.csv')).toThrow('also missing: income, city');
  });

  it('refuses a column that is there twice', () => {
    expect(() => readHeader('age,income,owner,city,age', ',', features, 'rows.csv')).toThrow('"age" appears twice');
  });

  it('leaves unknown columns alone, whatever they are called', () => {
    const { warnings } = readHeader(`${HEADER},note,__proto__,note`, ',', features, 'rows.csv');
    expect(warnings).toEqual(['columns that the model does not know are ignored: note, __proto__, note']);
  });

  it('says nothing of a delimiter behind the last name, and asks for ids and targets in other letters', () => {
    const bare = HEADER.split(',').filter((name) => name !== 'id');
    const warningsOf = (...names: string[]) => readHeader(names.join(','), ',', features, 'rows.csv').warnings;
    expect(warningsOf(...bare, '')).toEqual([]);
    expect(warningsOf('ID', ...bare, 'Target')).toEqual([
      'the column "ID" is ignored: is it "id"?',
      'the column "Target" is ignored: is it "target"?',
      'columns that the model does not know are ignored: ID, Target',
    ]);
    expect(warningsOf('id', 'ID', ...bare)).toEqual(['columns that the model does not know are ignored: ID']);
  });

  it('may lack what the model imputes', () => {
    const { layout, warnings } = readHeader('age,owner,city', ',', headerFeatures(imputingModel()), 'rows.csv');
    expect(layout.featureColumns).toEqual([0, -1, 1, 2]);
    expect(warnings).toEqual(['columns that are not there are imputed: income']);
    const misspelt = readHeader(
      'note,age,Income,owner,city',
      ',',
      headerFeatures(imputingModel()),
      'rows.csv',
    ).warnings;
    expect(misspelt[0]).toBe('columns that the model does not know are ignored: Income (did you mean "income"?), note');
  });
});

describe('rows', () => {
  it('are numbered when they have no id', () => {
    const rows = rowsOf('age,income,owner,city', '1,2,3,4\n5,6,7,8\n');
    expect(rows.map(({ id }) => id)).toEqual(['row-1', 'row-2']);
  });

  it('may have targets of their own: a class, JSON, or none', () => {
    const rows = rowsOf(`${HEADER},target`, 'a,1,2,3,4,yes\nb,1,2,3,4,"{""from"": 0.7}"\nc,1,2,3,4,\nd,1,2,3,4,[1\n');
    expect(rows.map(({ target }) => target)).toEqual(['yes', { from: 0.7 }, undefined, '[1']);
  });

  it('with too many or too few fields keep their id and say what is wrong', () => {
    const rows = rowsOf(HEADER, 'a,1,2\nb,1,2,3,4,5\nc,1,2,3,4\n');
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(rows.map(({ faults }) => faults?.[0].message)).toEqual([
      'expected 5 fields, as in the header, got 3',
      'expected 5 fields, as in the header, got 6',
      undefined,
    ]);
  });

  it('with a stray quote are at fault alone', () => {
    const rows = rowsOf(HEADER, 'a,1,2,3,"4\nb,1,2,3,4\n');
    expect(rows.map(({ faults }) => faults?.[0].message)).toEqual([
      'a quoted field is not closed correctly',
      undefined,
    ]);
  });

  it('that are not UTF-8 are at fault alone', () => {
    const text = Buffer.concat([
      Buffer.from('ä,1,2,3,Köln\nb,1,2,3,'),
      Buffer.from([0xff]),
      Buffer.from('\nc,1,2,3,4\n'),
    ]);
    const rows = rowsOf(HEADER, text);
    expect(rows.map(({ id, faults }) => [id, faults?.[0].message])).toEqual([
      ['ä', undefined],
      ['b', 'not valid UTF-8'],
      ['c', undefined],
    ]);
  });

  it('come back as they were written', () => {
    const field = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ';', 'ä', 'x', ' ', '1') });
    const record = fc.tuple(fc.constant('id'), field, field, field, field);
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(fc.array(record), fc.constantFrom('\n', '\r\n'), (records, lineEnd) => {
        const text = records.map((fields) => fields.map(quote).join(',') + lineEnd).join('');
        expect(rowsOf(HEADER, text).map(({ raw }) => raw)).toEqual(records.map(([, ...fields]) => fields));
      }),
    );
  });

  it('have the same values and faults where plain numbers are read from the bytes', () => {
    const text = fc.string({ unit: fc.constantFrom('1', '0', '9', '.', ',', '-', ' ', '"', 'e', 'ä'), maxLength: 7 });
    const digits = fc.string({ unit: fc.constantFrom('0', '9', '4', '.'), minLength: 13, maxLength: 18 });
    const number = fc.oneof(fc.double({ min: -1e9, max: 1e9 }), fc.integer()).map(String);
    const pointed = fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.nat(999)).map((parts) => parts.join('.'));
    const field = fc.oneof(number, pointed, digits, text, fc.constantFrom('', 'NA', '1.234', '-0', 'Köln', 'true'));
    const record = fc.array(field, { minLength: 5, maxLength: 7 }).map((fields) => fields.join(';'));
    const format = fc.constantFrom<NumberFormat | null>(...FORMATS);
    const { layout } = readHeader('city;age;id;income;owner;target', ';', features, 'rows.csv');
    fc.assert(
      fc.property(fc.array(record, { maxLength: 4 }), format, (records, income) => {
        const chunk = Buffer.from(records.join('\n'));
        const [spelled, read] = (['spelling', 'values'] as const).map((readAs) => {
          const reader = createRowReader({ ...layout, numbers: [income, income, null, null] }, model, readAs);
          return Array.from(reader(chunk, 1), ({ id, target, faults, raw }) => ({
            ...{ id, target, faults },
            ...(!faults && valuesOf(raw)),
          }));
        });
        expect(read).toEqual(spelled);
      }),
      { numRuns: 600 },
    );
  });
});

const FORMATS: readonly (NumberFormat | null)[] = [
  ...([null, 'unknown', 'disputed', 'dot', 'dot-ungrouped', 'dot-strict'] as const),
  ...(['comma', 'comma-ungrouped', 'comma-strict'] as const),
];

function valuesOf(raw: readonly (RowValue | undefined)[]): object {
  const values = new Float64Array(model.space.features.length);
  try {
    readRecord(model, raw, values);
    return { values: [...values] };
  } catch (error) {
    return { refused: faultsOf(error as ElsewiseError) };
  }
}
