/** The population of a model: shares from samples, shares from quantiles, and features about which nothing is known. */
import { expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { type NumberPopulation, populationOf } from '../../../src/models/population.js';

const model = (background: object) =>
  loadModel({
    schema: 'elsewise.model/v1',
    name: 'three',
    family: 'hyperplane',
    features: [
      { name: 'a', type: 'continuous' },
      { name: 'b', type: 'boolean' },
      { name: 'c', type: 'categorical', categories: ['x', 'y'] },
    ],
    classes: ['no', 'yes'],
    parameters: { weights: [1, 1, 1, 0], bias: 0 },
    background,
  });

const ROWS = [
  [0, true, 'x'],
  [0, false, 'x'],
  [24, false, 'y'],
  [24, false, 'x'],
];

it('counts samples', () => {
  const { background, rows } = populationOf(model({ samples: ROWS }), 2);
  const { shares, ...ends } = background.a as NumberPopulation;
  expect(ends).toEqual({ min: 0, max: 24 });
  expect([shares[0], shares[23], shares.length]).toEqual([0.5, 0.5, 24]);
  expect(background.b).toEqual({ values: { false: 0.75, true: 0.25 } });
  expect(background.c).toEqual({ values: { x: 0.75, y: 0.25 } });
  expect(rows).toEqual([
    { a: 0, b: true, c: 'x' },
    { a: 24, b: false, c: 'y' },
  ]);
});

it('goes along quantiles without samples: half of the people are below the median', () => {
  const { background, rows } = populationOf(model({ quantiles: { a: [0, 6, 24] } }), 9);
  const { shares } = background.a as NumberPopulation;
  expect(shares.slice(0, 6).reduce((sum, share) => sum + share, 0)).toBeCloseTo(0.5, 12);
  expect(shares[0]).toBeCloseTo(0.5 / 6, 12);
  expect(shares[23]).toBeCloseTo(0.5 / 18, 12);
  expect([background.b, rows]).toEqual([undefined, []]);
});
