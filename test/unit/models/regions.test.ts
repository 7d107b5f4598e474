/** Regions whose ends can be worked out by hand. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import type { Goal, LinearRow } from '../../../src/models/region.js';
import { planOf } from '../../support/asking.js';
import { creditModel, edit, faultOf, regressionModel } from '../../support/documents.js';

const logit = (p: number) => Math.log(p / (1 - p));

/** The ends of the slabs of w·x that a goal allows, the bias added back. */
function slabs(document: unknown, goal: Goal, bias: number): number[][] {
  const region = loadModel(document).model.region(goal);
  if (region === 'unknown') throw new Error('the region is unknown');
  return region.map((piece) => {
    expect(piece.rows.length).toBe(1);
    const { lower, upper } = piece.rows[0] as LinearRow;
    return [lower + bias, upper + bias];
  });
}

function expectSlabs(found: number[][], expected: number[][]): void {
  expect(found.length).toBe(expected.length);
  found.flat().forEach((end, k) => {
    if (Number.isFinite(expected.flat()[k])) expect(end).toBeCloseTo(expected.flat()[k], 12);
    else expect(end).toBe(expected.flat()[k]);
  });
}

/** As doubles: the first f with 1/(1 + e^-f) = 1, the last with 0, the last with 1 - 1/(1 + e^-f) = 1, and the last with e^f = 0. */
const FIRST_ONE = 53 * Math.LN2;
const LAST_ZERO = -1024 * Math.LN2;
const LAST_NONE = -54 * Math.LN2;
const LAST_VANISHING = -1075 * Math.LN2;

describe('a logistic model with threshold 0.7', () => {
  const document = edit(creditModel(), ['parameters', 'threshold'], 0.7);
  const region = (goal: Goal) => slabs(document, goal, -3.1);

  it.each<[string, Goal, number[][]]>([
    ['the second class', { kind: 'class', index: 1, margin: 0 }, [[logit(0.7), Infinity]]],
    ['the first class', { kind: 'class', index: 0, margin: 0 }, [[-Infinity, logit(0.7)]]],
    ['the second class with a margin', { kind: 'class', index: 1, margin: 0.1 }, [[logit(0.8), Infinity]]],
    ['the first class with a margin', { kind: 'class', index: 0, margin: 0.1 }, [[-Infinity, logit(0.6)]]],
    ['a margin that no probability has', { kind: 'class', index: 1, margin: 0.31 }, []],
    ['a margin that only a probability of 1 has', { kind: 'class', index: 1, margin: 0.3 }, [[FIRST_ONE, Infinity]]],
    ['a probability of 0', { kind: 'interval', index: 1, from: 0, to: 0 }, [[-Infinity, LAST_ZERO]]],
    ['a probability of 1 of the first class', { kind: 'interval', index: 0, from: 1, to: 1 }, [[-Infinity, LAST_NONE]]],
    ['an interval', { kind: 'interval', index: 1, from: 0.2, to: 0.4 }, [[logit(0.2), logit(0.4)]]],
    ['an interval of the first class', { kind: 'interval', index: 0, from: 0.2, to: 0.4 }, [[logit(0.6), logit(0.8)]]],
    [
      'an interval beyond what probabilities are',
      { kind: 'interval', index: 1, from: -1, to: 2 },
      [[-Infinity, Infinity]],
    ],
    ['a probability above 1', { kind: 'interval', index: 1, from: 1.5, to: 2 }, []],
    ['a probability below 0', { kind: 'interval', index: 1, from: -2, to: -1 }, []],
  ])('has a slab for %s', (_, goal, expected) => {
    expectSlabs(region(goal), expected);
  });
});

describe('regressors', () => {
  const region = (family: string, from: number, to: number) =>
    slabs(regressionModel(family), { kind: 'interval', index: 0, from, to }, 1);

  it.each<[string, number, number, number[][]]>([
    ['linear-regression', 2, 5, [[2, 5]]],
    ['linear-regression', -Infinity, 5, [[-Infinity, 5]]],
    ['poisson-regression', 2, 5, [[Math.log(2), Math.log(5)]]],
    ['poisson-regression', -3, 5, [[-Infinity, Math.log(5)]]],
    ['poisson-regression', -3, 0, [[-Infinity, LAST_VANISHING]]],
    ['poisson-regression', -3, -1, []],
    ['poisson-regression', 2, Infinity, [[Math.log(2), Infinity]]],
    ['exponential-regression', 2, 5, [[-1 / 2, -1 / 5]]],
    ['exponential-regression', -5, -2, [[1 / 5, 1 / 2]]],
    [
      'exponential-regression',
      -5,
      2,
      [
        [-Infinity, -1 / 2],
        [1 / 5, Infinity],
      ],
    ],
    ['exponential-regression', 0, 2, [[-Infinity, -1 / 2]]],
    ['exponential-regression', -5, 0, [[1 / 5, Infinity]]],
  ])('%s has slabs for [%d, %d]', (family, from, to, expected) => {
    expectSlabs(region(family, from, to), expected);
  });

  it('does not hold an input without a finite prediction', async () => {
    const document = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'exponential-regression',
      features: [{ name: 'n', type: 'integer', min: -3, max: 3 }],
      parameters: { weights: [1], bias: 0 },
    };
    // -1/1 is an answer; -1/0 is none, though it is nearer.
    const policy = { schema: 'elsewise.policy/v1', target: { to: -0.5 }, solvers: ['enumerate'] };
    const { counterfactuals } = (await planOf(document, policy)).explain({ id: 'r', features: { n: -1 } });
    expect(counterfactuals[0].features).toEqual({ n: 1 });
  });

  it('has an open end of the exponential branch for all positive predictions', () => {
    const [[low, high]] = region('exponential-regression', 2, Infinity);
    expect(low).toBeCloseTo(-0.5, 12);
    expect(high).toBeCloseTo(0, 12);
  });

  it('refuses a class', () => {
    const { model } = loadModel(regressionModel());
    expect(faultOf(() => model.region({ kind: 'class', index: 0, margin: 0 }))).toMatchObject({
      code: 'unsupported',
      path: 'target',
    });
  });
});
