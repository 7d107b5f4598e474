/** Constraints between large numbers are kept exactly: no answer and no region takes a share of the numbers for rounding. */
import { describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../../src/index.js';
import { stump } from '../../support/documents.js';

const LARGE = 1_700_000_000;
const FAMILIES: Record<string, object> = {
  hyperplane: { weights: [1, 0], bias: -LARGE - 0.5 },
  'softmax-regression': {
    weights: [
      [0, 0],
      [1, 0],
    ],
    bias: [0, -LARGE - 0.5],
  },
  qda: {
    means: [
      [LARGE - 10, 0],
      [LARGE + 11, 0],
    ],
    covariances: [
      [
        [100, 0],
        [0, 1],
      ],
      [
        [100, 0],
        [0, 1],
      ],
    ],
    priors: [0.5, 0.5],
  },
  lvq: {
    prototypes: [
      [LARGE, 0],
      [LARGE + 1, 0],
    ],
    labels: ['n', 'y'],
  },
  'decision-tree': stump(LARGE + 0.5),
};
const TEXTS = [
  'a <= 1700000000.8',
  'a <= 1700000000.8 or b >= 1',
  'a <= 1700000000.8 or a >= 1800000000',
  'b <= 0 implies a <= 1700000000.8',
  'not (a > 1700000000.8)',
];

describe.each(Object.keys(FAMILIES))('%s', (family) => {
  it.each(['l0', 'l1', 'l2'])(
    'has no answer where the only one breaks a constraint by a fifth, under %s',
    async (norm) => {
      for (const type of ['continuous', 'integer']) {
        const a = { name: 'a', type, ...(type === 'continuous' && { decimals: 0 }), min: LARGE - 1, max: LARGE + 1 };
        const features = [a, { name: 'b', type: 'integer', min: 0, max: 3 }];
        const document = {
          schema: 'elsewise.model/v1',
          name: 'm',
          family,
          classes: ['n', 'y'],
          features,
          parameters: FAMILIES[family],
        };
        for (const text of TEXTS) {
          const policy = {
            schema: 'elsewise.policy/v1',
            target: 'y',
            cost: { norm },
            features: { b: { change: 'never' } },
            constraints: [text],
          };
          const plan = await prepare(loadModel(document), loadPolicy(policy));
          expect([text, plan.explain({ id: 'r', features: { a: LARGE, b: 0 } }).status]).toEqual([text, 'infeasible']);
        }
      }
    },
  );
});

const hyperplaneOf = (features: object[], weights: number[], bias: number) =>
  loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'hyperplane',
    classes: ['n', 'y'],
    features,
    parameters: { weights, bias },
  });

it('has no region whose points break a constraint', async () => {
  const features = ['start', 'end'].map((name) => ({ name, type: 'integer', min: LARGE - 10, max: LARGE + 10 }));
  const policy = {
    schema: 'elsewise.policy/v1',
    target: 'y',
    features: { start: { change: 'never' }, end: { step: 2 } },
    constraints: ['(start >= 1700000002) implies (end >= start + 1)'],
    region: true,
  };
  const plan = await prepare(hyperplaneOf(features, [0, 1], -LARGE + 0.5), loadPolicy(policy));
  const [{ region }] = plan.explain({ id: 'r', features: { start: LARGE + 2, end: LARGE - 6 } }).counterfactuals;
  expect(region!.features.end).toMatchObject({ from: LARGE + 4 });
});

it.each([1e6, 1e7, 1e8, 1e9])('keeps cents beside %d', async (base) => {
  const features = ['paid', 'owed'].map((name) => ({
    name,
    type: 'continuous',
    decimals: 2,
    min: base - 10,
    max: base + 10,
  }));
  const policy = loadPolicy({ schema: 'elsewise.policy/v1', target: 'y', constraints: ['paid <= owed'] });
  const plan = await prepare(hyperplaneOf(features, [1, -1], -0.005), policy);
  expect(plan.explain({ id: 'r', features: { paid: base, owed: base } }).status).toBe('infeasible');
});

it('meets an end of continuous numbers, on the near side of it', async () => {
  const features = ['a', 'b'].map((name) => ({ name, type: 'continuous' }));
  for (const scale of [1e-9, 1, 1e9]) {
    const policy = loadPolicy({
      schema: 'elsewise.policy/v1',
      target: 'y',
      constraints: [`3 * a + 7 * b <= ${scale}`],
    });
    const plan = await prepare(hyperplaneOf(features, [1 / scale, -0.3 / scale], -0.6), policy);
    const result = plan.explain({ id: 'r', features: { a: 0, b: 0 } });
    expect(result.status).toBe('found');
    const { a, b } = result.counterfactuals[0].features as { a: number; b: number };
    expect(3 * a + 7 * b).toBeLessThanOrEqual(scale * (1 + 1e-14));
  }
});
