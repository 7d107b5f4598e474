/** The result document `elsewise.result/v1`: one JSON line per row. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { finite, rowValue } from './model-document.js';
import { targetSchema } from './policy-document.js';

const features = recordOf(rowValue);
const prediction = z.union([z.string(), finite]);

export const proofSchema = z.strictObject({
  kind: z
    .enum(['optimal', 'gap', 'heuristic'])
    .describe(
      '`optimal`: no answer costs less. `gap`: a lower bound of the cost is known. `heuristic`: nothing is known about cheaper answers.',
    ),
  lowerBound: finite.nullable().describe('No answer costs less than this number. Null: no bound is known.'),
  gap: finite
    .nullable()
    .describe('The distance of the cost from the lower bound, as a share of the cost. Null: no bound is known.'),
});

const rangeSchema = z.strictObject({
  from: finite.optional().describe('The lower end. Omitted: the feature has no lower end.'),
  to: finite.optional().describe('The upper end. Omitted: the feature has no upper end.'),
});
const listSchema = z.strictObject({ in: listOf(rowValue).min(1).describe('The values, where they are a list.') });

/** A box around an answer. Every point of the box keeps the target and the policy. Features that it does not name keep their values. */
export const regionSchema = z.strictObject({
  features: recordOf(z.union([rangeSchema, listSchema])).describe(
    'The values by feature. A feature that is not named keeps the value of the answer.',
  ),
  proof: z
    .strictObject({
      kind: z
        .literal('proved')
        .describe(
          'Every point of the box that the policy permits (steps, decimals, categories) is proved to be an answer.',
        ),
      maximal: z
        .boolean()
        .describe(
          'True: proved that no category and no whole step can be added, and that no end of a continuous feature can be moved out by more than 0.0003 % of its size or of its distance from the answer, whichever is larger. Ends are rounded inwards.',
        ),
    })
    .describe('The proof of the box.'),
});

const changes = listOf(
  z.strictObject({
    feature: z.string().describe('The name of the feature.'),
    from: rowValue.describe('The value before.'),
    to: rowValue.describe('The value after.'),
  }),
);

/** The steps from the person to the answer, which is the last step. Each step is a row of the background. */
export const pathSchema = z.strictObject({
  length: finite.describe(
    'The length that the search minimised: the sum of the costs of the steps, or this sum weighted by density.',
  ),
  steps: listOf(
    z.strictObject({
      sample: z.int().describe('The index of the row in `background.samples` of the model, from 0.'),
      features: features.describe('The values of the row.'),
      prediction: prediction.describe('The prediction of the model for the row.'),
      score: finite.describe('The score of the target for the row.'),
      changes: changes.describe('The changes from the step before.'),
      cost: finite.describe('The cost of these changes.'),
    }),
  ).describe('The steps in order. The last step is the answer.'),
});

/** The plausibility of the person and of the answer, by the policy's measure. */
export const shownPlausibilitySchema = z.strictObject({
  person: finite
    .optional()
    .describe('The share of the background that is no more plausible than the person. Omitted without a background.'),
  answer: finite
    .optional()
    .describe('The share of the background that is no more plausible than the answer. Omitted without a background.'),
  penalty: finite.optional().describe('The penalty of the answer, where the cost has a term of plausibility.'),
  term: finite.optional().describe('The weight of the policy x `penalty`. The term is a part of `cost`.'),
});

const band = z.string().nullable();

/** The decision layer of the model, as it applies to the row. */
export const decidedSchema = z.strictObject({
  threshold: finite
    .optional()
    .describe('The score of the second class at which the decision changes. Omitted: no single score decides.'),
  band: band
    .optional()
    .describe('The band of the row. Null: the score is below all bands. Omitted: the model has no bands.'),
  calibrated: z.boolean().describe('Whether scores are reported after a calibration.'),
});

