/**
 * Rows, models and policies at the ends of what a number can be: every result has the documented shape, with finite numbers, and a
 * number beyond the documented size is refused by name.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGEST, SMALLEST } from '../../src/documents/numbers.js';
import { prepare } from '../../src/index.js';
import { loadModel } from '../../src/models/load.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { checkShape, planOf } from '../support/asking.js';
import { faultOf, stump } from '../support/documents.js';

/** Of every size from 10^low to 10^high, of both signs, and 0. */
const sized = (low: number, high: number) =>
  fc
    .tuple(fc.constantFrom(-1, 0, 1, 1), fc.double({ min: low, max: high, noNaN: true }))
    .map(([sign, power]) => sign * 10 ** power + 0);
const usual = sized(-2, 2);
const anySize = fc.oneof(usual, sized(-300, 99.9), fc.constantFrom(LARGEST, -LARGEST, 5e-324));
const vector = (number: fc.Arbitrary<number>) => fc.array(number, { minLength: 2, maxLength: 2 });
const spread = fc.oneof(sized(-99, 99), fc.constantFrom(SMALLEST, LARGEST)).map((value) => Math.abs(value) || 1);

const linear = fc.record({ weights: vector(anySize), bias: anySize });
const FAMILIES: Record<string, fc.Arbitrary<object>> = {
  hyperplane: linear,
  'logistic-regression': linear,
  'softmax-regression': fc.record({
    weights: fc.array(vector(anySize), { minLength: 2, maxLength: 2 }),
    bias: vector(anySize),
  }),
  'linear-regression': linear,
  'gaussian-naive-bayes': fc.record({
    means: fc.array(vector(anySize), { minLength: 2, maxLength: 2 }),
    variances: fc.array(vector(spread), { minLength: 2, maxLength: 2 }),
    priors: fc.constant([0.5, 0.5]),
  }),
  lvq: fc.record({
    prototypes: fc.array(vector(anySize), { minLength: 2, maxLength: 2 }),
    labels: fc.constant(['no', 'yes']),
  }),
  'decision-tree': anySize.map(stump),
};

const feature = fc.constantFrom(
  { type: 'continuous' },
  { type: 'continuous', decimals: 2 },
  { type: 'continuous', min: -1e100, max: 1e100 },
  { type: 'integer' },
);
const size = anySize.map(Math.abs);
const rule = fc.oneof(
  fc.constant({}),
  fc.constantFrom({ change: 'increase' }, { change: 'decrease' }, { change: 'never' }),
  fc.record({ maxIncrease: size, maxDecrease: size }),
  fc.record({ step: size.map((value) => Math.ceil(value) || 1) }),
  anySize.map((min) => ({ min })),
);

const asked = fc.constantFrom(...Object.keys(FAMILIES)).chain((family) =>
  fc.record({
    family: fc.constant(family),
    parameters: FAMILIES[family],
    features: fc.tuple(feature, feature),
    rule,
    norm: fc.constantFrom('l0', 'l1', 'l2', 'percentile'),
    weight: spread,
    region: fc.boolean(),
    constraints: fc.constantFrom([], ['x + y <= 1e99'], ['x <= 1e-90 * y or y >= 1e50']),
    row: fc.tuple(fc.oneof(anySize, sized(90, 308)), anySize),
  }),
);

/** As users prepare a plan: the clock is the last guard. Between numbers of such sizes some searches count less work than they do. */
const planUnderClock = (model: unknown, policy: unknown) => prepare(loadModel(model), loadPolicy(policy));

describe('at the ends of the numbers', () => {
  it('every result is as documented', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        asked,
        async ({ family, parameters, features, rule, norm, weight, region, constraints, row }) => {
          const [x, y] = features.map((f, k) => (f.type === 'integer' ? Math.round(row[k]) : row[k]));
          const isRegressor = family === 'linear-regression';
          const model = {
            schema: 'elsewise.model/v1',
            name: 'extreme',
            family,
            features: features.map((f, k) => ({ name: 'xy'[k], ...f })),
            ...(isRegressor ? {} : { classes: ['no', 'yes'] }),
            parameters,
            background: { quantiles: { x: [-1e99, 0, 1, 1e100], y: [0, 1e-300] } },
          };
          const target = isRegressor ? { from: 1e-50, to: 1e90 } : 'yes';
          const cost = { norm, weights: { x: weight } };
          const policy = {
            schema: 'elsewise.policy/v1',
            target,
            cost,
            features: { x: rule },
            constraints,
            region,
            deadlineMs: 40,
          };
          const result = checkShape(
            (await planUnderClock(model, policy)).explain({ id: 'extreme', features: { x, y } }),
          );
          seen.add(result.status);
          if (Math.abs(x) > LARGEST)
            expect(result).toMatchObject({ status: 'invalid', reason: { path: 'features.x' } });
        },
      ),
      { seed: Number(process.env.FC_SEED ?? 21), numRuns: Number(process.env.FC_RUNS ?? 250) },
    );
    expect([...seen]).toEqual(expect.arrayContaining(['found', 'already', 'invalid', 'infeasible']));
  });
});

describe('a number beyond the documented size is refused by its path', () => {
  const features = [{ name: 'x', type: 'continuous' }];
  const model = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'hyperplane',
    classes: ['no', 'yes'],
    features,
    parameters: { weights: [1], bias: 0 },
  };
  const policy = { schema: 'elsewise.policy/v1', target: 'yes' };
  const said = '1e+101 is too large: at most 1e+100 in size';

  it.each([
    ['model.features[0].min', { ...model, features: [{ ...features[0], min: 1e101 }] }],
    ['model.parameters.weights[0]', { ...model, parameters: { weights: [1e101], bias: 0 } }],
    ['model.parameters.bias', { ...model, parameters: { weights: [1], bias: 1e101 } }],
    ['model.preprocessing[0].mean[0]', { ...model, preprocessing: [{ type: 'scale', mean: [1e101], scale: [1] }] }],
    ['model.background.quantiles.x[1]', { ...model, background: { quantiles: { x: [0, 1e101] } } }],
    ['model.background.samples[0][0]', { ...model, background: { samples: [[1e101]] } }],
  ])('%s', (path, document) => {
    const fault = faultOf(() => loadModel(document));
    expect(fault).toMatchObject({ code: 'bad-document', path });
    expect(fault.message).toContain(said);
  });

  it.each([
    ['policy.features.x.max', { ...policy, features: { x: { max: 1e101 } } }],
    ['policy.features.x.step', { ...policy, features: { x: { step: 1e101 } } }],
    ['policy.cost.weights.x', { ...policy, cost: { weights: { x: 1e101 } } }],
    ['policy.margin', { ...policy, margin: 1e101 }],
  ])('%s', (path, document) => {
    const fault = faultOf(() => loadPolicy(document));
    expect(fault).toMatchObject({ code: 'bad-document', path });
    expect(fault.message).toContain(said);
  });

  it.each([1e101, '1e101', -1.7e308])('a row with %s', async (x) => {
    const result = checkShape((await planOf(model, policy)).explain({ id: 'far', features: { x } }));
    expect(result).toMatchObject({ status: 'invalid', reason: { path: 'features.x' } });
    expect(result.reason!.message).toContain('is too large: at most 1e+100 in size');
  });
});
