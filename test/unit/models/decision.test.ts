/** The decision layer by hand: ends of levels and steps, ties, margins, hostile documents, and models in transit between threads. */
import { describe, expect, it } from 'vitest';
import { nextDown, nextUp } from '../../../src/linalg/floats.js';
import { loadModel } from '../../../src/models/load.js';
import { packModel, unpackModel } from '../../../src/models/packed-model.js';
import type { Goal } from '../../../src/models/region.js';
import { creditModel, faultOf, regressionModel } from '../../support/documents.js';

/** f(x) = x, a raw score. */
const plain = {
  ...{ schema: 'elsewise.model/v1', name: 'm', family: 'hyperplane', classes: ['no', 'yes'] },
  features: [{ name: 'x', type: 'continuous' }],
  parameters: { weights: [1], bias: 0 },
};
const withDecision = (decision: object, base: object = plain) => loadModel({ ...base, decision });
const isotonic = (scores: number[], values: number[], interpolation = 'linear') => ({
  calibration: { type: 'isotonic', scores, values, interpolation },
});

/** The row of the region of a goal, as an interval of x. Null: the region is empty. */
function intervalOf(decision: object, goal: Goal): [number, number] | null {
  const region = withDecision(decision).model.region(goal);
  if (region === 'unknown') throw new Error('unknown');
  if (!region.length) return null;
  const { lower, upper } = region[0].rows[0];
  return [lower, upper];
}

const from = (low: number, high = Infinity): Goal => ({ kind: 'interval', index: 1, from: low, to: high });
const yes: Goal = { kind: 'class', index: 1, margin: 0 };
const no: Goal = { kind: 'class', index: 0, margin: 0 };

describe('the interval of own scores of a target', () => {
  const level = isotonic([0, 1, 2, 3], [0, 0.5, 0.5, 1]);
  const steps = isotonic([0, 1, 2, 3], [0, 0.5, 0.5, 1], 'steps');

  it('begins at the first number of a level part, and ends at the last', () => {
    expect(intervalOf(level, from(0.5))).toEqual([1, Infinity]);
    expect(intervalOf(level, from(0.5, 0.5))).toEqual([1, 2]);
    expect(intervalOf(level, yes)![0]).toBeGreaterThan(2);
    expect(intervalOf(level, no)![1]).toBe(nextDown(intervalOf(level, yes)![0]));
    expect(intervalOf(level, from(0))).toEqual([-Infinity, Infinity]);
    expect(intervalOf(level, from(nextUp(1)))).toBeNull();
  });

  it('begins at a step, and ends before the next', () => {
    expect(intervalOf(steps, from(0.3))).toEqual([1, Infinity]);
    expect(intervalOf(steps, from(0.5, 0.9))).toEqual([1, nextDown(3)]);
    expect(intervalOf(steps, yes)).toEqual([3, Infinity]);
    expect(intervalOf(steps, from(0.6, 0.9))).toBeNull();
  });

  it('has the threshold itself only where it is inclusive', () => {
    expect(intervalOf({ ...steps, threshold: 0.5 }, yes)).toEqual([3, Infinity]);
    expect(intervalOf({ ...steps, threshold: 0.5, inclusive: true }, yes)).toEqual([1, Infinity]);
    expect(intervalOf({ ...steps, threshold: 0.5, inclusive: true }, no)).toEqual([-Infinity, nextDown(1)]);
    expect(intervalOf({ threshold: 2 }, yes)).toEqual([nextUp(2), Infinity]);
    expect(intervalOf({ threshold: 2 }, { ...no, margin: 0.5 } as Goal)).toEqual([-Infinity, 1.5]);
  });

  it('has a margin in calibrated score', () => {
    expect(intervalOf({ ...level, threshold: 0.5 }, { kind: 'class', index: 1, margin: 0.25 })).toEqual([
      2.5,
      Infinity,
    ]);
    expect(intervalOf({ ...level, threshold: 0.5 }, { kind: 'class', index: 1, margin: 0.6 })).toBeNull();
  });
});

