/** The target as people write it, and every way in which it can be wrong. */
import { describe, expect, it } from 'vitest';
import { parseTarget, reportedScore, resolveTarget } from '../../../src/policy/target.js';
import { faultOf } from '../../support/documents.js';

const two = { classes: ['rejected', 'approved'], task: 'classification', bands: [] } as const;
const three = { classes: ['low', 'mid', 'high'], task: 'classification', bands: [] } as const;
const regressor = { classes: [], task: 'regression', bands: [] } as const;

describe('a classifier takes', () => {
  it('a class, with the margin', () => {
    expect(resolveTarget('approved', two, 0.1)).toEqual([{ kind: 'class', index: 1, margin: 0.1 }]);
  });

  it('a list of classes: any of them', () => {
    expect(resolveTarget(['high', 'low'], three, 0)).toEqual([
      { kind: 'class', index: 2, margin: 0 },
      { kind: 'class', index: 0, margin: 0 },
    ]);
  });

  it('an interval of the second class’s score, or of the class it names', () => {
    expect(resolveTarget({ from: 0.6, to: 1 }, two, 0)).toEqual([{ kind: 'interval', index: 1, from: 0.6, to: 1 }]);
    expect(resolveTarget({ from: 0.6, class: 'rejected' }, two, 0)).toEqual([
      { kind: 'interval', index: 0, from: 0.6, to: Infinity },
    ]);
    expect(resolveTarget({ to: 0.2, class: 'mid' }, three, 0)).toEqual([
      { kind: 'interval', index: 1, from: -Infinity, to: 0.2 },
    ]);
  });
});

describe('a regressor takes', () => {
  it('a number with its tolerance', () => {
    expect(resolveTarget({ value: 210, tolerance: 0.5 }, regressor, 0)).toEqual([
      { kind: 'interval', index: 0, from: 209.5, to: 210.5 },
    ]);
    expect(resolveTarget(210, regressor, 0, 0.5)).toEqual([{ kind: 'interval', index: 0, from: 209.5, to: 210.5 }]);
  });

  it('a number alone, met to a millionth of itself', () => {
    const [goal] = resolveTarget(-2e6, regressor, 0);
    expect(goal).toEqual({ kind: 'interval', index: 0, from: -2e6 - 2, to: -2e6 + 2 });
    expect(resolveTarget(0, regressor, 0)).toEqual([{ kind: 'interval', index: 0, from: -1e-6, to: 1e-6 }]);
  });

  it('an interval with one end or two, narrowed by the margin', () => {
    expect(resolveTarget({ from: 1, to: 5 }, regressor, 0.5)).toEqual([
      { kind: 'interval', index: 0, from: 1.5, to: 4.5 },
    ]);
    expect(resolveTarget({ to: 5 }, regressor, 0.5)).toEqual([
      { kind: 'interval', index: 0, from: -Infinity, to: 4.5 },
    ]);
  });
});

describe('what is refused, at "target"', () => {
  it.each([
    [
      'a misspelt class',
      () => resolveTarget('aproved', two, 0),
      'target: the model has no class "aproved", did you mean "approved"?',
    ],
    [
      'an unknown class',
      () => resolveTarget('maybe', two, 0),
      'target: the model has no class "maybe"; it has rejected, approved',
    ],
    [
      'one bad class of a list',
      () => resolveTarget(['approved', 'rejekted'], two, 0),
      'target: the model has no class "rejekted", did you mean "rejected"?',
    ],
    [
      'a number for a classifier',
      () => resolveTarget(1, two, 0),
      'target: a number is for regressors; this model has the classes rejected, approved',
    ],
    [
      'a tolerance for a classifier',
      () => resolveTarget({ value: 1, tolerance: 1 }, two, 0),
      'target: a number is for regressors; this model has the classes rejected, approved',
    ],
    [
      'an interval of no class of three',
      () => resolveTarget({ from: 0.5 }, three, 0),
      'target: an interval needs "class": the model has more than two',
    ],
    [
      'an interval of an unknown class',
      () => resolveTarget({ from: 0.5, class: 'hihg' }, three, 0),
      'target: the model has no class "hihg", did you mean "high"?',
    ],
    [
      'a class for a regressor',
      () => resolveTarget('approved', regressor, 0),
      'target: a regressor has no classes: give a number or { "from": ..., "to": ... }',
    ],
    [
      'classes for a regressor',
      () => resolveTarget(['a'], regressor, 0),
      'target: a regressor has no classes: give a number or { "from": ..., "to": ... }',
    ],
    [
      'an interval of a regressor’s class',
      () => resolveTarget({ from: 1, class: 'a' }, regressor, 0),
      'target: a regressor has no classes: leave "class" out',
    ],
    [
      'an interval that the margin uses up',
      () => resolveTarget({ from: 1, to: 2 }, regressor, 0.6),
      'target: the interval is narrower than twice the margin 0.6',
    ],
    [
      'a tolerance that the margin uses up',
      () => resolveTarget(210, regressor, 1),
      'target: the interval is narrower than twice the margin 1',
    ],
  ])('%s', (_, run, message) => {
    expect(faultOf(run)).toMatchObject({ code: 'bad-document', path: 'target', message });
  });

  it.each([
    [true],
    [{}],
    [{ from: 2, to: 1 }],
    [[]],
    [Number.NaN],
    [{ from: Infinity }],
    [{ value: 1, tolerance: -1 }],
  ])('%j', (value) => {
    expect(faultOf(() => parseTarget(value)).path).toMatch(/^target/);
  });
});

it('the score of a target is that of its class, of its best class, or the prediction', () => {
  const scores = Float64Array.of(0.2, 0.5, 0.3);
  expect(reportedScore(resolveTarget('high', three, 0), scores)).toBe(0.3);
  expect(reportedScore(resolveTarget(['low', 'high'], three, 0), scores)).toBe(0.3);
  expect(reportedScore(resolveTarget({ from: 0 }, regressor, 0), Float64Array.of(-7))).toBe(-7);
});
