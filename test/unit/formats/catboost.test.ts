/** The rules of the format on files written by hand; test/fixtures/libraries has real ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TreeDocument } from '../../../src/documents/tree-document.js';
import { importCatboost } from '../../../src/formats/catboost/catboost.js';
import { wordHash } from '../../../src/formats/catboost/city-hash.js';
import { nameWords } from '../../../src/formats/one-hot-words.js';
import { loadModel, type ModelDocument, type RowValue } from '../../../src/index.js';

const WORDS = ['own', 'rent', 'free'];
const number = (feature: number, border: number) => ({
  split_type: 'FloatFeature',
  float_feature_index: feature,
  border,
});
const word = (name: string) => ({ split_type: 'OneHotFeature', cat_feature_index: 0, value: wordHash(name) | 0 });

interface Options {
  loss?: string | null;
  trees?: object[];
  nested?: object[];
  scaling?: unknown[];
  missing?: string;
  words?: string[];
  known?: string[];
  about?: object;
}

/** Features a, housing (words) and b, in this order of columns. */
function file({ loss = 'RMSE', trees, nested, missing = 'AsFalse', ...options }: Options = {}): object {
  const about = {
    class_params: { class_names: [] },
    params: loss ? { loss_function: { type: loss, params: {} } } : {},
  };
  const float = (index: number, flat: number, name: string) => ({
    feature_index: index,
    flat_feature_index: flat,
    feature_id: name,
    borders: [],
    nan_value_treatment: missing,
  });
  const values = (options.words ?? WORDS.slice(0, 2)).map((name) => wordHash(name) | 0);
  return {
    features_info: {
      float_features: [float(0, 0, 'a'), float(1, 2, 'b')],
      categorical_features: [{ feature_index: 0, flat_feature_index: 1, feature_id: 'housing', values }],
      cat_features_hash: (options.known ?? WORDS).map((value) => ({ hash: wordHash(value), value })),
    },
    model_info: { ...about, ...options.about },
    ...(nested ? { trees: nested } : { oblivious_trees: trees ?? [{ leaf_values: [1, 2], splits: [number(0, 0.5)] }] }),
    scale_and_bias: options.scaling ?? [1, [0]],
  };
}

const toBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const importFile = (options?: Options, choices = {}) => importCatboost(toBytes(file(options)), choices);

function predict(document: ModelDocument, [a, housing, b]: RowValue[]) {
  return loadModel(document).predict({ a, housing, b }).prediction;
}

describe('a split', () => {
  const border = Math.fround(0.1);

  it.each<[string, RowValue, number]>([
    ['at the border', border, 1],
    ['above it in float64, at it in float32', border + 1e-12, 1],
    ['a float32 step above', border + 2 ** -27, 2],
    ['missing', null, 1],
  ])('by a number: %s', (_, a, leaf) => {
    const document = importFile({ trees: [{ leaf_values: [1, 2], splits: [number(0, border)] }] });
    expect(predict(document, [a, 'own', 0])).toBe(leaf);
  });

  it('sends a missing value to the side of nan_value_treatment', () => {
    expect(['AsIs', 'AsFalse', 'AsTrue'].map((missing) => predict(importFile({ missing }), [null, 'own', 0]))).toEqual([
      1, 1, 2,
    ]);
  });

  it('by a word is one column of a one-hot feature', () => {
    const trees = [{ leaf_values: [1, 2, 3, 4], splits: [word('rent'), number(1, 5)] }];
    const document = importFile({ trees });
    expect(document.features[1]).toEqual({
      name: 'housing',
      type: 'categorical',
      encoding: 'one-hot',
      categories: ['own', 'rent', '(other)'],
    });
    const rows = [
      ['own', 0],
      ['rent', 0],
      ['(other)', 9],
      ['rent', 9],
      [null, 9],
    ] as const;
    expect(rows.map(([housing, b]) => predict(document, [0, housing, b]))).toEqual([1, 2, 3, 4, 3]);
    const named = nameWords(document, { housing: ['free', 'own', 'parents'] });
    expect(named.features[1]).toMatchObject({ categories: ['own', 'rent', 'free', 'parents'] });
    const more = [
      ['own', 0],
      ['rent', 0],
      ['parents', 9],
      ['rent', 9],
    ] as const;
    expect(more.map(([housing, b]) => predict(named, [0, housing, b]))).toEqual([1, 2, 3, 4]);
  });
});

