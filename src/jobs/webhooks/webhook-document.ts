/** The body of a webhook (`elsewise.webhook/v1`): the figures of a batch, and no data of a person. */
import { z } from 'zod';
import { recordOf } from '../../documents/collections.js';
import { batchIdSchema, digestSchema, modelPinSchema } from '../../store/batches/manifest.js';

/** The states in which a batch has ended. */
export const endStateSchema = z.enum(['done', 'failed', 'cancelled']);

const count = z.int().min(0);

export const webhookSchema = z.strictObject({
  schema: z.literal('elsewise.webhook/v1').describe('The kind and version of the document.'),
  type: z
    .enum(['batch.done', 'batch.failed', 'batch.cancelled'])
    .describe('The event: the way in which the batch ended.'),
  batch: z
    .strictObject({
      id: batchIdSchema.describe('The id of the batch.'),
      state: endStateSchema.describe(
        '`done`: all rows are answered. `failed`: chunks were given up. `cancelled`: the batch was cancelled.',
      ),
      created: z.iso.datetime().describe('The time of creation.'),
      by: z.string().describe('The name of the producer.'),
      model: modelPinSchema.pick({ name: true, version: true, digest: true }).describe('The model version.'),
      policy: z
        .strictObject({
          name: z.string().optional().describe('The name of the policy.'),
          digest: digestSchema.describe('The SHA-256 of the policy document.'),
        })
        .describe('The policy of all rows.'),
      rows: count.describe('The number of rows.'),
      answered: count.describe('The number of rows with a result.'),
      counts: recordOf(count).describe('The number of results by status.'),
      chunks: count.describe('The number of chunks.'),
      chunksDone: count.describe('The number of chunks with results.'),
      chunksFailed: count.describe('The number of chunks that were given up.'),
      results: z.string().describe('The path of the results on the server.'),
    })
    .describe('The batch at its end.'),
});

export type WebhookDocument = z.output<typeof webhookSchema>;
