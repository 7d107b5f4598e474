/**
 * Contributions of features, against the definition of the Shapley value: the average over all orders in which features join, computed from all
 * subsets. The game asks the model for the scores of mixed rows and shares no code with the product's sums. The models are those of libraries,
 * with missing values and splits by sets, and drawn ones.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/formats/index.js';
import { type LoadedModel, loadModel, Scorer } from '../../../src/models/load.js';
import { readRecord } from '../../../src/models/read-row.js';
import type { Goal } from '../../../src/models/region.js';
import { contributionsOf } from '../../../src/models/sums/contributions.js';
import { Dice } from '../../support/dice.js';
import { creditModel, regressionModel } from '../../support/documents.js';

const FOLDER = new URL('../../fixtures/forests/', import.meta.url);
type Score = (raw: Float64Array) => number;
type Raw = readonly (number | string | boolean | null)[];

function shapley(model: LoadedModel, score: Score, x: Float64Array, rows: readonly Float64Array[]): number[] {
  const scorer = new Scorer(model);
  const d = x.length;
  const worth = Array.from({ length: 2 ** d }, (_, subset) => {
    const total = rows.map((row) => {
      scorer.runValues(row.map((own, f) => ((subset >> f) & 1 ? x[f] : own)));
      return score(scorer.raw);
    });
    return total.reduce((sum, own) => sum + own, 0) / rows.length;
  });
  const factorial = Array.from({ length: d + 1 }, () => 1);
  for (let n = 1; n <= d; n++) factorial[n] = n * factorial[n - 1];
  return Array.from({ length: d }, (_, f) => {
    let sum = 0;
    for (let subset = 0; subset < 2 ** d; subset++) {
      if ((subset >> f) & 1) continue;
      const size = subset.toString(2).replaceAll('0', '').length;
      sum += ((factorial[size] * factorial[d - size - 1]) / factorial[d]) * (worth[subset | (1 << f)] - worth[subset]);
    }
    return sum;
  });
}

function expectShapley(
  model: LoadedModel,
  goal: Goal,
  rival: number,
  score: Score,
  rows: readonly Float64Array[],
): void {
  const [x, ...reference] = rows;
  const fill = contributionsOf(model, model.model.scoreSum!(goal, rival)!).against(reference);
  const own = new Float64Array(x.length);
  fill(x, own);
  const expected = shapley(model, score, x, reference);
  const scorer = new Scorer(model);
  const scoreAt = (row: Float64Array) => {
    scorer.runValues(row);
    return score(scorer.raw);
  };
  const size = Math.max(1e-9, ...expected.map(Math.abs));
  for (const [f, value] of expected.entries()) expect(Math.abs(own[f] - value) / size).toBeLessThan(1e-6);
  const mean = reference.reduce((sum, row) => sum + scoreAt(row), 0) / reference.length;
  expect(own.reduce((sum, value) => sum + value, 0)).toBeCloseTo(scoreAt(x) - mean, 5);
}

const read = (model: LoadedModel, rows: readonly Raw[]): Float64Array[] =>
  rows.map((row) => {
    const values = new Float64Array(model.space.features.length);
    readRecord(model, row, values);
    return values;
  });

const first: Score = (raw) => raw[0];
const classGoal = (index: number): Goal => ({ kind: 'class', index, margin: 0 });
const interval: Goal = { kind: 'interval', index: 0, from: 0, to: 1 };

const fixture = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8');
const rowsOf = (name: string, model: LoadedModel, count: number): Float64Array[] =>
  read(model, JSON.parse(fixture(`${name}.expected.json`)).rows.slice(0, count));

describe('contributions to the trees of libraries are Shapley values', () => {
  it.each(['xgboost-categories', 'xgboost-missing', 'xgboost-one-hot-categories', 'xgboost-dart'])('%s', (name) => {
    const model = loadModel(formats.get('xgboost')!.read(Buffer.from(fixture(`${name}.json`)), {}));
    const rows = rowsOf(name, model, 7);
    expectShapley(model, classGoal(1), 0, first, rows);
    expectShapley(model, classGoal(1), 0, first, rows.slice(1, 3));
  });

  it.each(['sklearn-histogram-categories', 'sklearn-histogram', 'sklearn-boosting'])('%s', (name) => {
    const model = loadModel(JSON.parse(fixture(`${name}.model.json`)));
    const lead: Score = (raw) => (raw.length === 1 ? raw[0] : raw[1] - raw[0]);
    expectShapley(model, classGoal(1), 0, lead, rowsOf(name, model, 4));
    expectShapley(model, classGoal(0), 1, (raw) => -lead(raw), rowsOf(name, model, 4));
  });

  it('a file of LightGBM, with missing values and categories', () => {
    const text = readFileSync(new URL('../../fixtures/boosters/lightgbm.txt', import.meta.url));
    const model = loadModel(formats.get('lightgbm')!.read(text, {}));
    const dice = new Dice(8);
    const cell = (categories: readonly string[]) => (categories.length ? dice.pick(categories) : dice.integer(0, 1));
    const draw = () => model.space.features.map(({ categories }) => (dice.chance(0.2) ? null : cell(categories)));
    const rows = read(model, [draw(), draw(), draw(), draw(), draw()]);
    expectShapley(model, model.classes.length ? classGoal(1) : interval, 0, first, rows);
  });

  it('a boosting of three classes, by its lead over a rival', () => {
    const model = loadModel(JSON.parse(fixture('sklearn-boosting-multi.model.json')));
    expectShapley(model, classGoal(2), 1, (raw) => raw[2] - raw[1], rowsOf('sklearn-boosting-multi', model, 3));
  });

  it('a forest, by the share of one class or the lead of one of three', () => {
    const model = loadModel(JSON.parse(fixture('sklearn-forest.model.json')));
    const isTwo = model.classes.length === 2;
    const rows = rowsOf('sklearn-forest', model, 3);
    expectShapley(model, classGoal(1), 0, (raw) => (isTwo ? raw[1] : raw[1] - raw[0]), rows);
    expectShapley(model, { ...interval, index: 1 }, 0, (raw) => raw[1], rows);
  });

  it('a forest that predicts a number', () => {
    const model = loadModel(JSON.parse(fixture('sklearn-forest-regression.model.json')));
    expectShapley(model, interval, 0, first, rowsOf('sklearn-forest-regression', model, 3));
  });
});

/** A tree whose paths meet features again, with missing values, sets and both comparisons. */
function drawTree(dice: Dice, depth: number) {
  const tree = { feature: [], threshold: [], left: [], right: [], value: [], missing: [], categories: [] } as {
    feature: number[];
    threshold: number[];
    left: number[];
    right: number[];
    value: number[][];
    missing: string[];
    categories: (number[] | null)[];
  };
  const grow = (level: number): number => {
    const node = tree.left.length;
    const column = dice.integer(0, 6);
    const isSet = column === 2 && dice.chance(0.7);
    tree.feature.push(column);
    tree.threshold.push(column > 2 ? 0.5 : dice.integer(0, 5) / 2);
    tree.missing.push(dice.pick(['left', 'right']));
    tree.categories.push(isSet ? [0, 1, 2, 3].filter(() => dice.chance(0.5)) : null);
    tree.value.push([dice.normal()]);
    tree.left.push(-1);
    tree.right.push(-1);
    if (level === 0 || dice.chance(0.15)) return node;
    tree.left[node] = grow(level - 1);
    tree.right[node] = grow(level - 1);
    return node;
  };
  grow(depth);
  return { ...tree, comparison: dice.pick(['<', '<=']), precision: dice.pick(['float32', 'float64']) };
}