it.each([
  ['1', 1121341681],
  ['-5', 2572957386],
  ['iw9', 1909943495],
  ['-i u', 2677800040],
  ['xaek8csb', 3463084602],
  ['1rfdavbwz', 779853974],
  ['dc556othlgqrsjpj', 1777478320],
  ['pb45zd_hui 51dvomh5hkpqi', 3288038910],
  ['ß8liqmj83to5rz988qnsbq1xml7wpt1', 467070391],
  ['jz19n086b1eyc0open pm il_c kctlä', 349705172],
  ['_05zwm_z1z18crblgbjr34d-1cmnq2äcv0mrjgßszßenj', 2405691803],
  ['y06_ß laerzkacu4twgcnxa5ßt-oßßpavnokzygyt7h59prgbyb8uom073 -', 4052790018],
  ['3iwßä377ää r5q8xjcckä-ani3nw c-67vmhkne2ärjh5u9k if_figaf-4', 3031601145],
  [
    '-ug6sgßp27x2qs8nr4x7e9ä-jltsa_zrlih1rkg6qmcpvimuio7_uri45f y6uryln0nvh66784za4lre9bzq_w82iwt_9vyßc4dßfqru7_6fgzbhddu je8x262',
    739072869,
  ],
])('the hash of %j is that of the library', (text, hash) => {
  expect(wordHash(text)).toBe(hash);
});

