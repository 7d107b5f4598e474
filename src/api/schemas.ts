/** The documents that travel over HTTP, by the names they have in the OpenAPI document. */
import { z } from 'zod';
import { auditSchema } from '../documents/audit-document.js';
import { listOf, recordOf } from '../documents/collections.js';
import { featureSchema, rowValue } from '../documents/model-document.js';
import { policySchema } from '../documents/policy-document.js';
import { resultSchema } from '../documents/result-document.js';
import { summarySchema } from '../documents/summary-document.js';
import { explanationRequestSchema } from '../jobs/contract.js';
import { jsonSchemas } from '../jobs/schemas.js';
import { batchIdSchema, digestSchema, modelPinSchema } from '../store/batches/manifest.js';
import { problemSchema } from './problem.js';
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
  /** The score from which on the second of two classes is predicted. */
  threshold: z.number().optional(),
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

const modelList = z.strictObject({ schema: z.literal('elsewise.model-list/v1'), models: listOf(modelVersion) });

export const SCHEMAS = {
  explanationRequest: taken('ExplanationRequest', explanationRequestSchema),
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
  session: sent('Session', session),
  signIn: taken('SignIn', signIn),
  audit: sent('Audit', auditSchema),
  problem: sent('Problem', problemSchema),
} as const satisfies Record<string, NamedSchema>;

export type BatchList = z.output<typeof batchList>;
export type Pending = z.output<typeof pending>;
export type AliasList = z.output<typeof aliasList>;
export type BatchAccepted = z.output<typeof batchAccepted>;
export type BatchStatusDocument = z.output<typeof batchStatus>;