function drawForest(dice: Dice) {
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'drawn',
    family: 'tree-ensemble',
    features: [
      { name: 'a', type: 'continuous' },
      { name: 'b', type: 'integer' },
      { name: 'code', type: 'integer', min: 0, max: 3 },
      { name: 'yes', type: 'boolean' },
      { name: 'kind', type: 'categorical', categories: ['x', 'y', 'z'] },
    ],
    classes: ['no', 'yes'],
    parameters: {
      trees: Array.from({ length: dice.integer(1, 6) }, () => drawTree(dice, dice.integer(1, 6))),
      aggregation: dice.pick(['sum', 'mean']),
      base: 0.3,
      link: 'logit',
    },
  });
}

const drawRow = (dice: Dice): Raw => [
  dice.chance(0.2) ? null : dice.integer(0, 6) / 2,
  dice.chance(0.2) ? null : dice.integer(0, 3),
  dice.chance(0.2) ? null : dice.integer(0, 3),
  dice.chance(0.5),
  dice.chance(0.1) ? null : dice.pick(['x', 'y', 'z']),
];

describe('contributions to drawn models', () => {
  it('are Shapley values of forests, where the columns of a category are one feature', () => {
    const dice = new Dice(16);
    for (let run = 0; run < 150; run++) {
      const model = drawForest(dice);
      const rows = read(
        model,
        Array.from({ length: dice.integer(2, 6) }, () => drawRow(dice)),
      );
      expectShapley(model, classGoal(1), 0, first, rows);
    }
  });

  it('are Shapley values of linear models behind imputation, curves, scaling and a matrix', () => {
    const dice = new Dice(3);
    const steps = [
      { type: 'impute', values: [40, 2000, null, null, null] },
      { type: 'monotone', functions: [null, 'log1p', 'yeo-johnson', null, null], powers: [0, 0, 0.3, 0, 0] },
      { type: 'scale', mean: [40, 5, 0, 0.5, 0], scale: [10, -2, 1, 1, 3] },
      {
        type: 'affine',
        matrix: Array.from({ length: 5 }, () => Array.from({ length: 5 }, () => dice.normal())),
        offset: [1, 2, 3, 4, 5],
      },
    ];
    for (const preprocessing of [[], steps.slice(0, 1), steps.slice(0, 3), steps]) {
      const document = { ...creditModel(), preprocessing };
      const model = loadModel({ ...document, parameters: { weights: [0.1, 0.002, 0.4, -0.3, 0.2], bias: -3 } });
      const draw = (): Raw => [
        preprocessing.length && dice.chance(0.3) ? null : dice.integer(18, 80),
        preprocessing.length && dice.chance(0.3) ? null : dice.integer(500, 4000),
        dice.pick(['own', 'rent', 'free']),
      ];
      for (let run = 0; run < 20; run++) {
        const rows = read(model, [draw(), draw(), draw(), draw()]);
        expectShapley(model, classGoal(1), 0, first, rows);
        expectShapley(model, classGoal(0), 1, (raw) => -raw[0], rows);
      }
    }
  });

  it('are those of naive Bayes in its log-odds, and of a regression in its prediction', () => {
    const document = {
      ...creditModel(),
      family: 'gaussian-naive-bayes',
      parameters: {
        means: [
          [30, 1500, 0.3, 0.5, 0.2],
          [45, 2600, 0.6, 0.3, 0.1],
        ],
        variances: [
          [80, 4e5, 0.2, 0.3, 0.2],
          [60, 7e5, 0.3, 0.2, 0.1],
        ],
        priors: [0.4, 0.6],
      },
    };
    const model = loadModel(document);
    const rows = read(model, [
      [33, 1900, 'rent'],
      [50, 2500, 'own'],
      [29, 4000, 'free'],
    ]);
    expectShapley(model, classGoal(1), 0, (raw) => raw[1] - raw[0], rows);
    const regression = loadModel(regressionModel());
    expectShapley(
      regression,
      interval,
      0,
      first,
      read(regression, [
        [1, 2],
        [3, -4],
        [0, 0],
      ]),
    );
  });
});

