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
  name: z.string().min(1),
  version: z.int().min(1),
  digest: digestSchema,
  /** The scores of the model may change while its digest stays: its answers serve only the same event, not equal rows. */
  volatile: z.literal(true).optional(),
});

/** The positions of a row's fields, from the file's header and the model. Chunks contain only data lines. */
export const layoutSchema = z.discriminatedUnion('format', [
  z.strictObject({ format: z.literal('ndjson') }),
  z.strictObject({
    format: z.literal('csv'),
    delimiter: z.string().length(1),
    columns: z.int().min(1),
    featureColumns: listOf(z.int().min(-1)),
    idColumn: z.int().min(-1),
    targetColumn: z.int().min(-1),
  }),
]);

export const manifestSchema = z.strictObject({
  schema: z.literal('elsewise.batch/v1'),
  id: batchIdSchema,
  model: modelPinSchema,
  /** `version`: the version in the registry, if the policy came from there. The document is authoritative. */
  policy: z.strictObject({ digest: digestSchema, document: policySchema, version: z.int().min(1).optional() }),
  layout: layoutSchema,
  /** Every chunk but the last has this many rows, so a repeated enqueue cuts the same chunks. */
  chunkRows: z.int().min(1),
  /** Set if `chunkRows` follows from the time of the first rows. These rows are then the first chunk. */
  probe: z.strictObject({ rows: z.int().min(1), msPerRow: z.number().min(0) }).optional(),
  /** How long all data of the batch stay after its last progress. */
  ttlSeconds: z.int().min(1),
  /** The name of the producer. */
  by: z.string().max(200),
  created: z.iso.datetime(),
});

/** `firstRow`: number of the chunk's first row in the input, counted from 1. */
const chunkCommon = { digest: digestSchema, firstRow: z.int().min(1), rows: z.int().min(1) };

export const chunkSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('waiting'), ...chunkCommon }),
  z.strictObject({ state: z.literal('done'), ...chunkCommon, results: digestSchema }),
  z.strictObject({ state: z.literal('failed'), ...chunkCommon, code: z.string(), message: z.string() }),
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
