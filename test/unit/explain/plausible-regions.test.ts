/**
 * Regions of answers that must be plausible: no point of one loses the target or is less plausible than asked for, and no end of
 * a maximal one can be moved. Both are looked up by trying every point that the model or the forest could tell from another.
 */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import type { RegionDocument } from '../../../src/documents/result-document.js';
import type { Plan } from '../../../src/explain/plan.js';
import { nextDown, nextUp } from '../../../src/linalg/floats.js';
import { spread } from '../../../src/models/features.js';
import type { TreesAtom } from '../../../src/models/region.js';
import { compilePlausibility } from '../../../src/policy/plausibility/compile-plausibility.js';
import type { PlausibilityLimit } from '../../../src/policy/plausibility/plausibility-measure.js';
import { checkShape, planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { columnCount, generators } from '../../support/random-models.js';

type Value = number | string | null;
type Row = Record<string, Value>;
type Range = RegionDocument['features'][string];

const LOW = -4;
const HIGH = 4;
const FEATURES: FeatureDocument[] = [
  { name: 'a', type: 'continuous', min: LOW, max: HIGH },
  { name: 'n', type: 'integer', min: LOW, max: HIGH },
  { name: 'm', type: 'integer', min: LOW, max: HIGH },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high', 'top'] },
];
const COLUMNS = columnCount(FEATURES);
/** Ends are told with seven digits: this much further out is beyond them. */
const BEYOND = 1e-4;

function drawRow(dice: Dice): Value[] {
  return FEATURES.map((feature) => {
    if (feature.type === 'categorical') return dice.pick(feature.categories);
    const value = Math.max(LOW, Math.min(HIGH, 1.5 * dice.normal()));
    return feature.type === 'integer' ? Math.round(value) : Number(value.toFixed(3));
  });
}

interface Recipe {
  readonly family: string;
  readonly scaled?: boolean;
  /** `m` is missing, and an imputer stands in for it. */
  readonly missing?: boolean;
}

interface Asked {
  readonly plan: Plan;
  readonly plausibility: PlausibilityLimit;
  readonly target: string;
  readonly regions: { readonly answer: Row; readonly region: RegionDocument }[];
}

async function ask(dice: Dice, { family, scaled, missing }: Recipe): Promise<Asked | null> {
  const draw = generators[family](dice, COLUMNS);
  if (!draw.classes) return null;
  const classes = Array.from({ length: draw.classes }, (_, k) => `class ${k}`);
  const scale = { type: 'scale', mean: dice.vector(COLUMNS), scale: dice.vector(COLUMNS, () => dice.pick([2, -0.7])) };
  const impute = { type: 'impute', values: dice.vector(COLUMNS, () => dice.integer(-2, 2)) };
  const model = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    features: FEATURES,
    classes,
    preprocessing: [...(missing ? [impute] : []), ...(scaled ? [scale] : [])],
    parameters: draw.parameters,
    background: { samples: Array.from({ length: 40 }, () => drawRow(dice)) },
  };
  const target = dice.pick(classes);
  const plausibility = { method: 'isolation-forest', atLeast: dice.pick([0, 0.2, 0.6]), trees: 6, sampleSize: 24 };
  const features = missing ? { m: { change: 'never' } } : {};
  const plan = await planOf(model, {
    schema: 'elsewise.policy/v1',
    target,
    plausibility,
    region: true,
    features,
    cost: { norm: dice.pick(['l0', 'l1', 'l2']) },
    deadlineMs: 5000,
  });
  const row = Object.fromEntries(drawRow(dice).map((value, f) => [FEATURES[f].name, value]));
  if (missing) row.m = null;
  const { counterfactuals } = checkShape(plan.explain({ id: 'r', features: row }));
  return {
    plan,
    target,
    plausibility: compilePlausibility(plan.policy.document.plausibility, plan.model)!.of([]).limit!,
    regions: counterfactuals.map(({ features, region }) => ({ answer: features as Row, region: region! })),
  };
}

/** By the model's own score and by the forest's own sum. */
function isAnswer({ plan, plausibility, target }: Asked, row: Row): boolean {
  if (plan.model.predict(row).prediction !== target) return false;
  const values = Float64Array.from(FEATURES, (feature) => {
    const value = row[feature.name];
    if (value === null) return Number.NaN;
    return feature.type === 'categorical' ? feature.categories.indexOf(String(value)) : Number(value);
  });
  const columns = new Float64Array(COLUMNS);
  spread(plan.model.space, values, columns);
  return plausibility.holds(columns);
}

