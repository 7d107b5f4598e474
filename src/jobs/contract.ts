/**
 * What travels through the queues, as schemas: job data that any producer may write, return values that any consumer
 * may read. Jobs carry references; rows and results lie in the store. `schemas/` has the same as JSON Schema.
 *
 * Versions are part of the name in `schema`, so that workers of two releases can serve one queue.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { recordOf } from '../documents/collections.js';
import { digestOf } from '../documents/digest.js';
import { rowValue } from '../documents/model-document.js';
import { policySchema, targetSchema } from '../documents/policy-document.js';
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

export type LaneName = keyof typeof QUEUES;

/** One chunk of a batch, on the queue `elsewise-bulk`. */
export const chunkJobSchema = z.strictObject({
  schema: z.literal('elsewise.chunk-job/v1'),
  batch: batchIdSchema,
  chunk: z.int().min(0),
  /** Number of the chunk's first row in the input, counted from 1. */
  firstRow: z.int().min(1),
  rows: z.int().min(1),
  /** Of the chunk's rows, before compression. */
  digest: digestSchema,
  model: modelPinSchema,
  policy: digestSchema,
});

export const chunkReturnSchema = z.strictObject({
  schema: z.literal('elsewise.chunk-return/v1'),
  batch: batchIdSchema,
  chunk: z.int().min(0),
  rows: z.int().min(1),
  /**
   * `known`: another delivery of the same job had stored its results before, and they stay. `stale`: the job was for a batch that
   * is gone, and its id is that of another one now, which is left alone.
   */
  outcome: z.enum(['stored', 'known', 'cancelled', 'stale']),
});

/** One row, on the queue `elsewise-events`. */
export const eventJobSchema = z.strictObject({
  schema: z.literal('elsewise.event-job/v1'),
  /** The answer appears under `elsewise:result:<id>` and on the stream `elsewise:results`. */
  id: z.string().min(1).max(200),
  /** `name@version`, `name@alias` or `name`, as it stands when the job is worked; pinned by its digest it is certain. */
  model: z.union([z.string().min(1), modelPinSchema]),
  /** A document, or a reference as for the model. Left out: anything may change, every unit costs the same. */
  policy: z.union([z.string().min(1), policySchema]).optional(),
  features: recordOf(rowValue),
  target: targetSchema.optional(),
});

/** The same on the stream `elsewise:requests`, as JSON in the field `body`, for producers without BullMQ. */
export const requestSchema = z.strictObject({
  ...eventJobSchema.shape,
  schema: z.literal('elsewise.request/v1').optional(),
});

/** The same as the body of an HTTP request: who does not need a name for it may leave `id` out, and one is made up. */
export const explanationRequestSchema = eventJobSchema.extend({
  schema: eventJobSchema.shape.schema.optional(),
  id: eventJobSchema.shape.id.optional(),
});

export const eventReturnSchema = z.strictObject({
  schema: z.literal('elsewise.event-return/v1'),
  id: z.string(),
  key: z.string(),
  status: resultSchema.shape.status,
  /** Whether it was solved for this job, or known from an earlier one with the same content. */
  isNew: z.boolean(),
});

export type ChunkJob = z.output<typeof chunkJobSchema>;
export type ChunkReturn = z.output<typeof chunkReturnSchema>;
export type EventJob = z.output<typeof eventJobSchema>;
export type EventJobInput = z.input<typeof eventJobSchema>;
export type Request = z.output<typeof requestSchema>;
export type EventReturn = z.output<typeof eventReturnSchema>;

/**
 * The id ends with the generation of the batch. A job that is left of an expired batch is therefore never taken for a job of
 * the next batch with that id. BullMQ refuses ids with a colon and ids that are integers.
 */
export function chunkJobId(batch: Pick<Manifest, 'id' | 'created'>, chunk: number): string {
  return `chunk-${batch.id}-${chunk}@${generationOf(batch)}`;
}

/** None in an id that another producer chose. */
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
 * What makes an answer the same answer: model, policy (the seed is in it), row and target, but not the id under which
 * somebody asked, unless the model is volatile. 128 bits, in hexadecimal, of the canonical JSON of `{ features, model, policy, target }`.
 */
export function answerKey(model: Pick<ModelPin, 'digest' | 'volatile'>, policyDigest: string, row: AskedRow): string {
  const { id, features, target } = row;
  const end = target === undefined ? '' : `,"target":${target}`;
  const own = model.volatile ? `,"id":${JSON.stringify(id)}` : '';
  const text = `{"features":${features}${own},"model":"${model.digest}","policy":"${policyDigest}"${end}}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The data of an event job, of parts that are JSON already. `policy`: the document; left out, anything may change. */
export function eventJobText(
  { id, features, target }: CanonicalRow & { readonly id: string },
  model: ModelPin,
  policy: string | undefined,
): string {
  const parts = [`"schema":"${eventJobSchema.shape.schema.value}"`, `"id":${JSON.stringify(id)}`];
  parts.push(`"model":${JSON.stringify(model)}`, `"features":${features}`);
  if (policy !== undefined) parts.push(`"policy":${policy}`);
  if (target !== undefined) parts.push(`"target":${target}`);
  return `{${parts.join(',')}}`;
}

/** Two who ask the same under different ids each get their answer, so each is a job. */
export function eventJobId(key: string, id: string): string {
  return `event-${key}-${digestOf(id).replace('sha256:', '').slice(0, 16)}`;
}
