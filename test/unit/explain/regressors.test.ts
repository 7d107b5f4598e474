/** Targets of regressors: the nearest η that gives a prediction in the interval, worked out in closed form. */
import { describe, expect, it } from 'vitest';
import { checkShape, planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { dotProduct } from '../../support/elimination.js';

type Slab = [number, number];

/** The intervals of η whose prediction lies in [from, to]. */
const SLABS: Record<string, (from: number, to: number) => Slab[]> = {
  'linear-regression': (from, to) => [[from, to]],
  'poisson-regression': (from, to) => (to > 0 ? [[from > 0 ? Math.log(from) : -Infinity, Math.log(to)]] : []),
  'exponential-regression': (from, to) => {
    const positive: Slab[] = to > 0 ? [[from > 0 ? -1 / from : -Infinity, -1 / to]] : [];
    const negative: Slab[] = from < 0 ? [[-1 / from, to < 0 ? -1 / to : Infinity]] : [];
    return [...positive, ...negative];
  },
};

const MEANS: Record<string, (eta: number) => number> = {
  'linear-regression': (eta) => eta,
  'poisson-regression': Math.exp,
  'exponential-regression': (eta) => -1 / eta,
};

/** What it costs to move w·x by a gap: the best price per unit (l1), or Cauchy and Schwarz (l2). */
const LEAST: Record<string, (gap: number, weights: number[]) => number> = {
  l1: (gap, weights) => gap / Math.max(...weights.map(Math.abs)),
  l2: (gap, weights) => gap ** 2 / dotProduct(weights, weights),
};

const gapTo = ([low, high]: Slab, eta: number) => Math.max(0, low - eta, eta - high);

describe.each(Object.keys(SLABS))('%s', (family) => {
  it.each(['l1', 'l2'])('finds the nearest prediction within an interval under %s', async (norm) => {
    for (let seed = 1; seed <= 40; seed++) {
      const dice = new Dice(seed);
      const [weights, bias, values] = [dice.vector(3), dice.normal(), dice.vector(3)];
      const [from, to] = [dice.normal(), dice.normal()].map((value) => 2 * value).sort((a, b) => a - b);
      const features = ['a', 'b', 'c'].map((name) => ({ name, type: 'continuous' }));
      const model = { schema: 'elsewise.model/v1', name: 'm', family, features, parameters: { weights, bias } };
      const plan = await planOf(model, { schema: 'elsewise.policy/v1', target: { from, to }, cost: { norm } });
      const result = checkShape(plan.explain({ id: 'r', features: { a: values[0], b: values[1], c: values[2] } }));

      const eta = dotProduct(weights, values) + bias;
      const slabs = SLABS[family](from, to);
      const predicted = MEANS[family](eta);
      if (!slabs.length) expect(result.status).toBe('infeasible');
      else if (predicted >= from && predicted <= to) expect(result.status).toBe('already');
      else {
        expect(result.status).toBe('found');
        const [answer] = result.counterfactuals;
        const least = Math.min(...slabs.map((slab) => LEAST[norm](gapTo(slab, eta), weights)));
        expect(Math.abs(answer.cost - least)).toBeLessThanOrEqual(1e-6 * Math.max(least, 1e-3));
        const found = MEANS[family](dotProduct(weights, Object.values(answer.features) as number[]) + bias);
        expect(found).toBeGreaterThanOrEqual(from);
        expect(found).toBeLessThanOrEqual(to);
        expect([answer.prediction, answer.score]).toEqual([found, found]);
        expect(answer.proof.kind).toBe('optimal');
      }
    }
  });
});

it('a number is met within its tolerance, or to a millionth', async () => {
  const model = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'linear-regression',
    features: [{ name: 'a', type: 'continuous' }],
    parameters: { weights: [3], bias: 0 },
  };
  const predictionFor = async (policy: object) => {
    const plan = await planOf(model, { schema: 'elsewise.policy/v1', ...policy });
    return checkShape(plan.explain({ id: 'r', features: { a: 0 } })).counterfactuals[0].prediction as number;
  };
  expect(await predictionFor({ target: 210, tolerance: 0.5 })).toBeCloseTo(209.5, 6);
  expect(await predictionFor({ target: { value: 210, tolerance: 2 } })).toBeCloseTo(208, 6);
  expect(Math.abs((await predictionFor({ target: 210 })) - 210)).toBeLessThanOrEqual(210e-6);
});
