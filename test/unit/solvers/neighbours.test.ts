/** Exact answers of k nearest neighbours: against all lattice points, against many random points, on ties, in every policy. */
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { createPlan, type Plan } from '../../../src/explain/plan.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { RadialSum } from '../../../src/solvers/neighbours/radial-rows.js';
import { rampTangent } from '../../../src/solvers/neighbours/ramps.js';
import { Dice } from '../../support/dice.js';

const NORMS = ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'] as const;
const SCHEMA = { schema: 'elsewise.policy/v1', effort: 60_000, deadlineMs: 60_000 };

interface Spec {
  readonly k: number;
  readonly classes: number;
  readonly isGrid: boolean;
  readonly steps?: object[];
  readonly more?: object;
}

/** Samples on whole numbers have many at equal distance. */
function drawModel(dice: Dice, { k, classes, isGrid, steps = [], more = {} }: Spec): LoadedModel {
  const value = () => (isGrid ? dice.integer(-3, 3) : 2 * dice.normal());
  const colours = () => (dice.chance(0.5) ? [1, 0] : [0, 1]);
  const samples = Array.from({ length: 14 }, () => [value(), value(), ...colours()]);
  const labels = samples.map((_, i) => (classes ? `c${i % classes}` : dice.integer(0, 6)));
  const range = { min: -3, max: 3 };
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'knn',
    features: [
      { name: 'x', type: isGrid ? 'integer' : 'continuous', ...range },
      { name: 'y', type: isGrid ? 'integer' : 'continuous', ...range },
      { name: 'colour', type: 'categorical', categories: ['red', 'blue'] },
    ],
    ...(classes && { classes: Array.from({ length: classes }, (_, j) => `c${j}`) }),
    preprocessing: steps,
    parameters: { samples, labels, k, ...more },
    background: { samples: samples.map(([x, y, red]) => [x, y, red ? 'red' : 'blue']) },
  });
}

const planOf = (model: LoadedModel, policy: object, solver: string): Plan =>
  createPlan(model, loadPolicy({ ...SCHEMA, solvers: [solver], ...policy }));

const rowOf = (dice: Dice, isGrid: boolean) => ({
  x: isGrid ? dice.integer(-3, 3) : dice.between(-3, 3),
  y: isGrid ? dice.integer(-3, 3) : dice.between(-3, 3),
  colour: dice.pick(['red', 'blue']),
});

const targetOf = (dice: Dice, classes: number): unknown =>
  classes
    ? `c${dice.integer(0, classes - 1)}`
    : { from: dice.integer(3, 4), to: dice.pick([5, Infinity]) === 5 ? 5 : undefined };

/** Whether the exact search agrees with all combinations; `already` counts for nothing. */
function agrees(own: ResultDocument, other: ResultDocument): boolean {
  expect([own.status, other.status]).toEqual([other.status, other.status]);
  if (own.status !== 'found') return own.status === 'infeasible';
  const [mine, theirs] = [own.counterfactuals[0], other.counterfactuals[0]];
  expect(mine.cost).toBeCloseTo(theirs.cost, 6);
  expect(mine.proof.kind, JSON.stringify([mine.proof, own.attempts, own.limitedBy])).toBe('optimal');
  return true;
}

describe.each(NORMS)('on a lattice under %s', (norm) => {
  it.each([1, 2, 3, 4])('finds the optimum of all points with %i neighbours', (k) => {
    const dice = new Dice(40 + k);
    let compared = 0;
    for (let m = 0; m < 6; m++) {
      const classes = [2, 3, 0][m % 3];
      const model = drawModel(dice, { k, classes, isGrid: true });
      const policy = { cost: { norm, weights: 'none' } };
      const [search, all] = ['neighbours', 'enumerate'].map((solver) => planOf(model, policy, solver));
      for (let r = 0; r < 6; r++) {
        const row = { id: 'r', features: rowOf(dice, true), target: targetOf(dice, classes) };
        compared += +agrees(search.explain(row), all.explain(row));
      }
    }
    expect(compared).toBeGreaterThan(8);
  });
});

