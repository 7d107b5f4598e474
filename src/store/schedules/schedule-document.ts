/** The document of a schedule (`elsewise.schedule/v1`), and the records of its runs and files. */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { policySchema } from '../../documents/policy-document.js';
import { batchIdSchema, digestSchema } from '../batches/manifest.js';

/** The name becomes part of keys, job ids and batch ids, which have to stay short. */
export const scheduleNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/, 'a name is letters, digits, dot, dash and underscore, at most 50');

/** A document, fixed when the schedule was made, or a reference that each run resolves anew. */
export const policySourceSchema = z.union([
  z.strictObject({ document: policySchema }),
  z.strictObject({ reference: z.string().min(1) }),
]);

/** The lines of delivered results. Omitted: full. */
export const resultDetailSchema = z.enum(['full', 'brief']);

export const scheduleSchema = z.strictObject({
  schema: z.literal('elsewise.schedule/v1'),
  name: scheduleNameSchema,
  cron: z.string().min(1),
  timeZone: z.string().min(1),
  /** Resolved at the start of each run. */
  model: z.string().min(1),
  policy: policySourceSchema.optional(),
  /** A pattern of paths on the worker's file system, absolute. */
  input: z.string().min(1),
  /** The folder for results, or the path of their files with *, absolute. Omitted: results stay in Redis. */
  output: z.string().min(1).optional(),
  detail: resultDetailSchema.optional(),
  isPaused: z.boolean(),
  created: z.iso.datetime(),
});

const failure = z.strictObject({ code: z.string(), message: z.string() });

/** The outcome of a file in a run. A file of an earlier run is only counted. */
const runFileSchema = z.strictObject({
  file: z.string(),
  batch: batchIdSchema.optional(),
  rows: z.int().min(0).optional(),
  failure: failure.optional(),
});

export const runSchema = z.strictObject({
  /** The scheduled time, even if the run began later. */
  id: z.iso.datetime(),
  kind: z.enum(['scheduled', 'manual']),
  started: z.iso.datetime(),
  ended: z.iso.datetime().optional(),
  outcome: z.enum(['running', 'added', 'nothing-new', 'failed']),
  model: z.string().optional(),
  failure: failure.optional(),
  files: listOf(runFileSchema),
  /** The number of files that an earlier run has processed. */
  known: z.int().min(0),
});

const claimCommon = { digest: digestSchema, run: z.string(), batch: batchIdSchema };

/** `adding` holds the model and policy of the batch: a run that continues the batch uses the same. */
export const fileClaimSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('adding'), ...claimCommon, model: z.string(), policy: policySchema }),
  z.strictObject({ state: z.literal('added'), ...claimCommon, rows: z.int().min(0) }),
]);

export const deliverySchema = z.strictObject({
  at: z.iso.datetime(),
  output: z.string().optional(),
  failure: failure.optional(),
});

export type Schedule = z.output<typeof scheduleSchema>;
export type PolicySource = z.output<typeof policySourceSchema>;
export type ScheduleRun = z.output<typeof runSchema>;
export type RunFile = z.output<typeof runFileSchema>;
export type FileClaim = z.output<typeof fileClaimSchema>;
export type Delivery = z.output<typeof deliverySchema>;
