/**
 * Additive models against a search of all cells: every value that a feature may take with whole numbers, one decimal and categories, and for
 * numbers without decimals the nearest value of each bin. Scores, costs and rules of the search share no code with the product.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureDocument, RowValue } from '../../src/documents/model-document.js';
import type { RegionDocument, ResultDocument } from '../../src/documents/result-document.js';
import { nextDown, nextUp } from '../../src/linalg/floats.js';
import { type AdditiveParameters, additiveClass, additiveSums } from '../support/additive-sums.js';
import { checkShape, planOf } from '../support/asking.js';
import { Dice } from '../support/dice.js';
import { randomAdditive } from '../support/random-additive.js';

type Row = Record<string, RowValue>;

const FEATURES: FeatureDocument[] = [
  { name: 'n', type: 'integer', min: -3, max: 3 },
  { name: 'd', type: 'continuous', min: -1, max: 1, decimals: 1 },
  { name: 'u', type: 'continuous', min: -2, max: 2 },
  { name: 'b', type: 'boolean' },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z', 'w'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high'] },
];
const ORDERS: Record<string, readonly string[]> = { o: ['low', 'mid', 'high'] };
const LISTED: Record<string, RowValue[]> = {
  n: [-3, -2, -1, 0, 1, 2, 3],
  d: Array.from({ length: 21 }, (_, k) => (k - 10) / 10),
  b: [false, true],
  c: ['x', 'y', 'z', 'w'],
  o: ['low', 'mid', 'high'],
};

interface World {
  readonly features: readonly FeatureDocument[];
  readonly parameters: AdditiveParameters;
  readonly classes: number;
  readonly row: Row;
  readonly policy: Record<string, unknown> & {
    target: unknown;
    cost: { norm: string };
    maxChanges?: number;
    features: Record<string, { change: string }>;
  };
}

const CLASSES = ['class 0', 'class 1', 'class 2', 'class 3'];

function drawWorld(seed: number): World {
  const dice = new Dice(seed);
  const features = dice.shuffle(FEATURES).slice(0, dice.integer(2, 4));
  const { parameters, classes } = randomAdditive(dice, 0, features);
  const own = parameters as unknown as AdditiveParameters;
  const row = Object.fromEntries(features.map(({ name }) => [name, drawValue(dice, name)]));
  for (const { name } of features) {
    const before = row[name];
    if (dice.chance(0.15)) row[name] = null;
    if (additiveSums(own, row) === undefined) row[name] = before;
  }
  const target = classes ? dice.pick(CLASSES.slice(0, classes)) : { from: dice.between(0, 1) };
  const rule = () => ({ change: dice.pick(['any', 'any', 'any', 'increase', 'decrease', 'never']) });
  const rules = Object.fromEntries(features.filter(({ name }) => name !== 'c').map(({ name }) => [name, rule()]));
  const maxChanges = dice.pick([{}, {}, { maxChanges: 1 }, { maxChanges: 2 }]);
  const cost = { norm: dice.pick(['l0', 'l1', 'l2']), weights: 'none' };
  const policy = { schema: 'elsewise.policy/v1', target, cost, features: rules, ...maxChanges, region: true };
  return { features, parameters: own, classes, row, policy };
}

const drawValue = (dice: Dice, name: string): RowValue =>
  name === 'u' ? dice.between(-2, 2) : dice.pick(LISTED[name]);

/** All cuts of a feature, with their neighbours. */
function edgesOf({ terms }: AdditiveParameters, feature: string): number[] {
  const cuts = terms.flatMap((term) => [
    ...(term.feature === feature ? (term.cuts ?? []) : []),
    ...(term.features ?? []).flatMap((name, k) => (name === feature ? (term.axes![k].cuts ?? []) : [])),
  ]);
  return cuts.flatMap((cut) => [nextDown(cut), cut, nextUp(cut)]);
}

/** The values that an answer may have: a missing value stays missing. */
function valuesOf({ parameters, row, policy }: World, name: string): RowValue[] {
  const present = row[name];
  if (present === null) return [null];
  const all = name === 'u' ? [...edgesOf(parameters, name).filter((v) => Math.abs(v) <= 2), present] : LISTED[name];
  const change = policy.features[name]?.change ?? 'any';
  const isOpen = (value: RowValue) => {
    const move = rankOf(name, value) - rankOf(name, present);
    return change === 'any' || move === 0 || (change === 'increase' && move > 0) || (change === 'decrease' && move < 0);
  };
  return all.filter((value) => isOpen(value));
}

