/** The policy document `elsewise.policy/v1`: the permitted changes and their costs. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { bounded, finite, positive } from './numbers.js';

const interval = z
  .strictObject({
    from: bounded.optional().describe('The lowest score that is wanted. Default: no lower end.'),
    to: bounded.optional().describe('The highest score that is wanted. Default: no upper end.'),
    class: z
      .string()
      .optional()
      .describe('The class whose score is meant. Default: the second of two classes. A regressor has no classes.'),
  })
  .refine((t) => t.from !== undefined || t.to !== undefined, 'an interval needs from, to or both')
  .refine((t) => t.from === undefined || t.to === undefined || t.from <= t.to, 'from must not be above to');
const around = z.strictObject({
  value: bounded.describe('The prediction of a regressor that is wanted.'),
  tolerance: bounded.min(0).describe('The largest distance of the prediction from `value`.'),
});

export const targetSchema = z.union([z.string(), listOf(z.string()).min(1), bounded, around, interval]);

export const featureRuleSchema = z.strictObject({
  change: z
    .enum(['never', 'increase', 'decrease', 'any'])
    .optional()
    .describe(
      'The permitted direction of a change. Default: `any`. `increase` and `decrease` need an order: numbers, booleans and ordinal categories have one.',
    ),
  min: bounded
    .optional()
    .describe(
      'The lowest value of an answer. The value of a person whose value is lower may stay, or move towards this end. Numbers only. Default: the smallest value of the background, if known.',
    ),
  max: bounded
    .optional()
    .describe(
      'The highest value of an answer. The value of a person whose value is higher may stay, or move towards this end. Numbers only. Default: the largest value of the background, if known.',
    ),
  maxIncrease: bounded.min(0).optional().describe('The largest increase from the present value. Numbers only.'),
  maxDecrease: bounded.min(0).optional().describe('The largest decrease from the present value. Numbers only.'),
  step: positive
    .optional()
    .describe(
      'The change is a whole multiple of this number. Default: 1 for integers, any change for continuous features. Numbers only.',
    ),
  allow: listOf(z.union([z.string(), z.boolean()]))
    .optional()
    .describe(
      'The categories of an answer, or `true` and `false`. The present category is always allowed. Default: the categories with a share in `background.shares`, or all categories if the shares are not known.',
    ),
});

export const costSchema = z.strictObject({
  norm: z
    .enum(['l0', 'l1', 'l2', 'mahalanobis', 'percentile'])
    .default('l1')
    .describe(
      'The measure of a change. `l0` counts changed features. `l1` adds up absolute differences. `l2` adds up squared differences. `mahalanobis` uses the covariance of the background. `percentile` measures differences in shares of the background.',
    ),
  weights: z
    .union([z.enum(['none', 'mad', 'std']), recordOf(positive)])
    .optional()
    .describe(
      'The unit of each feature. `none` uses the units of the data. `mad` divides by the median absolute deviation of the background, and `std` by the standard deviation. An object gives a factor by feature, and 1 to features that it does not name. Default: `mad` for `l1` and `l2` where the background knows the feature, otherwise `none`.',
    ),
});

/** Plausibility as a limit, as a term of the cost, or as both. */
export const plausibilitySchema = z
  .strictObject({
    method: z
      .enum(['isolation-forest', 'density', 'autoencoder', 'prototype'])
      .describe(
        'The measure of plausibility. `isolation-forest` and `density` are fitted to rows of the background. `autoencoder` needs `background.autoencoder` in the model. `prototype` measures the distance to rows that have the target.',
      ),
    atLeast: finite
      .min(0)
      .lt(1)
      .optional()
      .describe(
        'The limit, as a share of the background. An answer is at least as plausible as this share of the rows. Default: no limit. A forest from the model document without `weight` has its own offset as the limit.',
      ),
    weight: positive
      .optional()
      .describe('The cost of an answer has the term `weight` x penalty. Default: the cost has no term.'),
    trees: z.int().min(1).max(1000).default(100).describe('The number of trees of an isolation forest.'),
    sampleSize: z
      .int()
      .min(2)
      .max(100_000)
      .default(256)
      .describe('The number of rows for each tree of an isolation forest.'),
    components: z
      .int()
      .min(1)
      .max(16)
      .optional()
      .describe('The number of Gaussians of a mixture. Only for the method `density`.'),
    k: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'Measures density by the distance to the k-th nearest row, in place of a mixture. Only for the method `density`.',
      ),
  })
  .refine(({ method, components, k }) => method === 'density' || (components ?? k) === undefined, {
    path: ['method'],
    message: '"components" and "k" are for the method "density"',
  })
  .refine(({ components, k }) => components === undefined || k === undefined, {
    path: ['k'],
    message: 'stands in place of "components"',
  });

