/** A mixture of Gaussians: its density against the formula, its fit against what the rows were drawn from. */
import { describe, expect, it } from 'vitest';
import { logSumExp } from '../../../src/linalg/vector.js';
import { fitMixture, logTerms } from '../../../src/models/rows/gaussian-mixture.js';
import { Dice } from '../../support/dice.js';

/** Two clouds of different size and spread. */
function drawn(): Float64Array[] {
  const dice = new Dice(8);
  return Array.from({ length: 900 }, (_, i) =>
    i % 3
      ? Float64Array.of(-1 + 0.3 * dice.normal(), 0.5 * dice.normal())
      : Float64Array.of(2 + 0.1 * dice.normal(), 1 + 0.2 * dice.normal()),
  );
}

describe('fitMixture', () => {
  it('finds the clouds that the rows were drawn from', () => {
    const found = fitMixture(drawn(), 2).sort((a, b) => a.at[0] - b.at[0]);
    expect(found.map(({ at }) => Array.from(at, (value) => Math.round(value * 10) / 10 + 0))).toEqual([
      [-1, 0],
      [2, 1],
    ]);
  });

  it('gives a density: its integral is 1', () => {
    const components = fitMixture(drawn(), 3);
    let sum = 0;
    for (let a = -4; a < 4; a += 0.02)
      for (let b = -4; b < 4; b += 0.02)
        sum += 0.02 ** 2 * Math.exp(logSumExp(logTerms(components, Float64Array.of(a, b))));
    expect(sum).toBeCloseTo(1, 3);
  });

  it('is the same for the same rows', () => {
    expect(fitMixture(drawn(), 3)).toEqual(fitMixture(drawn(), 3));
  });

  it('takes rows that are all alike, and more components than there are different rows', () => {
    const rows = Array.from({ length: 30 }, (_, i) => Float64Array.of(i % 2, 0));
    const components = fitMixture(rows, 5);
    expect(components.length).toBeLessThanOrEqual(2);
    expect(logTerms(components, Float64Array.of(1, 0)).every(Number.isFinite)).toBe(true);
  });
});
