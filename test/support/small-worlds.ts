/**
 * Models of several families over features of few values, each with a policy and a row, for fast-check; and every answer to them
 * by trying all combinations. What a policy allows is written here from the contract, in whole hundredths, and shares no code with
 * src; the class of a row is the model's own word.
 */
import fc from 'fast-check';
import { loadModel } from '../../src/models/load.js';

export type Value = number | string | boolean;
export type Row = Record<string, Value>;

interface Rule {
  change?: 'never' | 'increase' | 'decrease' | 'any';
  min?: number;
  max?: number;
  maxIncrease?: number;
  maxDecrease?: number;
  step?: number;
  allow?: (string | boolean)[];
}

interface FeatureOfFew {
  type: 'integer' | 'continuous' | 'boolean' | 'categorical';
  min?: number;
  max?: number;
  decimals?: number;
  categories?: string[];
  encoding?: 'one-hot' | 'ordinal';
}

interface Part {
  feature: FeatureOfFew;
  rule: Rule;
  value: Value;
  price: number;
  /** A weight per column and class. */
  slopes: number[][];
}

export interface Constraint {
  text: string;
  holds(row: Row): boolean;
}

export interface SmallWorld {
  features: (FeatureOfFew & { name: string })[];
  family: Family;
  parameters: object;
  row: Row;
  rules: Record<string, Rule>;
  prices: Record<string, number>;
  norm: 'l0' | 'l1' | 'l2';
  constraints: Constraint[];
  maxChanges?: number;
}

export const FAMILIES = ['hyperplane', 'decision-tree', 'tree-ensemble', 'gaussian-naive-bayes', 'lvq'] as const;
type Family = (typeof FAMILIES)[number];

export const CLASSES = ['no', 'yes'];
const WIDEST = 3;
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const pruned = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value));
const tenths = (low: number, high: number) => fc.integer({ min: low, max: high }).map((n) => n / 10);
const common = {
  price: fc.constantFrom(0.5, 1, 1, 2, 3),
  slopes: fc.array(fc.array(fc.integer({ min: -6, max: 6 }), { minLength: WIDEST, maxLength: WIDEST }), {
    minLength: 2,
    maxLength: 2,
  }),
};
const direction = fc.constantFrom<Rule['change']>(undefined, undefined, 'any', 'increase', 'decrease', 'never');

const whole: fc.Arbitrary<Part> = fc
  .record({
    feature: fc.constant<FeatureOfFew>({ type: 'integer', min: -3, max: 3 }),
    value: fc.integer({ min: -4, max: 4 }),
    rule: fc.record({
      change: direction,
      min: optional(fc.integer({ min: -3, max: 1 })),
      max: optional(fc.integer({ min: 1, max: 3 })),
      maxIncrease: optional(fc.integer({ min: 0, max: 3 })),
      maxDecrease: optional(fc.integer({ min: 0, max: 3 })),
      step: fc.constantFrom(undefined, undefined, 2, 3),
    }),
    ...common,
  })
  .map(pruned);

/** Its steps may leave the grid of its decimals, and so may the present value: then its step also allows. */
const decimal: fc.Arbitrary<Part> = fc
  .record({
    feature: fc.constant<FeatureOfFew>({ type: 'continuous', min: 0, max: 0.8, decimals: 1 }),
    value: fc.oneof({ weight: 3, arbitrary: tenths(0, 8) }, fc.constantFrom(0.15, 0.33)),
    rule: fc.record({
      change: direction,
      min: optional(fc.constantFrom(0, 0.1, 0.25)),
      max: optional(fc.constantFrom(0.5, 0.6, 0.75)),
      maxIncrease: optional(fc.constantFrom(0, 0.3, 0.6, 0.65)),
      maxDecrease: optional(fc.constantFrom(0, 0.1, 0.3)),
      step: fc.constantFrom(undefined, undefined, 0.1, 0.2, 0.3, 0.25),
    }),
    ...common,
  })
  .map(pruned);

const yesNo: fc.Arbitrary<Part> = fc
  .record({
    feature: fc.constant<FeatureOfFew>({ type: 'boolean' }),
    value: fc.boolean(),
    rule: fc.record({ change: direction, allow: optional(fc.subarray([true, false], { minLength: 1 })) }),
    ...common,
  })
  .map(pruned);

const LABELS = ['a', 'b', 'c'];
const category: fc.Arbitrary<Part> = fc
  .record({
    encoding: fc.constantFrom<'one-hot' | 'ordinal'>('one-hot', 'ordinal'),
    value: fc.constantFrom(...LABELS),
    change: direction,
    allow: optional(fc.subarray(LABELS, { minLength: 1 })),
    ...common,
  })
  .map(({ encoding, value, change, allow, price, slopes }) => {
    const way = encoding === 'ordinal' || change === 'never' ? change : undefined;
    const feature = { type: 'categorical' as const, categories: LABELS, encoding };
    return pruned({ feature, value, rule: { change: way, allow }, price, slopes });
  });

