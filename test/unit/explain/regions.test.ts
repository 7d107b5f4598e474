/** Regions around answers, asked for with `"region": true`, through the library as a user calls it. */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import type { RegionDocument, ResultDocument } from '../../../src/documents/result-document.js';
import { checkShape, planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { creditModel, creditPolicy } from '../../support/documents.js';
import { columnCount, generators } from '../../support/random-models.js';

const regionOf = (result: ResultDocument): RegionDocument => result.counterfactuals[0].region!;

async function explain(model: unknown, policy: Record<string, unknown>, features: Record<string, number | string>) {
  const plan = await planOf(model, { region: true, ...policy });
  return checkShape(plan.explain({ id: 'r', features }));
}

describe('a region', () => {
  it('is left out unless it is asked for', async () => {
    const result = await explain(
      creditModel(),
      { ...creditPolicy(), region: false },
      { age: 40, income: 1100, housing: 'own' },
    );
    expect(result.counterfactuals[0]).not.toHaveProperty('region');
  });

  it('goes from the answer to the end of what the policy allows', async () => {
    const result = await explain(creditModel(), creditPolicy(), { age: 40, income: 1100, housing: 'own' });
    expect(result.counterfactuals[0].changes).toEqual([{ feature: 'income', from: 1100, to: 1200 }]);
    expect(regionOf(result)).toEqual({
      features: { income: { from: 1200, to: 9000 } },
      proof: { kind: 'proved', maximal: true },
    });
  });

  it('leaves an end out where there is none, and rounds the other into it', async () => {
    const features = ['x', 'y'].map((name) => ({ name, type: 'continuous' }));
    const parameters = { weights: [3, 0], bias: -1 };
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'hyperplane',
      features,
      classes: ['no', 'yes'],
      parameters,
    };
    const region = regionOf(await explain(model, { schema: 'elsewise.policy/v1', target: 'yes' }, { x: 0, y: 5 }));
    expect(Object.keys(region.features)).toEqual(['x']);
    expect(region.features.x).not.toHaveProperty('to');
    expect((region.features.x as { from: number }).from).toBeCloseTo(1 / 3, 6);
  });

  it('is held in by constraints between features', async () => {
    const features = ['x', 'y'].map((name) => ({ name, type: 'continuous', decimals: 1 }));
    const parameters = { weights: [1, 0], bias: -0.95 };
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'hyperplane',
      features,
      classes: ['no', 'yes'],
      parameters,
    };
    const policy = { schema: 'elsewise.policy/v1', target: 'yes', constraints: ['x <= 0.5 * y'] };
    const region = regionOf(await explain(model, policy, { x: 0, y: 5 }));
    expect(region.features).toEqual({ x: { from: 1, to: 2.5 } });
  });

  it('lists the categories that would do', async () => {
    const policy = { ...creditPolicy(), features: { age: { change: 'never' }, income: { change: 'never' } } };
    const document = creditModel();
    document.parameters.weights = [0.01, 0.002, 0.4, -0.3, 0.4];
    const region = regionOf(await explain(document, policy, { age: 40, income: 1250, housing: 'rent' }));
    expect(region.features).toEqual({ housing: { in: ['own', 'free'] } });
  });

  it('of several pieces ends where the model itself can no longer tell its distances apart', async () => {
    const features = ['x', 'y'].map((name) => ({ name, type: 'continuous', decimals: 2 }));
    const parameters = {
      prototypes: [
        [0, 0],
        [4, 0],
        [0, 4],
      ],
      labels: ['no', 'yes', 'yes'],
    };
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'lvq',
      features,
      classes: ['no', 'yes'],
      parameters,
    };
    const plan = await planOf(model, { schema: 'elsewise.policy/v1', target: 'yes', region: true });
    const { x } = regionOf(plan.explain({ id: 'r', features: { x: 1, y: 0 } })).features as {
      x: { from: number; to: number };
    };
    expect(x.from).toBe(2.01);
    expect(x.to).toBeGreaterThan(1e14);
    // (x - 4)² and x² are the same double far out, and the tie goes to the first prototype.
    expect(plan.model.predict({ x: x.to, y: 0 }).prediction).toBe('yes');
    expect(plan.model.predict({ x: 1e17, y: 0 }).prediction).toBe('no');
  });
});

const FEATURES: FeatureDocument[] = [
  { name: 'a', type: 'integer', min: -3, max: 3 },
  { name: 'b', type: 'integer', min: -3, max: 3 },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high'] },
];

/** The values that a region leaves a feature. */
function valuesIn(range: RegionDocument['features'][string]): (number | string)[] {
  if ('in' in range) return range.in as string[];
  return Array.from({ length: range.to! - range.from! + 1 }, (_, k) => range.from! + k);
}

/** Every value of a feature. */
const allValues = (feature: FeatureDocument): (number | string)[] =>
  feature.type === 'categorical' ? feature.categories : [-3, -2, -1, 0, 1, 2, 3];

describe.each(['decision-tree', 'tree-ensemble', 'isolation-forest'])('the region of a %s', (family) => {
  it('has no point that fails, and no end that could be moved', async () => {
    let wide = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const dice = new Dice(seed * 31);
      const draw = generators[family](dice, columnCount(FEATURES));
      if (!draw.classes) continue;
      const classes = Array.from({ length: draw.classes }, (_, k) => `class ${k}`);
      const shared = { schema: 'elsewise.model/v1', name: 'm', family, features: FEATURES, classes };
      const target = dice.pick(classes);
      const plan = await planOf(
        { ...shared, parameters: draw.parameters },
        { schema: 'elsewise.policy/v1', target, region: true },
      );
      const row = Object.fromEntries(FEATURES.map((feature) => [feature.name, dice.pick(allValues(feature))]));
      for (const { features, region } of checkShape(plan.explain({ id: 'r', features: row })).counterfactuals) {
        const sets = Object.entries(region!.features).map(([name, range]) => [name, valuesIn(range)] as const);
        const isYes = (values: typeof sets): boolean =>
          points(values).every((point) => plan.model.predict({ ...features, ...point }).prediction === target);
        expect(isYes(sets), `seed ${seed}`).toBe(true);
        expect(region!.proof.maximal).toBe(true);
        if (points(sets).length > 1) wide++;
        for (const [k, [name, values]] of sets.entries())
          for (const more of neighbours(name, values))
            expect(isYes(sets.with(k, [name, [...values, more]])), `seed ${seed}: ${name} ${more}`).toBe(false);
      }
    }
    expect(wide).toBeGreaterThan(10);
  });
});

function points(sets: readonly (readonly [string, (number | string)[]])[]): Record<string, number | string>[] {
  return sets.reduce<Record<string, number | string>[]>(
    (sofar, [name, values]) => sofar.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

/** The values just beyond an end; of a category without order, all others. */
function neighbours(name: string, values: readonly (number | string)[]): (number | string)[] {
  const feature = FEATURES.find((known) => known.name === name)!;
  const all = allValues(feature);
  const others = all.filter((value) => !values.includes(value));
  if (feature.type === 'categorical' && feature.encoding === 'one-hot') return others;
  return others.filter((value) => values.some((inside) => Math.abs(all.indexOf(value) - all.indexOf(inside)) === 1));
}
