/** Two clouds of rows in a square, models of several families over them, and the totals of all points of a grid: the judge of terms. */
import type { ResultDocument } from '../../src/documents/result-document.js';
import { loadModel, Scorer } from '../../src/models/load.js';
import { evaluateCost } from '../../src/policy/cost.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { compilePolicy } from '../../src/problems/compile.js';
import { Dice } from './dice.js';
import { twoSplits } from './documents.js';

export const SIDE = 10;

const CLOUDS = ((): number[][] => {
  const dice = new Dice(5);
  return Array.from({ length: 80 }, (_, i) => {
    const [a, b] = i % 2 ? [3, 7] : [8, 3];
    return [a + 0.9 * dice.normal(), b + 1.2 * dice.normal()].map((value) => Math.min(SIDE, Math.max(0, value)));
  });
})();

const isYes = ([a, b]: readonly number[]) => a + 0.6 * b > 7.5;
const CLASSES = ['no', 'yes'];

/** Parameters by family, for numbers that are `scale` times those of the square. */
const PARAMETERS = {
  'logistic-regression': (scale: number) => ({ weights: [1 / scale, 0.6 / scale], bias: -7.5 }),
  mlp: (scale: number) => ({
    layers: [
      {
        weights: [
          [0.6 / scale, -0.1 / scale],
          [0.2 / scale, 0.5 / scale],
        ],
        bias: [-2.5, -2.5],
        activation: 'relu',
      },
      { weights: [[3, 1]], bias: [-1], activation: 'logistic' },
    ],
  }),
  'decision-tree': (scale: number) => twoSplits(5.5 * scale, 1.5 * scale),
  knn: (scale: number) => ({
    samples: CLOUDS.slice(0, 40).map((row) => row.map((value) => value * scale)),
    labels: CLOUDS.slice(0, 40).map((row) => CLASSES[+isYes(row)]),
    k: 3,
  }),
};

export type WorldFamily = keyof typeof PARAMETERS;
export const WORLD_FAMILIES = Object.keys(PARAMETERS) as WorldFamily[];

/** Measures of all kinds, without their limits and weights. */
export const MEASURES = [
  { method: 'isolation-forest', trees: 7, sampleSize: 32 },
  { method: 'density', components: 2 },
  { method: 'density', k: 4 },
  { method: 'autoencoder' },
  { method: 'prototype' },
] as const;

/** The projection onto a + b = SIDE, up to the scale. */
const autoencoder = (scale: number) => ({
  layers: [
    { weights: [[0.5, -0.5]], bias: [0], activation: 'identity' },
    { weights: [[1], [-1]], bias: [(SIDE / 2) * scale, (SIDE / 2) * scale], activation: 'identity' },
  ],
});

/** `isGrid`: whole numbers of the square alone, as steps where these are no integers. */
export function worldModel(family: WorldFamily, { isGrid = true, scale = 1 } = {}) {
  const type = isGrid && scale === 1 ? 'integer' : 'continuous';
  const digits = (value: number) => (isGrid ? Math.round(value) : value) * scale;
  return {
    schema: 'elsewise.model/v1',
    name: 'clouds',
    family,
    classes: CLASSES,
    features: ['a', 'b'].map((name) => ({ name, type, min: 0, max: SIDE * scale })),
    parameters: PARAMETERS[family](scale),
    background: { samples: CLOUDS.map((row) => row.map(digits)), autoencoder: autoencoder(scale) },
  };
}

export const worldPolicy = (plausibility: object, more: object = {}) => ({
  schema: 'elsewise.policy/v1',
  target: 'yes',
  unbounded: true,
  cost: { weights: 'none' },
  plausibility,
  effort: 60_000,
  ...more,
});

/** Entries of a policy, and whether a point keeps them, by a second count. */
export const WORLD_ENTRIES: readonly {
  readonly entries: object;
  keeps(from: readonly number[], to: readonly number[]): boolean;
}[] = [
  { entries: {}, keeps: () => true },
  { entries: { maxChanges: 1 }, keeps: ([a, b], to) => a === to[0] || b === to[1] },
  { entries: { constraints: ['a + b <= 11'] }, keeps: (_, [a, b]) => a + b <= 11 },
  { entries: { constraints: ['a <= 7 or b >= 6'] }, keeps: (_, [a, b]) => a <= 7 || b >= 6 },
  {
    entries: { features: { a: { change: 'increase', step: 2 }, b: { maxDecrease: 3 } } },
    keeps: ([a, b], to) => to[0] >= a && (to[0] - a) % 2 === 0 && b - to[1] <= 3,
  },
];

/** What a point costs in all, where it is an answer; Infinity: it is none. */
export function totalAt(model: unknown, policy: unknown, from: readonly number[]) {
  const loaded = loadModel(model);
  const { plausibility, cost } = compilePolicy(loadPolicy(policy).document, loaded);
  const { limit, term } = plausibility!.of([{ kind: 'class', index: 1, margin: 0 }]);
  const scorer = new Scorer(loaded);
  return (point: readonly number[]): number => {
    const columns = Float64Array.from(point);
    scorer.runColumns(columns);
    if (loaded.model.decide(scorer.raw) !== 1 || limit?.holds(columns) === false) return Infinity;
    return evaluateCost(cost, loaded.space, Float64Array.from(from), columns) + (term?.of(columns) ?? 0);
  };
}

/** The least total over a grid of the square. */
export function leastTotal(totalOf: (point: readonly number[]) => number, step = 1, scale = 1): number {
  let least = Infinity;
  const count = Math.round(SIDE / step);
  for (let i = 0; i <= count; i++)
    for (let j = 0; j <= count; j++) least = Math.min(least, totalOf([i * step * scale, j * step * scale]));
  return least;
}

/** The answer of a result, whose numbers say what the policy asked for: a cost, of which the term is a part. */
export function checkedAnswer({ counterfactuals }: ResultDocument, weight: number) {
  const [answer] = counterfactuals;
  const { penalty, term } = answer.plausibility!;
  if (!(penalty! >= 0) || Math.abs(term! - weight * penalty!) > 1e-12 * term!) throw new Error('the term is not told');
  return answer;
}
