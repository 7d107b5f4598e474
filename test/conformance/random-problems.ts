/**
 * Random counterfactual problems, seeded: a linear model or a tree, a policy and some people, compiled by
 * the same functions that the product uses. Small enough that every exact solver finishes, mixed enough that they meet
 * integers, steps, categories, ranks with gaps, links, clauses, caps, ties and columns of very different size.
 */
import { policySchema } from '../../src/documents/policy-document.js';
import { type LoadedModel, loadModel } from '../../src/models/load.js';
import { createDomain, type Domain, fillDomain } from '../../src/policy/domain.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import type { Problem } from '../../src/problems/problem.js';

export type Norm = 'l0' | 'l1' | 'l2' | 'mahalanobis' | 'percentile';
export type Kind = 'continuous' | 'integer' | 'step' | 'boolean' | 'ordinal' | 'one-hot';

export interface Recipe {
  readonly norm: Norm;
  readonly kinds: readonly Kind[];
  /** Linear rows of the region. */
  readonly rows: number;
  readonly maxChanges?: number;
  readonly links?: boolean;
  readonly clauses?: boolean;
  /** Columns between 1e-3 and 1e4 in size. */
  readonly badlyScaled?: boolean;
  /** Whole weights and values, so that rows are met exactly and costs tie. */
  readonly ties?: boolean;
  /** Leave some features without bounds. */
  readonly open?: boolean;
  /** A decision tree in place of linear rows; `mixed`: behind a step that mixes the columns. */
  readonly tree?: 'plain' | 'mixed';
}

export interface Case {
  readonly loaded: LoadedModel;
  readonly problem: Problem;
  readonly people: readonly { readonly values: Float64Array; readonly domain: Domain }[];
}

