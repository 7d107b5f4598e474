/** Every way in which a policy document can be wrong in itself; what only a model can tell is in policy/rules. */
import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../../src/policy/policy.js';
import { creditPolicy, edit, faultOf } from '../../support/documents.js';

const faultWith = (path: (string | number)[], value: unknown) =>
  faultOf(() => loadPolicy(edit(creditPolicy(), path, value)));

describe('an unknown key is named with its path', () => {
  it.each([
    ['chagne', 'change'],
    ['maxIncreas', 'maxIncrease'],
    ['Step', 'step'],
  ])('and "%s" is taken for "%s"', (typed, meant) => {
    expect(faultWith(['features', 'age', typed], 1).message).toBe(
      `policy.features.age.${typed}: unknown key, did you mean "${meant}"?`,
    );
  });

  it('with what is known where nothing is near', () => {
    const { message } = faultWith(['features', 'age', 'directon'], 'up');
    expect(message).toBe(
      'policy.features.age.directon: unknown key; known are change, min, max, maxIncrease, maxDecrease, step, allow',
    );
  });

  it.each([
    [['feature'], 'policy.feature: unknown key, did you mean "features"?'],
    [['cost', 'nrom'], 'policy.cost.nrom: unknown key, did you mean "norm"?'],
    [['target'], 'policy.target.frm: unknown key, did you mean "from"?'],
  ])('at %j', (path, message) => {
    expect(faultWith(path, path[0] === 'target' ? { frm: 1, to: 2 } : 1).message).toBe(message);
  });

  it('but a known key is never called unknown: { value } lacks its tolerance', () => {
    const { message } = faultWith(['target'], { value: 3 });
    expect(message).not.toContain('did you mean "value"');
    expect(message).toContain('tolerance');
  });
});

describe('a wrong shape', () => {
  it.each([
    ['another schema', ['schema'], 'elsewise.policy/v2'],
    ['no schema', ['schema'], undefined],
    ['an unknown direction', ['features', 'age', 'change'], 'up'],
    ['an unknown norm', ['cost', 'norm'], 'l3'],
    ['an unknown weighting', ['cost', 'weights'], 'madd'],
    ['a count of none', ['count'], 0],
    ['a count and a half', ['count'], 1.5],
    ['a count beyond reason', ['count'], 101],
    ['no changes at all', ['maxChanges'], 0],
    ['a negative seed', ['seed'], -1],
    ['a broken seed', ['seed'], 1.2],
    ['no solver', ['solvers'], []],
    ['one constraint without a list', ['constraints'], 'age <= 3'],
    ['a rule that is a word', ['features', 'age'], 'never'],
    ['features as a list', ['features'], []],
    ['one category without a list', ['features', 'housing', 'allow'], 'own'],
    ['an empty interval', ['target'], {}],
    ['an interval upside down', ['target'], { from: 3, to: 2 }],
    ['an empty list of classes', ['target'], []],
    ['a target that is true', ['target'], true],
  ] as [string, string[], unknown][])('%s', (_, path, value) => {
    expect(faultWith(path, value)).toMatchObject({ code: 'bad-document', path: ['policy', ...path].join('.') });
  });

  it('an empty constraint', () => {
    expect(faultWith(['constraints'], ['age <= 3', '']).path).toBe('policy.constraints[1]');
  });

  it.each([[null], [[]], ['policy'], [undefined]])('%j is no policy document at all', (value) => {
    expect(faultOf(() => loadPolicy(value))).toMatchObject({ code: 'bad-document', path: 'policy' });
  });
});

describe('a number', () => {
  const places = [
    ['margin'],
    ['deadlineMs'],
    ['tolerance'],
    ['features', 'income', 'min'],
    ['features', 'income', 'step'],
    ['cost', 'weights', 'income'],
  ];

  it.each(
    places.flatMap((path) => [Number.NaN, Infinity, -Infinity, '3', null].map((value) => [path, value] as const)),
  )('at %j is finite: not %s', (path, value) => {
    const fault = faultWith(path, value);
    expect(fault.path).toBe(`policy.${path.join('.')}`);
    expect(fault.message).toContain('expected a finite number');
  });

  it.each([
    [['margin'], -1, /(at least|>=|not be (below|negative))\D*0?/],
    [['tolerance'], -1, /(at least|>=|not be (below|negative))\D*0?/],
    [['features', 'income', 'maxIncrease'], -1, /(at least|>=|not be (below|negative))\D*0?/],
    [['deadlineMs'], 0, /(above|more|greater|>|positive)/],
    [['features', 'income', 'step'], 0, /(above|more|greater|>|positive)/],
    [['cost', 'weights', 'income'], 0, /(above|more|greater|>|positive)/],
  ])('at %j is not %d, and the message names the limit', (path, value, message) => {
    const fault = faultWith(path, value);
    expect(fault.path).toBe(`policy.${path.join('.')}`);
    expect(fault.message).toMatch(message);
  });
});

it('what is left out has its default', () => {
  const { document, name } = loadPolicy({ schema: 'elsewise.policy/v1' });
  expect(name).toBe('policy');
  expect(document).toEqual({
    schema: 'elsewise.policy/v1',
    name: 'policy',
    cost: { norm: 'l1' },
    features: {},
    constraints: [],
    count: 1,
    gap: 0,
    margin: 0,
    region: false,
    deadlineMs: 1000,
    unbounded: false,
    solvers: ['auto'],
    seed: 0,
  });
});
