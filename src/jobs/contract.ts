/**
 * The messages of the queues, as schemas: job data that any producer may write, return values that any consumer may read. Jobs carry
 * references. The store holds rows and results. `schemas/` has the same as JSON Schema.
 *
 * Versions are part of the name in `schema`, so workers of two releases can serve one queue.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { recordOf } from '../documents/collections.js';
import { digestOf } from '../documents/digest.js';
import { rowValue } from '../documents/model-document.js';
import { overlaySchema, policySchema, targetSchema } from '../documents/policy-document.js';
import { resultSchema } from '../documents/result-document.js';
import {
  batchIdSchema,
  digestSchema,
  generationOf,
  type Manifest,
  type ModelPin,
  modelPinSchema,
} from '../store/batches/manifest.js';

export const QUEUES = { events: 'elsewise-events', bulk: 'elsewise-bulk' } as const;

/** The queue of runs and deliveries of schedules. */
export const SCHEDULE_QUEUE = 'elsewise-schedule';

export type LaneName = keyof typeof QUEUES;

/** One chunk of a batch, on the queue `elsewise-bulk`. */
export const chunkJobSchema = z.strictObject({
  schema: z.literal('elsewise.chunk-job/v1').describe('The kind and version of the document.'),
  batch: batchIdSchema.describe('The id of the batch.'),
  chunk: z.int().min(0).describe('The number of the chunk in the batch, from 0.'),
  firstRow: z.int().min(1).describe('The number of the first row of the chunk in the input, from 1.'),
  rows: z.int().min(1).describe('The number of rows of the chunk.'),
  digest: digestSchema.describe('The digest of the rows, before compression.'),
  model: modelPinSchema.describe('The model version.'),
  policy: digestSchema.describe('The digest of the policy.'),
});

export const chunkReturnSchema = z.strictObject({
  schema: z.literal('elsewise.chunk-return/v1').describe('The kind and version of the document.'),
  batch: batchIdSchema.describe('The id of the batch.'),
  chunk: z.int().min(0).describe('The number of the chunk in the batch, from 0.'),
  rows: z.int().min(1).describe('The number of rows of the chunk.'),
  outcome: z
    .enum(['stored', 'known', 'cancelled', 'stale'])
    .describe(
      '`stored`: the results are stored. `known`: an earlier delivery of the job had stored its results, and they stay. `cancelled`: the batch was cancelled. `stale`: the batch of the job is gone, and another batch with its id stays unchanged.',
    ),
});

/** One row, on the queue `elsewise-events`. */
export const eventJobSchema = z.strictObject({
  schema: z.literal('elsewise.event-job/v1').describe('The kind and version of the document.'),
  id: z
    .string()
    .min(1)
    .max(200)
    .describe('The id of the row. The result is under `elsewise:result:<id>` and on the stream `elsewise:results`.'),
  model: z
    .union([z.string().min(1), modelPinSchema])
    .describe(
      'A model of the registry: `name@version`, `name@alias` or `name`, resolved when a worker takes the job. An object with a digest names one content.',
    ),
  policy: z
    .union([z.string().min(1), policySchema])
    .optional()
    .describe('A policy document, or a policy of the registry by its reference. Default: every feature may change.'),
  features: recordOf(rowValue).describe('The values of the row, by feature.'),
  target: targetSchema.optional().describe('The wanted outcome. Default: the target of the policy.'),
  by: z.string().min(1).max(200).optional().describe('The name of the asker, for the record of answers.'),
});

/** The same on the stream `elsewise:requests`, as JSON in the field `body`, for producers without BullMQ. */
export const requestSchema = z.strictObject({
  ...eventJobSchema.shape,
  schema: z.literal('elsewise.request/v1').optional().describe('The kind and version of the document.'),
});

/** The same as the body of an HTTP request. The caller may omit `id`; the server then generates one. The token names the asker. */
export const explanationRequestSchema = eventJobSchema.omit({ by: true }).extend({
  schema: eventJobSchema.shape.schema.optional().describe('The kind and version of the document.'),
  id: eventJobSchema.shape.id.optional().describe('The id of the row. Default: an id that the server generates.'),
  overlay: overlaySchema
    .optional()
    .describe('Wishes of the person, which tighten the policy for this row. Default: the policy as it is.'),
});

export const eventReturnSchema = z.strictObject({
  schema: z.literal('elsewise.event-return/v1').describe('The kind and version of the document.'),
  id: z.string().describe('The id of the row.'),
  key: z.string().describe('The hash of model, policy, row and target. Equal jobs have equal keys.'),
  status: resultSchema.shape.status,
  isNew: z
    .boolean()
    .describe('Whether the row was solved for this job. False: an earlier job with the same content had the result.'),
});

export type ChunkJob = z.output<typeof chunkJobSchema>;
export type ChunkReturn = z.output<typeof chunkReturnSchema>;
export type EventJob = z.output<typeof eventJobSchema>;
export type EventJobInput = z.input<typeof eventJobSchema>;
export type Request = z.output<typeof requestSchema>;
export type EventReturn = z.output<typeof eventReturnSchema>;

/**
 * The id ends with the generation of the batch, so a left-over job of an expired batch is never mistaken for a job of the next batch with
 * that id. BullMQ refuses ids with a colon and ids that are integers.
 */
export function chunkJobId(batch: Pick<Manifest, 'id' | 'created'>, chunk: number): string {
  return `chunk-${batch.id}-${chunk}@${generationOf(batch)}`;
}

/** Undefined for an id that another producer chose. */
export function generationOfJob(id: string): string | undefined {
  return /@([0-9a-z]+)$/.exec(id)?.[1];
}

/** A row and its target as canonical JSON. */
export interface CanonicalRow {
  readonly features: string;
  readonly target: string | undefined;
}

export interface AskedRow extends CanonicalRow {
  readonly id?: string;
}

/**
 * The identity of an answer: model, policy (including the seed), row and target, but not the id of the request, unless the model is
 * volatile. 128 bits, in hexadecimal, of the canonical JSON of `{ features, model, policy, target }`.
 */
export function answerKey(model: Pick<ModelPin, 'digest' | 'volatile'>, policyDigest: string, row: AskedRow): string {
  const { id, features, target } = row;
  const end = target === undefined ? '' : `,"target":${target}`;
  const own = model.volatile ? `,"id":${JSON.stringify(id)}` : '';
  const text = `{"features":${features}${own},"model":"${model.digest}","policy":"${policyDigest}"${end}}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The data of an event job, from parts that are already JSON. `policy`: the document; omitted: any feature may change. */
export function eventJobText(
  { id, features, target, by }: CanonicalRow & { readonly id: string; readonly by?: string },
  model: ModelPin,
  policy: string | undefined,
): string {
  const parts = [`"schema":"${eventJobSchema.shape.schema.value}"`, `"id":${JSON.stringify(id)}`];
  parts.push(`"model":${JSON.stringify(model)}`, `"features":${features}`);
  if (policy !== undefined) parts.push(`"policy":${policy}`);
  if (target !== undefined) parts.push(`"target":${target}`);
  if (by !== undefined) parts.push(`"by":${JSON.stringify(by)}`);
  return `{${parts.join(',')}}`;
}

/** Two requests with the same content under different ids each get an answer, so each is a job. */
export function eventJobId(key: string, id: string): string {
  return `event-${key}-${digestOf(id).replace('sha256:', '').slice(0, 16)}`;
}