export const counterfactualSchema = z.strictObject({
  features: features.describe('The values of the answer, by feature.'),
  prediction: prediction.describe('The prediction of the model for the answer.'),
  score: finite.describe(
    'The probability of the target for the answer, or its raw score where the model has no probabilities. For a regressor, the prediction.',
  ),
  band: band
    .optional()
    .describe('The band of the answer. Null: the score is below all bands. Omitted: the model has no bands.'),
  changes: changes.describe('The changed features, with the values before and after.'),
  cost: finite.describe('The cost of the change, by the `cost` of the policy.'),
  distances: z
    .strictObject({
      l0: finite.describe('The number of changed features.'),
      l1: finite.describe('The sum of absolute differences.'),
      l2: finite.describe('The Euclidean distance.'),
    })
    .describe('Distances in the units of the data, without weights.'),
  solver: z.string().describe('The solver that found the answer.'),
  proof: proofSchema.describe('The knowledge about cheaper answers.'),
  region: regionSchema.optional().describe('A box around the answer, where the policy asks for regions.'),
  lever: z.string().optional().describe('The group of features that alone may change, where the policy names levers.'),
  target: targetSchema.optional().describe('The target of the answer, where the policy names several.'),
  path: pathSchema.optional().describe('The steps from the person to the answer, where the policy asks for a path.'),
  plausibility: shownPlausibilitySchema
    .optional()
    .describe('The plausibility of person and answer, where the policy asks for plausible answers.'),
});

/** The budget ended before the decision. */
const undetermined = z.literal('undetermined');

/** The policy without one entry: its cheapest answer, and the proof of its cost among all single entries. */
export const relaxationSchema = z.strictObject({
  entry: z.string().describe('The entry of the policy that is removed.'),
  cost: finite.describe('The cost of the cheapest answer without the entry.'),
  changes: counterfactualSchema.shape.changes.describe('The changes of this answer.'),
  proof: proofSchema.describe('The knowledge about cheaper answers without a single entry.'),
});

export const reasonSchema = z.strictObject({
  code: z.string().describe('The kind of reason, for programs.'),
  message: z.string().describe('The reason in words.'),
  path: z.string().optional().describe('The place of the fault in the row, for status `invalid`.'),
  faults: listOf(
    z.strictObject({
      path: z.string().describe('The place of the fault in the row.'),
      message: z.string().describe('The fault in words.'),
    }),
  )
    .optional()
    .describe(
      'All faults of the row, where an invalid row has several, at most 100. `path` and `message` are the first of them.',
    ),
  blocking: listOf(z.string())
    .optional()
    .describe(
      'Entries of the policy that are proved to block all answers. An empty list: the model document itself blocks, or values that are missing and stay missing.',
    ),
  minimal: z
    .union([z.boolean(), undetermined])
    .optional()
    .describe(
      'Whether every entry of `blocking` is needed to block. `undetermined`: the budget ended before the decision.',
    ),
  plausibility: z
    .strictObject({ person: finite.describe('The share of the background that is no more plausible than the person.') })
    .optional()
    .describe('The plausibility of the person, where the policy asks for plausible answers.'),
  relaxation: z
    .union([relaxationSchema, z.null(), undetermined])
    .optional()
    .describe(
      'The single entry whose removal gives the cheapest answer. Null: the removal of no single entry helps. `undetermined`: the budget ended before the decision.',
    ),
});

/** A feature that costs a rejected row more than the reference of the policy. */
export const reasonCodeSchema = z.strictObject({
  feature: z.string().describe('The name of the feature.'),
  value: rowValue.describe('The value of the row.'),
  contribution: finite.describe(
    'The part of the difference between the row and the reference that belongs to the feature, in the score before its link.',
  ),
  share: finite.describe('The share of the contribution in all contributions against the target.'),
  alone: z
    .union([z.boolean(), undetermined])
    .describe(
      'Whether a change of this feature alone reaches the target under the policy. True and false are proved. `undetermined`: the budget ended before the decision.',
    ),
});

/** The outcome of one lever: answers with its name, or its own reason for their absence. */
export const leverSchema = z.strictObject({
  lever: z.string().describe('The name of the group of features.'),
  status: z.enum(['found', 'infeasible', 'not-found']).describe('The outcome for this group.'),
  reason: reasonSchema.optional().describe('The reason why this group has no answer.'),
});

/** The outcome of one target of several: answers with this target, or its own reason for their absence. */
export const rungSchema = z.strictObject({
  target: targetSchema.describe('The target.'),
  status: z
    .enum(['found', 'already', 'infeasible', 'not-found'])
    .describe('The outcome for this target. `already`: the row has the target.'),
  reason: reasonSchema.optional().describe('The reason why this target has no answer.'),
});

