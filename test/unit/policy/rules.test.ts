/** Policy entries are checked against the features that they speak of. */
import { describe, expect, it } from 'vitest';
import { layOutFeatures } from '../../../src/models/features.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compileRules } from '../../../src/policy/rules.js';
import { faultOf } from '../../support/documents.js';
import type { RuleSpec } from '../../support/second-opinion.js';

const space = layOutFeatures([
  { name: 'income', type: 'continuous', min: 0, max: 9000 },
  { name: 'age', type: 'integer', min: 18 },
  { name: 'guarantor', type: 'boolean' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
  { name: 'grade', type: 'categorical', categories: ['low', 'mid', 'high'], encoding: 'ordinal' },
]);

const compile = (features: Record<string, RuleSpec>) =>
  compileRules(loadPolicy({ schema: 'elsewise.policy/v1', features }).document, space);
const ruleOf = (name: string, rule: RuleSpec) => compile({ [name]: rule })[space.byName.get(name)!.index];

describe('a rule', () => {
  it('exists for every feature, in order; without an entry anything within the bounds may change', () => {
    const rules = compile({});
    expect(rules.map(({ feature }) => feature)).toEqual(space.features);
    expect(rules[0]).toMatchObject({
      never: false,
      mayIncrease: true,
      mayDecrease: true,
      min: 0,
      max: 9000,
      step: 0,
      allowed: null,
    });
  });

  it('moves integers, booleans and ranks in steps of 1, numbers freely, unless it says otherwise', () => {
    expect(compile({}).map(({ step }) => step)).toEqual([0, 1, 1, 1, 1]);
    expect(ruleOf('income', { step: 0.5 }).step).toBe(0.5);
    expect(ruleOf('age', { step: 5 }).step).toBe(5);
  });

  it.each([
    ['never', true, false, false],
    ['increase', false, true, false],
    ['decrease', false, false, true],
    ['any', false, true, true],
  ] as const)('of change %s', (change, never, mayIncrease, mayDecrease) => {
    expect(ruleOf('income', { change })).toMatchObject({ never, mayIncrease, mayDecrease });
  });

  it('has the tighter of its own bounds and the model’s', () => {
    expect(ruleOf('income', { min: 100, max: 99999 })).toMatchObject({ min: 100, max: 9000 });
    expect(ruleOf('income', { min: -5, max: 800 })).toMatchObject({ min: 0, max: 800 });
    expect(ruleOf('age', {})).toMatchObject({ min: 18, max: Infinity });
  });

  it('lists allowed categories by their place; a boolean by true and false', () => {
    expect([...ruleOf('housing', { allow: ['free', 'own'] }).allowed!]).toEqual([1, 0, 1]);
    expect([...ruleOf('grade', { allow: ['mid'] }).allowed!]).toEqual([0, 1, 0]);
    expect([...ruleOf('guarantor', { allow: [true] }).allowed!]).toEqual([0, 1]);
  });
});

describe('an entry is refused with its path when', () => {
  it.each<[string, string, RuleSpec, string]>([
    ['its feature is misspelt', 'incom', {}, 'policy.features.incom: unknown feature, did you mean "income"?'],
    ['there is no such feature', 'shoe size', {}, 'policy.features.shoe size: the model has no such feature'],
    [
      'it bounds a category',
      'housing',
      { max: 2 },
      'policy.features.housing.max: is for numbers; "housing" is categorical: use allow or change',
    ],
    [
      'it gives a boolean a step',
      'guarantor',
      { step: 1 },
      'policy.features.guarantor.step: is for numbers; "guarantor" is boolean: use allow or change',
    ],
    [
      'it limits the rise of a rank',
      'grade',
      { maxIncrease: 1 },
      'policy.features.grade.maxIncrease: is for numbers; "grade" is ordinal: use allow or change',
    ],
    [
      'it lists what a number may be',
      'income',
      { allow: ['1'] },
      'policy.features.income.allow: is for categories and booleans; use min and max for "income"',
    ],
    [
      'a category without order shall rise',
      'housing',
      { change: 'increase' },
      'policy.features.housing.change: "housing" has no order: use never, any, allow, or make it ordinal in the model',
    ],
    ['min is above max', 'income', { min: 5, max: 4 }, 'policy.features.income.min: 5 is above max 4'],
    [
      'an integer has a broken step',
      'age',
      { step: 0.5 },
      'policy.features.age.step: "age" is an integer, so its step must be one too',
    ],
    [
      'a category is misspelt',
      'housing',
      { allow: ['own', 'rnet'] },
      'policy.features.housing.allow[1]: unknown category "rnet", did you mean "rent"?',
    ],
    [
      'a category is unknown',
      'housing',
      { allow: ['castle'] },
      'policy.features.housing.allow[0]: unknown category "castle"; known are own, rent, free',
    ],
  ])('%s', (_, name, rule, message) => {
    expect(faultOf(() => compile({ [name]: rule }))).toMatchObject({ code: 'bad-document', message });
  });

  it('a direction is given to ranks and booleans, it is taken', () => {
    expect(ruleOf('grade', { change: 'increase' }).mayDecrease).toBe(false);
    expect(ruleOf('guarantor', { change: 'decrease' }).mayIncrease).toBe(false);
  });
});