const POLICIES: Record<string, object> = {
  'at most one change': { maxChanges: 1 },
  'a constraint': { constraints: ['x + y <= 1'] },
  alternatives: { constraints: ['x >= 2 or y <= -2'] },
  'a step': { features: { x: { step: 2 }, y: { change: 'increase' } } },
  'a fixed category': { features: { colour: { change: 'never' }, x: { maxIncrease: 2 } } },
};

describe.each(Object.entries(POLICIES))('with %s', (_, policy) => {
  it.each(['l1', 'l2'])('finds the optimum of all points under %s', (norm) => {
    const dice = new Dice(7);
    let compared = 0;
    for (let m = 0; m < 6; m++) {
      const model = drawModel(dice, { k: dice.integer(1, 3), classes: dice.integer(2, 3), isGrid: true });
      const plans = ['neighbours', 'enumerate'].map((solver) =>
        planOf(model, { ...policy, cost: { norm, weights: 'none' } }, solver),
      );
      for (let r = 0; r < 6; r++) {
        const row = { id: 'r', features: rowOf(dice, true), target: targetOf(dice, 2) };
        const [own, other] = plans.map((plan) => plan.explain(row));
        compared += +agrees(own, other);
      }
    }
    expect(compared).toBeGreaterThan(8);
  });
});

/** The least cost of random points that the model takes for the target. */
function leastOfMany(
  dice: Dice,
  model: LoadedModel,
  row: Record<string, unknown>,
  target: string,
  power: number,
): number {
  let least = Infinity;
  for (let n = 0; n < 4000; n++) {
    const to = rowOf(dice, false);
    if (model.predict(to).prediction !== target) continue;
    const moves = [to.x - Number(row.x), to.y - Number(row.y)].map((move) => Math.abs(move) ** power);
    least = Math.min(least, moves[0] + moves[1] + +(to.colour !== row.colour));
  }
  return least;
}

const MAPS: Record<string, object[]> = {
  'as they are': [],
  'behind a scale': [{ type: 'scale', mean: [0.3, -0.2, 0.5, 0.5], scale: [0.7, 1.6, 1, 2] }],
};

describe.each(Object.entries(MAPS))('continuous features %s', (_, steps) => {
  it.each(['l1', 'l2'])('have no cheaper point than the proved optimum under %s', (norm) => {
    const dice = new Dice(11);
    let proved = 0;
    for (let m = 0; m < 9; m++) {
      const classes = dice.integer(2, 3);
      const model = drawModel(dice, { k: [1, 3, 5][m % 3], classes, isGrid: false, steps });
      const plan = planOf(model, { cost: { norm, weights: 'none' } }, 'neighbours');
      const row = rowOf(dice, false);
      const target = `c${dice.integer(0, classes - 1)}`;
      const { status, counterfactuals } = plan.explain({ id: 'r', features: row, target });
      const least = leastOfMany(dice, model, row, target, norm === 'l2' ? 2 : 1);
      if (status === 'infeasible') expect(least).toBe(Infinity);
      if (status !== 'found') continue;
      expect(counterfactuals[0].proof.kind).toBe('optimal');
      expect(model.predict(counterfactuals[0].features).prediction).toBe(target);
      expect(counterfactuals[0].cost).toBeLessThanOrEqual(least * (1 + 1e-6));
      proved++;
    }
    expect(proved).toBeGreaterThan(4);
  });
});

