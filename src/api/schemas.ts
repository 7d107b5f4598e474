/** The documents that travel over HTTP, by the names they have in the OpenAPI document. */
import { z } from 'zod';
import { auditedAnswerSchema, auditLineSchema, auditSchema } from '../documents/audit-document.js';
import { listOf, recordOf } from '../documents/collections.js';
import { comparisonSchema } from '../documents/comparison-document.js';
import { bandSchema } from '../documents/decision/decision-document.js';
import { forgottenSchema } from '../documents/forgotten-document.js';
import { featureSchema, rowValue } from '../documents/model-document.js';
import { policySchema, targetSchema } from '../documents/policy-document.js';
import { receiptSchema, signedReceiptSchema } from '../documents/receipt-document.js';
import { resultSchema } from '../documents/result-document.js';
import { summarySchema } from '../documents/summary-document.js';
import { explanationRequestSchema } from '../jobs/contract.js';
import { jsonSchemas } from '../jobs/schemas.js';
import { RECEIPT_STATES } from '../receipts/check-receipt.js';
import { batchIdSchema, digestSchema, modelPinSchema } from '../store/batches/manifest.js';
import { OPERATOR_DOCUMENTS } from './operator/operator-documents.js';
import { problemSchema } from './problem.js';
import { instancesRequestSchema, readInstancesSchema } from './rows/instances.js';
import { ROLES } from './tokens.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface NamedSchema<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly zod: S;
  json(): JsonSchema;
}

function sent<S extends z.ZodType>(name: string, zod: S): NamedSchema<S> {
  return { name, zod, json: () => z.toJSONSchema(zod, { io: 'output' }) as JsonSchema };
}

function taken<S extends z.ZodType>(name: string, zod: S): NamedSchema<S> {
  return { name, zod, json: () => z.toJSONSchema(zod, { io: 'input' }) as JsonSchema };
}

const pending = z.strictObject({
  schema: z.literal('elsewise.pending/v1'),
  id: z.string(),
  /** The address of the future answer. */
  location: z.string(),
});

const explanations = z.strictObject({
  schema: z.literal('elsewise.explanations/v1'),
  model: modelPinSchema,
  /** In the order of the rows. */
  explanations: listOf(z.union([resultSchema, pending])),
});

const batchAccepted = z.strictObject({
  schema: z.literal('elsewise.batch-accepted/v1'),
  id: batchIdSchema,
  rows: z.int().min(0),
  chunks: z.int().min(0),
  /** Chunks that were already finished: the upload is a repetition. */
  done: z.int().min(0),
  warnings: listOf(z.string()),
});

const count = z.int().min(0);

const batchStatus = z.strictObject({
  schema: z.literal('elsewise.batch-status/v1'),
  id: batchIdSchema,
  /** `adding`: the upload has not ended, or broke off and can be repeated. */
  state: z.enum(['adding', 'working', 'done', 'failed', 'cancelled']),
  created: z.iso.datetime(),
  /** The name of the token, or user and machine of a command. */
  by: z.string(),
  model: modelPinSchema,
  policy: z.strictObject({ name: z.string(), digest: digestSchema }),
  rows: count,
  answered: count,
  /** Answered rows by status. */
  counts: recordOf(count),
  chunks: count,
  chunksDone: count,
  chunksFailed: count,
  /** The rate over all finished chunks. Null: unknown. */
  rowsPerSecond: z.number().nullable(),
  /** The time for the rest at this rate. Null: unknown, or nothing is left. */
  secondsLeft: z.number().nullable(),
  /** The message about the end of the batch, if the batch names an address. */
  webhook: z
    .strictObject({
      host: z.string(),
      outcome: z.enum(['waiting', 'delivered', 'failed']),
      at: z.iso.datetime().optional(),
      attempts: count.optional(),
      reason: z.string().optional(),
    })
    .optional(),
});

const batchList = z.strictObject({
  schema: z.literal('elsewise.batch-list/v1'),
  batches: listOf(batchStatus),
  /** The address of the next page. Missing: this page is the last. */
  next: z.string().optional(),
});