describe('points lost against the best value', () => {
  const stumps = [
    { feature: 0, threshold: 25.5, points: [10, 35] },
    { feature: 0, threshold: 40.2, points: [0, 20] },
    { feature: 1, threshold: 1999.5, points: [5, 30] },
    { feature: 1, threshold: 3000, points: [12, -4] },
    { feature: 3, threshold: 0.5, points: [8, 0] },
  ];
  const scorecard = () =>
    loadModel({
      ...creditModel(),
      family: 'tree-ensemble',
      parameters: {
        trees: stumps.map(({ feature, threshold, points }) => ({
          feature: [feature, -1, -1],
          threshold: [threshold, 0, 0],
          left: [1, -1, -1],
          right: [2, -1, -1],
          value: [[0], [points[0]], [points[1]]],
        })),
        aggregation: 'sum',
        base: -60,
        link: 'logit',
      },
      background: { quantiles: { income: [0, 1500, 9000] } },
    });

  it('are the points of a scorecard that a row does not have', () => {
    const model = scorecard();
    const fill = contributionsOf(model, model.model.scoreSum!(classGoal(1), 0)!).againstBest(1);
    const out = new Float64Array(3);
    // By hand: age 35 + 20 at most. Income 30 + 12 between the thresholds. Housing 8 for all but "rent".
    for (const [row, points] of [
      [
        [20, 1000, 'rent'],
        [-45, -25, -8],
      ],
      [
        [30, 2500, 'own'],
        [-20, 0, 0],
      ],
      [
        [41, 3001, 'free'],
        [0, -16, 0],
      ],
    ] as const) {
      fill(read(model, [row as Raw])[0], out);
      expect([...out]).toEqual([...points]);
    }
  });

  it('are those of a linear model within its bounds, and gained where less is better', () => {
    const model = loadModel({ ...creditModel(), background: { quantiles: { income: [0, 5000] } } });
    const sum = contributionsOf(model, model.model.scoreSum!(classGoal(1), 0)!);
    const out = new Float64Array(3);
    sum.againstBest(1)(read(model, [[41, 2000, 'rent']])[0], out);
    for (const [f, lost] of [-0.59, -6, -0.7].entries()) expect(out[f]).toBeCloseTo(lost, 12);
    sum.againstBest(-1)(read(model, [[41, 2000, 'rent']])[0], out);
    for (const [f, gained] of [0.23, 4, 0].entries()) expect(out[f]).toBeCloseTo(gained, 12);
  });

  it('are refused where a feature has no range, or trees mix features', () => {
    const open = loadModel(creditModel());
    const sum = contributionsOf(open, open.model.scoreSum!(classGoal(1), 0)!);
    expect(() => sum.againstBest(1)).toThrow(/"income" has no best value/);
    const mixed = loadModel(JSON.parse(fixture('sklearn-forest.model.json')));
    const trees = contributionsOf(mixed, mixed.model.scoreSum!(classGoal(1), 0)!);
    expect(() => trees.againstBest(1)).toThrow(/trees that each read one feature/);
  });
});
