/** Chords of percentile costs: never above the cost, met by the cost, and exact far outside of the known quantiles. */
import { describe, expect, it } from 'vitest';
import { loadModel, loadPolicy } from '../../../src/index.js';
import { changeCost } from '../../../src/policy/cost.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { costAt, costCurve, leastChord } from '../../../src/solvers/shared/cost-curve.js';
import { Dice } from '../../support/dice.js';

function randomCurve(dice: Dice) {
  const count = dice.integer(2, 6);
  const points = Float64Array.from({ length: count }, () => dice.between(-3, 3)).sort();
  return { points, heights: Float64Array.from(points, (_, k) => k / (count - 1)) };
}

describe('the least chord', () => {
  it('is at most the cost of every amount of its interval, and the cost of one', () => {
    const dice = new Dice(3);
    for (let round = 0; round < 400; round++) {
      const curve = costCurve(
        randomCurve(dice),
        dice.between(0.1, 5),
        dice.between(-5, 5),
        dice.pick([1, -1] as const),
      );
      const least = dice.chance(0.4) ? 0 : dice.between(0, 3);
      const most = dice.chance(0.2) ? Infinity : least + dice.between(0.1, 4);
      const { slope, amount } = leastChord(curve, least, most);
      for (let k = 0; k < 40; k++) {
        const v = least + dice.unit() * Math.min(most - least, 50);
        if (v > 0) expect(slope * v).toBeLessThanOrEqual(costAt(curve, v) * (1 + 1e-12));
      }
      expect(amount).toBeGreaterThanOrEqual(least);
      expect(amount).toBeLessThanOrEqual(most);
    }
  });

  it('keeps its digits a billion away from the quantiles', () => {
    const curve = costCurve({ points: Float64Array.of(0, 1), heights: Float64Array.of(0, 1) }, 1, 1e9 + 0.1, -1);
    expect(leastChord(curve, 0, 1e-7).slope).toBe(1);
  });
});

describe('the percentile cost', () => {
  it('of a small move a billion away from the quantiles is that of the line there', () => {
    const model = loadModel({
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'linear-regression',
      features: [{ name: 'a', type: 'continuous' }],
      parameters: { weights: [1], bias: 0 },
      background: { quantiles: { a: [0, 0.3, 1] } },
    });
    const { document } = loadPolicy({
      schema: 'elsewise.policy/v1',
      target: { from: 0 },
      cost: { norm: 'percentile' },
    });
    const { cost } = compilePolicy(document, model);
    expect(changeCost(cost, model.space.features[0], 1e9, 1e9 + 2 ** -20)).toBe(2 ** -20);
    expect(changeCost(cost, model.space.features[0], -1e9, -1e9 - 2 ** -20)).toBe(2 ** -20);
  });
});