const modelVersion = z.object({
  name: z.string(),
  version: z.int().min(1),
  digest: digestSchema,
  family: z.string(),
  features: z.int().min(1),
  classes: listOf(z.string()),
  /** The threshold of the decision, where the family has one. */
  threshold: z.number().optional(),
  /** The scores may change while the digest stays. */
  volatile: z.literal(true).optional(),
  /** Bytes of the document, before compression. */
  bytes: count,
  pushed: z.iso.datetime(),
  /** The name of the token, or user and machine of a command. */
  pushedBy: z.string().optional(),
  /** The reason that the caller gave. */
  reason: z.string().optional(),
});

const policyVersion = z.object({
  name: z.string(),
  version: z.int().min(1),
  digest: digestSchema,
  /** The number of features with rules. */
  features: count,
  constraints: count,
  norm: z.string(),
  /** Bytes of the document, before compression. */
  bytes: count,
  pushed: z.iso.datetime(),
  /** The name of the token, or user and machine of a command. */
  pushedBy: z.string().optional(),
  /** The reason that the caller gave. */
  reason: z.string().optional(),
});

const policyList = z.strictObject({ schema: z.literal('elsewise.policy-list/v1'), policies: listOf(policyVersion) });

const aliasList = z.strictObject({
  schema: z.literal('elsewise.alias-list/v1'),
  name: z.string(),
  /** Alias -> number of the version. */
  aliases: recordOf(z.int().min(1)),
});

const aliasMove = z.strictObject({
  version: z
    .union([z.int().min(1), z.string().min(1)])
    .optional()
    .describe('A number, latest, or another alias. Default: latest.'),
  from: z.int().min(1).optional().describe('The alias moves only if it names this version at present.'),
});

const session = z.strictObject({
  schema: z.literal('elsewise.session/v1'),
  /** The name of the token. */
  name: z.string(),
  roles: listOf(z.enum(ROLES)),
});

const signIn = z.strictObject({ token: z.string().min(1).max(512).describe('As `elsewise token` printed it.') });

const predictionRequest = z.strictObject({
  model: z.string().min(1).describe('A model of the registry: `name@version`, `name@alias` or `name`.'),
  features: recordOf(rowValue).describe('The values of the row, by feature.'),
});

const prediction = z.object({
  /** The class, or the number of a regressor. */
  prediction: z.union([z.string(), z.number()]),
  /** The score of each class; empty for a regressor. */
  scores: recordOf(z.number()),
});

const population = z.object({
  schema: z.literal('elsewise.population/v1'),
  model: modelPinSchema,
  /** As in the model document. */
  features: listOf(featureSchema),
  classes: listOf(z.string()),
  classLabels: recordOf(z.string()).optional().describe('Names of the classes for people.'),
  /** For two classes: the score of each class at which the decision changes. */
  thresholds: recordOf(z.number()).optional(),
  bands: listOf(bandSchema).optional().describe('The bands of reported scores, best first.'),
  /** By feature: shares of equal parts of the range, or the share of each value. */
  background: recordOf(
    z.union([
      z.strictObject({ min: z.number(), max: z.number(), shares: listOf(z.number()) }),
      z.strictObject({ values: recordOf(z.number()) }),
    ]),
  ),
  /** Rows of the background. */
  rows: listOf(recordOf(rowValue)),
});

const policyCheckRequest = z.strictObject({
  policy: z.unknown().describe('The policy document, which may have any fault.'),
  model: z
    .string()
    .min(1)
    .optional()
    .describe('A model of the registry. Default: only the form of the policy is checked.'),
});

const policyCheck = z.strictObject({
  schema: z.literal('elsewise.policy-check/v1'),
  /** All faults at once. Empty: the policy is valid. */
  faults: listOf(z.strictObject({ path: z.string(), message: z.string() })),
});

const auditDays = z.strictObject({
  schema: z.literal('elsewise.audit-days/v1'),
  /** In order. */
  days: listOf(
    z.strictObject({
      day: z.iso.date(),
      entries: count,
      records: count,
      digest: digestSchema.describe('The digest of the last entry of the day.'),
      isStored: z.boolean().describe('False: the entries were dropped, or are missing.'),
      dropped: z.iso.datetime().optional().describe('The time at which retention dropped the entries.'),
    }),
  ),
});

