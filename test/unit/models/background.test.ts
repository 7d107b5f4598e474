/** Statistics of the population: those given win, the others are computed from samples. */
import { describe, expect, it } from 'vitest';
import { buildBackground } from '../../../src/models/background.js';
import { layOutFeatures } from '../../../src/models/features.js';

const space = layOutFeatures([
  { name: 'x', type: 'continuous' },
  { name: 'y', type: 'continuous' },
  { name: 'constructor', type: 'continuous' },
]);
const [x, y, odd] = space.features;
const SAMPLES = [
  [1, 10, 0],
  [2, 30, 1],
  [4, 20, 5],
  [9, 50, 2],
  [null, 40, 7],
];

describe('from samples', () => {
  const background = buildBackground({ samples: SAMPLES }, space);

  it('the median absolute deviation', () => {
    // 1 2 4 9: median 3, deviations 1 1 2 6, their median 1.5
    expect(background.mad(x)).toBe(1.5);
    // 10 20 30 40 50: median 30, deviations 0 10 10 20 20
    expect(background.mad(y)).toBe(10);
  });

  it('the standard deviation, missing values left out', () => {
    expect(background.std(x)).toBeCloseTo(Math.sqrt((9 + 4 + 0 + 25) / 4), 12);
    expect(background.std(y)).toBeCloseTo(Math.sqrt(200), 12);
  });

  it('quantiles from the least to the greatest, interpolated', () => {
    const quantiles = background.quantiles(y)!;
    expect([quantiles[0], quantiles.at(-1), quantiles[(quantiles.length - 1) / 2]]).toEqual([10, 50, 30]);
    expect(quantiles[(quantiles.length - 1) / 10]).toBeCloseTo(14, 12);
  });

  it('the covariance, over rows that miss nothing', () => {
    // x 1 2 4 9 (mean 4), y 10 30 20 50 (mean 27.5)
    const cross = (-3 * -17.5 + -2 * 2.5 + 0 + 5 * 22.5) / 4;
    const found = background.covariance([x, y])!;
    [
      [(9 + 4 + 0 + 25) / 4, cross],
      [cross, (17.5 ** 2 + 2.5 ** 2 + 7.5 ** 2 + 22.5 ** 2) / 4],
    ]
      .flat()
      .forEach((value, i) => {
        expect(found.flat()[i]).toBeCloseTo(value, 12);
      });
  });
});

describe('given', () => {
  const background = buildBackground(
    {
      samples: SAMPLES,
      mad: { x: 7 },
      std: { x: 8 },
      quantiles: { x: [0, 1] },
      covariance: {
        features: ['y', 'x'],
        matrix: [
          [1, 2],
          [2, 5],
        ],
      },
    },
    space,
  );

  it('statistics win over samples', () => {
    expect([background.mad(x), background.std(x), background.quantiles(x)]).toEqual([7, 8, [0, 1]]);
    expect(background.covariance([x, y])).toEqual([
      [5, 2],
      [2, 1],
    ]);
  });

  it('for one feature leave the others to the samples', () => {
    expect(background.mad(y)).toBe(10);
    expect(background.covariance([x, y, odd])).toHaveLength(3);
  });

  it('never come from the prototype of an object: a feature may be called constructor', () => {
    expect(background.mad(odd)).toBe(2);
    expect(background.std(odd)).toBeCloseTo(Math.sqrt(34 / 5), 12);
    expect(background.quantiles(odd)).toHaveLength(background.quantiles(y)!.length);
  });
});

it('without samples and statistics nothing is known', () => {
  const background = buildBackground({}, space);
  expect([background.mad(x), background.std(x), background.quantiles(x), background.covariance([x])]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