const part = fc.oneof({ weight: 2, arbitrary: whole }, { weight: 2, arbitrary: decimal }, yesNo, category);

/** Numbers to build constraints and parameters from. */
const draws = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 16, maxLength: 16 });

export const smallWorld = (families: readonly Family[] = FAMILIES): fc.Arbitrary<SmallWorld> =>
  fc
    .record({
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
      family: fc.constantFrom(...families),
      norm: fc.constantFrom<SmallWorld['norm']>('l0', 'l1', 'l2'),
      constraints: fc.array(
        fc.record({ at: fc.nat({ max: 8 }), limit: fc.integer({ min: -1, max: 3 }), kind: fc.nat({ max: 2 }) }),
        { maxLength: 2 },
      ),
      isTwice: fc.boolean(),
      maxChanges: fc.constantFrom(undefined, undefined, 1, 2),
      draws,
    })
    .map(({ parts, family, norm, constraints, isTwice, maxChanges, draws }) => {
      const features = parts.map(({ feature }, k) => ({ name: `f${k}`, ...feature }));
      const byName = <T>(read: (part: Part) => T) => Object.fromEntries(parts.map((p, k) => [`f${k}`, read(p)]));
      const written = constraints.flatMap((draw) => constraintOf(features, draw));
      return {
        features,
        family,
        parameters: parametersOf(family, parts, draws),
        row: byName(({ value }) => value),
        rules: byName(({ rule }) => rule),
        prices: byName(({ price }) => price),
        norm,
        constraints: isTwice ? [...written, ...written] : written,
        maxChanges,
      };
    });

const widthOf = (feature: FeatureOfFew) => (isOneHot(feature) ? feature.categories!.length : 1);
const isOneHot = ({ type, encoding }: FeatureOfFew) => type === 'categorical' && encoding === 'one-hot';

const numberOf = (feature: FeatureOfFew, value: Value): number =>
  feature.type === 'categorical' ? feature.categories!.indexOf(String(value)) : Number(value);

function constraintOf(
  features: SmallWorld['features'],
  { at, limit, kind }: { at: number; limit: number; kind: number },
) {
  const ordered = features.filter((feature) => !isOneHot(feature));
  if (!ordered.length) return [];
  const one = ordered[at % ordered.length];
  const other = ordered[(at + 1) % ordered.length];
  const read = (feature: (typeof features)[number], row: Row) => numberOf(feature, row[feature.name]);
  // An eighth of a half: no sum of hundredths is equal to it.
  const end = limit / 2 + 0.0625;
  const ways: Constraint[] = [
    { text: `${one.name} <= ${end}`, holds: (row) => read(one, row) < end },
    { text: `${one.name} + ${other.name} >= ${end}`, holds: (row) => read(one, row) + read(other, row) > end },
    {
      text: `${one.name} <= ${end} or ${other.name} >= ${end}`,
      holds: (row) => read(one, row) < end || read(other, row) > end,
    },
  ];
  return [ways[kind]];
}

function parametersOf(family: Family, parts: readonly Part[], draws: readonly number[]): object {
  const slopes = (k: number) => parts.flatMap((p) => p.slopes[k].slice(0, widthOf(p.feature)));
  const bias = -2 - draws[0] / 60 - 0.0137;
  switch (family) {
    case 'hyperplane':
      return { weights: slopes(0), bias };
    case 'gaussian-naive-bayes': {
      const variances = slopes(0).map((slope) => 0.3 + Math.abs(slope) / 3);
      const means = [slopes(0).map((s) => s / 3), slopes(1).map((s) => s / 3 + 0.01)];
      return { means, variances: [variances, variances.map((v) => 1.7 / (v + 0.3))], priors: [0.9, 0.1] };
    }
    case 'lvq': {
      const prototypes = [slopes(0), slopes(1), slopes(0).map((s) => -s)].map((p) => p.map((s) => s / 3 + 0.0137));
      return { prototypes, labels: ['no', 'yes', 'no'] };
    }
    case 'decision-tree':
      return { tree: treeOf(parts, draws, (k) => (k % 5 === 0 ? [0, 1] : [1, 0])), task: 'classification' };
    case 'tree-ensemble': {
      const trees = [0, 5, 9].map((from) => treeOf(parts, [...draws.slice(from), ...draws], (k) => [(k % 13) - 9]));
      return { trees, aggregation: 'sum', link: 'identity' };
    }
  }
}