describe('a goal beyond the majority', () => {
  const model = drawModel(new Dice(3), { k: 5, classes: 3, isGrid: true });
  it.each([
    ['a margin', 'c1', { margin: 0.4 }],
    ['a share of at least', { class: 'c1', from: 0.6 }, {}],
    ['a share of at most', { class: 'c0', to: 0.2 }, {}],
    ['a share between', { class: 'c2', from: 0.4, to: 0.6 }, {}],
    ['one of two classes', ['c0', 'c2'], {}],
  ])('of %s agrees with all points', (_, target, more) => {
    const dice = new Dice(19);
    const plans = ['neighbours', 'enumerate'].map((solver) => planOf(model, more, solver));
    let compared = 0;
    for (let r = 0; r < 20; r++) {
      const row = { id: 'r', features: rowOf(dice, true), target };
      const [own, other] = plans.map((plan) => plan.explain(row));
      compared += +(own.status !== 'already' && agrees(own, other));
    }
    expect(compared).toBeGreaterThan(3);
  });

  it('is infeasible with a proof where a class has too few samples', () => {
    const parameters = { samples: [[0], [1], [2], [3]], labels: ['a', 'b', 'b', 'b'], k: 3 };
    const features = [{ name: 'x', type: 'continuous' }];
    const rare = loadModel({
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'knn',
      features,
      classes: ['a', 'b'],
      parameters,
    });
    const result = planOf(rare, { target: 'a', cost: { norm: 'l1', weights: 'none' } }, 'neighbours').explain({
      id: 'r',
      features: { x: 2 },
    });
    expect(result.status).toBe('infeasible');
  });
});

describe('ties', () => {
  /** Two samples with the bisector x = 0; the person is nearer to the other class. */
  const between = (labels: string[]) =>
    loadModel({
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'knn',
      features: [{ name: 'x', type: 'continuous' }],
      classes: ['a', 'b'],
      parameters: { samples: [[-1], [1]], labels, k: 1 },
    });
  it.each([
    [['a', 'b'], 'a', 0.5],
    [['a', 'b'], 'b', -0.5],
  ])('of %j: an answer for %s is on its side by the model itself', (labels, target, x) => {
    const model = between(labels);
    const plan = planOf(model, { target, cost: { norm: 'l1', weights: 'none' } }, 'auto');
    const { counterfactuals } = plan.explain({ id: 'r', features: { x } });
    expect(model.predict(counterfactuals[0].features).prediction).toBe(target);
    expect(counterfactuals[0].cost).toBeCloseTo(0.5, 9);
    expect(counterfactuals[0].proof).toMatchObject({ kind: 'optimal' });
    expect(counterfactuals[0].proof.lowerBound).toBeLessThanOrEqual(0.5);
  });
});

/** `share`, `least`: how many answers are proved on a lattice, of all, and on continuous features. */
const RULES: Record<string, { more: object; share: number; least: number }> = {
  'the Manhattan metric': { more: { metric: 'manhattan' }, share: 0.7, least: 2 },
  'votes by distance': { more: { weights: 'distance' }, share: 0.6, least: 3 },
  both: { more: { metric: 'manhattan', weights: 'distance' }, share: 0.7, least: 3 },
};