const auditCheck = z.strictObject({
  schema: z.literal('elsewise.audit-check/v1'),
  state: z
    .enum(['checking', 'holds', 'broken'])
    .describe('`checking`: a line of progress. The last line is `holds` or `broken`.'),
  /** The day of the last checked entry. */
  day: z.iso.date().optional(),
  entries: count.describe('Entries that hold.'),
  records: count.describe('Records of these entries, with the redacted ones.'),
  redacted: count.optional().describe('Redacted records, in the last line. Their digests hold.'),
  of: count.describe('Entries of the span at the beginning of the check.'),
  /** The digest of the last checked entry, in the last line. */
  head: z.string().optional(),
  /** Days of the span whose entries were dropped, in the last line. */
  dropped: count.optional(),
  fault: z.string().optional().describe('The first fault with its place.'),
});

const replayRequest = z.strictObject({
  number: z.int().min(1).describe('`number` of the record: its entry.'),
  index: z.int().min(0).describe('`index` of the record: its place in the entry.'),
  result: resultSchema.optional().describe('The result of the record. Default: the stored result, while it is stored.'),
  features: recordOf(rowValue).optional().describe('The row, where there is no result.'),
  target: targetSchema.optional().describe('The target of the row, if the policy has none.'),
  policy: z.unknown().optional().describe('The policy document, where the policy of the record is not stored.'),
});

const replay = z.strictObject({
  schema: z.literal('elsewise.replay/v1'),
  verdict: z
    .enum(['same', 'excused', 'differing', 'other-row'])
    .describe(
      '`excused`: time ended a search, and only keys of the search differ. `other-row`: row or target are not the input of the record.',
    ),
  excuse: z.string().optional(),
  differences: listOf(
    z.strictObject({
      path: z.string(),
      before: z.string().optional().describe('JSON of the recorded value.'),
      after: z.string().optional().describe('JSON of the value solved again.'),
    }),
  ).describe('The keys that differ, in the record and in the result.'),
  faults: listOf(z.string()).describe('Faults of the result by itself: scores, policy, proofs.'),
  row: z.enum(['stored', 'result', 'features']).describe('The source of the row.'),
  record: auditSchema.extend({ record: auditedAnswerSchema }),
  solved: auditedAnswerSchema.describe('The record of the row solved again.'),
  software: z.string().describe('Name and version of the program that solved the row again.'),
});

const reference = z.string().min(1).max(210);
const comparedBy = listOf(z.string().min(1).max(200))
  .max(20)
  .default([])
  .describe('Features whose values make groups.');
const policyChange = {
  policy: z
    .unknown()
    .optional()
    .describe('A policy document, or a policy of the registry. Default: the policy of the first side.'),
  allow: listOf(z.string().min(1).max(300))
    .max(100)
    .optional()
    .describe('Entries that the changed policy lacks: `features.age`, `maxChanges`, `constraints[0]`.'),
  merge: z.unknown().optional().describe('A JSON merge patch for the policy (RFC 7396). Null removes a key.'),
};

const whatIfRequest = z.strictObject({
  ...policyChange,
  people: z.enum(['all', 'without-answer']).default('without-answer').describe('The people who are solved again.'),
  rows: z.int().min(1).optional().describe('More people are drawn at random. Default and limit: `api.comparisonRows`.'),
  seed: z.int().min(0).default(1).describe('The seed of the random sample.'),
  by: comparedBy,
});

const comparisonRequest = z.strictObject({
  rows: z.string().min(1).describe('The rows as text: CSV with a header, or NDJSON. At most `api.comparisonRows`.'),
  before: z.strictObject({
    model: reference.describe('A model of the registry: `name@version`, `name@alias` or `name`.'),
    policy: z
      .unknown()
      .optional()
      .describe('A policy document, or a policy of the registry. Default: every feature may change.'),
  }),
  after: z.strictObject({
    model: reference.optional().describe('Default: the model of the first side.'),
    ...policyChange,
  }),
  by: comparedBy,
});

const modelList = z.strictObject({ schema: z.literal('elsewise.model-list/v1'), models: listOf(modelVersion) });

const receiptKeys = z.strictObject({
  /** The key that signs stands first. */
  keys: listOf(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      kid: z.string(),
      x: z.string(),
      alg: z.literal('EdDSA'),
      use: z.literal('sig'),
    }),
  ),
});

const receiptCheckRequest = z.strictObject({
  receipt: z.string().min(1).describe('The receipt: a compact JSON Web Signature.'),
  features: recordOf(rowValue).optional().describe('The row of the receipt.'),
  target: targetSchema.optional().describe('The target of the row. Default: the target of the receipt.'),
  model: reference
    .optional()
    .describe('A model of the registry, whose digest is compared. With `features` the model scores the offers again.'),
  policy: z
    .unknown()
    .optional()
    .describe('A policy of the registry, or a policy document. Default: every feature may change.'),
});

