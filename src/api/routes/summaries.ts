/** `/v1/batches/:id/summary` and `/report`: the figures of a batch. A thread reads the stored results, and the loop of the server only passes them on. */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import { VERSION } from '../../jobs/audit/software.js';
import { type BatchPart, readyResults } from '../../jobs/batches/batch.js';
import { digestInThread } from '../../jobs/tables/table-host.js';
import { MOST_PEOPLE, PEOPLE } from '../../report/html/report-collector.js';
import { SMALLEST_GROUP } from '../../report/summary/summary-collector.js';
import { batchIdSchema, type ModelPin } from '../../store/batches/manifest.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';
import type { Service } from '../service.js';
import { takeSlots } from '../wait-slots.js';

const MOST_FEATURES = 20;
const LARGEST_GROUP = 1_000_000;

const GROUPS = {
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
    .max(LARGEST_GROUP)
    .default(SMALLEST_GROUP)
    .describe('groups with fewer people without the target have no figures'),
};

export const summariseBatch = defineRoute({
  id: 'summariseBatch',
  method: 'GET',
  path: '/v1/batches/:id/summary',
  summary: 'The figures of a batch: counts, changes, costs, proofs, reasons, and groups with tests',
  access: 'read',
  params: z.strictObject({ id: batchIdSchema }),
  query: z.strictObject({
    ...GROUPS,
  }),
  responses: {
    200: { description: 'the figures of all results before the first row without a result', schema: SCHEMAS.summary },
    404: { description: 'not known, or expired', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, query: { by, smallestGroup }, service, gone }) {
    const options = { by: readFeatures(by), smallestGroup };
    const { manifest } = await service.store.batches.status(id); // an unknown batch is reported before a thread starts
    await refuseUnknown(options.by, manifest.model, service);
    const leave = takeSlots(service.tableSlots);
    const parts = untilGone(readyResults(service.store, id), gone);
    const body = await digestInThread({ kind: 'summarise', options }, parts).finally(leave);
    return { status: 200, type: 'application/json', body };
  },
});

/** The page has its own style and script, by their digests. Its script sees nothing else of this server. */
const CONTENT_SECURITY_POLICY = "frame-ancestors 'none'; sandbox allow-scripts allow-modals";

export const reportBatch = defineRoute({
  id: 'reportBatch',
  method: 'GET',
  path: '/v1/batches/:id/report',
  summary: 'The figures and people of a batch as one HTML page, which opens from disk as well',
  access: 'read',
  isPage: true,
  params: z.strictObject({ id: batchIdSchema }),
  query: z.strictObject({
    ...GROUPS,
    people: z.coerce
      .number()
      .int()
      .min(0)
      .max(MOST_PEOPLE)
      .default(PEOPLE)
      .describe(`people in the table, at most ${MOST_PEOPLE}; 0: figures only`),
  }),
  responses: {
    200: {
      description: 'a page about all results before the first row without a result',
      type: 'text/html; charset=utf-8',
      headers: { 'content-disposition': 'a name for the file' },
    },
    404: { description: 'not known, or expired', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, query: { by, ...sizes }, service: { store, tableSlots }, gone }) {
    const options = { by: readFeatures(by), ...sizes };
    const { manifest } = await store.batches.status(id);
    const { document, digest } = manifest.policy;
    const { digest: ofModel, version } = manifest.model;
    const leave = takeSlots(tableSlots);
    const about = { source: `batch ${id}`, software: VERSION, created: new Date() };
    const reporting = async () => {
      const model = { bytes: await store.models.read(manifest.model), digest: ofModel, version };
      const policy = { document, digest, name: document.name };
      const parts = untilGone(readyResults(store, id), gone);
      return digestInThread({ kind: 'report', options, model, policy, ...about }, parts);
    };
    const body = await reporting().finally(leave);
    const headers = {
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'content-disposition': `inline; filename="report-${id}.html"`,
    };
    return { status: 200, type: 'text/html; charset=utf-8', body, headers };
  },
});

function readFeatures(text: string | undefined): string[] {
  const names = text === undefined ? [] : [...new Set(text.split(','))];
  if (names.includes('') || names.length > MOST_FEATURES)
    throw new ElsewiseError('bad-request', `expected 1 to ${MOST_FEATURES} names of features`, 'query.by');
  return names;
}

/** A model that was removed since has no features any more: unknown names then have no groups. */
async function refuseUnknown(names: readonly string[], { name, version }: ModelPin, { desk }: Service): Promise<void> {
  const known = names.length > 0 ? await desk.featureNames(`${name}@${version}`).catch(noneOfUnknown) : undefined;
  const unknown = known && names.find((feature) => !known.includes(feature));
  if (unknown === undefined) return;
  const hint = didYouMean(unknown, known!);
  throw new ElsewiseError('bad-request', `the model has no feature "${unknown}"${hint}`, 'query.by');
}

function noneOfUnknown(error: unknown): undefined {
  if (error instanceof ElsewiseError && error.code === 'not-known') return undefined;
  throw error;
}

/** Reading ends when nobody waits for the summary. */
async function* untilGone(parts: AsyncIterable<BatchPart>, gone: AbortSignal): AsyncGenerator<BatchPart> {
  for await (const part of parts) {
    gone.throwIfAborted();
    yield part;
  }
}