describe('an oblivious tree', () => {
  const split = fc.oneof(
    fc.record({ feature: fc.nat(1), border: fc.integer({ min: -3, max: 3 }) }).map((s) => number(s.feature, s.border)),
    fc.constantFrom(...WORDS).map(word),
  );

  /** Bit by bit, as CatBoost's own documentation has it. */
  function leafOf(
    splits: readonly ReturnType<typeof number | typeof word>[],
    row: (number | string | null)[],
    nan: string,
  ): number {
    return splits.reduce((leaf, s, i) => {
      const value = 'border' in s ? row[s.float_feature_index ? 2 : 0] : row[1];
      const yes =
        'border' in s
          ? value === null
            ? nan === 'AsTrue'
            : (value as number) > s.border
          : wordHash(String(value)) === s.value >>> 0;
      return leaf + (yes ? 2 ** i : 0);
    }, 0);
  }

  it('has the leaf of every row, and no branch that no row reaches', () => {
    const value = fc.option(fc.integer({ min: -4, max: 4 }), { nil: null });
    const row = fc.tuple(value, fc.constantFrom(...WORDS), value);
    fc.assert(
      fc.property(
        fc.array(split, { maxLength: 7 }),
        fc.array(row, { minLength: 8, maxLength: 8 }),
        fc.constantFrom('AsTrue', 'AsFalse'),
        (splits, rows, missing) => {
          const leaf_values = Array.from({ length: 2 ** splits.length }, (_, k) => k);
          const document = importFile({ trees: [{ leaf_values, splits }], missing, words: WORDS });
          const own = nameWords(document, { housing: WORDS });
          for (const each of rows) expect(predict(own, each)).toBe(leafOf(splits, each, missing));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is pruned where the same question comes again', () => {
    const splits = [number(0, 1), number(0, 1), word('own'), word('rent'), number(0, 2)];
    const document = importFile({ trees: [{ leaf_values: Array.from({ length: 32 }, (_, k) => k), splits }] });
    const [tree] = document.parameters.trees as TreeDocument[];
    // three intervals of a, times own, rent and others
    expect(tree.left.filter((child) => child < 0)).toHaveLength(9);
  });

  it('grows up to a bound', () => {
    const splits = Array.from({ length: 16 }, (_, i) => number(0, i));
    const wide = Array.from({ length: 16 }, (_, i) => number(i % 2, i));
    const leaf_values = Array(2 ** 16).fill(0);
    expect((importFile({ trees: [{ leaf_values, splits }] }).parameters.trees as TreeDocument[])[0].left).toHaveLength(
      33,
    );
    expect(() => importFile({ trees: [{ leaf_values, splits: wide }] }, { treeNodes: 100 })).toThrow(
      /catboost\.trees: the trees grow to more than 100 nodes: .*--tree-nodes/,
    );
  });
});

describe('sums', () => {
  it('are scaled, then moved', () => {
    const trees = [
      { leaf_values: [1, 2], splits: [number(0, 0.5)] },
      { leaf_values: [10], splits: null },
    ];
    expect(predict(importFile({ trees, scaling: [2, [0.5]] }), [1, 'own', 0])).toBe(24.5);
    expect(predict(importFile({ trees, scaling: [2, 0.5] }), [0, 'own', 0])).toBe(22.5);
  });

  it('of several outputs: one is kept', () => {
    const trees = [{ leaf_values: [1, 2, 3, 4], splits: [number(0, 0.5)] }];
    expect(() => importFile({ loss: 'MultiRMSE', trees })).toThrow(/the model has 2 outputs: .*--output-index/);
    const kept = importFile({ loss: 'MultiRMSE', trees, scaling: [1, [10, 20]] }, { output: 1 });
    expect([0, 1].map((a) => predict(kept, [a, 'own', 0]))).toEqual([22, 24]);
    expect(() => importFile({ loss: 'MultiRMSE', trees }, { output: 2 })).toThrow(/there is no output 2/);
    expect(() => importFile({}, { output: 0 })).toThrow(/no outputs to choose from/);
  });

  it('of classes have the names of the file', () => {
    const about = { class_params: { class_names: ['no', 'yes'] } };
    const nested = [{ split: number(0, 0.5), left: { value: -1 }, right: { value: 2 } }];
    const document = importFile({ loss: 'Logloss', nested, about });
    expect(document.classes).toEqual(['no', 'yes']);
    expect([0, 1].map((a) => predict(document, [a, 'own', 0]))).toEqual(['no', 'yes']);
  });
});

describe('refused by name', () => {
  const ctr = { split_type: 'OnlineCtr', ctr_target_border_idx: 0, border: 1 };

  it.each<[string, Options, RegExp]>([
    ['target statistics', { trees: [{ leaf_values: [1, 2], splits: [ctr] }] }, /splits\[0\]: .*one_hot_max_size/],
    [
      'texts',
      { nested: [{ split: { split_type: 'EstimatedFeature' }, left: { value: 1 }, right: { value: 2 } }] },
      /without text_features/,
    ],
    [
      'another loss',
      { loss: 'RMSEWithUncertainty' },
      /loss_function: .*the objective "RMSEWithUncertainty"; known are Logloss/,
    ],
    ['no loss', { loss: null }, /names no loss_function/],
    ['a threshold', { about: { binclass_probability_threshold: '0.3' } }, /set_probability_threshold\(0\.5\)/],
    ['no trees', { trees: [] }, /the model has no trees/],
    [
      'too few leaves',
      { trees: [{ leaf_values: [1, 2, 3], splits: [number(0, 1), number(1, 1)] }] },
      /catboost\.trees/,
    ],
    [
      'a feature that is not there',
      { trees: [{ leaf_values: [1, 2], splits: [number(7, 1)] }] },
      /trees\[0\]\.splits\[0\]/,
    ],
  ])('%s', (_, options, message) => {
    expect(() => importFile(options)).toThrow(message);
  });

  it.each([
    ['CBM1', /the file is cut off/],
    ['CBM1\0\0\0\0', /cut off or damaged/],
    ['hello', /catboost: is not valid JSON/],
  ])('%j', (text, message) => {
    expect(() => importCatboost(new TextEncoder().encode(text))).toThrow(message);
  });
});
