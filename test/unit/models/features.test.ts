import { describe, expect, it } from 'vitest';
import type { FeatureDocument, RowValue } from '../../../src/documents/model-document.js';
import { gather, layOutFeatures, readValue, showValue, spread } from '../../../src/models/features.js';
import { Dice } from '../../support/dice.js';
import { faultOf } from '../../support/documents.js';
import { randomFeatures, randomValue } from '../../support/random-models.js';
import { columnsOf, type FeatureSpec, type Row } from '../../support/second-opinion.js';

const FEATURES: FeatureDocument[] = [
  { name: 'income', type: 'continuous', decimals: 2 },
  { name: 'age', type: 'integer', min: 17.5, max: 99.5 },
  { name: 'guarantor', type: 'boolean' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
  { name: 'grade', type: 'categorical', categories: ['low', 'mid', 'high'], encoding: 'ordinal' },
];
const space = layOutFeatures(FEATURES);
const read = (name: string, raw: RowValue | undefined) => readValue(space.byName.get(name)!, raw);

describe('the layout', () => {
  it('gives one column to numbers and ranks, and one per category to one-hot features', () => {
    expect(space.features.map(({ column, width }) => [column, width])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 3],
      [6, 1],
    ]);
    expect(space.columns).toBe(7);
    expect([...space.owner]).toEqual([0, 1, 2, 3, 3, 3, 4]);
  });

  it('rounds the bounds of integers inwards', () => {
    expect([space.features[1].min, space.features[1].max]).toEqual([18, 99]);
  });

  it('spreads a row over columns and gathers it again', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const dice = new Dice(seed);
      const documents = randomFeatures(dice);
      const layout = layOutFeatures(documents);
      const row: Row = Object.fromEntries(documents.map((feature) => [feature.name, randomValue(dice, feature)]));
      const values = Float64Array.from(layout.features, (feature) => readValue(feature, row[feature.name]));
      const columns = new Float64Array(layout.columns);
      spread(layout, values, columns);
      expect([...columns]).toEqual(columnsOf(documents as FeatureSpec[], row));
      const back = new Float64Array(values.length);
      gather(layout, columns, back);
      expect(layout.features.map((feature) => showValue(feature, back[feature.index]))).toEqual(
        documents.map(({ name }) => row[name]),
      );
    }
  });

  it('spreads a missing category over all its columns', () => {
    const columns = new Float64Array(space.columns);
    spread(space, Float64Array.from([1, 2, 0, Number.NaN, 1]), columns);
    expect([...columns]).toEqual([1, 2, 0, Number.NaN, Number.NaN, Number.NaN, 1]);
  });
});