/** A path over rows of the background. */
export const pathSchema = z
  .strictObject({
    method: z
      .enum(['knn', 'epsilon', 'density'])
      .describe(
        'The neighbours of a row. `knn` and `density` connect a row with its `k` nearest rows. `epsilon` connects rows within a distance. `density` prefers steps through dense parts of the background.',
      ),
    k: z.int().min(1).max(100).default(10).describe('The number of neighbours of a row.'),
    epsilon: positive
      .optional()
      .describe('The distance within which rows are neighbours. Needed for the method `epsilon`, and only there.'),
    atLeast: finite
      .min(0)
      .lt(1)
      .default(0)
      .describe('The last row of the path is at least as dense as this share of the background.'),
  })
  .refine(({ method, epsilon }) => (method === 'epsilon') === (epsilon !== undefined), {
    path: ['epsilon'],
    message: 'is needed for the method "epsilon", and only there',
  });

/** The reasons of a rejection, apart from the changes that would help. */
export const reasonsSchema = z.strictObject({
  count: z.int().min(1).max(4).default(4).describe('The largest number of features that are named.'),
  reference: z
    .enum(['population', 'accepted', 'best'])
    .default('population')
    .describe(
      'What a row is compared with. `population`: rows of the background. `accepted`: the row of the background with the target that is nearest by the `cost`. `best`: the best value of each feature, for linear models and for trees that each read one feature.',
    ),
  rows: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe(
      'The largest number of rows of the background for the reference `population` of trees. Out of more rows, these are drawn by the seed of the policy. Other models use all rows.',
    ),
});
/** The largest number of targets for one row. */
const MOST_TARGETS = 20;

/** The largest number of levers for one row. */
const MOST_LEVERS = 32;

/** Groups of features by name. Each group gets its own answers, in which nothing outside the group changes. */
export const leversSchema = recordOf(listOf(z.string()).min(1)).refine((levers) => {
  const names = Object.keys(levers);
  return names.length > 0 && names.length <= MOST_LEVERS && !names.includes('');
}, `expected 1 to ${MOST_LEVERS} groups of features, each with a name`);

/** A person's own wishes on top of a policy. They tighten the policy and never loosen it. */
export const overlaySchema = z.strictObject({
  features: recordOf(featureRuleSchema.omit({ step: true }))
    .default({})
    .describe(
      'Rules by feature, as in the policy but without `step`. An entry that is wider than the policy is refused.',
    ),
  difficulty: recordOf(positive)
    .default({})
    .describe(
      'A factor of the weight by feature. A change of a feature with 2 costs twice as much. The factor changes the order of answers and permits nothing.',
    ),
  maxChanges: z.int().min(1).optional().describe('The largest number of changed features.'),
  count: z.int().min(1).max(20).optional().describe('The number of answers, in place of `count` of the policy.'),
  region: z
    .boolean()
    .optional()
    .describe('Whether each answer comes with a box of values, in place of `region` of the policy.'),
});

