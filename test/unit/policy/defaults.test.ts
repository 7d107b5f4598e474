/** The choices that a policy leaves open: bounds and weights from the background. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { withDefaults } from '../../../src/policy/defaults.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { checkShape, planOf } from '../../support/asking.js';
import { creditModel } from '../../support/documents.js';

const BACKGROUND = {
  mad: { age: 8, income: 500 },
  quantiles: { age: [19, 40, 77], income: [300, 1800, 6000] },
};
const known = { ...creditModel(), background: BACKGROUND };
const settled = (policy: object, model: object = known) =>
  withDefaults(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }), loadModel(model));

describe('bounds', () => {
  it('come from the background where neither the policy nor the model has one', () => {
    const { document, defaults } = settled({ features: { housing: { allow: ['own'] } } });
    expect(document.features).toEqual({ housing: { allow: ['own'] }, income: { max: 6000 } });
    expect(defaults).toMatchObject({ bounded: ['income'], unbounded: [] });
  });

  it('of the policy stay, and one beyond the background is the end of the other side', () => {
    expect(settled({ features: { income: { max: 100 } } }).document.features.income).toEqual({ max: 100 });
    const free = { ...known, features: known.features.map(({ min: _, max: __, ...feature }) => feature) };
    expect(settled({ features: { income: { max: 100 } } }, free).document.features.income).toEqual({
      min: 100,
      max: 100,
    });
    expect(settled({ features: { income: { min: 9000 } } }, free).document.features.income).toEqual({
      min: 9000,
      max: 9000,
    });
  });

  it('are left open by `unbounded`, and named where no range is known', () => {
    expect(settled({ unbounded: true })).toMatchObject({
      document: { features: {} },
      defaults: { bounded: [], unbounded: [] },
    });
    expect(settled({}, creditModel()).defaults).toMatchObject({ bounded: [], unbounded: ['income'] });
    const oneWay = { features: { income: { change: 'decrease' } } };
    expect(settled(oneWay)).toMatchObject({
      document: { features: { income: { max: 6000 } } },
      defaults: { bounded: [] },
    });
    const never = { features: { income: { change: 'never' } } };
    expect(settled(never, creditModel()).defaults.unbounded).toEqual([]);
  });

  it('keep answers where data were seen, and a person outside may stay', async () => {
    const policy = { schema: 'elsewise.policy/v1', target: 'approved', features: { housing: { change: 'never' } } };
    const explain = async (more: object, income: number) =>
      checkShape(
        (await planOf(known, { ...policy, ...more })).explain({
          id: 'r',
          features: { age: 19, income, housing: 'rent' },
        }),
      );
    const narrow = { features: { age: { change: 'never' }, housing: { change: 'never' } } };
    const far = { ...known, parameters: { ...known.parameters, bias: -20 } };
    expect((await explain(narrow, 900)).counterfactuals[0].features.income).toBeLessThanOrEqual(6000);
    const blocked = (await planOf(far, { ...policy, ...narrow })).explain({
      id: 'r',
      features: { age: 19, income: 900, housing: 'rent' },
    });
    expect(blocked).toMatchObject({ status: 'infeasible', defaults: { bounds: 'background' } });
    expect(blocked.reason!.blocking).toContain('features.income.max');
    expect((await explain(narrow, 9000)).status).toBe('already');
  });
});

describe('categories and booleans', () => {
  const listed = {
    ...known,
    features: [...known.features, { name: 'consent', type: 'boolean' }],
    parameters: { ...known.parameters, weights: [...known.parameters.weights, 4] },
    background: { ...BACKGROUND, shares: { housing: { own: 0.75, rent: 0.25 }, consent: { false: 1 } } },
  };
  const consent = { consent: { allow: ['false'] } };

  it('have only values with a share, unless the policy lists them', () => {
    const { document, defaults } = settled({}, listed);
    expect(document.features).toEqual({ income: { max: 6000 }, housing: { allow: ['own', 'rent'] }, ...consent });
    expect(defaults.listed).toEqual(['housing', 'consent']);
    const own = { features: { housing: { allow: ['free'] }, consent: { change: 'never' } } };
    expect(settled(own, listed).defaults.listed).toEqual([]);
    expect(settled(own, listed).document.features.housing).toEqual({ allow: ['free'] });
    expect(settled({ unbounded: true }, listed).document.features).toEqual({});
  });

  it('keep answers from values that nobody has, and the result says that the background decided', async () => {
    const row = { id: 'r', features: { age: 19, income: 900, housing: 'rent', consent: false } };
    const policy = { schema: 'elsewise.policy/v1', target: 'approved', features: { income: { max: 1500 } } };
    const answerOf = async (more: object) => (await planOf(listed, { ...policy, ...more })).explain(row);
    const bounded = await answerOf({});
    expect(bounded).toMatchObject({ status: 'found', defaults: { bounds: 'background' } });
    expect(bounded.counterfactuals[0].features.consent).toBe(false);
    expect((await answerOf({ unbounded: true })).counterfactuals[0].features.consent).toBe(true);
  });

  it('have shares of known categories only', () => {
    const load = (shares: object) => loadModel({ ...listed, background: { shares } });
    const refusals: [shares: object, path: string][] = [
      [{ housing: { castle: 1 } }, 'model.background.shares.housing.castle'],
      [{ age: { 41: 1 } }, 'model.background.shares.age'],
      [{ job: { clerk: 1 } }, 'model.background.shares.job'],
      [{ housing: { own: 0 } }, 'model.background.shares.housing'],
      [{ housing: { own: 2 } }, 'model.background.shares.housing.own'],
    ];
    for (const [shares, path] of refusals) expect(() => load(shares)).toThrow(expect.objectContaining({ path }));
    expect(load({ housing: { own: 1 } }).background.shares(load({}).space.features[2])).toEqual(
      Float64Array.of(1, 0, 0),
    );
  });
});

describe('weights', () => {
  it('are those of the MAD under l1 and l2, for the features whose spread is known', () => {
    expect(settled({}).document.cost).toEqual({ norm: 'l1', weights: { age: 1 / 8, income: 1 / 500 } });
    const squared = settled({ cost: { norm: 'l2' } }).document.cost.weights;
    expect(squared).toEqual({ age: 1 / 64, income: 1 / 250_000 });
    const partly = { ...known, background: { mad: { age: 8 } } };
    expect(settled({}, partly)).toMatchObject({
      document: { cost: { weights: { age: 1 / 8 } } },
      defaults: { measured: ['age'], unmeasured: ['income'] },
    });
  });

  it('are none without statistics, under other norms, and on demand', () => {
    expect(settled({}, creditModel()).document.cost.weights).toBe('none');
    expect(settled({ cost: { norm: 'percentile' } }).document.cost.weights).toBe('none');
    expect(settled({ cost: { weights: 'none' } })).toMatchObject({
      document: { cost: { weights: 'none' } },
      defaults: { measured: [] },
    });
    expect(settled({ cost: { weights: { income: 3 } } }).document.cost.weights).toEqual({ income: 3 });
  });

  it('are told in the result, and cost what `mad` costs', async () => {
    const row = { id: 'r', features: { age: 30, income: 1200, housing: 'rent' } };
    const under = async (cost: object) =>
      checkShape((await planOf(known, { schema: 'elsewise.policy/v1', target: 'approved', cost })).explain(row));
    const [chosen, asked, plain] = await Promise.all([{}, { weights: 'mad' }, { weights: 'none' }].map(under));
    expect(chosen.counterfactuals).toEqual(asked.counterfactuals);
    expect([chosen, asked, plain].map(({ defaults }) => defaults)).toEqual([
      { bounds: 'background', weights: 'mad' },
      { bounds: 'background' },
      { bounds: 'background' },
    ]);
  });
});
