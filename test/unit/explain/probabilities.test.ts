/** Margins and intervals in probability of several classes: curved regions, compared with a fine grid of points. */
import { describe, expect, it } from 'vitest';
import { checkShape, planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { dotProduct } from '../../support/elimination.js';

const SIDE = 3;
const TICKS = Array.from({ length: 121 }, (_, k) => -SIDE + (2 * SIDE * k) / 120);

function softmax(weights: number[][], bias: number[], x: number[]): number[] {
  const shares = weights.map((line, k) => Math.exp(dotProduct(line, x) + bias[k]));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

const cases = {
  margin: {
    policy: { target: 'class 1', margin: 0.2 },
    reached: (p: number[], slack: number) => p.every((other, k) => k === 1 || p[1] - other >= 0.2 - slack),
  },
  interval: {
    policy: { target: { from: 0.6, class: 'class 1' } },
    reached: (p: number[], slack: number) => p[1] >= 0.6 - slack,
  },
};

describe.each(Object.entries(cases))('a %s of probability', (_, { policy, reached }) => {
  it.each(['l1', 'l2'])('has answers under %s that the grid does not beat', async (norm) => {
    for (let seed = 1; seed <= 15; seed++) {
      const dice = new Dice(seed);
      const [weights, bias, here] = [dice.matrix(3, 2), dice.vector(3), dice.vector(2)];
      const features = ['a', 'b'].map((name) => ({ name, type: 'continuous', min: -SIDE, max: SIDE }));
      const classes = ['class 0', 'class 1', 'class 2'];
      const model = {
        schema: 'elsewise.model/v1',
        name: 'm',
        family: 'softmax-regression',
        features,
        classes,
        parameters: { weights, bias },
      };
      const plan = await planOf(model, { schema: 'elsewise.policy/v1', cost: { norm }, ...policy });
      const result = checkShape(plan.explain({ id: 'p', features: { a: here[0], b: here[1] } }));

      const costOf = (x: number[]) =>
        x.reduce((sum, value, i) => sum + Math.abs(value - here[i]) ** (norm === 'l1' ? 1 : 2), 0);
      const grid = TICKS.flatMap((a) => TICKS.map((b) => [a, b])).filter((x) => reached(softmax(weights, bias, x), 0));
      const best = Math.min(Infinity, ...grid.map(costOf));
      expect(result.status === 'already').toBe(reached(softmax(weights, bias, here), 0));
      if (result.status === 'already') continue;
      if (result.status === 'infeasible') {
        expect(grid).toEqual([]);
        continue;
      }
      expect(result.status).toBe('found');
      const [answer] = result.counterfactuals;
      const x = [answer.features.a, answer.features.b] as number[];
      expect(reached(softmax(weights, bias, x), 1e-9)).toBe(true);
      expect(answer.cost).toBeCloseTo(costOf(x), 9);
      expect(answer.cost).toBeLessThanOrEqual(best + 1e-6);
      expect(answer.proof.kind).toBe('optimal');
      expect(answer.proof.lowerBound!).toBeLessThanOrEqual(best);
    }
  });
});

it('what no exact region exists for is refused before any row, and says so', async () => {
  const model = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'softmax-regression',
    features: [{ name: 'a', type: 'continuous' }],
    classes: ['x', 'y', 'z'],
    parameters: { weights: [[1], [0], [-1]], bias: [0, 0, 0], normalization: 'sigmoid' },
  };
  const refused = planOf(model, { schema: 'elsewise.policy/v1', target: { to: 0.3, class: 'x' } });
  await expect(refused).rejects.toMatchObject({ code: 'unsupported', path: 'target' });
});
