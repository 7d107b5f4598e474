/** A mixture that the model brings in place of the fit: the same density as a fit that is written down, in any units, without rows. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { fitMixture } from '../../../src/models/rows/gaussian-mixture.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { planOf } from '../../support/asking.js';
import { faultOf } from '../../support/documents.js';
import { worldModel, worldPolicy } from '../../support/plausible-worlds.js';

const MIXTURE = {
  features: ['a', 'b'],
  weights: [0.25, 0.75],
  means: [
    [3, 7],
    [8, 3],
  ],
  covariances: [
    [
      [1, 0.2],
      [0.2, 2],
    ],
    [
      [0.8, -0.3],
      [-0.3, 1],
    ],
  ],
};

const inverseOf = ([[a, b], [, d]]: number[][]) => {
  const determinant = a * d - b * b;
  return [
    [d / determinant, -b / determinant],
    [-b / determinant, a / determinant],
  ];
};

const modelWith = (mixture: object, background: object = {}, scale = 1) => ({
  ...worldModel('logistic-regression', { isGrid: false, scale }),
  background: { mixture, ...background },
});

const compile = (model: unknown, more: object = {}) =>
  compilePolicy(
    loadPolicy(worldPolicy({ method: 'density', weight: 1, ...more })).document,
    loadModel(model),
  ).plausibility!.of([]);

const logDensity = (x: readonly number[]): number => {
  const terms = MIXTURE.weights.map((weight, k) => {
    const [[p, q], [, r]] = inverseOf(MIXTURE.covariances[k]);
    const [u, v] = x.map((value, i) => value - MIXTURE.means[k][i]);
    return weight * Math.sqrt(p * r - q * q) * Math.exp(-0.5 * (p * u * u + 2 * q * u * v + r * v * v));
  });
  return Math.log(terms[0] + terms[1]);
};

const POINTS = [
  [3, 7],
  [8, 3],
  [5, 5],
  [0, 0],
  [10, 1],
];

describe('a mixture that the model brings', () => {
  it('is penalised by how far the logarithm of the density lies below the densest centre', () => {
    const { term, limit } = compile(modelWith(MIXTURE));
    const peak = Math.max(...MIXTURE.means.map(logDensity));
    for (const point of POINTS)
      expect(term!.of(Float64Array.from(point))).toBeCloseTo(Math.max(0, peak - logDensity(point)), 9);
    expect(limit).toBeNull();
  });

  it('is the same by covariances and by precisions', () => {
    const { covariances, ...rest } = MIXTURE;
    const [own, other] = [MIXTURE, { ...rest, precisions: covariances.map(inverseOf) }].map((mixture) =>
      compile(modelWith(mixture)),
    );
    for (const point of POINTS)
      expect(other.term!.of(Float64Array.from(point))).toBeCloseTo(own.term!.of(Float64Array.from(point)), 9);
  });

  it.each([1e-9, 1e9])('is the same in units of %d', (scale) => {
    const scaled = {
      ...MIXTURE,
      means: MIXTURE.means.map((mean) => mean.map((value) => value * scale)),
      covariances: MIXTURE.covariances.map((rows) => rows.map((row) => row.map((value) => value * scale ** 2))),
    };
    const [own, other] = [compile(modelWith(MIXTURE)), compile(modelWith(scaled, {}, scale))];
    for (const point of POINTS) {
      const penalty = other.term!.of(Float64Array.from(point, (value) => value * scale));
      expect(penalty).toBeCloseTo(own.term!.of(Float64Array.from(point)), 9);
    }
  });

  it('takes the place of the fit: a fit that is written down has the same limit', async () => {
    const { samples } = worldModel('logistic-regression', { isGrid: false }).background;
    const rows = samples.map((row) => Float64Array.from(row));
    const components = fitMixture(rows, 1);
    const precision = components[0].precision.entries;
    const mixture = {
      features: ['a', 'b'],
      weights: [1],
      means: [[...components[0].at]],
      precisions: [
        [
          [precision[0], precision[1]],
          [precision[2], precision[3]],
        ],
      ],
    };
    const row = { id: 'r', features: { a: 1, b: 1 } };
    const limit = { method: 'density', atLeast: 0.3 };
    const fitted = { ...worldModel('logistic-regression', { isGrid: false }), background: { samples } };
    const [own] = (await planOf(modelWith(mixture, { samples }), worldPolicy(limit))).explain(row).counterfactuals;
    const [other] = (await planOf(fitted, worldPolicy({ ...limit, components: 1 }))).explain(row).counterfactuals;
    // The ridge of a fit is a share of standardised variances.
    expect(own.cost).toBeCloseTo(other.cost, 1);
    expect([own.proof.kind, own.solver]).toEqual(['optimal', other.solver]);
    expect(own.plausibility!.answer).toBeGreaterThan(0.29);
  });

  it('needs rows for a limit alone', async () => {
    await expect(planOf(modelWith(MIXTURE), worldPolicy({ method: 'density', atLeast: 0.1 }))).rejects.toThrow('20');
    const plan = await planOf(modelWith(MIXTURE), worldPolicy({ method: 'density', weight: 1 }));
    const [{ plausibility }] = plan.explain({ id: 'r', features: { a: 1, b: 1 } }).counterfactuals;
    expect(Object.keys(plausibility!)).toEqual(['penalty', 'term']);
  });

  it('leaves no choice of components', async () => {
    const path = 'policy.plausibility.components';
    const policy = worldPolicy({ method: 'density', weight: 1, components: 2 });
    await expect(planOf(modelWith(MIXTURE), policy)).rejects.toMatchObject({ path });
  });

  it.each([
    [{ ...MIXTURE, features: ['a', 'x'] }, 'features[1]'],
    [{ ...MIXTURE, features: ['a', 'a'] }, 'features[1]'],
    [{ ...MIXTURE, weights: [0.5, 0.6] }, 'weights'],
    [{ ...MIXTURE, means: [[1, 2]] }, 'means'],
    [{ ...MIXTURE, covariances: [[[1]], [[1]]] }, 'covariances'],
    [
      {
        ...MIXTURE,
        covariances: MIXTURE.covariances.map(() => [
          [1, 2],
          [2, 1],
        ]),
      },
      'covariances[0]',
    ],
    [{ ...MIXTURE, precisions: MIXTURE.covariances }, 'covariances'],
  ])('is refused where it does not fit', (mixture, key) => {
    expect(faultOf(() => loadModel(modelWith(mixture))).path).toBe(`model.background.mixture.${key}`);
  });
});