/** mulberry32: small, seeded, good enough. */
export class Dice {
  constructor(private state: number) {}

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  within(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  whole(low: number, high: number): number {
    return Math.floor(this.within(low, high + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)];
  }
}

const CATEGORIES = ['a', 'b', 'c', 'd'];
const RANKS = ['r0', 'r1', 'r2', 'r3', 'r4'];
const SAMPLES = 30;

interface Sketch {
  readonly name: string;
  readonly kind: Kind;
  /** The size of the feature's values. */
  readonly size: number;
}

export function randomCase(recipe: Recipe, seed: number, people = 2): Case {
  const dice = new Dice(seed * 7919 + 1);
  const sketches = recipe.kinds.map((kind, f) => ({ name: `f${f}`, kind, size: sizeOf(kind, recipe, dice) }));
  const samples = Array.from({ length: SAMPLES }, () => sketches.map((sketch) => randomValue(sketch, recipe, dice)));
  const loaded = loadModel(modelDocument(recipe, sketches, samples, dice));
  const policy = policySchema.parse(policyDocument(recipe, sketches, dice));
  const compiled = compilePolicy(policy, loaded);
  const goal = {
    kind: 'class',
    index: recipe.rows === 1 ? dice.whole(0, 1) : dice.whole(0, recipe.rows),
    margin: 0,
  } as const;
  const problem = compileProblems(loaded, compiled, goal)[0];
  return {
    loaded,
    problem,
    people: Array.from({ length: people }, () => randomPerson(loaded, problem, sketches, recipe, dice)),
  };
}

function randomPerson(
  loaded: LoadedModel,
  problem: Problem,
  sketches: readonly Sketch[],
  recipe: Recipe,
  dice: Dice,
): Case['people'][number] {
  const domain = createDomain(loaded.space);
  let values = new Float64Array();
  for (let tries = 0; tries < 20; tries++) {
    values = Float64Array.from(sketches, (sketch) => asNumber(sketch, randomValue(sketch, recipe, dice)));
    fillDomain(domain, loaded.space, problem.rules, values, loaded.preprocessing.imputed);
    if (!problem.holds(domain.origin)) break;
  }
  return { values, domain };
}

function sizeOf(kind: Kind, recipe: Recipe, dice: Dice): number {
  if (kind !== 'continuous' && kind !== 'step') return kind === 'integer' ? 6 : 1;
  return recipe.badlyScaled ? 10 ** dice.whole(-3, 4) : recipe.ties ? 4 : dice.pick([1, 2, 5]);
}

function randomValue({ kind, size }: Sketch, recipe: Recipe, dice: Dice): number | boolean | string {
  if (kind === 'boolean') return dice.chance(0.5);
  if (kind === 'one-hot') return dice.pick(CATEGORIES);
  if (kind === 'ordinal') return dice.pick(RANKS);
  if (kind === 'integer' || recipe.ties) return dice.whole(-size, size);
  return Number(dice.within(-size, size).toPrecision(4));
}

function asNumber({ kind }: Sketch, value: number | boolean | string): number {
  if (kind === 'one-hot') return CATEGORIES.indexOf(value as string);
  return kind === 'ordinal' ? RANKS.indexOf(value as string) : Number(value);
}

function modelDocument(
  recipe: Recipe,
  sketches: readonly Sketch[],
  samples: readonly unknown[][],
  dice: Dice,
): unknown {
  const weights = () =>
    sketches.flatMap(({ kind, size }) => {
      const draw = () => (recipe.ties ? dice.whole(-3, 3) : dice.within(-1, 1) / size);
      return kind === 'one-hot' ? CATEGORIES.map(draw) : [draw()];
    });
  const bias = () => (recipe.ties ? dice.whole(-6, 6) : dice.within(-2, 2));
  const classes = Array.from({ length: recipe.rows + 1 }, (_, k) => `class ${k}`);
  const one = { family: 'hyperplane', parameters: { weights: weights(), bias: bias() } };
  const many = { family: 'softmax-regression', parameters: { weights: classes.map(weights), bias: classes.map(bias) } };
  return {
    schema: 'elsewise.model/v1',
    name: 'random',
    features: sketches.map((sketch) => featureDocument(sketch, recipe)),
    classes,
    ...(recipe.tree ? treeModel(recipe, sketches, classes.length, dice) : recipe.rows === 1 ? one : many),
    background: { samples },
  };
}

const TREE_DEPTH = 4;

function treeModel(recipe: Recipe, sketches: readonly Sketch[], classes: number, dice: Dice): object {
  const sizes = sketches.flatMap(({ kind, size }) => (kind === 'one-hot' ? CATEGORIES.map(() => 1) : [size]));
  const tree = { feature: [], threshold: [], left: [], right: [], value: [] } as Record<string, unknown[]>;
  const grow = (depth: number): number => {
    const node = tree.feature.length;
    const leaf = depth === 0 || dice.chance(0.1);
    const input = dice.whole(0, sizes.length - 1);
    const shares = Array.from({ length: classes }, () => dice.whole(1, 9));
    tree.feature.push(input);
    tree.threshold.push(recipe.ties ? dice.whole(-2, 2) : Number((dice.within(-1, 1) * sizes[input]).toPrecision(4)));
    tree.value.push(shares.map((share) => share / shares.reduce((sum, other) => sum + other, 0)));
    tree.left.push(-1);
    tree.right.push(-1);
    if (!leaf) [tree.left[node], tree.right[node]] = [grow(depth - 1), grow(depth - 1)];
    return node;
  };
  grow(TREE_DEPTH);
  const tidy = recipe.ties ? () => dice.whole(-1, 1) : () => dice.within(-1, 1);
  const matrix = sizes.map((row) => sizes.map((column) => (tidy() * row) / column));
  const compared = { comparison: dice.pick(['<', '<=']), precision: dice.pick(['float32', 'float64']) };
  return {
    family: 'decision-tree',
    parameters: { tree: { ...tree, ...compared }, task: 'classification' },
    ...(recipe.tree === 'mixed' ? { preprocessing: [{ type: 'affine', matrix, offset: sizes.map(() => 0) }] } : {}),
  };
}

function featureDocument({ name, kind, size }: Sketch, recipe: Recipe): unknown {
  if (kind === 'boolean') return { name, type: 'boolean' };
  if (kind === 'one-hot') return { name, type: 'categorical', categories: CATEGORIES };
  if (kind === 'ordinal') return { name, type: 'categorical', categories: RANKS, encoding: 'ordinal' };
  const ends = recipe.open ? {} : { min: -2 * size, max: 2 * size };
  return { name, type: kind === 'integer' ? 'integer' : 'continuous', ...ends };
}

function policyDocument(recipe: Recipe, sketches: readonly Sketch[], dice: Dice): unknown {
  const { norm, maxChanges } = recipe;
  const weighted = norm === 'l1' || norm === 'l2' ? dice.pick(['none', 'mad', 'given']) : dice.pick(['none', 'given']);
  const given = Object.fromEntries(
    sketches.map(({ name }) => [name, recipe.ties ? dice.whole(1, 3) : Number(dice.within(0.3, 3).toFixed(3))]),
  );
  return {
    schema: 'elsewise.policy/v1',
    cost: { norm, weights: weighted === 'given' ? given : recipe.ties ? 'none' : weighted },
    features: Object.fromEntries(sketches.map((sketch) => [sketch.name, ruleDocument(sketch, recipe, dice)])),
    constraints: [
      ...(recipe.links ? linkTexts(sketches, recipe, dice) : []),
      ...(recipe.clauses ? clauseTexts(sketches, dice) : []),
    ],
    ...(maxChanges === undefined ? {} : { maxChanges }),
  };
}

function ruleDocument({ kind, size }: Sketch, recipe: Recipe, dice: Dice): unknown {
  if (dice.chance(0.1)) return { change: 'never' };
  if (kind === 'one-hot') return dice.chance(0.4) ? { allow: ['a', 'c', 'd'] } : {};
  if (kind === 'ordinal') return dice.chance(0.6) ? { allow: ['r0', 'r2', 'r4'] } : {};
  const change = dice.chance(0.25) ? { change: dice.pick(['increase', 'decrease']) } : {};
  if (kind === 'boolean') return change;
  const ends = !recipe.open && dice.chance(0.4) ? { maxIncrease: size, maxDecrease: size } : {};
  return {
    ...change,
    ...ends,
    ...(kind === 'step' ? { step: recipe.ties ? 1 : Number((size / 8).toPrecision(3)) } : {}),
  };
}

const isNumber = ({ kind }: Sketch) => kind === 'continuous' || kind === 'integer' || kind === 'step';

function linkTexts(sketches: readonly Sketch[], recipe: Recipe, dice: Dice): string[] {
  const numbers = sketches.filter(isNumber);
  if (numbers.length < 2) return [];
  const [a, b] = [numbers[0], numbers[numbers.length - 1]];
  const room = recipe.ties ? 1 : Number(dice.within(0.5, 2).toFixed(2));
  const first = `${1 / a.size} * ${a.name} + ${1 / b.size} * ${b.name} <= ${room}`;
  const second = `${a.name} >= ${-1.5 * a.size}`;
  return dice.chance(0.5) ? [first] : [first, second];
}

function clauseTexts(sketches: readonly Sketch[], dice: Dice): string[] {
  const numbers = sketches.filter(isNumber);
  if (!numbers.length) return [];
  const a = dice.pick(numbers);
  const b = dice.pick(numbers);
  const low = Number((dice.within(-0.5, 0.5) * a.size).toPrecision(3));
  const high = Number((dice.within(-0.5, 0.5) * b.size).toPrecision(3));
  const flag = sketches.find(({ kind }) => kind === 'boolean');
  const implied = flag ? [`${flag.name} implies ${a.name} >= ${low}`] : [];
  return [`${a.name} >= ${low} or ${b.name} <= ${high}`, ...implied];
}
