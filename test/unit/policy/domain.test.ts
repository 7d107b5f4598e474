/** What a policy lets one person become. Standing still is always allowed. */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import { layOutFeatures } from '../../../src/models/features.js';
import { createDomain, type Domain, fillDomain, isFixed, pin } from '../../../src/policy/domain.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compileRules } from '../../../src/policy/rules.js';
import { choicesOf } from '../../support/brute-force.js';
import { Dice } from '../../support/dice.js';
import { type FeatureSpec, numberOf, type RuleSpec } from '../../support/second-opinion.js';

function domainOf(feature: FeatureDocument, rule: RuleSpec, value: number, imputed = 0): Domain {
  const space = layOutFeatures([feature]);
  const rules = compileRules(
    loadPolicy({ schema: 'elsewise.policy/v1', features: { [feature.name]: rule } }).document,
    space,
  );
  const domain = createDomain(space);
  fillDomain(domain, space, rules, Float64Array.from([value]), new Float64Array(space.columns).fill(imputed));
  return domain;
}

const boundsOf = (domain: Domain) => [domain.lower[0], domain.upper[0]];
const number = (more: object = {}): FeatureDocument => ({ name: 'x', type: 'continuous', ...more });
const whole = (more: object = {}): FeatureDocument => ({ name: 'x', type: 'integer', ...more });

describe('a number', () => {
  it.each<[string, FeatureDocument, RuleSpec, number, number[]]>([
    ['without rules is free', number(), {}, 3, [-Infinity, Infinity]],
    ['has the bounds of the model', number({ min: 0, max: 10 }), {}, 3, [0, 10]],
    ['has the tighter bounds', number({ min: 0, max: 10 }), { min: 2, max: 20 }, 3, [2, 10]],
    ['below its bounds may stay', number(), { min: 5, max: 9 }, 3, [3, 9]],
    ['above its bounds may stay', number(), { min: 5, max: 9 }, 12, [5, 12]],
    ['outside the model’s bounds may stay', number({ max: 10 }), {}, 11, [-Infinity, 11]],
    ['may rise by so much', number(), { maxIncrease: 2 }, 3, [-Infinity, 5]],
    ['may rise by so much, but not over its bound', number(), { maxIncrease: 20, max: 9 }, 3, [-Infinity, 9]],
    ['may fall by so much', number(), { maxDecrease: 0.5 }, 3, [2.5, Infinity]],
    ['may only rise', number({ min: 0 }), { change: 'increase', max: 8 }, 3, [3, 8]],
    ['may only fall', number({ min: 0 }), { change: 'decrease', max: 8 }, 3, [0, 3]],
    ['may only rise, but is above its bound', number(), { change: 'increase', max: 2 }, 3, [3, 3]],
    ['must not change', number(), { change: 'never' }, 3, [3, 3]],
  ])('%s', (_, feature, rule, value, bounds) => {
    expect(boundsOf(domainOf(feature, rule, value))).toEqual(bounds);
  });
});

describe('a lattice', () => {
  it.each<[string, FeatureDocument, RuleSpec, number, number[]]>([
    ['counts from the present value', number(), { step: 2, min: 0, max: 10 }, 3, [1, 9]],
    [
      'ends at the last point within a bound between two',
      number(),
      { step: 0.5, maxIncrease: 1.4, maxDecrease: 1.4 },
      3,
      [2, 4],
    ],
    [
      'reaches a bound that is one of its points, rounding aside',
      number(),
      { step: 0.1, max: 0.3, min: -0.3 },
      0,
      [-0.30000000000000004, 0.30000000000000004],
    ],
    ['of integers has whole points', whole({ min: 0, max: 9.5 }), { maxIncrease: 2.5 }, 3, [0, 5]],
    ['of integers may have wide steps', whole({ min: 0, max: 10 }), { step: 3 }, 4, [1, 10]],
    ['with a step beyond all bounds is the present value', number(), { step: 50, min: 0, max: 10 }, 3, [3, 3]],
    ['without bounds has none', number(), { step: 5 }, 3, [-Infinity, Infinity]],
  ])('%s', (_, feature, rule, value, bounds) => {
    const found = boundsOf(domainOf(feature, rule, value));
    found.forEach((end, k) => {
      if (Number.isFinite(bounds[k])) expect(end).toBeCloseTo(bounds[k], 9);
      else expect(end).toBe(bounds[k]);
    });
  });

  it('is hard for steps and whole numbers, and a wish for decimals', () => {
    expect(domainOf(number(), { step: 0.5 }, 3)).toMatchObject({
      step: Float64Array.of(0.5),
      grid: Float64Array.of(0),
    });
    expect(domainOf(whole(), {}, 3).step[0]).toBe(1);
    expect(domainOf(number({ decimals: 2 }), {}, 3.25)).toMatchObject({
      step: Float64Array.of(0),
      grid: Float64Array.of(0.01),
    });
    expect(domainOf(number({ decimals: 1 }), {}, 3.25).grid[0]).toBe(0);
  });
});