describe.each(Object.entries(RULES))('with %s', (_, { more, share, least: leastProved }) => {
  /** No bound is above the optimum of all points, and most answers are proved: equal votes at a point of the lattice leave a gap. */
  it.each(['l1', 'l2'])('finds the optimum of all points of a lattice under %s', (norm) => {
    const dice = new Dice(23);
    let [compared, proved] = [0, 0];
    for (let m = 0; m < 6; m++) {
      const classes = [2, 3, 0][m % 3];
      const model = drawModel(dice, { k: 2 + (m % 2), classes, isGrid: true, more });
      const plans = ['neighbours', 'enumerate'].map((solver) =>
        planOf(model, { cost: { norm, weights: 'none' } }, solver),
      );
      for (let r = 0; r < 4; r++) {
        const row = { id: 'r', features: rowOf(dice, true), target: targetOf(dice, classes) };
        const [own, all] = plans.map((plan) => plan.explain(row));
        if (own.status === 'infeasible') expect(all.status).toBe('infeasible');
        if (all.status !== 'found') continue;
        const [mine, theirs] = [own.counterfactuals[0], all.counterfactuals[0]];
        expect(mine.proof.lowerBound).toBeLessThanOrEqual(theirs.cost * (1 + 1e-9));
        expect(mine.cost).toBeGreaterThanOrEqual(theirs.cost * (1 - 1e-9));
        compared++;
        if (mine.proof.kind !== 'optimal') continue;
        expect(mine.cost).toBeCloseTo(theirs.cost, 6);
        proved++;
      }
    }
    expect(compared).toBeGreaterThan(6);
    expect(proved).toBeGreaterThanOrEqual(share * compared);
  });

  it.each(Object.entries(MAPS))('has no cheaper point than the proved optimum, %s', (__, steps) => {
    const dice = new Dice(31);
    let proved = 0;
    for (let m = 0; m < 6; m++) {
      const classes = dice.integer(2, 3);
      const norm = ['l1', 'l2'][m % 2];
      const model = drawModel(dice, { k: [2, 3, 3][m % 3], classes, isGrid: false, steps, more });
      const plan = planOf(model, { cost: { norm, weights: 'none' } }, 'neighbours');
      const row = rowOf(dice, false);
      const target = `c${dice.integer(0, classes - 1)}`;
      const { status, counterfactuals } = plan.explain({ id: 'r', features: row, target });
      const least = leastOfMany(dice, model, row, target, norm === 'l2' ? 2 : 1);
      if (status === 'infeasible') expect(least).toBe(Infinity);
      if (status !== 'found') continue;
      const [{ proof, cost, features }] = counterfactuals;
      expect(model.predict(features).prediction).toBe(target);
      expect(proof.lowerBound).toBeLessThanOrEqual(least * (1 + 1e-9));
      proved += +(proof.kind === 'optimal');
      if (proof.kind === 'optimal') expect(cost).toBeLessThanOrEqual(least * (1 + 1e-6));
    }
    expect(proved).toBeGreaterThanOrEqual(leastProved);
  });
});

describe('rows within boxes', () => {
  it('lie below a ramp over the interval, and meet its envelope at the point', () => {
    const dice = new Dice(2);
    for (let n = 0; n < 300; n++) {
      const [a, q] = [dice.integer(-4, 4), dice.integer(-4, 4)];
      const lo = dice.chance(0.1) ? -Infinity : dice.between(-5, 5);
      const hi = dice.chance(0.1) ? Infinity : Math.max(lo, -5) + dice.between(0.1, 5);
      const inside = () => dice.between(Math.max(lo, -9), Math.min(hi, 9));
      const at = inside();
      const { slope, constant } = rampTangent(a, q, lo, hi, at);
      for (let k = 0; k < 20; k++) {
        const u = inside();
        expect(slope * u + constant).toBeLessThanOrEqual(Math.abs(u - a) - Math.abs(u - q) + 1e-12);
      }
    }
  });

  it.each(['euclidean', 'manhattan'] as const)(
    'are above a sum of %s terms in the box, and near it in a small box',
    (metric) => {
      const dice = new Dice(8);
      const phi = { value: (t: number) => Math.exp(-0.3 * t), slope: (t: number) => -0.3 * Math.exp(-0.3 * t) };
      const radial = new RadialSum(metric, phi);
      for (let n = 0; n < 60; n++) {
        const point = () => Float64Array.from({ length: 3 }, () => dice.between(-3, 3));
        const terms = Array.from({ length: 6 }, () => ({ centre: point(), coefficient: dice.between(-2, 2) }));
        const [lo, width] = [point(), dice.pick([0.001, 0.1, 2])];
        const box = { lo, hi: lo.map((low) => low + width), sides: [] };
        const inside = () => lo.map((low) => low + width * dice.between(0, 1));
        const bound = radial.above(terms, box, inside())!;
        const above = (u: Float64Array) => bound.constant + bound.g.reduce((sum, g, j) => sum + g * u[j], 0);
        const sum = (u: Float64Array) =>
          terms.reduce(
            (total, { centre, coefficient }) => total + coefficient * phi.value(radial.distance(centre, u)),
            0,
          );
        for (let k = 0; k < 20; k++) {
          const u = inside();
          expect(above(u)).toBeGreaterThanOrEqual(sum(u));
          if (width === 0.001 && metric === 'euclidean') expect(above(u) - sum(u)).toBeLessThan(1e-4);
        }
      }
    },
  );
});
