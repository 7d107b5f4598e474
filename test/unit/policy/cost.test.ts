/** What a change costs, against sums written out here. */
import { describe, expect, it } from 'vitest';
import type { BackgroundDocument } from '../../../src/documents/model-document.js';
import { buildBackground } from '../../../src/models/background.js';
import { layOutFeatures } from '../../../src/models/features.js';
import { compileCost, evaluateCost } from '../../../src/policy/cost.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Dice } from '../../support/dice.js';
import { faultOf } from '../../support/documents.js';
import { dotProduct, solveByElimination } from '../../support/elimination.js';

const space = layOutFeatures([
  { name: 'income', type: 'continuous' },
  { name: 'age', type: 'integer' },
  { name: 'guarantor', type: 'boolean' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
  { name: 'grade', type: 'categorical', categories: ['low', 'mid', 'high'], encoding: 'ordinal' },
]);
const FROM = [2000, 40, 0, 0, 0];
const TO = [2150, 38, 1, 2, 2];

function costWith(cost: object, background: BackgroundDocument = {}, features: object = {}) {
  const policy = loadPolicy({ schema: 'elsewise.policy/v1', cost, features }).document;
  const compiled = compileCost(policy, space, buildBackground(background, space));
  return (from: number[], to: number[]) =>
    evaluateCost(compiled, space, Float64Array.from(from), Float64Array.from(to));
}

describe('separable norms', () => {
  it.each([
    ['l0', {}, 5],
    ['l1', {}, 150 + 2 + 1 + 1 + 2],
    ['l2', {}, 150 ** 2 + 4 + 1 + 1 + 4],
    ['l0', { income: 3, housing: 5 }, 3 + 1 + 1 + 5 + 1],
    ['l1', { income: 0.1, grade: 2, housing: 5 }, 15 + 2 + 1 + 5 + 4],
    ['l2', { income: 0.1, grade: 2, housing: 5 }, 0.1 * 150 ** 2 + 4 + 1 + 5 + 2 * 4],
  ])('%s with weights %j', (norm, weights, expected) => {
    expect(costWith({ norm, weights })(FROM, TO)).toBeCloseTo(expected, 9);
  });

  it.each(['l0', 'l1', 'l2', 'percentile', 'mahalanobis'])('standing still is free under %s', (norm) => {
    const background = {
      samples: [
        [1, 1, 0, 'own', 'low'],
        [2, 5, 1, 'own', 'mid'],
        [4, 2, 1, 'own', 'high'],
        [3, 3, 0, 'own', 'low'],
        [9, 4, 0, 'rent', 'high'],
        [5, 9, 1, 'rent', 'mid'],
      ],
    };
    expect(costWith({ norm }, background)(FROM, FROM)).toBe(0);
  });
});

describe('weights from the population', () => {
  const background = { mad: { income: 50, age: 4 }, std: { income: 100, age: 8 } };
  const one = (cost: object, given: BackgroundDocument) => costWith(cost, given)([0, 0, 0, 0, 0], [1, 0, 0, 0, 0]);

  it('measure l1 in deviations and l2 in squared ones, categories, ranks and booleans as they are', () => {
    expect(costWith({ norm: 'l1', weights: 'mad' }, background)(FROM, TO)).toBeCloseTo(150 / 50 + 2 / 4 + 1 + 1 + 2, 9);
    expect(costWith({ norm: 'l1', weights: 'std' }, background)(FROM, TO)).toBeCloseTo(
      150 / 100 + 2 / 8 + 1 + 1 + 2,
      9,
    );
    expect(costWith({ norm: 'l2', weights: 'mad' }, background)(FROM, TO)).toBeCloseTo(9 + 0.25 + 1 + 1 + 4, 9);
    expect(costWith({ norm: 'l0', weights: 'mad' }, background)(FROM, TO)).toBe(5);
  });

  it('fall back from a MAD of 0 to the standard deviation, then to 1', () => {
    const others = { age: 1 };
    expect(one({ norm: 'l1', weights: 'mad' }, { mad: { income: 0, ...others }, std: { income: 20 } })).toBeCloseTo(
      1 / 20,
      12,
    );
    expect(one({ norm: 'l1', weights: 'mad' }, { mad: { income: 0, ...others }, std: { income: 0 } })).toBe(1);
    expect(one({ norm: 'l1', weights: 'mad' }, { mad: { income: 0, ...others } })).toBe(1);
    expect(one({ norm: 'l1', weights: 'std' }, { std: { income: 0, ...others } })).toBe(1);
  });

  it('fall back from the MAD of samples, most of them equal', () => {
    const samples = [7, 7, 7, 7, 12].map((income, k) => [income, k, false, 'own', 'low']);
    expect(one({ norm: 'l1', weights: 'mad' }, { samples })).toBeCloseTo(1 / 2, 12); // mean 8, variance (4 + 16) / 5
  });

  it('are asked for by name when they are missing', () => {
    const fault = faultOf(() => costWith({ norm: 'l1', weights: 'mad' }, { mad: { income: 50 } }));
    expect(fault.message).toBe('policy.cost.weights: "mad" needs model.background.mad.age or background samples');
  });
});

it('weights for a feature that does not exist are refused', () => {
  expect(faultOf(() => costWith({ weights: { incom: 1 } })).message).toBe(
    'policy.cost.weights.incom: unknown feature, did you mean "income"?',
  );
  expect(faultOf(() => costWith({ weights: { shoes: 1 } })).path).toBe('policy.cost.weights.shoes');
});

describe('mahalanobis', () => {
  it('is Δᵀ S⁻¹ Δ over everything with an order, and a category costs its weight', () => {
    const dice = new Dice(5);
    const names = ['income', 'age', 'guarantor', 'grade'];
    for (let k = 0; k < 10; k++) {
      const root = dice.matrix(4, 4);
      const matrix = root.map((a, i) => root.map((b, j) => dotProduct(a, b) + (i === j ? 0.5 : 0)));
      const to = [FROM[0] + dice.normal(), FROM[1] + dice.integer(-3, 3), 1, 2, dice.integer(0, 2)];
      const delta = [0, 1, 2, 4].map((f) => to[f] - FROM[f]);
      const expected = dotProduct(delta, solveByElimination(matrix, delta)) + 2.5;
      const found = costWith(
        { norm: 'mahalanobis', weights: { housing: 2.5 } },
        { covariance: { features: names, matrix } },
      )(FROM, to);
      expect(found).toBeCloseTo(expected, 8);
    }
  });

  it.each([
    ['without a covariance', {}],
    [
      'with a singular one',
      {
        covariance: {
          features: ['income', 'age', 'guarantor', 'grade'],
          matrix: [
            [1, 1, 0, 0],
            [1, 1, 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
          ],
        },
      },
    ],
    ['with one that leaves a feature out', { covariance: { features: ['income'], matrix: [[1]] } }],
  ])('is refused %s', (_, background) => {
    expect(faultOf(() => costWith({ norm: 'mahalanobis' }, background)).path).toBe('policy.cost.norm');
  });
});

describe('percentile', () => {
  const background = { quantiles: { income: [0, 1000, 1000, 1000, 4000], age: [20, 30, 60] } };
  const cost = costWith({ norm: 'percentile', weights: { age: 2 } }, background);
  const income = (from: number, to: number) => cost([from, 40, 0, 0, 0], [to, 40, 0, 0, 0]);

  it('is the share of the population that is passed on the way', () => {
    expect(cost([0, 20, 0, 0, 0], [0, 30, 0, 0, 0])).toBeCloseTo(2 * 0.5, 12);
    expect(cost([0, 30, 0, 0, 0], [0, 45, 0, 0, 0])).toBeCloseTo(2 * 0.25, 12);
    expect(income(0, 4000)).toBeCloseTo(1, 12);
  });

  it('puts tied quantiles at their middle: a jump is a slope before and after it', () => {
    expect(income(0, 1000)).toBeCloseTo(0.5, 12);
    expect(income(1000, 4000)).toBeCloseTo(0.5, 12);
    expect(income(500, 1000)).toBeCloseTo(0.25, 12);
  });

  it('goes on beyond the known quantiles with the mean slope', () => {
    expect(income(4000, 8000)).toBeCloseTo(1, 12);
    expect(income(0, -400)).toBeCloseTo(0.1, 12);
  });

  it('counts categories, ranks and booleans as l1 does', () => {
    expect(cost([0, 40, 0, 0, 0], [0, 40, 1, 2, 2])).toBeCloseTo(1 + 1 + 2, 12);
  });

  it('is strictly increasing and continuous, whatever the quantiles', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const dice = new Dice(seed);
      const quantiles = dice.vector(dice.integer(2, 9), () => dice.integer(-4, 4)).sort((a, b) => a - b);
      if (quantiles[0] === quantiles.at(-1)) quantiles[0] -= 1;
      const own = costWith({ norm: 'percentile' }, { quantiles: { income: quantiles, age: [0, 1] } });
      const between = (from: number, to: number) => own([from, 0, 0, 0, 0], [to, 0, 0, 0, 0]);
      for (let x = -6; x < 6; x += 1 / 64) {
        const rise = between(x, x + 1 / 64);
        expect(rise).toBeGreaterThan(0);
        expect(rise).toBeLessThanOrEqual(1 / 64 + 1e-12); // quantiles are whole: at most 1 per unit
        expect(between(-6, x) + rise).toBeCloseTo(between(-6, x + 1 / 64), 12);
      }
    }
  });

  it('keeps the digits of moves that are tiny beside the quantiles', () => {
    for (const here of [10, 1000, 2500, 1e9]) {
      const there = here * (1 + 2 ** -50);
      const slope = here < 1000 ? 0.5 / 1000 : here < 4000 ? 0.5 / 3000 : 1 / 4000;
      expect(income(here, there)).toBe(slope * (there - here));
    }
  });

  it('keeps the digits of tiny moves that end at a quantile', () => {
    const before = 4000 * (1 - 2 ** -53);
    expect(income(4000, before)).toBe((0.5 / 3000) * (4000 - before));
  });

  it('has no curve where all quantiles are the same', () => {
    const own = costWith({ norm: 'percentile' }, { quantiles: { income: [3, 3, 3], age: [0, 1] } });
    expect(own([1, 0, 0, 0, 0], [3, 0, 0, 0, 0])).toBe(2);
  });

  it('needs quantiles of what may change, and none of what never does', () => {
    const lacking = { quantiles: { income: [0, 1] } };
    expect(faultOf(() => costWith({ norm: 'percentile' }, lacking)).message).toContain(
      'model.background.quantiles.age',
    );
    expect(
      costWith({ norm: 'percentile' }, lacking, { age: { change: 'never' } })([0, 40, 0, 0, 0], [1, 40, 0, 0, 0]),
    ).toBeCloseTo(1, 12);
  });
});