function draw(dice: Dice, name: string, range: Range): Value {
  if ('in' in range) return dice.pick(range.in) as string;
  const [from, to] = [range.from!, range.to!];
  return name === 'a' ? dice.pick([from, to, dice.between(from, to)]) : dice.integer(from, to);
}

/** The values of a range that model or forest could tell apart: ends, and both sides of every cut. */
function valuesIn({ plan, plausibility }: Asked, name: string, range: Range): Value[] {
  const { forest } = plausibility.atom as TreesAtom;
  if ('in' in range) return range.in as string[];
  const [from, to] = [range.from!, range.to!];
  if (name !== 'a') return Array.from({ length: to - from + 1 }, (_, k) => from + k);
  const { map } = plan.model.preprocessing;
  const own = (plan.model.document.parameters as { trees?: { feature: number[]; threshold: number[] }[] }).trees ?? [];
  const cuts = [
    ...[...forest.threshold].filter((_, node) => forest.left[node] >= 0 && forest.feature[node] === 0),
    ...own
      .flatMap(({ feature, threshold }) => threshold.filter((_, node) => feature[node] === 0))
      .map((threshold) => (threshold - map.offset[0]) / map.diagonal![0]),
  ];
  const around = cuts.flatMap((cut) => [cut, nextUp(cut), nextDown(cut), cut + 1e-6, cut - 1e-6]);
  return [...new Set([from, to, ...around])].filter((value) => value >= from && value <= to);
}

/** The ranges with one end moved out a little, one for each way in which that can be done. */
function widened(name: string, range: Range): Range[] {
  if ('in' in range) {
    const feature = FEATURES.find((known) => known.name === name)!;
    const all = feature.type === 'categorical' ? feature.categories : [];
    const others = all.filter((value) => !range.in.includes(value));
    const isNext = (value: string) =>
      range.in.some((own) => Math.abs(all.indexOf(value) - all.indexOf(String(own))) === 1);
    return others.filter((value) => name === 'c' || isNext(value)).map((value) => ({ in: [...range.in, value] }));
  }
  const step = name === 'a' ? BEYOND : 1;
  const [from, to] = [range.from!, range.to!];
  return [
    ...(from - step >= LOW ? [{ from: from - step, to }] : []),
    ...(to + step <= HIGH ? [{ from, to: to + step }] : []),
  ];
}

function holdsThroughout(asked: Asked, answer: Row, ranges: readonly (readonly [string, Range])[]): boolean {
  const visit = (k: number, row: Row): boolean => {
    if (k === ranges.length) return isAnswer(asked, row);
    const [name, range] = ranges[k];
    return valuesIn(asked, name, range).every((value) => visit(k + 1, { ...row, [name]: value }));
  };
  return visit(0, answer);
}

const isWide = (range: Range) => ('in' in range ? range.in.length > 1 : range.from! < range.to!);

const RECIPES: Record<string, Recipe> = {
  'a tree ensemble': { family: 'tree-ensemble' },
  'a tree ensemble behind a scaling': { family: 'tree-ensemble', scaled: true },
  'a tree ensemble and a missing value': { family: 'tree-ensemble', missing: true },
  'a linear model': { family: 'hyperplane' },
  'a linear model behind a scaling': { family: 'hyperplane', scaled: true },
  'a linear model and a missing value': { family: 'hyperplane', missing: true },
};

describe.each(Object.entries(RECIPES))('the plausible region of %s', (_, recipe) => {
  it('has no point that fails, and no end that could be moved', async () => {
    let wide = 0;
    for (let seed = 1; seed <= 90; seed++) {
      const dice = new Dice(seed * 613);
      const asked = await ask(dice, recipe);
      for (const { answer, region } of asked?.regions ?? []) {
        const ranges = Object.entries(region.features);
        const drawPoint = () => Object.fromEntries(ranges.map(([name, range]) => [name, draw(dice, name, range)]));
        for (let k = 0; k < 40; k++) expect(isAnswer(asked!, { ...answer, ...drawPoint() }), `seed ${seed}`).toBe(true);
        expect(holdsThroughout(asked!, answer, ranges), `seed ${seed}`).toBe(true);
        expect(region.proof.maximal, `seed ${seed}`).toBe(true);
        for (const [k, [name, range]] of ranges.entries())
          for (const wider of widened(name, range))
            expect(holdsThroughout(asked!, answer, ranges.with(k, [name, wider])), `seed ${seed}: ${name}`).toBe(false);
        if (ranges.some(([, range]) => isWide(range))) wide++;
      }
    }
    expect(wide).toBeGreaterThan(8);
  });
});
