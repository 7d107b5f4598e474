/** Probability targets of linear scores: against enumeration on lattices, against lines and random points where features are continuous. */
import { describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../../src/index.js';
import { Dice } from '../../support/dice.js';

const NORMS = ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'] as const;

function softmaxModel(dice: Dice, features: object[], scales: readonly number[]) {
  const weights = Array.from({ length: 3 }, () => scales.map((scale) => dice.normal() / scale));
  const spread = scales.map((scale, i) => scales.map((_, j) => (i === j ? scale * scale : 0)));
  const quantiles = scales.map((scale) => [-3, -1, 0, 0.5, 2].map((value) => value * scale));
  const names = features.map((_, f) => `f${f}`);
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'softmax-regression',
    classes: ['a', 'b', 'c'],
    features: features.map((feature, f) => ({ name: names[f], ...feature })),
    parameters: { weights, bias: dice.vector(3) },
    background: {
      covariance: { features: names, matrix: spread },
      quantiles: Object.fromEntries(names.map((name, f) => [name, quantiles[f]])),
    },
  });
}

const target = (dice: Dice) => ({ class: dice.pick(['a', 'b', 'c']), from: dice.pick([0.4, 0.7, 0.95]) });
const policyOf = (parts: object) =>
  loadPolicy({ schema: 'elsewise.policy/v1', unbounded: true, deadlineMs: 8000, ...parts });

describe.each(NORMS)('a probability under %s', (norm) => {
  it('on a lattice of fractional steps is answered as by trying all', async () => {
    const dice = new Dice(41);
    for (let round = 0; round < 12; round++) {
      const lattice = { type: 'continuous', min: -1, max: 1 };
      const model = softmaxModel(dice, [lattice, lattice], [1, 1]);
      const rules = { f0: { step: 0.1 }, f1: { step: 0.3 } };
      const shared = { target: target(dice), cost: { norm, weights: 'none' }, features: rules };
      const row = { id: 'r', features: { f0: dice.pick([0, 0.17, -0.4]), f1: dice.pick([0, 0.05, 0.9]) } };
      const [cut, all] = await Promise.all(
        ['cuts', 'enumerate'].map(async (solver) =>
          (await prepare(model, policyOf({ ...shared, solvers: [solver] }))).explain(row),
        ),
      );
      expect(cut.status).toBe(all.status);
      const [own, best] = [cut, all].map(({ counterfactuals }) => counterfactuals[0]);
      if (!best) continue;
      expect(own.cost).toBeCloseTo(best.cost, 9);
      expect(own.proof.kind).toBe('optimal');
    }
  });

  it.each([1, 1e6, 1e-6])('of continuous features at scale %d has no cheaper random point', async (scale) => {
    const dice = new Dice(5);
    let found = 0;
    for (let round = 0; round < 8; round++) {
      const scales = [scale, 1];
      const model = softmaxModel(dice, [{ type: 'continuous' }, { type: 'continuous' }], scales);
      const asked = target(dice);
      const plan = await prepare(model, policyOf({ target: asked, cost: { norm, weights: 'none' } }));
      const features = { f0: scale * dice.normal(), f1: dice.normal() };
      const result = plan.explain({ id: 'r', features });
      if (result.status === 'already') continue;
      const reached = (x: { f0: number; f1: number }) => model.predict(x).scores[asked.class] >= asked.from;
      const points = Array.from({ length: 400 }, () => ({
        f0: features.f0 + dice.pick([0, 1, 1]) * 6 * scale * dice.normal(),
        f1: features.f1 + dice.pick([0, 1, 1]) * 6 * dice.normal(),
      })).filter(reached);
      if (!points.length) continue;
      found++;
      expect(result.status).toBe('found');
      const { cost, proof } = result.counterfactuals[0];
      if (proof.kind !== 'optimal') continue;
      for (const point of points)
        expect(costOf(norm, scales, features, point)).toBeGreaterThanOrEqual(cost * (1 - 1e-6));
    }
    expect(found).toBeGreaterThan(3);
  });
});

type Point = { f0: number; f1: number };

function costOf(norm: (typeof NORMS)[number], scales: readonly number[], from: Point, to: Point): number {
  const moves = [to.f0 - from.f0, to.f1 - from.f1];
  if (norm === 'l0') return moves.filter((move) => move !== 0).length;
  if (norm === 'l1') return Math.abs(moves[0]) + Math.abs(moves[1]);
  if (norm === 'l2') return moves[0] ** 2 + moves[1] ** 2;
  if (norm === 'mahalanobis') return (moves[0] / scales[0]) ** 2 + (moves[1] / scales[1]) ** 2;
  const height = (x: number) => percentileOf(x);
  return [from.f0, from.f1]
    .map((x, f) => Math.abs(height([to.f0, to.f1][f] / scales[f]) - height(x / scales[f])))
    .reduce((a, b) => a + b, 0);
}

/** Through the quantiles of `softmaxModel`, in units of the scale; beyond them with the mean slope. */
function percentileOf(x: number): number {
  const points = [-3, -1, 0, 0.5, 2];
  if (x <= -3) return (x + 3) / 5;
  if (x >= 2) return 1 + (x - 2) / 5;
  const k = points.findIndex((point) => point > x) - 1;
  return (k + (x - points[k]) / (points[k + 1] - points[k])) / 4;
}

it('says infeasible only where no point of the box has the probability', async () => {
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'softmax-regression',
    classes: ['a', 'b', 'c'],
    features: [{ name: 'f0', type: 'continuous', min: 0, max: 1 }],
    parameters: { weights: [[0], [1], [-1]], bias: [0, 0, 0] },
  });
  // At f0 = 1 the probability of b is 1 / (1 + 1/e + 1/e²) = 0.66524...
  const most = 1 / (1 + Math.exp(-1) + Math.exp(-2));
  const ask = async (from: number) =>
    (await prepare(model, policyOf({ target: { class: 'b', from } }))).explain({ id: 'r', features: { f0: 0 } });
  expect((await ask(most + 1e-6)).status).toBe('infeasible');
  const near = await ask(most - 1e-9);
  expect(near.counterfactuals[0].features.f0).toBeGreaterThan(1 - 1e-7);
});

/** The cheapest point lies between two decimals, and each rounding of it leaves the region. */
it('searches decimals where rounding an answer undoes it', async () => {
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'lda',
    classes: ['a', 'b', 'c', 'd'],
    features: [
      { name: 'f0', type: 'continuous' },
      { name: 'f1', type: 'continuous', decimals: 2 },
    ],
    parameters: {
      means: [
        [0, 0.056],
        [-1, 0.01],
        [0, 0],
        [0, 0],
      ],
      covariance: [
        [2, 0.0354584],
        [0.0354584, 0.0022],
      ],
      priors: [0.3, 0.4, 0.2, 0.1],
    },
  });
  const policy = policyOf({ target: { class: 'b', from: 0.6 }, cost: { norm: 'l2' } });
  const { status, counterfactuals } = (await prepare(model, policy)).explain({ id: 'r', features: { f0: 0, f1: 1 } });
  expect(status).toBe('found');
  const { f0, f1 } = counterfactuals[0].features as { f0: number; f1: number };
  expect(Number(f1.toFixed(2))).toBe(f1);
  expect(model.predict({ f0, f1 }).scores.b).toBeGreaterThanOrEqual(0.6);
});
