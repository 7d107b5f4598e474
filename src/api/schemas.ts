/** The documents that travel over HTTP, by the names they have in the OpenAPI document. */
import { z } from 'zod';
import { listOf, recordOf } from '../documents/collections.js';
import { policySchema } from '../documents/policy-document.js';
import { resultSchema } from '../documents/result-document.js';
import { explanationRequestSchema } from '../jobs/contract.js';
import { jsonSchemas } from '../jobs/schemas.js';
import { batchIdSchema, digestSchema, modelPinSchema } from '../store/batches/manifest.js';
import { problemSchema } from './problem.js';

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
  model: modelPinSchema,
  policy: z.strictObject({ name: z.string(), digest: digestSchema }),
  rows: count,
  answered: count,
  /** Answered rows by status. */
  counts: recordOf(count),
  chunks: count,
  chunksDone: count,
  chunksFailed: count,
});

const modelVersion = z.object({
  name: z.string(),
  version: z.int().min(1),
  digest: digestSchema,
  family: z.string(),
  features: z.int().min(1),
  classes: listOf(z.string()),
  /** The scores may change while the digest stays. */
  volatile: z.literal(true).optional(),
  /** Bytes of the document, before compression. */
  bytes: count,
  pushed: z.iso.datetime(),
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
  modelVersion: sent('ModelVersion', modelVersion),
  modelList: sent('ModelList', modelList),
  problem: sent('Problem', problemSchema),
} as const satisfies Record<string, NamedSchema>;

export type Pending = z.output<typeof pending>;
export type BatchAccepted = z.output<typeof batchAccepted>;
export type BatchStatusDocument = z.output<typeof batchStatus>;
