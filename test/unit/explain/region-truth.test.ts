/**
 * Regions of every family over features with few values: the model itself is asked about every point of a region, ties included, and about
 * the boxes that are one value wider, wherever a region is called maximal.
 */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument, RowValue } from '../../../src/documents/model-document.js';
import type { RegionDocument } from '../../../src/documents/result-document.js';
import type { Plan } from '../../../src/explain/plan.js';
import { checkShape, planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { columnCount, generators } from '../../support/random-models.js';

type Row = Record<string, RowValue>;
type Values = readonly (readonly [string, readonly RowValue[]])[];

const FEATURES: FeatureDocument[] = [
  { name: 'n', type: 'integer', min: -3, max: 3 },
  { name: 'd', type: 'continuous', min: -1, max: 1, decimals: 1 },
  { name: 'b', type: 'boolean' },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high'] },
];
const COLUMNS = columnCount(FEATURES);
const range = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, k) => low + k);
const ALL: Record<string, RowValue[]> = {
  n: range(-3, 3),
  d: range(-10, 10).map((k) => k / 10),
  b: [false, true],
  c: ['x', 'y', 'z'],
  o: ['low', 'mid', 'high'],
};

/** Whole and half numbers where a family stays valid with them: they make scores tie. */
const EXACT = new Set(['weights', 'bias', 'means', 'prototypes', 'value', 'values', 'intercept']);

function coarse(value: unknown, key = ''): unknown {
  if (typeof value === 'number') return EXACT.has(key) ? Math.round(2 * value) / 2 : value;
  if (Array.isArray(value)) return value.map((entry) => coarse(entry, key));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, coarse(entry, name)]));
}

const valuesOf = (name: string, box: RegionDocument['features'][string]): readonly RowValue[] =>
  'in' in box
    ? box.in
    : ALL[name].filter((v) => (v as number) >= (box.from ?? -Infinity) && (v as number) <= (box.to ?? Infinity));

function points(sets: Values): Row[] {
  return sets.reduce<Row[]>(
    (sofar, [name, values]) => sofar.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

/** The sets with one value more, next to those that there are. */
function* wider(sets: Values): Generator<Values> {
  for (const [k, [name, values]] of sets.entries()) {
    const at = values.map((value) => ALL[name].indexOf(value));
    const next = ALL[name].filter(
      (value, i) => !values.includes(value) && (name === 'c' || at.some((j) => Math.abs(i - j) === 1)),
    );
    for (const value of next) yield sets.with(k, [name, [...values, value]]);
  }
}

interface Asked {
  readonly plan: Plan;
  readonly row: Row;
  isAnswer(row: Row): boolean;
}

async function ask(dice: Dice, family: string): Promise<Asked | null> {
  const draw = generators[family](dice, COLUMNS, FEATURES);
  const classes = Array.from({ length: draw.classes }, (_, k) => `class ${k}`);
  const wanted = draw.classes ? dice.shuffle(classes).slice(0, dice.integer(1, 2)) : [];
  const margin = dice.pick([0, 0, 0, 0.5]);
  if (draw.refuses?.({ kind: 'class', index: 0, margin })) return null;
  const constraints = dice.pick([[], [], ['n + 2 * d <= 2'], ['n >= 1 or d >= 0.3']]);
  const target = draw.classes ? wanted : { from: -0.5, to: dice.pick([1, 20]) };
  const plan = await planOf(
    {
      schema: 'elsewise.model/v1',
      name: 'm',
      family,
      features: FEATURES,
      ...(draw.classes ? { classes } : {}),
      parameters: coarse(draw.parameters),
    },
    { schema: 'elsewise.policy/v1', target, margin, constraints, region: true, deadlineMs: 100 },
  );
  const row = Object.fromEntries(FEATURES.map(({ name }) => [name, dice.pick(ALL[name])]));
  return { plan, row, isAnswer: (to) => reaches(plan, to, wanted, margin) && keeps(constraints, to) };
}

/** Through the product's own eye for one row as it is: the target needs no change. */
function reaches(plan: Plan, row: Row, wanted: readonly string[], margin: number): boolean {
  if (margin === 0 && wanted.length) return wanted.includes(plan.model.predict(row).prediction as string);
  return plan.explain({ id: 'p', features: row }).status === 'already';
}

function keeps([constraint]: readonly string[], row: Row): boolean {
  const [n, d] = [row.n as number, row.d as number];
  if (constraint === undefined) return true;
  return constraint.startsWith('n +') ? n + 2 * d <= 2 + 1e-9 : n >= 1 || d >= 0.3;
}

const FAMILIES = Object.keys(generators).filter((family) => !['black-box', 'mlp', 'knn'].includes(family));

describe.each(FAMILIES)('the region of %s', (family) => {
  it('has no point that fails, and is maximal where that is said', async () => {
    let [wide, maximal] = [0, 0];
    for (let seed = 1; seed <= 64; seed++) {
      const dice = new Dice(seed * 4099);
      const asked = await ask(dice, family);
      if (!asked) continue;
      for (const { features, region } of checkShape(asked.plan.explain({ id: 'r', features: asked.row }))
        .counterfactuals) {
        const sets: Values = Object.entries(region!.features).map(([name, box]) => [name, valuesOf(name, box)]);
        const holds = (values: Values) =>
          points(values).every((point) => asked.isAnswer({ ...(features as Row), ...point }));
        expect(holds(sets), `seed ${seed}`).toBe(true);
        if (points(sets).length > 1) wide++;
        if (!region!.proof.maximal) continue;
        maximal++;
        for (const more of wider(sets)) expect(holds(more), `seed ${seed}: ${JSON.stringify(more)}`).toBe(false);
      }
    }
    expect(wide).toBeGreaterThan(2);
    expect(maximal).toBeGreaterThan(2);
  });
});

describe('a region of tiny numbers', () => {
  it('keeps the constraints of the policy at its ends', async () => {
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'linear-regression',
      features: [{ name: 'x', type: 'continuous' }],
      parameters: { weights: [1e8], bias: 0 },
    };
    const policy = {
      schema: 'elsewise.policy/v1',
      target: { to: -1 },
      constraints: ['2 * x >= -2.19e-8'],
      region: true,
    };
    const { counterfactuals } = (await planOf(model, policy)).explain({ id: 'r', features: { x: 0 } });
    const { from } = counterfactuals[0].region!.features.x as { from: number };
    expect(2 * from).toBeGreaterThanOrEqual(-2.19e-8 * (1 + 1e-9));
  });

  it('ends beside an open zero where products still have a sign', async () => {
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'linear-regression',
      features: ['x', 'y'].map((name) => ({ name, type: 'continuous' })),
      parameters: { weights: [0, 1], bias: 0 },
    };
    const policy = { schema: 'elsewise.policy/v1', target: { from: 1 }, constraints: ['0.5 * x < 0'], region: true };
    const { counterfactuals } = (await planOf(model, policy)).explain({ id: 'r', features: { x: 0, y: 0 } });
    const { features, proof } = counterfactuals[0].region!;
    const { to } = features.x as { to: number };
    expect(1e-100 * to).toBeLessThan(0);
    expect(to).toBeGreaterThan(-1e-20);
    expect(proof.maximal).toBe(true);
  });
});

