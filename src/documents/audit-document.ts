/** The audit document `elsewise.audit/v1`: the record of one answer, as one line of NDJSON. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { finite, rowValue } from './model-document.js';
import { proofSchema, resultSchema } from './result-document.js';

export const sha256Schema = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 hexadecimal digits');
const digest = sha256Schema;
const prediction = z.union([z.string(), finite]);

/** An answer without the old values of the person. */
export const offerSchema = z.strictObject({
  changes: recordOf(rowValue).describe('The new values of the changed features. The old values are not recorded.'),
  prediction: prediction.describe('The prediction for the answer.'),
  score: finite.describe('The score of the target for the answer.'),
  cost: finite.describe('The cost of the answer.'),
  proof: proofSchema.describe('The knowledge about cheaper answers.'),
  lever: z.string().optional().describe('The group of features, where the policy names levers.'),
});

export const decisionSchema = z.strictObject({
  prediction: prediction.describe('The prediction for the person.'),
  score: finite.describe('The score of the target for the person.'),
});

/** The part of a record that its answer alone decides. The values of the person are not in it. */
export const auditedAnswerSchema = z.strictObject({
  id: z.string().describe('The id of the row.'),
  input: digest
    .nullable()
    .describe(
      'The SHA-256 of `{"features": ..., "target": ...}`: `factual.features` and `target` of the result, as JSON without spaces. Null: the row could not be read.',
    ),
  status: resultSchema.shape.status,
  decision: decisionSchema
    .nullable()
    .describe('The decision of the model about the person. Null: the row could not be read.'),
  answers: listOf(
    z.strictObject({
      ...offerSchema.omit({ lever: true }).shape,
      solver: z.string().describe('The solver that found the answer.'),
      lever: offerSchema.shape.lever,
    }),
  ).describe('The answers, cheapest first.'),
  reason: z
    .strictObject({
      code: z.string().describe('The kind of reason.'),
      blocking: listOf(z.string()).optional().describe('Entries of the policy that block all answers.'),
    })
    .optional()
    .describe('The reason of a row without an answer. Messages are left out: they may quote values.'),
  attempts: listOf(
    z.strictObject({
      solver: z.string().describe('The name of the solver.'),
      outcome: z.string().describe('The end of its attempt.'),
    }),
  ).describe('The solvers that were asked, in order.'),
  degraded: z.boolean().describe('Whether the best solver could not finish.'),
  limitedBy: resultSchema.shape.limitedBy,
});

const pushed = {
  pushed: z.iso.datetime().optional().describe('The time of its push to the registry.'),
  pushedBy: z.string().optional().describe('The name of the token that pushed it, or user and machine of a command.'),
};

const placeInChain = {
  number: z.int().min(1).describe('The number of the entry in the chain, from 1.'),
  day: z.iso.date().describe('The day of the entry (UTC).'),
  previous: digest.nullable().describe('The digest of the entry before. Null: the first entry of all.'),
  time: z.iso.datetime().describe('The time of the record.'),
};

/** The head of an entry: one job of the queue, with all its answers. */
export const auditHeadSchema = z.strictObject({
  schema: z.literal('elsewise.audit/v1').describe('The kind and version of the document.'),
  ...placeInChain,
  software: z.string().describe('Name and version of the program that answered.'),
  source: z
    .enum(['batch', 'event', 'request'])
    .describe('`batch`: a chunk of a batch. `event`: a row over HTTP or a queue. `request`: the stream of requests.'),
  job: z.string().describe('The key of the job. A job has one entry, however often the job was delivered.'),
  batch: z.string().optional().describe('The id of the batch.'),
  by: z.string().nullable().describe('The asker: the name of a token, or user and machine. Null: not known.'),
  model: z
    .strictObject({
      name: z.string().describe('The name of the model.'),
      version: z.int().nullable().describe('The version in the registry.'),
      digest: digest.describe('The SHA-256 of the model document.'),
      ...pushed,
    })
    .describe('The model.'),
  policy: z
    .strictObject({
      name: z.string().describe('The name of the policy.'),
      digest: digest.describe('The SHA-256 of the policy document.'),
      ...pushed,
    })
    .describe('The policy.'),
  threshold: finite.nullable().describe('The threshold of the decision, where the model has one. Null: none.'),
  limits: z
    .strictObject({
      deadlineMs: finite.describe('The time limit of a row in milliseconds.'),
      effort: finite.nullable().describe('The limit of counted work. Null: it follows from `deadlineMs`.'),
    })
    .describe('The limits of the search, from the policy.'),
  seed: z.int().describe('The seed of the policy.'),
  records: z.int().min(1).describe('The number of answers of the entry.'),
  content: digest.describe('The SHA-256 of the bytes of all `leaf` digests of the entry, in order.'),
});

export const auditSchema = auditHeadSchema.extend({
  entry: digest.describe(
    'The SHA-256 of the keys before this one, as JSON without spaces. The next entry names it as `previous`.',
  ),
  index: z.int().min(0).describe('The place of the answer in its entry, from 0.'),
  leaf: digest.describe('The SHA-256 of `record`, as JSON without spaces.'),
  record: auditedAnswerSchema
    .nullable()
    .describe('The answer. Null: the record was redacted, and a later entry `elsewise.audit-redaction/v1` names it.'),
});

/** The entry of a removal of data (`forget`). It has no answers. */
export const auditRedactionHeadSchema = z.strictObject({
  schema: z.literal('elsewise.audit-redaction/v1').describe('The kind and version of the document.'),
  ...placeInChain,
  software: z.string().describe('Name and version of the program that removed the data.'),
  by: z.string().nullable().describe('The name of the token, or user and machine. Null: not known.'),
  subject: digest.describe('The SHA-256 of the id of the row.'),
  redacted: listOf(
    z.strictObject({
      entry: z.int().min(1).describe('The number of the entry.'),
      index: z.int().min(0).describe('The place of the record in its entry, from 0.'),
    }),
  ).describe('The records that were replaced by their `leaf`.'),
});

export const auditRedactionSchema = auditRedactionHeadSchema.extend({
  entry: digest.describe(
    'The SHA-256 of the keys before this one, as JSON without spaces. The next entry names it as `previous`.',
  ),
});

/** An entry of the chain. */
export const chainHeadSchema = z.discriminatedUnion('schema', [auditHeadSchema, auditRedactionHeadSchema]);
/** A line of an export. */
export const auditLineSchema = z.discriminatedUnion('schema', [auditSchema, auditRedactionSchema]);

export type AuditHead = z.output<typeof auditHeadSchema>;
export type AuditDocument = z.output<typeof auditSchema>;
export type AuditedAnswer = z.output<typeof auditedAnswerSchema>;
/** A record that was not redacted. */
export type RecordedAnswer = AuditDocument & { readonly record: AuditedAnswer };
export type AuditRedactionHead = z.output<typeof auditRedactionHeadSchema>;
export type ChainEntryHead = z.output<typeof chainHeadSchema>;
export type AuditLine = z.output<typeof auditLineSchema>;