const rankOf = (name: string, value: RowValue): number =>
  name === 'c' ? LISTED.c.indexOf(value) : (ORDERS[name]?.indexOf(value as string) ?? Number(value));

function costOf({ policy, row }: World, answer: Row): number {
  return Object.keys(row).reduce((sum, name) => {
    if (Object.is(answer[name], row[name]) || answer[name] === row[name]) return sum;
    const move = Math.abs(rankOf(name, answer[name]) - rankOf(name, row[name]));
    if (policy.cost.norm === 'l0' || name === 'c') return sum + 1;
    return sum + (policy.cost.norm === 'l1' ? move : move * move);
  }, 0);
}

const changesOf = ({ row }: World, answer: Row): number =>
  Object.keys(row).filter((name) => answer[name] !== row[name]).length;

function reaches({ parameters, policy, classes }: World, row: Row): boolean {
  const sums = additiveSums(parameters, row)!;
  if (classes) return CLASSES[additiveClass(parameters, sums)] === policy.target;
  return (parameters.link === 'exp' ? Math.exp(sums[0]) : sums[0]) >= (policy.target as { from: number }).from;
}

function points(sets: readonly (readonly [string, readonly RowValue[]])[]): Row[] {
  return sets.reduce<Row[]>(
    (all, [name, values]) => all.flatMap((p) => values.map((v) => ({ ...p, [name]: v }))),
    [{}],
  );
}

/** The least cost of a point that reaches the target; Infinity: none does. */
function leastCost(world: World): number {
  const all = points(world.features.map(({ name }) => [name, valuesOf(world, name)]));
  const isAllowed = (p: Row) => changesOf(world, p) <= (world.policy.maxChanges ?? Infinity) && reaches(world, p);
  return all.filter(isAllowed).reduce((least, point) => Math.min(least, costOf(world, point)), Infinity);
}

/** Points of a box: its ends, and all values of the search in it. */
function boxPoints(world: World, answer: Row, box: RegionDocument['features']): Row[] {
  return points(
    world.features.map(({ name }) => {
      const side = box[name];
      if (!side) return [name, [answer[name]]];
      if ('in' in side) return [name, side.in];
      const [from, to] = [side.from ?? -2, side.to ?? 2];
      const inside = (name === 'u' ? edgesOf(world.parameters, name) : LISTED[name]) as number[];
      return [name, [from, to, ...inside.filter((value) => Number(value) >= from && Number(value) <= to)]];
    }),
  );
}

async function answer(world: World): Promise<ResultDocument> {
  const classes = world.classes ? { classes: CLASSES.slice(0, world.classes) } : {};
  const { features, parameters } = world;
  const model = { schema: 'elsewise.model/v1', name: 'm', family: 'additive', features, ...classes, parameters };
  const plan = await planOf(model, world.policy);
  return checkShape(plan.explain({ id: 'a', features: world.row }));
}

describe('an additive model', () => {
  const tally = { already: 0, infeasible: 0, found: 0, optimal: 0, boxes: 0 } as Record<string, number>;

  it('has the answers of a search of all cells', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
        const world = drawWorld(seed);
        const result = await answer(world);
        const least = reaches(world, world.row) ? 0 : leastCost(world);
        tally[result.status]++;
        expect(result.status).toBe(least === 0 ? 'already' : least === Infinity ? 'infeasible' : 'found');
        for (const { features, cost, proof, region } of result.counterfactuals) {
          const point = features as Row;
          const slack = 1e-6 * (1 + least);
          expect(reaches(world, point)).toBe(true);
          expect(costOf(world, point)).toBeCloseTo(cost, 9);
          expect(cost).toBeGreaterThanOrEqual(least - slack);
          expect(proof.lowerBound ?? 0).toBeLessThanOrEqual(least + slack);
          if (proof.kind === 'optimal') expect(cost).toBeLessThanOrEqual(least + slack);
          tally.optimal += +(proof.kind === 'optimal');
          for (const inside of boxPoints(world, point, region?.features ?? {}))
            expect(reaches(world, inside)).toBe(true);
          tally.boxes += +(region !== undefined);
        }
      }),
      { numRuns: 300, seed: 16 },
    );
    expect(tally.optimal).toBe(tally.found);
    for (const count of Object.values(tally)) expect(count).toBeGreaterThan(20);
  });
});