const receiptCheck = z.strictObject({
  schema: z.literal('elsewise.receipt-check/v1'),
  state: z.enum(RECEIPT_STATES),
  words: z.string().describe('The date, or the reason.'),
  receipt: receiptSchema.optional().describe('Present behind a good signature.'),
  notes: listOf(z.string()).describe('Parts that fit, in words.'),
  faults: listOf(z.string()).describe('Parts that do not fit, in words.'),
});

export const SCHEMAS = {
  explanationRequest: taken('ExplanationRequest', explanationRequestSchema),
  /** The policy is checked when the rows are read. */
  instancesRequest: { ...taken('InstancesRequest', instancesRequestSchema), zod: readInstancesSchema },
  explanations: sent('Explanations', explanations),
  policy: taken('Policy', policySchema),
  /** The family's own schema is applied when the model is loaded. */
  model: { name: 'Model', zod: z.unknown(), json: () => jsonSchemas().model },
  result: sent('Result', resultSchema),
  pending: sent('Pending', pending),
  batchAccepted: sent('BatchAccepted', batchAccepted),
  batchStatus: sent('BatchStatus', batchStatus),
  summary: sent('Summary', summarySchema),
  batchList: sent('BatchList', batchList),
  modelVersion: sent('ModelVersion', modelVersion),
  modelList: sent('ModelList', modelList),
  policyVersion: sent('PolicyVersion', policyVersion),
  policyList: sent('PolicyList', policyList),
  aliasList: sent('AliasList', aliasList),
  aliasMove: taken('AliasMove', aliasMove),
  predictionRequest: taken('PredictionRequest', predictionRequest),
  prediction: sent('Prediction', prediction),
  population: sent('Population', population),
  policyCheckRequest: taken('PolicyCheckRequest', policyCheckRequest),
  policyCheck: sent('PolicyCheck', policyCheck),
  whatIfRequest: taken('WhatIfRequest', whatIfRequest),
  comparisonRequest: taken('ComparisonRequest', comparisonRequest),
  comparison: sent('Comparison', comparisonSchema),
  session: sent('Session', session),
  signIn: taken('SignIn', signIn),
  auditDays: sent('AuditDays', auditDays),
  auditCheck: sent('AuditCheck', auditCheck),
  replayRequest: taken('ReplayRequest', replayRequest),
  replay: sent('Replay', replay),
  audit: sent('Audit', auditLineSchema),
  signedReceipt: sent('SignedReceipt', signedReceiptSchema),
  receiptCheckRequest: taken('ReceiptCheckRequest', receiptCheckRequest),
  receiptCheck: sent('ReceiptCheck', receiptCheck),
  receiptKeys: sent('ReceiptKeys', receiptKeys),
  forgotten: sent('Forgotten', forgottenSchema),
  problem: sent('Problem', problemSchema),
  queueList: sent('QueueList', OPERATOR_DOCUMENTS.queueList),
  workerList: sent('WorkerList', OPERATOR_DOCUMENTS.workerList),
  chunkList: sent('ChunkList', OPERATOR_DOCUMENTS.chunkList),
  scheduleList: sent('ScheduleList', OPERATOR_DOCUMENTS.scheduleList),
  letterGroupList: sent('LetterGroupList', OPERATOR_DOCUMENTS.letterGroupList),
  letterList: sent('LetterList', OPERATOR_DOCUMENTS.letterList),
  letter: sent('DeadLetter', OPERATOR_DOCUMENTS.letter),
  actionRequest: taken('ActionRequest', OPERATOR_DOCUMENTS.actionRequest),
  action: sent('Action', OPERATOR_DOCUMENTS.action),
  actionList: sent('ActionList', OPERATOR_DOCUMENTS.actionList),
  operationList: sent('OperationList', OPERATOR_DOCUMENTS.operationList),
} as const satisfies Record<string, NamedSchema>;

export type ReceiptCheckRequest = z.output<typeof receiptCheckRequest>;
export type AuditCheck = z.output<typeof auditCheck>;
export type BatchList = z.output<typeof batchList>;
export type Pending = z.output<typeof pending>;
export type AliasList = z.output<typeof aliasList>;
export type BatchAccepted = z.output<typeof batchAccepted>;
export type BatchStatusDocument = z.output<typeof batchStatus>;
