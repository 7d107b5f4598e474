/** Small problems over trees with every kind of feature, and their answers by trying all points that a tree can tell apart. */

import { expect } from 'vitest';
import type { FeatureDocument } from '../../src/documents/model-document.js';
import { nextDown, nextDownSingle, nextUp, nextUpSingle } from '../../src/linalg/floats.js';
import { type Feature, gather } from '../../src/models/features.js';
import { type LoadedModel, loadModel } from '../../src/models/load.js';
import { evaluateCost } from '../../src/policy/cost.js';
import { createDomain, type Domain, fillDomain } from '../../src/policy/domain.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { isContinuous, nextValue } from '../../src/policy/values.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import type { Problem } from '../../src/problems/problem.js';
import { solvers } from '../../src/solvers/index.js';
import type { Solver } from '../../src/solvers/solver.js';
import type { Dice } from './dice.js';
import { within } from './quadratic-problems.js';
import { columnCount, generators } from './random-models.js';
import { decimalOf, nearestDouble, plus, times } from './rationals.js';

const ORDINAL: FeatureDocument = {
  name: 'o',
  type: 'categorical',
  encoding: 'ordinal',
  categories: ['p', 'q', 'r', 's'],
};
export const MIXED: FeatureDocument[] = [
  { name: 'a', type: 'continuous', min: -4, max: 4 },
  { name: 'd', type: 'continuous', min: -1, max: 1, decimals: 1 },
  { name: 'n', type: 'integer', min: -3, max: 3 },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z'] },
  ORDINAL,
];
/** Finitely many values only, so that any constraint can be tried out. */
export const LATTICES: FeatureDocument[] = [
  { name: 'd', type: 'continuous', min: -1, max: 1, decimals: 1 },
  { name: 'n', type: 'integer', min: -3, max: 3 },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z'] },
  ORDINAL,
  { name: 'b', type: 'boolean' },
];
/** For `LATTICES`: one between numbers, one with alternatives, one with a condition. */
export const LATTICE_CONSTRAINTS = ['d + n >= 0', 'n >= 1 or c = "x" or o >= "q"', 'b implies d + 0.3 * n <= 0.8'];

interface Tree {
  feature: number[];
  threshold: number[];
  left: number[];
}

export interface Options {
  family?: 'decision-tree' | 'tree-ensemble';
  features: FeatureDocument[];
  norm: string;
  constraints?: readonly string[];
  missing?: boolean;
  scaled?: boolean;
  /** Splits of ranks are sets of them. */
  sets?: boolean;
  /** The domain leaves out some present values. */
  narrowed?: boolean;
}

/** What every method over trees has to cope with, one at a time. */
export const TROUBLES: [name: string, options: Partial<Options>][] = [
  ['plain', {}],
  ['scaled inputs', { scaled: true }],
  ['sets of ranks', { sets: true }],
  ['missing values', { missing: true }],
  ['domains away from the present value', { narrowed: true }],
];

/** As a search for different answers does it: some features have to change. */
function narrow(dice: Dice, domain: Domain): void {
  const { origin, lower, upper } = domain;
  for (const feature of domain.space.features) {
    const { kind, column, width, index } = feature;
    if (dice.chance(0.7)) continue;
    const next = isContinuous(domain, feature) ? origin[column] + 0.3 : nextValue(domain, feature, origin[column], 1);
    if (kind === 'choice') {
      for (let c = column; c < column + width; c++) if (origin[c] === 1) upper[c] = 0;
    } else if (next <= upper[column] && !domain.ranks[index]) lower[column] = next;
  }
}

function drawValue(dice: Dice, feature: FeatureDocument): number {
  if (feature.type === 'categorical') return dice.integer(0, feature.categories.length - 1);
  if (feature.type === 'boolean') return dice.integer(0, 1);
  if (feature.type === 'integer') return dice.integer(-3, 3);
  const value = Math.max(-1, Math.min(1, dice.pick([dice.normal(), 0.5, 1])));
  return feature.decimals === undefined || dice.chance(0.1) ? value : Number(value.toFixed(feature.decimals));
}

