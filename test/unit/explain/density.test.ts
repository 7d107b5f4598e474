/** Plausibility by density: the exact methods keep the limit, and what they claim is true against all points of a grid. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { loadModel, Scorer } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { checkShape, planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { twoSplits } from '../../support/documents.js';

const SIDE = 12;

/** Two clouds in a square of whole numbers, and nothing between them. */
function clouds(type: 'integer' | 'continuous' = 'integer') {
  const dice = new Dice(5);
  const digits = (value: number) => (type === 'integer' ? Math.round(value) : value);
  const samples = Array.from({ length: 120 }, (_, i) => {
    const [a, b] = i % 2 ? [3, 8] : [9, 3];
    return [digits(a + 0.9 * dice.normal()), digits(b + 1.2 * dice.normal())];
  });
  return {
    features: ['a', 'b'].map((name) => ({ name, type, min: 0, max: SIDE })),
    background: { samples },
  };
}

const FAMILIES = {
  'logistic-regression': { classes: ['no', 'yes'], parameters: { weights: [1, 0.6], bias: -8 } },
  qda: {
    family: 'qda',
    classes: ['no', 'yes'],
    parameters: {
      means: [
        [3, 6],
        [9, 4],
      ],
      covariances: [
        [
          [2, 0.3],
          [0.3, 3],
        ],
        [
          [3, -0.4],
          [-0.4, 2],
        ],
      ],
      priors: [0.5, 0.5],
    },
  },
  mlp: {
    classes: ['no', 'yes'],
    parameters: {
      layers: [
        {
          weights: [
            [0.6, -0.1],
            [0.2, 0.5],
          ],
          bias: [-3, -3],
          activation: 'tanh',
        },
        { weights: [[3, 1]], bias: [-1], activation: 'logistic' },
      ],
    },
  },
  'decision-tree': { classes: ['no', 'yes'], parameters: twoSplits(6.5, 1.5) },
} as const;

type FamilyName = keyof typeof FAMILIES;

const modelOf = (family: FamilyName, type: 'integer' | 'continuous' = 'integer') => ({
  schema: 'elsewise.model/v1',
  name: 'clouds',
  family,
  ...FAMILIES[family],
  ...clouds(type),
});

const policyOf = (plausibility: object, more: object = {}) => ({
  schema: 'elsewise.policy/v1',
  target: 'yes',
  unbounded: true,
  cost: { weights: 'none' },
  plausibility: { method: 'density', ...plausibility },
  deadlineMs: 10_000,
  ...more,
});

/** What a point of the grid costs, where it is an answer; Infinity: it is none. */
function costAt(model: unknown, policy: unknown, from: number[], norm: string) {
  const loaded = loadModel(model);
  const { plausibility } = compilePolicy(loadPolicy(policy).document, loaded);
  const scorer = new Scorer(loaded);
  return (point: number[]) => {
    const columns = Float64Array.from(point);
    scorer.runColumns(columns);
    const isAnswer = loaded.model.decide(scorer.raw) === 1 && plausibility!.of([]).limit!.holds(columns);
    const moves = point.map((value, i) => Math.abs(value - from[i]));
    const cost = norm === 'l1' ? moves[0] + moves[1] : moves[0] ** 2 + moves[1] ** 2;
    return isAnswer ? cost : Infinity;
  };
}

function leastCost(costOf: (point: number[]) => number): number {
  let least = Infinity;
  for (let a = 0; a <= SIDE; a++) for (let b = 0; b <= SIDE; b++) least = Math.min(least, costOf([a, b]));
  return least;
}

function expectTruth(result: ResultDocument, best: number): void {
  if (best === Infinity) {
    expect(result.status).not.toBe('found');
    return;
  }
  expect(result.status).not.toBe('infeasible');
  for (const { cost, proof } of result.counterfactuals) {
    expect(cost).toBeGreaterThanOrEqual(best - 1e-9);
    if (proof.lowerBound !== null) expect(proof.lowerBound).toBeLessThanOrEqual(best + 1e-9);
    if (proof.kind === 'optimal') expect(cost).toBeCloseTo(best, 6);
  }
}

const asked = fc.record({
  from: fc.tuple(fc.integer({ min: 0, max: SIDE }), fc.integer({ min: 0, max: SIDE })),
  measure: fc.oneof(
    fc.record({ components: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ k: fc.integer({ min: 1, max: 9 }) }),
  ),
  atLeast: fc.constantFrom(0, 0.05, 0.3, 0.7),
  norm: fc.constantFrom('l1', 'l2'),
});

