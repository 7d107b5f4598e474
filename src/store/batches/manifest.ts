/** The manifest of a batch (`elsewise.batch/v1`) and its chunks: written once by a producer, read by all others. */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { policySchema } from '../../documents/policy-document.js';

export const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 hexadecimal digits');

/** The id becomes part of keys and job ids, so it contains neither `:` nor braces. */
export const batchIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'a batch id is letters, digits, dot, dash and underscore, at most 100');

/** A model version pinned by its content: later changes of names do not matter. */
export const modelPinSchema = z.strictObject({
  name: z.string().min(1).describe('The name of the model.'),
  version: z.int().min(1).describe('The version in the registry.'),
  digest: digestSchema.describe('The SHA-256 of the model document.'),
  volatile: z
    .literal(true)
    .optional()
    .describe(
      'The scores of the model may change while its digest stays. Answers then serve only the same event, not equal rows.',
    ),
});

/** As in jobs/rows/number-format.ts. */
const NUMBER_FORMATS = [
  'dot',
  'comma',
  'dot-ungrouped',
  'comma-ungrouped',
  'dot-strict',
  'comma-strict',
  'unknown',
  'disputed',
] as const;

/** The positions of a row's fields, from the file's header and the model. Chunks contain only data lines. */
export const layoutSchema = z.discriminatedUnion('format', [
  z.strictObject({ format: z.literal('ndjson').describe('One JSON object on each line.') }),
  z.strictObject({
    format: z.literal('csv').describe('Lines of a CSV file, without the header.'),
    delimiter: z.string().length(1).describe('The character between two fields.'),
    columns: z.int().min(1).describe('The number of fields of a line.'),
    featureColumns: listOf(z.int().min(-1)).describe(
      'The field of each feature of the model, from 0. -1: the file does not have the feature.',
    ),
    idColumn: z.int().min(-1).describe('The field with the id of the row, from 0. -1: the rows are numbered.'),
    targetColumn: z.int().min(-1).describe('The field with the target of the row, from 0. -1: the file has none.'),
    numbers: listOf(z.enum(NUMBER_FORMATS).nullable())
      .optional()
      .describe(
        'The format of the numbers of each feature of the model. `dot`: 1,234.5. `comma`: 1.234,5. `-ungrouped`: a number that may only have a thousands separator is refused. `-strict`: every number with two readings is refused. `unknown`: as without a format, but numbers with two readings are refused. `disputed`: numbers with points or commas are refused. Null, or omitted: numbers as programs write them.',
      ),
  }),
]);

export const manifestSchema = z.strictObject({
  schema: z.literal('elsewise.batch/v1').describe('The kind and version of the document.'),
  id: batchIdSchema.describe('The id of the batch.'),
  model: modelPinSchema.describe('The model version. Later changes of names do not matter.'),
  policy: z
    .strictObject({
      digest: digestSchema.describe('The SHA-256 of the policy document.'),
      document: policySchema.describe('The policy document. The batch keeps this content.'),
      version: z.int().min(1).optional().describe('The version in the registry, if the policy came from there.'),
    })
    .describe('The policy of all rows.'),
  layout: layoutSchema.describe('The format of the rows.'),
  chunkRows: z
    .int()
    .min(1)
    .describe('The number of rows of every chunk but the last. A repeated enqueue cuts the same chunks.'),
  probe: z
    .strictObject({
      rows: z.int().min(1).describe('The number of these rows.'),
      msPerRow: z.number().min(0).describe('The time of one of these rows in milliseconds.'),
    })
    .optional()
    .describe('The first rows, if `chunkRows` follows from their time. These rows are the first chunk.'),
  webhook: z.string().max(2000).optional().describe('The address that is told of the end of the batch.'),
  ttlSeconds: z.int().min(1).describe('The time in seconds that all data of the batch stay after its last progress.'),
  by: z.string().max(200).describe('The name of the producer.'),
  created: z.iso.datetime().describe('The time of creation.'),
});

/** `firstRow`: number of the chunk's first row in the input, counted from 1. */
const chunkCommon = { digest: digestSchema, firstRow: z.int().min(1), rows: z.int().min(1) };

/** The run that ended a chunk. */
export const chunkRunSchema = z.strictObject({
  started: z.int().min(0).describe('The time at which the worker took the job, in ms.'),
  ended: z.int().min(0).describe('The time of the end, in ms.'),
  worker: z.string().describe('The id of the worker.'),
  attempts: z.int().min(1).describe('The number of attempts.'),
});

export type ChunkRun = z.output<typeof chunkRunSchema>;

export const chunkSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('waiting'), ...chunkCommon }),
  z.strictObject({ state: z.literal('done'), ...chunkCommon, results: digestSchema, run: chunkRunSchema.optional() }),
  z.strictObject({
    state: z.literal('failed'),
    ...chunkCommon,
    code: z.string(),
    message: z.string(),
    run: chunkRunSchema.optional(),
  }),
]);

export type ModelPin = z.output<typeof modelPinSchema>;

/** The pin of a version for which the registry has further data. */
export function pinOf({ name, version, digest, volatile }: ModelPin): ModelPin {
  return { name, version, digest, ...(volatile && { volatile }) };
}
export type Manifest = z.output<typeof manifestSchema>;
export type ManifestChunk = z.output<typeof chunkSchema>;
export type ChunkState = ManifestChunk['state'];

/** The part of a chunk that does not depend on its state. */
export type ChunkFacts = Pick<ManifestChunk, 'digest' | 'firstRow' | 'rows'>;

/**
 * Distinguishes a batch from an earlier batch of the same id. The id of an expired batch may be used again, and left-over data of the
 * earlier batch, such as waiting jobs, must not be mistaken for data of this one.
 */
export function generationOf({ created }: Pick<Manifest, 'created'>): string {
  return Date.parse(created).toString(36);
}

/** The chunk for which a job was made, by its rows, with the generation of the batch if the job has one. */
export interface ChunkOrigin {
  readonly batch: string;
  readonly chunk: number;
  readonly digest: string;
  readonly generation: string | undefined;
}
