/** The result document `elsewise.result/v1`: one JSON line per row. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { finite, rowValue } from './model-document.js';
import { targetSchema } from './policy-document.js';

const features = recordOf(rowValue);
const prediction = z.union([z.string(), finite]);

export const proofSchema = z.strictObject({
  kind: z.enum(['optimal', 'gap', 'heuristic']),
  lowerBound: finite.nullable(),
  gap: finite.nullable(),
});

const rangeSchema = z.strictObject({ from: finite.optional(), to: finite.optional() });
const listSchema = z.strictObject({ in: listOf(rowValue).min(1) });

/** A box around an answer. Every point of the box keeps the target and the policy. Features that it does not name keep their values. */
export const regionSchema = z.strictObject({
  features: recordOf(z.union([rangeSchema, listSchema])),
  proof: z.strictObject({
    kind: z.literal('proved'),
    maximal: z
      .boolean()
      .describe(
        'True: proved that no category and no whole step can be added, and that no end of a continuous feature can be moved out by more than 0.0003 % of its size or of its distance from the answer, whichever is larger. Ends are rounded inwards.',
      ),
  }),
});

const changes = listOf(z.strictObject({ feature: z.string(), from: rowValue, to: rowValue }));

/** The steps from the person to the answer, which is the last step. Each step is a row of the background. */
export const pathSchema = z.strictObject({
  /** The length that the search minimised: the costs of the steps, or these weighted by density. */
  length: finite,
  steps: listOf(
    z.strictObject({
      /** The index of the row in the model's background.samples, from 0. */
      sample: z.int(),
      features,
      prediction,
      score: finite,
      /** The changes from the step before. */
      changes,
      cost: finite,
    }),
  ),
});

/**
 * The shares of the background that are no more plausible than the person and the answer, by the policy's measure, if the model has a
 * background. Where the cost has a term: the answer's penalty, and the term, which is a part of `cost`.
 */
export const shownPlausibilitySchema = z.strictObject({
  person: finite.optional(),
  answer: finite.optional(),
  penalty: finite.optional(),
  term: finite.optional(),
});

export const counterfactualSchema = z.strictObject({
  features,
  prediction,
  score: finite,
  changes,
  cost: finite,
  distances: z.strictObject({ l0: finite, l1: finite, l2: finite }),
  solver: z.string(),
  proof: proofSchema,
  region: regionSchema.optional(),
  /** The lever whose features alone may change, if the policy names levers. */
  lever: z.string().optional(),
  path: pathSchema.optional(),
  plausibility: shownPlausibilitySchema.optional(),
});

/** The budget ended before the decision. */
const undetermined = z.literal('undetermined');

/** The policy without one entry: its cheapest answer, and the proof of its cost among all single entries. */
export const relaxationSchema = z.strictObject({
  entry: z.string(),
  cost: finite,
  changes: counterfactualSchema.shape.changes,
  proof: proofSchema,
});

export const reasonSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  path: z.string().optional(),
  /** Entries of the policy that are proved to block all answers. Empty: the model document itself blocks. */
  blocking: listOf(z.string()).optional(),
  /** Whether `blocking` is irreducible. */
  minimal: z.union([z.boolean(), undetermined]).optional(),
  /**
   * The plausibility of the person, if the policy asks for plausible answers. A row without an answer has no other place for this number.
   */
  plausibility: z.strictObject({ person: finite }).optional(),
  /** Null: the removal of no single entry helps. */
  relaxation: z.union([relaxationSchema, z.null(), undetermined]).optional(),
});

/** The outcome of one lever: answers with its name, or its own reason for their absence. */
export const leverSchema = z.strictObject({
  lever: z.string(),
  status: z.enum(['found', 'infeasible', 'not-found']),
  reason: reasonSchema.optional(),
});

export const resultSchema = z.strictObject({
  schema: z.literal('elsewise.result/v1'),
  id: z.string(),
  status: z.enum(['found', 'already', 'infeasible', 'not-found', 'invalid']),
  model: z.strictObject({ name: z.string(), version: z.int().nullable(), digest: z.string() }),
  policy: z.strictObject({ name: z.string(), digest: z.string() }),
  target: targetSchema.nullable(),
  factual: z.strictObject({ features, prediction, score: finite }).nullable(),
  counterfactuals: listOf(counterfactualSchema),
  reason: reasonSchema.optional(),
  /** In the order of the policy's `levers`. */
  levers: listOf(leverSchema).optional(),
  attempts: listOf(
    z.strictObject({
      solver: z.string(),
      outcome: z.enum(['solved', 'infeasible', 'limit', 'numerical', 'rejected']),
      ms: finite,
    }),
  ),
  degraded: z.boolean(),
  /** The limit that ended the search early: its effort, or the clock. After the clock the answer may differ on another machine. */
  limitedBy: z.enum(['effort', 'time']).optional(),
  seed: z.int(),
  elapsedMs: finite,
});

export type ResultDocument = z.output<typeof resultSchema>;
export type CounterfactualDocument = z.output<typeof counterfactualSchema>;
export type Reason = z.output<typeof reasonSchema>;
export type RegionDocument = z.output<typeof regionSchema>;
export type LeverDocument = z.output<typeof leverSchema>;
export type ShownPath = z.output<typeof pathSchema>;
export type ShownPlausibility = z.output<typeof shownPlausibilitySchema>;
export type Proof = z.output<typeof proofSchema>;
export type Attempt = ResultDocument['attempts'][number];
