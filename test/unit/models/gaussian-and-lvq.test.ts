import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/index.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const features = [
  { name: 'a', type: 'continuous' },
  { name: 'b', type: 'continuous' },
];
const document = (family: string, parameters: Record<string, unknown>, classes = ['no', 'yes']) => ({
  schema: 'elsewise.model/v1',
  name: 'm',
  family,
  features,
  classes,
  parameters,
});
const means = [
  [0, 0],
  [2, 1],
];
const identity = [
  [1, 0],
  [0, 1],
];
const explain = async (model: unknown, row: Record<string, number>, target: string) =>
  (await prepare(loadModel(model), loadPolicy({ schema: 'elsewise.policy/v1', target, cost: { norm: 'l2' } }))).explain(
    { id: 'r', features: row },
  );

describe('degenerate Gaussian models', () => {
  it.each([
    [
      'a variance of 0',
      'gaussian-naive-bayes',
      {
        means,
        variances: [
          [1, 0],
          [1, 1],
        ],
        priors: [0.5, 0.5],
      },
      'model.parameters.variances[0][1]',
    ],
    [
      'a negative variance',
      'gaussian-naive-bayes',
      {
        means,
        variances: [
          [1, 1],
          [-1, 1],
        ],
        priors: [0.5, 0.5],
      },
      'model.parameters.variances[1][0]',
    ],
    [
      'a singular covariance',
      'qda',
      {
        means,
        covariances: [
          identity,
          [
            [1, 1],
            [1, 1],
          ],
        ],
        priors: [0.5, 0.5],
      },
      'model.parameters.covariances[1]',
    ],
    [
      'a class of one sample, whose covariance is zero',
      'qda',
      {
        means,
        covariances: [
          identity,
          [
            [0, 0],
            [0, 0],
          ],
        ],
        priors: [0.9, 0.1],
      },
      'model.parameters.covariances[1]',
    ],
    [
      'a negative prior',
      'qda',
      { means, covariances: [identity, identity], priors: [1.5, -0.5] },
      'model.parameters.priors[1]',
    ],
    [
      'no prior above 0',
      'gaussian-naive-bayes',
      {
        means,
        variances: [
          [1, 1],
          [1, 1],
        ],
        priors: [0, 0],
      },
      'model.parameters.priors',
    ],
    [
      'a covariance that cannot be squared',
      'qda',
      {
        means,
        covariances: [
          identity,
          [
            [1, 0],
            [0, 1e308],
          ],
        ],
        priors: [0.5, 0.5],
      },
      'model.parameters.covariances[1][1][1]',
    ],
    [
      'a variance whose inverse cannot be squared',
      'gaussian-naive-bayes',
      {
        means,
        variances: [
          [1, 1],
          [1e-200, 1],
        ],
        priors: [0.5, 0.5],
      },
      'model.parameters.variances[1][0]',
    ],
    [
      'a mean that cannot be squared',
      'gaussian-naive-bayes',
      {
        means: [
          [0, 0],
          [0, -1e308],
        ],
        variances: means.map(() => [1, 1]),
        priors: [0.5, 0.5],
      },
      'model.parameters.means[1][1]',
    ],
    [
      'a relevance that cannot be squared',
      'lvq',
      {
        prototypes: means,
        labels: ['no', 'yes'],
        relevances: [identity, identity.map((row) => row.map((v) => v * 1e308))],
      },
      'model.parameters.relevances[1][0][0]',
    ],
    [
      'a prototype that cannot be squared',
      'lvq',
      {
        prototypes: [
          [0, 0],
          [1e200, 0],
        ],
        labels: ['no', 'yes'],
      },
      'model.parameters.prototypes[1][0]',
    ],
    [
      'too few means',
      'qda',
      { means: [[0, 0]], covariances: [identity, identity], priors: [0.5, 0.5] },
      'model.parameters.means',
    ],
  ])('%s is refused with its path', (_, family, parameters, path) => {
    expect(() => loadModel(document(family, parameters))).toThrow(expect.objectContaining({ path }));
  });

  it('a nearly singular covariance is taken, and its answer is proved', async () => {
    const thin = [
      [1, 1 - 1e-9],
      [1 - 1e-9, 1],
    ];
    const model = document('qda', { means, covariances: [identity, thin], priors: [0.5, 0.5] });
    const result = await explain(model, { a: -1, b: 2 }, 'yes');
    expect(result.status).toBe('found');
    expect(result.counterfactuals[0].prediction).toBe('yes');
    expect(result.counterfactuals[0].proof.kind).toBe('optimal');
  });

  it('the only class with a prior has probability 1, and no lower one', async () => {
    const parameters = { means, variances: means.map(() => [1, 1]), priors: [0, 1] };
    const model = document('gaussian-naive-bayes', parameters);
    const result = async (to: number) => {
      const target = { class: 'yes', to };
      const plan = await prepare(loadModel(model), loadPolicy({ schema: 'elsewise.policy/v1', target }));
      return plan.explain({ id: 'r', features: { a: 0, b: 0 } }).status;
    };
    expect(await result(0.5)).toBe('infeasible');
    expect(await result(1)).toBe('already');
  });

  it('a class of prior 0 is never predicted: as a target infeasible, as a rival no obstacle', async () => {
    const three = [...means, [0, 5]];
    const parameters = { means: three, variances: three.map(() => [1, 1]), priors: [0.5, 0.5, 0] };
    const model = document('gaussian-naive-bayes', parameters, ['no', 'yes', 'never']);
    expect((await explain(model, { a: 0, b: 5 }, 'never')).status).toBe('infeasible');
    const [answer] = (await explain(model, { a: -2, b: 3 }, 'yes')).counterfactuals;
    expect(answer.prediction).toBe('yes');
  });

  it('equal covariances make the region a half-space, as for LDA', async () => {
    const shared = [
      [2, 0.5],
      [0.5, 1],
    ];
    const priors = [0.4, 0.6];
    const quadratic = await explain(
      document('qda', { means, covariances: [shared, shared], priors }),
      { a: -1, b: -1 },
      'yes',
    );
    const linear = await explain(document('lda', { means, covariance: shared, priors }), { a: -1, b: -1 }, 'yes');
    expect(quadratic.counterfactuals[0].solver).toBe('hyperplane');
    expect(quadratic.counterfactuals[0].cost).toBeCloseTo(linear.counterfactuals[0].cost, 9);
  });
});