export const policySchema = z.strictObject({
  schema: z.literal('elsewise.policy/v1').describe('The kind and version of the document.'),
  name: z
    .string()
    .min(1)
    .max(100)
    .default('policy')
    .describe('The name of the policy. Results and the registry show the name.'),
  description: z.string().optional().describe('Text for people. The program does not read the text.'),
  target: targetSchema
    .optional()
    .describe(
      'The wanted outcome: a class, a list of classes, a number for a regressor, or an interval of scores. A row and `--target` may name another target. Without any target a row is invalid.',
    ),
  targets: listOf(targetSchema)
    .min(1)
    .max(MOST_TARGETS)
    .optional()
    .describe(
      'A ladder of targets in place of `target`, best first. Each gets its own answers with their own proofs. A row and `--target` may name one target instead.',
    ),
  tolerance: bounded
    .min(0)
    .optional()
    .describe(
      'The largest distance of a prediction from a target that is a number. Default: a millionth of the number.',
    ),
  cost: costSchema
    .default({ norm: 'l1' })
    .describe('The cost of a change. The answer is the change with the smallest cost.'),
  features: recordOf(featureRuleSchema)
    .default({})
    .describe(
      'Rules by feature. A feature without a rule may take every value that the model document permits. A number without `min` or `max` stays within the range of the background.',
    ),
  unbounded: z
    .boolean()
    .default(false)
    .describe(
      'Whether answers may leave the background: numbers without `min` or `max` its range, and features without `allow` its categories. Default: answers stay within the background, where the background knows the feature.',
    ),
  constraints: listOf(z.string().min(1))
    .default([])
    .describe(
      'Conditions that every answer meets, such as `monthsAtJob <= monthsEmployed` or `hasGuarantor implies hasCoapplicant`.',
    ),
  maxChanges: z.int().min(1).optional().describe('The largest number of changed features. Default: no limit.'),
  levers: leversSchema
    .optional()
    .describe(
      'Groups of features by name. Each group gets its own answers, in which no feature outside the group changes.',
    ),
  count: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('The number of answers for each row. The answers change different sets of features where possible.'),
  margin: bounded
    .min(0)
    .default(0)
    .describe('The distance past the decision boundary, in score. 0 still means strictly on the side of the target.'),
  plausibility: plausibilitySchema
    .optional()
    .describe('Keeps answers near the background of the model. Default: no such condition.'),
  path: pathSchema
    .optional()
    .describe('Asks for steps from the person to the answer over rows of the background. Default: no steps.'),
  reasons: reasonsSchema
    .optional()
    .describe(
      'Names the features that cost a rejected row most against a reference, with their exact contributions. Default: no reasons.',
    ),
  region: z
    .boolean()
    .default(false)
    .describe(
      'Whether each answer comes with a box of values. Every point of the box that the policy permits (steps, decimals, categories) is an answer as well.',
    ),
  deadlineMs: finite
    .gt(0)
    .default(1000)
    .describe(
      'The limit of computing time for one row, in milliseconds of its thread. Waiting for a processor does not count. `effort` normally ends a search before this limit.',
    ),
  effort: finite
    .gt(0)
    .optional()
    .describe('The budget for one row in counted work. Default: 250 for each millisecond of `deadlineMs`.'),
  gap: finite
    .min(0)
    .lt(1)
    .default(0)
    .describe('The search stops when a cheaper answer is proved to save at most this share of the cost.'),
  memoryMb: z
    .int()
    .min(1)
    .optional()
    .describe(
      'The memory of the exact search in tree ensembles for one row, in megabytes. Default: 256. A search that needs more ends with a gap.',
    ),
  solvers: listOf(z.string())
    .min(1)
    .default(['auto'])
    .describe('The solvers in the order of their use. `auto` selects them by model and cost.'),
  seed: z.int().min(0).default(0).describe('The seed of solvers that draw random numbers.'),
  overlay: overlaySchema
    .optional()
    .describe("A person's own wishes. They tighten the policy and never loosen it. Default: no wishes."),
});

export type PolicyDocument = z.output<typeof policySchema>;
export type OverlayDocument = z.output<typeof overlaySchema>;
export type OverlayInput = z.input<typeof overlaySchema>;
export type OverlayRule = OverlayDocument['features'][string];
export type PolicyInput = z.input<typeof policySchema>;
export type PlausibilityDocument = z.output<typeof plausibilitySchema>;
export type ReasonsDocument = z.output<typeof reasonsSchema>;
export type PathDocument = z.output<typeof pathSchema>;
export type TargetDocument = z.output<typeof targetSchema>;
export type FeatureRuleDocument = z.output<typeof featureRuleSchema>;