export const resultSchema = z.strictObject({
  schema: z.literal('elsewise.result/v1').describe('The kind and version of the document.'),
  id: z.string().describe('The id of the row, or its number in the input.'),
  status: z
    .enum(['found', 'already', 'infeasible', 'not-found', 'invalid'])
    .describe(
      '`found`: there are answers. `already`: the row has the target. `infeasible`: proved that the policy permits no answer. `not-found`: nothing was found and nothing was proved. `invalid`: the row is faulty.',
    ),
  model: z
    .strictObject({
      name: z.string().describe('The name of the model.'),
      version: z.int().nullable().describe('The version in the registry. Null: the model came from a file.'),
      digest: z.string().describe('The SHA-256 of the model document.'),
    })
    .describe('The model that was explained.'),
  policy: z
    .strictObject({
      name: z.string().describe('The name of the policy.'),
      digest: z.string().describe('The SHA-256 of the policy document.'),
    })
    .describe('The policy that was kept.'),
  defaults: z
    .strictObject({
      bounds: z
        .literal('background')
        .optional()
        .describe('Numbers without `min` or `max` in the policy stayed within the range of the background.'),
      weights: z
        .literal('mad')
        .optional()
        .describe('The policy has no weights. The cost was measured in units of the median absolute deviation.'),
    })
    .optional()
    .describe('Choices that the policy left open and that were made for it. Absent: none.'),
  target: targetSchema
    .nullable()
    .describe(
      'The wanted outcome. Null: the row could not be read. Where the policy names several targets: the one that `status` and `reason` are about, which is that of the cheapest answer.',
    ),
  factual: z
    .strictObject({
      features: features.describe('The values of the row, by feature.'),
      prediction: prediction.describe('The prediction of the model for the row.'),
      score: finite.describe(
        'The probability of the target for the row, or its raw score where the model has no probabilities. For a regressor, the prediction.',
      ),
    })
    .nullable()
    .describe('The row as it is. Null: the row is invalid.'),
  decision: decidedSchema.optional().describe('The decision layer of the model. Omitted: the model has none.'),
  counterfactuals: listOf(counterfactualSchema).describe('The answers, cheapest first.'),
  reason: reasonSchema.optional().describe('The reason why there is no answer.'),
  reasons: listOf(reasonCodeSchema)
    .optional()
    .describe(
      'The features that cost a rejected row most, where the policy asks for reasons. The largest cost comes first. Empty: no feature costs more than the reference.',
    ),
  levers: listOf(leverSchema)
    .optional()
    .describe('The outcome of each group of features, in the order of `levers` in the policy.'),
  targets: listOf(rungSchema)
    .optional()
    .describe('The outcome of each target, in the order of `targets` in the policy.'),
  attempts: listOf(
    z.strictObject({
      solver: z.string().describe('The name of the solver.'),
      outcome: z
        .enum(['solved', 'infeasible', 'limit', 'numerical', 'rejected'])
        .describe(
          '`solved` and `infeasible` are proved. `limit`: the budget ended. `numerical`: rounding prevented a proof. `rejected`: the model did not confirm the answer.',
        ),
      ms: finite.describe('The time of the attempt in milliseconds.'),
    }),
  ).describe('The solvers that were tried, in order.'),
  degraded: z.boolean().describe('Whether the search ended before a proof.'),
  limitedBy: z
    .enum(['effort', 'time'])
    .optional()
    .describe(
      'The limit that ended the search early. After `effort` the same row gives the same answer on every machine. After `time` the answer may differ on another machine.',
    ),
  seed: z.int().describe('The seed of the policy.'),
  elapsedMs: finite.describe('The time of the row in milliseconds.'),
});

export type ResultDocument = z.output<typeof resultSchema>;
export type CounterfactualDocument = z.output<typeof counterfactualSchema>;
export type Reason = z.output<typeof reasonSchema>;
export type ReasonCode = z.output<typeof reasonCodeSchema>;
export type RegionDocument = z.output<typeof regionSchema>;
export type DecidedDocument = z.output<typeof decidedSchema>;
export type RungDocument = z.output<typeof rungSchema>;
export type LeverDocument = z.output<typeof leverSchema>;
export type ShownPath = z.output<typeof pathSchema>;
export type ShownPlausibility = z.output<typeof shownPlausibilitySchema>;
export type Proof = z.output<typeof proofSchema>;
export type Attempt = ResultDocument['attempts'][number];