function ruleOf(dice: Dice, feature: FeatureDocument, missing: boolean): Record<string, unknown> {
  if (dice.chance(0.1)) return { change: 'never' };
  if (feature.type === 'categorical') {
    if (dice.chance(0.5) || missing) return {};
    return { allow: feature.categories.filter(() => dice.chance(0.6)).concat(feature.categories[0]) };
  }
  const change = dice.chance(0.3) ? { change: dice.pick(['increase', 'decrease']) } : {};
  if (feature.type === 'boolean') return change;
  const step = dice.chance(0.3) ? { step: feature.type === 'integer' ? 2 : 0.3 } : {};
  return { ...change, ...step, ...(dice.chance(0.3) ? { maxIncrease: 1.5 } : {}) };
}

export function sampleOf(dice: Dice, features: readonly FeatureDocument[]): unknown[] {
  return features.map((feature) => {
    const value = drawValue(dice, feature);
    if (feature.type === 'categorical') return feature.categories[value];
    return feature.type === 'boolean' ? value === 1 : value;
  });
}

export interface Posed {
  model: LoadedModel;
  trees: Tree[];
  domain: Domain;
  problem: Problem;
  scale: { mean: number; scale: number }[];
}

export function pose(
  dice: Dice,
  {
    family = 'decision-tree',
    features,
    norm,
    constraints = [],
    missing = false,
    scaled = false,
    sets = false,
    narrowed = false,
  }: Options,
): Posed {
  const columns = columnCount(features);
  const draw = generators[family](dice, columns);
  const trees = (draw.parameters.trees ?? [draw.parameters.tree]) as (Tree & Record<string, unknown>)[];
  const rank = columns - (features.at(-1)!.type === 'boolean' ? 2 : 1);
  for (const tree of sets ? trees : [])
    tree.categories = tree.feature.map((f) => (f === rank ? [0, 1, 2, 3].filter(() => dice.chance(0.5)) : null));
  const scale = Array.from({ length: columns }, () => ({
    mean: scaled ? dice.normal() : 0,
    scale: scaled ? dice.pick([0.37, 2, -1.3]) : 1,
  }));
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    features,
    ...(draw.classes ? { classes: Array.from({ length: draw.classes }, (_, k) => `class ${k}`) } : {}),
    preprocessing: scaled ? [{ type: 'scale', mean: scale.map((s) => s.mean), scale: scale.map((s) => s.scale) }] : [],
    parameters: draw.parameters,
    background: { samples: Array.from({ length: 40 }, () => sampleOf(dice, features)) },
  });
  const policy = {
    schema: 'elsewise.policy/v1',
    cost: { norm, weights: Object.fromEntries(features.map(({ name }) => [name, dice.pick([1, 2, 0.7])])) },
    features: Object.fromEntries(features.map((feature) => [feature.name, ruleOf(dice, feature, missing)])),
    constraints,
    ...(dice.chance(0.5) ? { maxChanges: dice.integer(1, 3) } : {}),
  };
  const compiled = compilePolicy(loadPolicy(policy).document, model);
  const row = Float64Array.from(features, (feature) =>
    missing && dice.chance(0.3) ? Number.NaN : drawValue(dice, feature),
  );
  const domain = createDomain(model.space);
  fillDomain(domain, model.space, compiled.rules, row, model.preprocessing.imputed);
  if (narrowed) narrow(dice, domain);
  const goal = draw.classes
    ? ({ kind: 'class', index: dice.integer(0, draw.classes - 1), margin: dice.pick([0, 0, 0.1]) } as const)
    : ({ kind: 'interval', index: 0, from: dice.normal() + 0.5, to: Infinity } as const);
  return { model, trees, domain, scale, problem: compileProblems(model, compiled, goal)[0] };
}

/** Every value of a feature in the domain that the tree could tell from another, by columns. */
function optionsOf(feature: Feature, { trees, domain, scale }: Posed): number[][] {
  const { column, width, kind, index, decimals } = feature;
  const { origin, lower, upper, step, ranks } = domain;
  const here = [...origin.subarray(column, column + width)];
  if (Number.isNaN(here[0])) return [here];
  if (kind === 'choice') {
    const all = here.map((_, k) => here.map((__, i) => +(i === k)));
    return all.filter((_, k) => upper[column + k] > 0);
  }
  const values = decimals >= 0 || step[index] > 0 ? [here[0]] : [here[0], lower[column], upper[column]];
  if (step[index] > 0) {
    const point = (k: number) => nearestDouble(plus(decimalOf(here[0]), times(decimalOf(step[index]), BigInt(k))));
    for (let k = -50; k <= 50; k++) values.push(point(k));
  } else if (decimals >= 0) {
    for (let k = -50; k <= 50; k++) values.push(Number((k * 0.1).toFixed(1)));
  } else {
    const cuts = trees.flatMap(({ threshold, left, feature: split }) =>
      threshold.filter((_, n) => left[n] >= 0 && split[n] === column),
    );
    const around = (t: number) => [t, nextUp(t), nextDown(t), Math.fround(t), ...roundingEnds(t)];
    const back = (t: number) => t * scale[column].scale + scale[column].mean;
    for (const t of cuts.flatMap(around)) values.push(back(t), nextUp(back(t)), nextDown(back(t)));
  }
  const isIn = (v: number) => v >= lower[column] && v <= upper[column] && ranks[index]?.[v] !== 0;
  return [...new Set(values)].filter(isIn).map((v) => [v]);
}

