/** The policy document `elsewise.policy/v1`: the permitted changes and their costs. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { bounded, finite, positive } from './numbers.js';

const interval = z
  .strictObject({ from: bounded.optional(), to: bounded.optional(), class: z.string().optional() })
  .refine((t) => t.from !== undefined || t.to !== undefined, 'an interval needs from, to or both')
  .refine((t) => t.from === undefined || t.to === undefined || t.from <= t.to, 'from must not be above to');
const around = z.strictObject({ value: bounded, tolerance: bounded.min(0) });

export const targetSchema = z.union([z.string(), listOf(z.string()).min(1), bounded, around, interval]);

export const featureRuleSchema = z.strictObject({
  change: z.enum(['never', 'increase', 'decrease', 'any']).optional(),
  min: bounded.optional(),
  max: bounded.optional(),
  maxIncrease: bounded.min(0).optional(),
  maxDecrease: bounded.min(0).optional(),
  step: positive.optional(),
  allow: listOf(z.union([z.string(), z.boolean()])).optional(),
});

export const costSchema = z.strictObject({
  norm: z.enum(['l0', 'l1', 'l2', 'mahalanobis', 'percentile']).default('l1'),
  weights: z.union([z.enum(['none', 'mad', 'std']), recordOf(positive)]).default('none'),
});

/**
 * `atLeast`: the share of the background that may be less plausible than an answer. Omitted: no limit or, for a forest from the model
 * document without `weight`, the forest's own offset. `weight`: the cost has the term weight x penalty. `components` of a mixture of
 * Gaussians, or the distance to the `k`-th nearest row: two measures of density.
 */
export const plausibilitySchema = z
  .strictObject({
    method: z.enum(['isolation-forest', 'density', 'autoencoder', 'prototype']),
    atLeast: finite.min(0).lt(1).optional(),
    weight: positive.optional(),
    trees: z.int().min(1).max(1000).default(100),
    sampleSize: z.int().min(2).max(100_000).default(256),
    components: z.int().min(1).max(16).optional(),
    k: z.int().min(1).max(1000).optional(),
  })
  .refine(({ method, components, k }) => method === 'density' || (components ?? k) === undefined, {
    path: ['method'],
    message: '"components" and "k" are for the method "density"',
  })
  .refine(({ components, k }) => components === undefined || k === undefined, {
    path: ['k'],
    message: 'stands in place of "components"',
  });

/**
 * A path over rows of the background. `k`: the number of neighbours of a row. `epsilon`: the distance within which rows are neighbours.
 * `atLeast`: the share of the background that is as sparse as the end of the path, or sparser.
 */
export const pathSchema = z
  .strictObject({
    method: z.enum(['knn', 'epsilon', 'density']),
    k: z.int().min(1).max(100).default(10),
    epsilon: positive.optional(),
    atLeast: finite.min(0).lt(1).default(0),
  })
  .refine(({ method, epsilon }) => (method === 'epsilon') === (epsilon !== undefined), {
    path: ['epsilon'],
    message: 'is needed for the method "epsilon", and only there',
  });

/** The largest number of levers for one row. */
const MOST_LEVERS = 32;

/** Groups of features by name. Each group gets its own answers, in which nothing outside the group changes. */
export const leversSchema = recordOf(listOf(z.string()).min(1)).refine((levers) => {
  const names = Object.keys(levers);
  return names.length > 0 && names.length <= MOST_LEVERS && !names.includes('');
}, `expected 1 to ${MOST_LEVERS} groups of features, each with a name`);

export const policySchema = z.strictObject({
  schema: z.literal('elsewise.policy/v1'),
  name: z.string().min(1).max(100).default('policy'),
  description: z.string().optional(),
  target: targetSchema.optional(),
  tolerance: bounded.min(0).optional(),
  cost: costSchema.default({ norm: 'l1', weights: 'none' }),
  features: recordOf(featureRuleSchema).default({}),
  constraints: listOf(z.string().min(1)).default([]),
  maxChanges: z.int().min(1).optional(),
  levers: leversSchema.optional(),
  count: z.int().min(1).max(100).default(1),
  margin: bounded.min(0).default(0),
  plausibility: plausibilitySchema.optional(),
  path: pathSchema.optional(),
  region: z.boolean().default(false),
  deadlineMs: finite.gt(0).default(1000),
  effort: finite.gt(0).optional(),
  gap: finite.min(0).lt(1).default(0),
  memoryMb: z.int().min(1).optional(),
  solvers: listOf(z.string()).min(1).default(['auto']),
  seed: z.int().min(0).default(0),
});

export type PolicyDocument = z.output<typeof policySchema>;
export type PolicyInput = z.input<typeof policySchema>;
export type PlausibilityDocument = z.output<typeof plausibilitySchema>;
export type PathDocument = z.output<typeof pathSchema>;
export type TargetDocument = z.output<typeof targetSchema>;
export type FeatureRuleDocument = z.output<typeof featureRuleSchema>;