describe.each(Object.keys(FAMILIES) as FamilyName[])('%s', (family) => {
  it('claims what all points of a grid confirm', async () => {
    const model = modelOf(family);
    await fc.assert(
      fc.asyncProperty(asked, async ({ from, measure, atLeast, norm }) => {
        const policy = policyOf({ ...measure, atLeast }, { cost: { norm, weights: 'none' } });
        const result = (await planOf(model, policy)).explain({ id: 'r', features: { a: from[0], b: from[1] } });
        if (result.status === 'already') return;
        const best = leastCost(costAt(model, policy, from, norm));
        expectTruth(result, best);
        if (best < Infinity) expect(result.counterfactuals[0].proof.kind).toBe('optimal');
        else expect(result.status).toBe('infeasible');
      }),
      { numRuns: 12, seed: 3 },
    );
  });

  it('finds plausible answers among all numbers, and its bound is below every one of a fine grid', async () => {
    const model = modelOf(family, 'continuous');
    const policy = policyOf({ components: 2, atLeast: 0.3 }, { cost: { norm: 'l2', weights: 'none' } });
    const from = [2.5, 8.5];
    const result = (await planOf(model, policy)).explain({ id: 'r', features: { a: from[0], b: from[1] } });
    const costOf = costAt(model, policy, from, 'l2');
    const [{ features, cost, proof }] = result.counterfactuals;
    expect(costOf([features.a as number, features.b as number])).toBeCloseTo(cost, 9);
    let least = Infinity;
    for (let a = 0; a <= SIDE; a += 0.05) for (let b = 0; b <= SIDE; b += 0.05) least = Math.min(least, costOf([a, b]));
    expect(proof.lowerBound ?? 0).toBeLessThanOrEqual(least);
    expect(cost).toBeLessThanOrEqual(least * 1.05);
  });
});

describe('a tree with a limit that no method for trees keeps', () => {
  it('has the bound of the problem without the limit, and a gap', async () => {
    const policy = policyOf({ components: 2, atLeast: 0.3 });
    const free = { ...policy, plausibility: undefined };
    const row = { id: 'r', features: { a: 2.5, b: 8.5 } };
    const model = modelOf('decision-tree', 'continuous');
    const [kept] = (await planOf(model, policy)).explain(row).counterfactuals;
    const [anything] = (await planOf(model, free)).explain(row).counterfactuals;
    expect(kept.proof.kind).toBe('gap');
    expect(kept.proof.lowerBound).toBeCloseTo(anything.cost, 6);
    expect(kept.cost).toBeGreaterThan(anything.cost);
  });

  it('is proved infeasible only where the problem without the limit is', async () => {
    const features = { b: { change: 'never' } };
    const at = (b: number) => ({ id: 'r', features: { a: 2.5, b } });
    const plan = await planOf(
      modelOf('decision-tree', 'continuous'),
      policyOf({ components: 2, atLeast: 0.3 }, { features }),
    );
    expect(plan.explain(at(1)).status).toBe('infeasible');
    expect(plan.explain(at(11)).status).toBe('not-found');
  });
});

describe.each([
  ['isolation-forest', {}],
  ['density', { components: 2 }],
  ['density', { k: 4 }],
])('the result under %s with %j', (method, options) => {
  it('says how plausible person and answer are', async () => {
    const model = modelOf('logistic-regression');
    const policy = policyOf({ method, ...options, atLeast: 0.3 });
    const plan = await planOf(model, policy);
    const [{ plausibility }] = checkShape(plan.explain({ id: 'r', features: { a: 0, b: 0 } })).counterfactuals;
    expect(plausibility!.answer).toBeGreaterThan(0.3);
    expect(plausibility!.person).toBeLessThan(0.1);
    const { plausibility: _, ...free } = policy;
    const [anything] = (await planOf(model, free)).explain({ id: 'r', features: { a: 0, b: 0 } }).counterfactuals;
    expect(anything).not.toHaveProperty('plausibility');
  });
});

describe('a policy', () => {
  it.each([
    [{ components: 2 }, 'policy.plausibility.atLeast'],
    [{ atLeast: 0.1, components: 2, k: 3 }, 'policy.plausibility.k'],
    [{ atLeast: 0.1, k: 500 }, 'policy.plausibility.k'],
    [{ method: 'isolation-forest', atLeast: 0.1, k: 3 }, 'policy.plausibility.method'],
  ])('with %j is refused at %s', async (plausibility, path) => {
    await expect(planOf(modelOf('qda'), policyOf(plausibility))).rejects.toMatchObject({ path });
  });
});
