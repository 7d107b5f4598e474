/** Additive models: sums as a scorecard is read by hand, bit for bit; missing values by term; documents that do not fit together. */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument, RowValue } from '../../../src/documents/model-document.js';
import { nextDown, nextUp } from '../../../src/linalg/floats.js';
import { loadModel, Scorer } from '../../../src/models/load.js';
import { packModel, unpackModel } from '../../../src/models/packed-model.js';
import { readRecord, recordOf } from '../../../src/models/read-row.js';
import { type AdditiveParameters, additiveClass, additiveSums } from '../../support/additive-sums.js';
import { Dice } from '../../support/dice.js';
import { faultOf } from '../../support/documents.js';
import { randomAdditive } from '../../support/random-additive.js';

type Row = Record<string, RowValue>;

const FEATURES: FeatureDocument[] = [
  { name: 'n', type: 'integer' },
  { name: 'u', type: 'continuous' },
  { name: 'b', type: 'boolean' },
  { name: 'c', type: 'categorical', categories: ['x', 'y', 'z', 'w'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high'] },
];
const header = { schema: 'elsewise.model/v1', name: 'm', family: 'additive', features: FEATURES };
const CLASSES = ['a', 'b', 'c', 'd'];

const documentOf = (parameters: unknown, classes: number, more = {}) => ({
  ...header,
  ...(classes ? { classes: CLASSES.slice(0, classes) } : {}),
  parameters,
  ...more,
});

/** Rows at all cuts, and at the neighbours of each cut. */
function drawRow(dice: Dice, { terms }: AdditiveParameters): Row {
  const cuts = terms.flatMap(({ cuts = [], axes = [] }) => [...cuts, ...axes.flatMap((axis) => axis.cuts ?? [])]);
  const cut = cuts.length ? dice.pick(cuts) : 0;
  return {
    n: dice.pick([null, dice.integer(-3, 3)]),
    u: dice.pick([null, dice.normal(), cut, nextUp(cut), nextDown(cut)]),
    b: dice.pick([null, true, false]),
    c: dice.pick([null, 'x', 'y', 'z', 'w']),
    o: dice.pick([null, 'low', 'mid', 'high']),
  };
}

describe('scores', () => {
  it('are the sum in the order of the terms, bit for bit, also in another thread; a missing value without a score is invalid', () => {
    let [compared, refused] = [0, 0];
    for (let seed = 1; seed <= 150; seed++) {
      const dice = new Dice(seed);
      const { parameters, classes } = randomAdditive(dice, 0, FEATURES);
      const own = parameters as unknown as AdditiveParameters;
      const loaded = loadModel(documentOf(parameters, classes));
      for (const model of [loaded, unpackModel(structuredClone(packModel(loaded)))]) {
        const scorer = new Scorer(model);
        const values = new Float64Array(FEATURES.length);
        for (let k = 0; k < 40; k++) {
          const row = drawRow(dice, own);
          const sums = additiveSums(own, row);
          const read = () => readRecord(model, recordOf(model, row), values);
          if (!sums) {
            expect(read, JSON.stringify(row)).toThrow('is missing');
            refused++;
            continue;
          }
          read();
          scorer.runValues(values);
          expect([...scorer.raw]).toEqual(sums);
          if (classes) expect(model.model.decide(scorer.raw)).toBe(additiveClass(own, sums));
          compared++;
        }
      }
    }
    expect(Math.min(compared, refused)).toBeGreaterThan(1000);
  });

  it('fill in missing values first, where the model imputes them', () => {
    const parameters = { intercept: 1, terms: [{ feature: 'u', cuts: [0], values: [-2, 3] }] };
    const preprocessing = [{ type: 'impute', values: [0, 5, 0, 0, 0, 0, 1, 0] }];
    const model = loadModel(documentOf(parameters, 0, { preprocessing }));
    expect(model.predict({ n: 1, b: true, c: 'x', o: 'low' }).prediction).toBe(4);
  });

  it('predict the second class from the threshold on', () => {
    const terms = [{ feature: 'n', cuts: [1, 2], values: [400, 500, 600] }];
    const model = loadModel(documentOf({ intercept: 0, terms, threshold: 500 }, 2));
    expect([0, 1, 2].map((n) => model.predict({ n }).prediction)).toEqual(['a', 'b', 'b']);
    expect(model.predict({ n: 1 }).scores).toEqual({ a: -500, b: 500 });
  });
});

const MAIN = { feature: 'u', cuts: [0, 1], values: [1, 2, 3] };
const PAIR = {
  features: ['u', 'c'],
  axes: [{ cuts: [0] }, { categories: ['x'], other: true }],
  values: [
    [1, 2],
    [3, 4],
  ],
};

/** Of one term over two classes, unless said otherwise. */
const FAULTS: [what: string, parameters: Record<string, unknown>, path: string, words: RegExp, classes?: number][] = [
  ['an unknown feature', { terms: [{ ...MAIN, feature: 'v' }] }, 'terms[0].feature', /no feature "v"/],
  [
    'cuts that do not ascend',
    { terms: [{ ...MAIN, cuts: [1, 1] }] },
    'terms[0].cuts[1]',
    /ascend, and 1 comes after 1/,
  ],
  [
    'too few scores',
    { terms: [{ ...MAIN, values: [1] }] },
    'terms[0].values',
    /expected 3 entries, one per bin, got 1/,
  ],
  ['cuts of a category', { terms: [{ ...MAIN, feature: 'o' }] }, 'terms[0].cuts', /is categorical/],
  ['categories of a number', { terms: [{ feature: 'n', categories: { 1: 2 } }] }, 'terms[0].categories', /is a number/],
  [
    'an unknown category',
    { terms: [{ feature: 'c', categories: { xx: 1 }, other: 0 }] },
    'terms[0].categories.xx',
    /no such category/,
  ],
  [
    'a category without a score',
    { terms: [{ feature: 'c', categories: { x: 1, y: 2, z: 3 } }] },
    'terms[0].categories',
    /more categories: "?w/,
  ],
  [
    'a category twice',
    { terms: [{ ...PAIR, axes: [{ cuts: [0] }, { categories: ['x', 'x'] }] }] },
    'terms[0].axes[1].categories.x',
    /twice/,
  ],
  ['a pair of one feature', { terms: [{ ...PAIR, features: ['u', 'u'] }] }, 'terms[0].features[1]', /listed twice/],
  ['too many axes', { terms: [{ ...PAIR, axes: [...PAIR.axes, { cuts: [] }] }] }, 'terms[0].axes', /one per feature/],
  [
    'a table with a short row',
    { terms: [{ ...PAIR, values: [[1, 2], [3]] }] },
    'terms[0].values[1]',
    /expected 2 entries/,
  ],
  ['a table that is too flat', { terms: [{ ...PAIR, values: [[1, 2], 3] }] }, 'terms[0].values[1]', /expected a list/],
  [
    'a table that is too deep',
    {
      terms: [
        {
          ...PAIR,
          values: [
            [1, [2]],
            [3, 4],
          ],
        },
      ],
    },
    'terms[0].values[0][1]',
    /expected one number/,
  ],
  ['a list for one sum', { terms: [{ ...MAIN, values: [1, [2, 2], 3] }] }, 'terms[0].values[1]', /expected one number/],
  ['one number for several sums', { intercept: [0, 0], terms: [MAIN] }, 'terms[0].values[0]', /list of 2 numbers/],
  ['an intercept for other classes', { intercept: [0, 0], terms: [MAIN] }, 'intercept', /each of the 3 classes/, 3],
  ['one sum for three classes', { terms: [MAIN] }, 'intercept', /each of the 3 classes/, 3],
  ['several sums for a number', { intercept: [0, 0], terms: [MAIN] }, 'intercept', /expected one number/, 0],
  ['logit for a number', { terms: [MAIN], link: 'logit' }, 'link', /logit goes with/, 0],
  ['exp for classes', { terms: [MAIN], link: 'exp' }, 'link', /regressor/],
  ['softmax for one sum', { terms: [MAIN], link: 'softmax' }, 'link', /softmax goes with/],
  ['a threshold for a number', { terms: [MAIN], threshold: 1 }, 'threshold', /two classes/, 0],
  ['a threshold that is no probability', { terms: [MAIN], link: 'logit', threshold: 1 }, 'threshold', /probability/],
  [
    'odds without a threshold',
    { terms: [MAIN], link: 'logit', odds: { points: 600, odds: 50, double: 20 } },
    'odds',
    /a threshold in points/,
  ],
  [
    'an axis with both keys',
    { terms: [{ ...PAIR, axes: [{ cuts: [0], categories: ['x'] }, PAIR.axes[1]] }] },
    'terms[0].axes[0].cuts',
    /one of them/,
  ],
  ['an unknown key', { terms: [{ ...MAIN, mising: 1 }] }, 'terms[0].mising', /unknown key/],
  ['an infinite cut', { terms: [{ ...MAIN, cuts: [0, 1e300] }] }, 'terms[0].cuts[1]', /too large/],
  ['no terms', { terms: [] }, 'terms', /./],
];

describe('a document', () => {
  it.each(FAULTS)('with %s is refused by the path of the fault', (_, parameters, path, words, classes = 2) => {
    const fault = faultOf(() => loadModel(documentOf({ intercept: 0, ...parameters }, classes)));
    expect(fault).toMatchObject({ path: `model.parameters.${path}` });
    expect((fault as Error).message).toMatch(words);
  });

  it('with a scaling is refused', () => {
    const preprocessing = [{ type: 'scale', mean: Array(8).fill(0), scale: Array(8).fill(2) }];
    const fault = faultOf(() => loadModel(documentOf({ intercept: 0, terms: [MAIN] }, 2, { preprocessing })));
    expect(fault).toMatchObject({ code: 'unsupported', path: 'model.preprocessing' });
  });

  it('with more categories than levels of a tree is refused, unless their scores are equal', () => {
    const categories = Array.from({ length: 3000 }, (_, k) => `c${k}`);
    const scoresOf = (score: (k: number) => number) =>
      Object.fromEntries(categories.map((name, k) => [name, score(k)]));
    const load = (score: (k: number) => number) =>
      loadModel({
        ...header,
        features: [{ name: 'c', type: 'categorical', categories }],
        parameters: { intercept: 0, terms: [{ feature: 'c', categories: scoresOf(score) }] },
      });
    expect(faultOf(() => load((k) => k))).toMatchObject({ path: 'model.parameters.terms[0]' });
    expect(load((k) => Math.min(k, 900)).predict({ c: 'c7' }).prediction).toBe(7);
  });
});
