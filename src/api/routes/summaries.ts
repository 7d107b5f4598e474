/** `/v1/batches/:id/summary`: the figures of a batch. A thread reads the stored results, and the loop of the server only passes them on. */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { type BatchPart, readyResults } from '../../jobs/batches/batch.js';
import { summaryInThread } from '../../jobs/tables/table-host.js';
import { SMALLEST_GROUP } from '../../report/summary/summary-collector.js';
import { batchIdSchema } from '../../store/batches/manifest.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';
import { takeSlots } from '../wait-slots.js';

const MOST_FEATURES = 20;

export const summariseBatch = defineRoute({
  id: 'summariseBatch',
  method: 'GET',
  path: '/v1/batches/:id/summary',
  summary: 'The figures of a batch: counts, changes, costs, proofs, reasons, and groups with tests',
  access: 'read',
  params: z.strictObject({ id: batchIdSchema }),
  query: z.strictObject({
    by: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe(`features whose values make groups, with commas between them, at most ${MOST_FEATURES}`),
    smallestGroup: z.coerce
      .number()
      .int()
      .min(SMALLEST_GROUP)
      .max(1_000_000)
      .default(SMALLEST_GROUP)
      .describe('groups with fewer people without the target have no figures'),
  }),
  responses: {
    200: { description: 'the figures of all results before the first row without a result', schema: SCHEMAS.summary },
    404: { description: 'not known, or expired', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, query: { by, smallestGroup }, service, gone }) {
    const options = { by: readFeatures(by), smallestGroup };
    await service.store.batches.status(id); // an unknown batch is reported before a thread starts
    const leave = takeSlots(service.tableSlots);
    const parts = untilGone(readyResults(service.store, id), gone);
    const body = await summaryInThread(options, parts).finally(leave);
    return { status: 200, type: 'application/json', body };
  },
});

function readFeatures(text: string | undefined): string[] {
  const names = text === undefined ? [] : [...new Set(text.split(','))];
  if (names.includes('') || names.length > MOST_FEATURES)
    throw new ElsewiseError('bad-request', `expected 1 to ${MOST_FEATURES} names of features`, 'query.by');
  return names;
}

/** Reading ends when nobody waits for the summary. */
async function* untilGone(parts: AsyncIterable<BatchPart>, gone: AbortSignal): AsyncGenerator<BatchPart> {
  for await (const part of parts) {
    gone.throwIfAborted();
    yield part;
  }
}
