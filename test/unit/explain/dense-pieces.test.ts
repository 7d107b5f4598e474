/** Pieces of a region beside the ellipsoid of a density: an answer for several classes costs as much as the cheapest for one of them. */
import { describe, expect, it } from 'vitest';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';

const CLASSES = ['a', 'b', 'c'];
const NAMES = ['x', 'y'];
const points = (dice: Dice, count: number) => Array.from({ length: count }, () => NAMES.map(() => dice.between(-4, 4)));

const PARAMETERS: Record<string, (dice: Dice) => { means?: number[][]; prototypes?: number[][] }> = {
  'gaussian-naive-bayes': (dice) => ({
    means: points(dice, 3),
    variances: CLASSES.map(() => NAMES.map(() => dice.between(0.5, 3))),
    priors: [0.3, 0.4, 0.3],
  }),
  qda: (dice) => ({
    means: points(dice, 3),
    covariances: CLASSES.map(() => {
      const [p, q, r] = [dice.between(0.5, 3), dice.between(-0.4, 0.4), dice.between(0.5, 3)];
      return [
        [p, q],
        [q, r],
      ];
    }),
    priors: [0.3, 0.4, 0.3],
  }),
  lvq: (dice) => ({ prototypes: points(dice, 6), labels: [...CLASSES, ...CLASSES] }),
};

describe.each(Object.keys(PARAMETERS))('%s within a density of one component', (family) => {
  it.each(['l1', 'l2', 'mahalanobis'])(
    'has one optimum for a list of classes and for its cheapest class, %s',
    async (norm) => {
      let compared = 0;
      for (let seed = 1; seed <= 12; seed++) {
        const dice = new Dice(seed * 7919);
        const parameters = PARAMETERS[family](dice);
        const model = {
          schema: 'elsewise.model/v1',
          name: 'm',
          family,
          features: NAMES.map((name) => ({ name, type: 'continuous' })),
          classes: CLASSES,
          parameters,
          background: {
            samples: points(dice, 40).map((row) => row.map((value) => 2 * value + 3)),
            std: { x: 1, y: 2 },
            covariance: {
              features: NAMES,
              matrix: [
                [1, 0.3],
                [0.3, 2],
              ],
            },
          },
        };
        const [x, y] = (parameters.means ?? parameters.prototypes)![2];
        const row = { id: 'r', features: { x, y } };
        const ask = async (target: string | string[]) => {
          const plausibility = { method: 'density', components: 1, atLeast: 0.2 };
          const policy = { schema: 'elsewise.policy/v1', target, cost: { norm }, plausibility };
          return (await planOf(model, policy)).explain(row);
        };
        const [both, ...single] = [await ask(['a', 'b']), await ask('a'), await ask('b')];
        expect(both.status).not.toBe('failed');
        const optima = single.flatMap(({ counterfactuals: [one] }) => (one ? [one.cost] : []));
        const [answer] = both.counterfactuals;
        if (answer?.proof.kind !== 'optimal' || !optima.length) continue;
        compared++;
        expect(answer.cost, `seed ${seed}`).toBeLessThanOrEqual(Math.min(...optima) * (1 + 1e-6));
      }
      expect(compared).toBeGreaterThan(3);
    },
  );
});
