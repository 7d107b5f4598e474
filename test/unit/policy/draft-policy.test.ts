/** `policies init`: facts of the rows as entries, guesses from names as questions, constraints as offers. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { readDataRows } from '../../../src/cli/rows/data-rows.js';
import { withoutComments } from '../../../src/documents/json-comments.js';
import type { PolicyDocument } from '../../../src/documents/policy-document.js';
import { createPlan } from '../../../src/explain/plan.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { type Draft, draftPolicy } from '../../../src/policy/draft/draft-policy.js';
import { loadPolicy, type Policy } from '../../../src/policy/policy.js';

const CREDIT = fileURLToPath(new URL('../../../examples/credit/', import.meta.url));
const readDraft = ({ text }: Draft): Policy => loadPolicy(JSON.parse(withoutComments(text)));

describe('a draft from a real file', () => {
  let model: LoadedModel;
  let rows: Float64Array[];
  let draft: Draft;
  let policy: PolicyDocument;

  beforeAll(async () => {
    model = loadModel(JSON.parse(readFileSync(`${CREDIT}model.json`, 'utf8')));
    rows = (await readDataRows(`${CREDIT}applicants.csv`, model)).rows.map(({ values }) => values);
    draft = draftPolicy(model, { rows, origin: 'applicants.csv' }, 'approved');
    policy = readDraft(draft).document;
  });

  it('has the ranges and steps of the data', () => {
    expect(policy.features.income).toEqual({ change: 'any', min: 600, max: 6620, step: 10 });
    expect(policy.features.savings.step).toBe(50);
    expect(policy.features.durationMonths.step).toBe(6);
    expect(policy.features.openLoans).toEqual({ change: 'any', min: 0, max: 6 });
    expect(draft.text).toContain('// continuous, EUR/month; 600 to 6620 in applicants.csv; multiples of 10');
  });

  it('asks about features that never change or only grow', () => {
    expect(policy.features.age).toEqual({ change: 'never' });
    expect(policy.features.monthsAtJob).toEqual({ change: 'increase', max: 379 });
    expect(draft.questioned).toEqual(['age', 'monthsAtJob', 'monthsEmployed']);
    expect(draft.text.match(/\/\/ \? .*the name contains/g)).toHaveLength(3);
  });

  it('offers constraints that hold, and applies none', () => {
    expect(policy.constraints).toEqual([]);
    for (const text of [
      'monthsAtJob <= monthsEmployed',
      'monthlyDebt <= income',
      'hasGuarantor implies hasCoapplicant',
    ])
      expect(draft.text).toContain(`    // "${text}",\n`);
    expect(draft.offered).toBe(3);
  });

  it('loads with all offers taken', () => {
    const taken = draft.text.replaceAll(/^ {4}\/\/ (".*",)$/gm, '    $1');
    const taking = loadPolicy(JSON.parse(withoutComments(taken)));
    expect(taking.document.constraints).toHaveLength(3);
    expect(() => createPlan(model, taking)).not.toThrow();
  });

  it('answers rows as it is, within the range of the data', () => {
    const plan = createPlan(model, readDraft(draft));
    for (const [r, values] of rows.slice(0, 20).entries()) {
      const raw = model.space.features.map((feature) => shown(feature, values[feature.index]));
      const result = plan.explainRecord(`r${r}`, raw);
      expect(result.status).toBe('found');
      for (const { to, feature } of result.counterfactuals[0].changes) {
        const { min = -Infinity, max = Infinity } = policy.features[feature];
        if (typeof to === 'number') expect(to >= min && to <= max).toBe(true);
      }
    }
  });

  it('is the same each time', () => {
    expect(draftPolicy(model, { rows, origin: 'applicants.csv' }, 'approved')).toEqual(draft);
  });
});

const shown = ({ categories }: { categories: readonly string[] }, value: number) =>
  categories.length ? categories[value] : value;

interface Small {
  readonly features: readonly object[];
  readonly weights: number;
  readonly samples?: readonly (readonly unknown[])[];
}

function smallModel({ features, weights, samples }: Small): LoadedModel {
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'small',
    family: 'logistic-regression',
    features,
    classes: ['no', 'yes'],
    parameters: { weights: Array(weights).fill(1), bias: 0 },
    ...(samples && { background: { samples } }),
  });
}

const number = (name: string, more: object = {}) => ({ name, type: 'continuous', ...more });

describe('a draft', () => {
  it('asks for the target where none is given', () => {
    const model = smallModel({ features: [number('a')], weights: 1 });
    const draft = draftPolicy(model, { rows: [], origin: '' });
    expect(readDraft(draft).document.target).toBeUndefined();
    expect(draft.text).toContain('// ? Which class is wanted?');
    expect(draft.text).toContain('// "target": "yes",');
  });

  it('has no range and no MAD where nothing is known', () => {
    const { document } = readDraft(
      draftPolicy(smallModel({ features: [number('a')], weights: 1 }), { rows: [], origin: '' }),
    );
    expect(document.features.a).toEqual({ change: 'any' });
    expect(document.cost).toEqual({ norm: 'l1', weights: 'none' });
  });

  it('takes weights from the data where the model has no statistics', () => {
    const rows = [10, 20, 30, 40, 50].map((a) => Float64Array.of(a));
    const model = smallModel({ features: [number('a')], weights: 1 });
    const { document } = readDraft(draftPolicy(model, { rows, origin: 'rows.csv' }));
    expect(document.cost).toEqual({ norm: 'l1', weights: { a: 0.1 } });
  });

  it('takes steps of decimals', () => {
    const rows = [0, 1, 2, 3, 4, 5].map((i) => Float64Array.of(i / 2 + 0.5, Math.sqrt(i), 7));
    const model = smallModel({ features: [number('half'), number('root'), number('fixed')], weights: 3 });
    const { features } = readDraft(draftPolicy(model, { rows, origin: 'rows.csv' })).document;
    expect(features.half.step).toBe(0.5);
    expect(features.root.step).toBe(0.01);
  });

  it('asks about features with one value, and keeps them', () => {
    const rows = [0, 1, 2].map((i) => Float64Array.of(7, i, 1));
    const model = smallModel({
      features: [number('fixed'), number('free'), { name: 'consent', type: 'boolean' }],
      weights: 3,
    });
    const draft = draftPolicy(model, { rows, origin: 'rows.csv' });
    const { features } = readDraft(draft).document;
    expect(features).toMatchObject({
      fixed: { change: 'never' },
      free: { change: 'any' },
      consent: { change: 'never' },
    });
    expect(draft.questioned).toEqual(['fixed', 'consent']);
    expect(draft.text.match(/All rows have the same value/g)).toHaveLength(2);
  });

  it('takes a round step where the unit of the data is too fine or unknown', () => {
    const rows = Array.from({ length: 400 }, (_, i) => {
      const cents = 1000 + ((i * 7919) % 400_000);
      return Float64Array.of(cents / 100, cents, cents / 4, cents * Math.PI, 12.25 * (i % 300));
    });
    const names = ['money', 'whole', 'quarters', 'long', 'odd'];
    const model = smallModel({ features: names.map((name) => number(name)), weights: names.length });
    const draft = draftPolicy(model, { rows, origin: 'rows.csv' });
    const { features } = readDraft(draft).document;
    const steps = names.map((name) => features[name].step);
    expect(steps).toEqual([10, 1000, 200, 5000, 12.25]);
    expect(draft.text).toContain('the step of 10 keeps changes round');
    expect(draft.text).toContain('multiples of 12.25');
  });

  it('knows words of a name, not parts of words', () => {
    const names = [
      'mortgage',
      'average',
      'Sex',
      'country_of_birth',
      'customerId',
      'years_of_experience',
      'duration_months',
    ];
    const model = smallModel({ features: names.map((name) => number(name)), weights: names.length });
    expect(draftPolicy(model, { rows: [], origin: '' }).questioned).toEqual([
      'Sex',
      'country_of_birth',
      'customerId',
      'years_of_experience',
    ]);
  });

  it('offers no order that chance explains, of other units, or by a detour', () => {
    const rows = Array.from({ length: 60 }, (_, i) =>
      Float64Array.of(i % 7, (i % 7) + (i % 5), 20 + (i % 7) + (i % 5), 100 + i, i + 20),
    );
    const features = [number('a'), number('b'), number('far c'), number('d'), number('e', { unit: 'EUR' })];
    const { text, offered } = draftPolicy(smallModel({ features, weights: 5 }), { rows, origin: 'rows.csv' });
    expect(offered).toBe(1);
    expect(text).toContain('// "a <= b",');
  });

  it('quotes names in constraints', () => {
    const rows = Array.from({ length: 60 }, (_, i) => Float64Array.of(i % 7, (i % 7) + (i % 5)));
    const model = smallModel({ features: [number('in'), number('far b')], weights: 2 });
    const { text } = draftPolicy(model, { rows, origin: 'rows.csv' });
    expect(text).toContain('// "`in` <= `far b`",');
  });

  it('allows the categories that were seen', () => {
    const features = [{ name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] }];
    const model = smallModel({ features, weights: 3, samples: [['own'], ['rent'], ['own']] });
    const draft = draftPolicy(model, { rows: model.background.samples, origin: 'the background of the model' });
    expect(readDraft(draft).document.features.housing).toEqual({ change: 'any', allow: ['own', 'rent'] });
  });
});