describe('a value of a row', () => {
  it.each<[string, RowValue | undefined, number]>([
    ['income', 12.5, 12.5],
    ['income', ' -1.5e3 ', -1500],
    ['income', '', Number.NaN],
    ['income', 'NaN', Number.NaN],
    ['income', null, Number.NaN],
    ['income', undefined, Number.NaN],
    ['age', '41', 41],
    ['age', 41.0, 41],
    ['guarantor', true, 1],
    ['guarantor', 0, 0],
    ['guarantor', 'Yes', 1],
    ['guarantor', 'false', 0],
    ['guarantor', '', Number.NaN],
    ['housing', 'rent', 1],
    ['housing', ' free ', 2],
    ['housing', '', Number.NaN],
    ['grade', 'high', 2],
    ['guarantor', '1.0', 1],
    ['guarantor', '0,0', 0],
    ['guarantor', '1.000000000000000000e+00', 1],
    ['guarantor', 'WAHR', 1],
    ['guarantor', 'falsch', 0],
    ['guarantor', 'VRAI', 1],
    ['guarantor', 'Faux', 0],
    ['guarantor', ' ja ', 1],
    ['guarantor', 'nein', 0],
    ['guarantor', 'oui', 1],
    ['guarantor', 'non', 0],
  ])('%s %j is read', (name, raw, value) => {
    expect(read(name, raw)).toBe(value);
  });

  it.each<[string, RowValue, string]>([
    ['income', 'much', 'features.income: expected a finite number, got "much"'],
    ['income', '0x10', 'features.income: expected a finite number, got "0x10"'],
    ['income', 'Infinity', 'features.income: expected a finite number, got "Infinity"'],
    ['income', Infinity, 'features.income: expected a finite number, got Infinity'],
    ['income', true, 'features.income: expected a finite number, got true'],
    ['income', 'x'.repeat(1e5), `features.income: expected a finite number, got "${'x'.repeat(60)}"`],
    ['income', [1] as never, 'features.income: expected one value, got a list'],
    ['housing', {} as never, 'features.housing: expected one value, got an object'],
    ['age', 41.5, 'features.age: expected a whole number, got 41.5'],
    ['age', 2 ** 53, 'features.age: expected a whole number below 2^53, got 9007199254740992'],
    ['age', '-9007199254740993', 'features.age: expected a whole number below 2^53, got -9007199254740993'],
    ['guarantor', 2, 'features.guarantor: expected true or false, got 2'],
    ['guarantor', '10', 'features.guarantor: expected true or false, got "10"'],
    ['guarantor', '1.5', 'features.guarantor: expected true or false, got "1.5"'],
    ['guarantor', 'perhaps', 'features.guarantor: expected true or false, got "perhaps"'],
    ['housing', 'onw', 'features.housing: unknown category "onw", did you mean "own"?'],
    ['housing', 'castle', 'features.housing: unknown category "castle", known are own, rent, free'],
    ['housing', 1, 'features.housing: unknown category "1", known are own, rent, free'],
  ])('%s %j is refused with its path', (name, raw, message) => {
    expect(faultOf(() => read(name, raw))).toMatchObject({ code: 'bad-row', message });
  });

  it.each<[string[], RowValue, string | undefined]>([
    [['False', 'True'], true, 'True'],
    [['False', 'True'], false, 'False'],
    [['False', 'True'], 'TRUE', 'True'],
    [['True', 'False', '(missing)'], 'WAHR', 'True'],
    [['no', 'yes'], true, 'yes'],
    [['0', '1'], '1.0', '1'],
    // A third category, two words for one truth value, or a number among others: a truth value is no category.
    [['yes', 'no', 'maybe'], true, undefined],
    [['no', 'non'], false, undefined],
    [['1', '2', '3'], true, undefined],
    [['1', '2', '3'], 'yes', undefined],
    [['True', 'maybe'], true, undefined],
    // Numbers as pandas, spreadsheets and numpy write them.
    [['1', '2', '3'], '3.0', '3'],
    [['1', '2', '3'], ' 3.00 ', '3'],
    [['1', '2', '3'], '3,0', '3'],
    [['1', '2', '3'], 3, '3'],
    [['1.0', '2.0', '3.0'], 3, '3.0'],
    [['-1', '0', 'other'], '-0.0', '0'],
    [['-1', '0', 'other'], '-1.0', '-1'],
    [['1', '1.5'], '1.500000000000000000e+00', '1.5'],
    // The own text of a category comes first. Text that is no plain number stays text.
    [['3', '3.0'], '3.0', '3.0'],
    [['3', '3.0'], '3.00', undefined],
    [['7', '8'], '007', undefined],
    [['007', '008'], '7', undefined],
    [['007', '008'], '7.0', undefined],
    [['1e3', '2e3'], '1000', undefined],
    [['1000', '2000'], '1e3', undefined],
    [['3.1', '3.2'], '3.10', undefined],
    [['3', '4'], '3.000', undefined],
    [['3', '4'], '+3', undefined],
    [['own', 'rent'], '1.0', undefined],
  ])('of the categories %j: %j means %j', (categories, raw, category) => {
    const [feature] = layOutFeatures([{ name: 'x', type: 'categorical', categories }]).features;
    if (category === undefined) expect(() => readValue(feature, raw)).toThrow('unknown category');
    else expect(showValue(feature, readValue(feature, raw))).toBe(category);
  });

  it('of text is the number that JavaScript reads, to the last bit', () => {
    const [feature] = layOutFeatures([{ name: 'x', type: 'continuous' }]).features;
    const texts = [
      '0',
      '-0',
      '.5',
      '5.',
      '-.5',
      '007',
      '0.1',
      '1.005',
      '123456789012345',
      '-12345678901234.5',
      '1e3',
      '9.87654321098765432',
    ];
    for (const text of texts) expect(readValue(feature, text)).toBe(Number(text));
    const dice = new Dice(7);
    for (let k = 0; k < 20_000; k++) {
      const text = (dice.between(-1e6, 1e6) * 10 ** -dice.integer(0, 8)).toFixed(dice.integer(0, 12));
      expect(readValue(feature, text)).toBe(Number(text));
    }
    for (const text of ['-', '.', '-.', '1.2.3', '1-2', '--1', '1 2', '٣', '0x10'])
      expect(() => readValue(feature, text)).toThrow('expected a finite number');
  });

  it('that is NaN in a JavaScript object is not taken for a missing one', () => {
    expect(faultOf(() => read('income', Number.NaN)).message).toContain('expected a finite number');
  });

  it('is shown as it was given', () => {
    const shown = [12.5, 41, 1, 2, 0].map((value, f) => showValue(space.features[f], value));
    expect(shown).toEqual([12.5, 41, true, 'free', 'low']);
    expect(space.features.map((feature) => showValue(feature, Number.NaN))).toEqual([null, null, null, null, null]);
  });
});