describe('scores', () => {
  it('are those of the calibration, and sum to 1', () => {
    const beta = withDecision({ calibration: { type: 'beta', a: 2, b: 0.5, c: -0.3 } }, creditModel());
    const own = loadModel(creditModel());
    const row = { age: 40, income: 1400, housing: 'own' };
    const p = own.predict(row).scores.approved;
    const expected = 1 / (1 + ((1 - p) ** 0.5 / p ** 2) * Math.exp(0.3));
    const { rejected, approved } = beta.predict(row).scores;
    expect(approved).toBeCloseTo(expected, 12);
    expect(rejected).toBe(1 - approved);
  });

  it('of a regressor are calibrated, and a band is a target', () => {
    const loaded = withDecision(
      { ...isotonic([-5, 5], [0, 10]), bands: [{ name: 'high', from: 7 }] },
      regressionModel(),
    );
    expect(loaded.predict({ x: 0, z: 0 }).prediction).toBe(6);
    expect(loaded.bands.map(({ name }) => name)).toEqual(['high']);
  });

  it('stay the same in a packed model', () => {
    const loaded = withDecision({ ...isotonic([0, 1], [0.2, 0.9]), threshold: 0.4, bands: [{ name: 'A', from: 0.8 }] });
    const again = unpackModel(packModel(loaded));
    expect(again.predict({ x: 0.4 })).toEqual(loaded.predict({ x: 0.4 }));
    expect([again.bands, again.model.thresholds]).toEqual([loaded.bands, loaded.model.thresholds]);
  });
});

describe('a missing value', () => {
  it('is refused behind the layer where the family refuses it', () => {
    const term = (feature: string, more: object) => ({ feature, cuts: [1], values: [0, 1], ...more });
    const model = withDecision(
      { threshold: 0.5 },
      {
        ...plain,
        features: ['a', 'b'].map((name) => ({ name, type: 'continuous' })),
        family: 'additive',
        parameters: { link: 'logit', intercept: 0, terms: [term('a', { missing: 0.5 }), term('b', {})] },
      },
    );
    expect(model.predict({ a: null, b: 2 }).scores.yes).toBeGreaterThan(0.5);
    expect(() => model.predict({ a: 2, b: null })).toThrow('is missing');
  });
});

describe('a document is refused', () => {
  const REFUSED: [string, object, object?][] = [
    ['decision.calibration.scores[1]', isotonic([1, 1], [0, 1])],
    ['decision.calibration.values[1]', isotonic([0, 1], [0.6, 0.5])],
    ['decision.calibration.values', isotonic([0, 1], [0.6])],
    ['decision.calibration.values[1]', isotonic([0, 1], [0.6, 1.5])],
    ['decision.calibration.slope', { calibration: { type: 'sigmoid', slope: 1, intercept: 0 } }],
    ['decision.calibration.type', { calibration: { type: 'beta', a: 1, b: 1, c: 0 } }],
    [
      'decision.calibration.of[1].values[1]',
      { calibration: { type: 'mean', of: [isotonic([0], [1]).calibration, isotonic([0, 1], [1, 0]).calibration] } },
    ],
    ['decision.threshold', { ...isotonic([0], [1]), threshold: 1.5 }],
    ['decision.threshold', { threshold: 1 }, regressionModel()],
    ['decision.inclusive', { inclusive: true }],
    [
      'decision.bands[1].from',
      {
        bands: [
          { name: 'A', from: 1 },
          { name: 'B', from: 1 },
        ],
      },
    ],
    [
      'decision.bands[1].name',
      {
        bands: [
          { name: 'A', from: 1 },
          { name: 'A', from: 0 },
        ],
      },
    ],
    ['decision.bands[0].name', { bands: [{ name: 'yes', from: 1 }] }],
    ['decision.bands', { bands: [] }],
    ['decision.calibrations', { calibrations: {} }],
    [
      'decision',
      { threshold: 0.5 },
      { ...plain, family: 'lvq', parameters: { prototypes: [[0], [1]], labels: ['no', 'yes'] } },
    ],
    [
      'decision',
      { bands: [{ name: 'A', from: 1 }] },
      {
        ...plain,
        family: 'softmax-regression',
        classes: ['a', 'b', 'c'],
        parameters: { weights: [[0], [1], [2]], bias: [0, 0, 0] },
      },
    ],
    [
      'decision.threshold',
      { threshold: 0.5 },
      {
        ...plain,
        family: 'softmax-regression',
        parameters: { weights: [[0], [1]], bias: [0, 0], normalization: 'none' },
      },
    ],
  ];
  it.each(REFUSED)('at %s: %j', (path, decision, base) => {
    expect(faultOf(() => withDecision(decision, base))).toMatchObject({ code: 'bad-document', path: `model.${path}` });
  });
});