describe('learning vector quantisation', () => {
  const prototypes = [
    [0, 0],
    [3, 0],
    [0, 3],
  ];
  const labels = ['no', 'yes', 'yes'];

  it('goes to the nearer of the prototypes of the target', async () => {
    const result = await explain(document('lvq', { prototypes, labels }), { a: 0.2, b: 1 }, 'yes');
    // Half way to (0, 3) is nearer than half way to (3, 0).
    expect(result.counterfactuals[0].features.b).toBeCloseTo(1.5, 9);
    expect(result.counterfactuals[0].cost).toBeCloseTo(0.25, 9);
  });

  it('takes one matrix for all, one per class, and one per prototype, and says when the count fits neither', () => {
    const stretch = [
      [4, 0],
      [0, 1],
    ];
    const scores = (parameters: object) =>
      loadModel(document('lvq', { prototypes, labels, ...parameters })).predict({ a: 1, b: 1 }).scores;
    expect(scores({ relevance: stretch })).toEqual({ no: -5, yes: -8 });
    expect(scores({ relevances: [identity, stretch] })).toEqual({ no: -2, yes: -8 });
    expect(scores({ relevances: [identity, stretch, identity] })).toEqual({ no: -2, yes: -5 });
    expect(() => scores({ relevances: [identity, identity, identity, identity] })).toThrow(
      'one matrix per prototype (3) or per class (2)',
    );
  });

  it.each([
    [
      'a matrix that is not positive semidefinite',
      {
        relevance: [
          [1, 0],
          [0, -1],
        ],
      },
      'model.parameters.relevance',
    ],
    ['a label that is no class', { labels: ['no', 'yes', 'maybe'] }, 'model.parameters.labels[2]'],
    [
      'both relevance and relevances',
      { relevance: identity, relevances: [identity, identity] },
      'model.parameters.relevances',
    ],
  ])('%s is refused with its path', (_, change, path) => {
    expect(() => loadModel(document('lvq', { prototypes, labels, ...change }))).toThrow(
      expect.objectContaining({ path }),
    );
  });
});

describe.each(['l1', 'l2'] as const)('a row of which nothing may change, under %s', (norm) => {
  it.each([
    ['several quadratics', [[3.09e-7], [3.09e-7], [1.1995e-6], [4.3668e-6]]],
    ['one matrix for all', undefined],
  ])('is infeasible for %s, and no exception', async (_, sizes) => {
    const labels = ['c0', 'c1', 'c2', 'c3'];
    const model = loadModel({
      ...document('lvq', {
        prototypes: [[-684.1], [-109.9], [-1214], [647.2]],
        labels,
        ...(sizes && { relevances: sizes.map((row) => [row]) }),
      }),
      classes: labels,
      features: [{ name: 'x', type: 'continuous' }],
    });
    const policy = { target: 'c0', cost: { norm }, features: { x: { change: 'never' } } };
    const plan = await prepare(model, loadPolicy({ schema: 'elsewise.policy/v1', ...policy }));
    expect(plan.explain({ id: '1', features: { x: 1559 } })).toMatchObject({ status: 'infeasible' });
  });
});