describe('ranks', () => {
  const grade: FeatureDocument = {
    name: 'x',
    type: 'categorical',
    categories: ['a', 'b', 'c', 'd', 'e'],
    encoding: 'ordinal',
  };

  it('are all there without a list', () => {
    const domain = domainOf(grade, {}, 2);
    expect(boundsOf(domain)).toEqual([0, 4]);
    expect(domain.ranks[0]).toBeNull();
  });

  it('shrink to a list without gaps', () => {
    const domain = domainOf(grade, { allow: ['b', 'c', 'd'] }, 2);
    expect(boundsOf(domain)).toEqual([1, 3]);
    expect(domain.ranks[0]).toBeNull();
  });

  it('keep the gaps of a list, the present one allowed', () => {
    const domain = domainOf(grade, { allow: ['a', 'e'] }, 2);
    expect(boundsOf(domain)).toEqual([0, 4]);
    expect([...domain.ranks[0]!]).toEqual([1, 0, 1, 0, 1]);
  });

  it('keep to the direction, too', () => {
    const domain = domainOf(grade, { allow: ['a', 'e'], change: 'increase' }, 2);
    expect(boundsOf(domain)).toEqual([2, 4]);
    expect([...domain.ranks[0]!]).toEqual([0, 0, 1, 0, 1]);
  });

  it('stand still when nothing on the list is in the direction', () => {
    expect(boundsOf(domainOf(grade, { allow: ['a'], change: 'increase' }, 2))).toEqual([2, 2]);
  });

  it('of a boolean obey a list', () => {
    const flag: FeatureDocument = { name: 'x', type: 'boolean' };
    expect(boundsOf(domainOf(flag, { allow: [true] }, 0))).toEqual([0, 1]);
    expect(boundsOf(domainOf(flag, { allow: [true] }, 1))).toEqual([1, 1]);
  });

  it('of a list may have the spellings that rows have', () => {
    const pair: FeatureDocument = {
      name: 'x',
      type: 'categorical',
      categories: ['False', 'True'],
      encoding: 'ordinal',
    };
    expect(boundsOf(domainOf(pair, { allow: [true] }, 1))).toEqual([1, 1]);
    const rooms: FeatureDocument = { ...pair, categories: ['1', '2', '3'] };
    expect(boundsOf(domainOf(rooms, { allow: ['2.0', '3.0'] }, 2))).toEqual([1, 2]);
  });
});

describe('one-hot columns', () => {
  const housing: FeatureDocument = { name: 'x', type: 'categorical', categories: ['own', 'rent', 'free'] };

  it('are open where the category is allowed, and where it is present', () => {
    const domain = domainOf(housing, { allow: ['own'] }, 1);
    expect([...domain.upper]).toEqual([1, 1, 0]);
    expect([...domain.lower]).toEqual([0, 0, 0]);
    expect([...domain.origin]).toEqual([0, 1, 0]);
  });

  it('are closed when the feature must not change', () => {
    const domain = domainOf(housing, { change: 'never' }, 1);
    expect([...domain.upper]).toEqual([0, 1, 0]);
    expect([...domain.lower]).toEqual([0, 1, 0]);
  });
});

it('a missing value starts where the imputer puts it', () => {
  const domain = domainOf(number({ min: 0 }), { maxIncrease: 2 }, Number.NaN, 7);
  expect(domain.origin[0]).toBe(7);
  expect(boundsOf(domain)).toEqual([0, 9]);
});

it('the domain of a discrete feature is what the second opinion counts', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const dice = new Dice(seed);
    const maybe = (value: number) => (dice.chance(0.5) ? value : undefined);
    const feature: FeatureSpec = {
      name: 'x',
      type: 'integer',
      min: maybe(dice.integer(-9, 0)),
      max: maybe(dice.integer(1, 9)),
    };
    const rule: RuleSpec = JSON.parse(
      JSON.stringify({
        change: dice.pick(['any', 'increase', 'decrease', 'never']),
        min: maybe(dice.integer(-8, 0)),
        max: maybe(dice.integer(0, 8)),
        step: maybe(dice.integer(1, 3)),
        maxIncrease: dice.between(0, 6),
        maxDecrease: dice.between(0, 6),
      }),
    );
    const here = dice.integer(-10, 10);
    const values = choicesOf(feature, rule, here).map((value) => numberOf(feature, value));
    expect(boundsOf(domainOf(feature as FeatureDocument, rule, here))).toEqual([
      Math.min(...values),
      Math.max(...values),
    ]);
  }
});

describe('a feature', () => {
  const space = layOutFeatures([number(), { name: 'y', type: 'categorical', categories: ['a', 'b'] }]);
  const fill = (features: Record<string, RuleSpec>) => {
    const domain = createDomain(space);
    const rules = compileRules(loadPolicy({ schema: 'elsewise.policy/v1', features }).document, space);
    fillDomain(domain, space, rules, Float64Array.from([3, 1]), new Float64Array(3));
    return domain;
  };

  it('is fixed when it has no choice', () => {
    const free = fill({});
    expect(space.features.map((feature) => isFixed(free, feature))).toEqual([false, false]);
    const closed = fill({ x: { change: 'never' }, y: { allow: ['b'] } });
    expect(space.features.map((feature) => isFixed(closed, feature))).toEqual([true, true]);
  });

  it('has no choice once it is pinned', () => {
    const domain = fill({});
    for (const feature of space.features) pin(domain, feature);
    expect([...domain.lower]).toEqual([3, 0, 1]);
    expect([...domain.upper]).toEqual([3, 0, 1]);
  });
});