/** Where float32 rounding begins to lead away from the float32 numbers around a threshold. */
function roundingEnds(t: number): number[] {
  const near = [nextDownSingle(Math.fround(t)), Math.fround(t), nextUpSingle(Math.fround(t))];
  return near
    .flatMap((v) => [(v + nextUpSingle(v)) / 2, (v + nextDownSingle(v)) / 2])
    .flatMap((v) => [nextDown(v), v, nextUp(v)]);
}

export function priceOf({ space, cost }: Problem, origin: Float64Array, x: Float64Array): number {
  const from = new Float64Array(space.features.length);
  const to = from.slice();
  gather(space, origin, from);
  gather(space, x, to);
  for (const f of from.keys()) if (Number.isNaN(from[f])) from[f] = to[f] = 0;
  return evaluateCost(cost, space, from, to);
}

const isChanged = ({ column, width }: Feature, origin: Float64Array, x: Float64Array): boolean =>
  Array.from({ length: width }, (_, k) => column + k).some((c) => x[c] !== origin[c] && !Number.isNaN(origin[c]));

export function keepsPolicy(
  { space, links, clauses, maxChanges }: Problem,
  origin: Float64Array,
  x: Float64Array,
): boolean {
  // A missing number keeps no row; a missing category is none of them.
  const kept = ({ a, lower, upper }: Problem['links'][number]) => {
    const terms = Array.from(a, (weight, c) => (weight === 0 ? 0 : weight * x[c]));
    const isChoice = (c: number) => space.features[space.owner[c]].kind === 'choice';
    const value = terms.reduce((sum, term, c) => sum + (Number.isNaN(term) && isChoice(c) ? 0 : term), 0);
    return value >= lower - 1e-9 && value <= upper + 1e-9;
  };
  return (
    space.features.filter((feature) => isChanged(feature, origin, x)).length <= maxChanges &&
    links.every(kept) &&
    clauses.every(({ rows }) => rows.some(kept))
  );
}

function bruteForce(posed: Posed): number {
  const { problem, domain } = posed;
  const { features } = problem.space;
  const options = features.map((feature) => optionsOf(feature, posed));
  const x = domain.origin.slice();
  let best = Infinity;
  const visit = (f: number): void => {
    if (f < features.length) {
      for (const option of options[f]) {
        x.set(option, features[f].column);
        visit(f + 1);
      }
      return;
    }
    const cost = priceOf(problem, domain.origin, x);
    if (cost < best && keepsPolicy(problem, domain.origin, x) && problem.holds(x)) best = cost;
  };
  visit(0);
  return best;
}

/** Checks a solver's outcome against enumeration; returns whether there was an answer. */
export function checkAgainstAll(solver: Solver, posed: Posed): boolean {
  const { problem, domain } = posed;
  expect(solver.accepts(problem, solvers)).toBe('exact');
  const expected = bruteForce(posed);
  const outcome = solver.prepare(problem, solvers).solve(domain, within(5000));
  expect(outcome.status).toBe(expected === Infinity ? 'infeasible' : 'solved');
  if (!outcome.x) return false;
  expect(problem.holds(outcome.x)).toBe(true);
  expect(keepsPolicy(problem, domain.origin, outcome.x)).toBe(true);
  const cost = priceOf(problem, domain.origin, outcome.x);
  expect(cost).toBeLessThanOrEqual(expected * (1 + 1e-6) + 1e-9);
  expect(cost).toBeGreaterThanOrEqual(expected * (1 - 1e-5) - 1e-6);
  expect(outcome.lowerBound).toBeLessThanOrEqual(expected * (1 + 1e-9) + 1e-12);
  expect(outcome.lowerBound).toBeGreaterThanOrEqual(cost * (1 - 1e-6) - 1e-9);
  return true;
}