/** Three splits, four leaves. */
function treeOf(parts: readonly Part[], draws: readonly number[], leaf: (draw: number) => number[]) {
  const columns = parts.reduce((sum, { feature }) => sum + widthOf(feature), 0);
  const splits = [0, 1, 2].map((k) => draws[k] % columns);
  const thresholds = [3, 4, 5].map((k) => (draws[k] % 40) / 16 - 0.53);
  const value = [[...leaf(0)], [...leaf(0)], [...leaf(0)], ...[6, 7, 8, 10].map((k) => leaf(draws[k]))];
  return {
    feature: [...splits, -1, -1, -1, -1],
    threshold: [...thresholds, 0, 0, 0, 0],
    left: [1, 3, 5, -1, -1, -1, -1],
    right: [2, 4, 6, -1, -1, -1, -1],
    value,
  };
}

export function modelOf({ features, family, parameters }: SmallWorld) {
  return { schema: 'elsewise.model/v1', name: 'small', family, features, classes: CLASSES, parameters };
}

export function policyOf({ rules, prices, norm, constraints, maxChanges }: SmallWorld) {
  return {
    schema: 'elsewise.policy/v1',
    target: 'yes',
    cost: { norm, weights: prices },
    features: rules,
    constraints: constraints.map(({ text }) => text),
    maxChanges,
  };
}

/** Whether a row has the target, remembered by row: the same rows are asked for under many policies. */
export function judgeOf(world: SmallWorld): (row: Row) => boolean {
  const model = loadModel(modelOf(world));
  const known = new Map<string, boolean>();
  return (row) => {
    const key = JSON.stringify(row);
    if (!known.has(key)) known.set(key, model.predict(row).prediction === 'yes');
    return known.get(key)!;
  };
}

const hundredths = (value: number): number => Math.round(value * 100);

/** Every value that a rule allows from here, the present one included. */
function allowedValues(feature: FeatureOfFew, rule: Rule, from: Value): Value[] {
  if (feature.type === 'boolean' || feature.type === 'categorical') return allowedLabels(feature, rule, from);
  const here = hundredths(from as number);
  const { step, min = -Infinity, max = Infinity, maxIncrease = Infinity, maxDecrease = Infinity } = rule;
  const grid = feature.type === 'integer' ? 100 : 10 ** (2 - feature.decimals!);
  const lattice = (to: number) => (step === undefined ? to % grid === 0 : (to - here) % hundredths(step) === 0);
  const [low, high] = [Math.max(hundredths(feature.min!), min * 100), Math.min(hundredths(feature.max!), max * 100)];
  const isAllowed = (to: number) =>
    to <= Math.max(here, high + 1e-9) &&
    to >= Math.min(here, low - 1e-9) &&
    to - here <= maxIncrease * 100 + 1e-9 &&
    here - to <= maxDecrease * 100 + 1e-9 &&
    isAllowedWay(rule, to - here);
  const values: Value[] = [from];
  for (let to = -500; to <= 500; to++) if (to !== here && lattice(to) && isAllowed(to)) values.push(to / 100);
  return values;
}

function allowedLabels(feature: FeatureOfFew, rule: Rule, from: Value): Value[] {
  const all: Value[] = feature.type === 'boolean' ? [false, true] : feature.categories!;
  const isAllowed = (to: Value) =>
    (rule.allow?.includes(to as string) ?? true) && isAllowedWay(rule, numberOf(feature, to) - numberOf(feature, from));
  return all.filter((to) => to === from || isAllowed(to));
}

function isAllowedWay({ change = 'any' }: Rule, delta: number): boolean {
  return change === 'any' || (change === 'increase' && delta > 0) || (change === 'decrease' && delta < 0);
}

/** The cost of every answer; empty: there is none. */
export function costsOfAnswers(world: SmallWorld, reaches: (row: Row) => boolean): number[] {
  const { features, rules, row, constraints, maxChanges = Infinity } = world;
  let rows: Row[] = [{}];
  for (const feature of features) {
    const values = allowedValues(feature, rules[feature.name] ?? {}, row[feature.name]);
    rows = rows.flatMap((sofar) => values.map((value) => ({ ...sofar, [feature.name]: value })));
  }
  const changes = (to: Row) => features.filter(({ name }) => to[name] !== row[name]).length;
  return rows
    .filter((to) => changes(to) <= maxChanges && constraints.every(({ holds }) => holds(to)) && reaches(to))
    .map((to) => features.reduce((sum, feature) => sum + costOf(world, feature, to), 0));
}

function costOf({ row, prices, norm }: SmallWorld, feature: SmallWorld['features'][number], to: Row): number {
  const delta = Math.abs(numberOf(feature, to[feature.name]) - numberOf(feature, row[feature.name]));
  const price = prices[feature.name];
  if (delta === 0) return 0;
  if (norm === 'l0' || isOneHot(feature)) return price;
  return norm === 'l1' ? price * delta : price * delta * delta;
}