describe('a region that reaches far out', () => {
  it('ends where the class ends, though its other end is out of sight', async () => {
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'gaussian-naive-bayes',
      features: ['x', 'y'].map((name) => ({ name, type: 'continuous' })),
      classes: ['a', 'b', 'c', 'd'],
      parameters: {
        means: [
          [-0.2928, 0.9395],
          [2.216, -0.3091],
          [-1.638, -0.04582],
          [0.003645, -0.3699],
        ],
        variances: [
          [1.064, 0.233],
          [2.856, 1.858],
          [1.182, 2.23],
          [0.2306, 0.9491],
        ],
        priors: [0.25, 0.25, 0.25, 0.25],
      },
    };
    const policy = {
      schema: 'elsewise.policy/v1',
      target: 'c',
      margin: 0.02,
      features: { x: { change: 'never' } },
      region: true,
    };
    const plan = await planOf(model, policy);
    const [{ features, region }] = plan.explain({ id: 'r', features: { x: -0.8955, y: 0.525 } }).counterfactuals;
    expect(features.y).toBeCloseTo(0.158, 3);
    expect((region!.features.y as { to?: number }).to).toBeLessThan(0.159);
  });

  it('is proved at its near corners, beside the rounding of the far ones', async () => {
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'lvq',
      classes: ['no', 'yes'],
      features: [
        { name: 'x', type: 'continuous' },
        { name: 'u', type: 'continuous', decimals: 3, min: -0.004, max: 0.003 },
        { name: 'v', type: 'continuous', decimals: 2, min: -0.036, max: 0.037 },
        { name: 'y', type: 'continuous', min: -3, max: 1 },
      ],
      preprocessing: [{ type: 'affine', matrix: [[-0.6668, 333.2, -14.34, 0.7639]], offset: [0] }],
      parameters: { prototypes: [[-0.3135], [1.216]], labels: ['no', 'yes'] },
      background: { mad: { x: 1.28, u: 1.41, v: 0.585, y: 1.16 } },
    };
    const policy = {
      schema: 'elsewise.policy/v1',
      target: 'yes',
      cost: { norm: 'l2', weights: 'mad' },
      features: { x: { step: 0.3 }, u: { maxIncrease: 0.003 }, y: { maxDecrease: 1.5, min: -2.609 } },
      region: true,
    };
    const plan = await planOf(model, policy);
    const row = { x: 0.75, u: 0.003, v: -0.04, y: -1.109 };
    const { x, y } = plan.explain({ id: 'r', features: row }).counterfactuals[0].region!.features as Record<
      string,
      { from: number; to: number }
    >;
    expect(x.from).toBeLessThan(-1e9);
    expect(plan.explain({ id: 'corner', features: { ...row, x: x.to, y: y.from } }).status).toBe('already');
  });
});
