/**
 * `/v1/batches`: uploads of rows, the state of a batch, and results streamed in the order of the rows. An upload is read at the speed of
 * the store. After an upload breaks off, the same upload, repeated, completes the batch.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { type BatchPart, followResults, readyResults } from '../../jobs/batches/batch.js';
import { cancelBatch, retryBatch } from '../../jobs/batches/batch-control.js';
import { stateOf } from '../../jobs/batches/batch-summary.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import { batchIdSchema } from '../../store/batches/manifest.js';
import { checkReference } from '../references.js';
import { defineRoute } from '../route.js';
import { type BatchAccepted, type BatchStatusDocument, SCHEMAS } from '../schemas.js';

const NDJSON = 'application/x-ndjson';
const PARQUET = 'application/vnd.apache.parquet';

/** Content type -> a file name of the format. */
const ROW_TYPES = {
  'text/csv': 'body.csv',
  'text/tab-separated-values': 'body.tsv',
  [NDJSON]: 'body.ndjson',
  'application/ndjson': 'body.ndjson',
  'application/jsonl': 'body.ndjson',
  [PARQUET]: 'body.parquet',
};

const params = z.strictObject({ id: batchIdSchema });
const UNKNOWN = { description: 'not known, or expired', schema: SCHEMAS.problem };

export const addBatch = defineRoute({
  method: 'POST',
  path: '/v1/batches',
  summary: 'Upload rows of any number as a batch',
  access: 'submit',
  query: z.strictObject({
    model: z.string().min(1).describe('a model of the registry: name@version, name@alias, or name for its latest'),
    policy: z.string().min(1).optional().describe('a policy of the registry, in the same form; or else the header'),
    batch: batchIdSchema
      .optional()
      .describe('names the batch; with it, an upload that broke off can be repeated, and nothing is there twice'),
  }),
  headers: z.object({
    'x-elsewise-policy': z
      .string()
      .optional()
      .describe('the policy document as JSON on one line; left out, and no `policy` in the query: anything may change'),
  }),
  body: { kind: 'bytes', types: ROW_TYPES },
  responses: {
    201: {
      description: 'all rows are queued',
      schema: SCHEMAS.batchAccepted,
      headers: { location: 'where its state is' },
    },
    409: { description: 'the id is taken by other rows, model or policy', schema: SCHEMAS.problem },
  },
  async answer({ query, headers, body, service, caller, gone }) {
    for (const name of ['model', 'policy'] as const) checkReference(query[name], `query.${name}`);
    const warnings: string[] = [];
    const total = await service.producer.enqueueBatch({
      source: body.bytes,
      name: body.name,
      model: query.model,
      policy: query.policy ?? readPolicyHeader(headers['x-elsewise-policy']),
      batch: query.batch,
      by: caller,
      signal: AbortSignal.any([gone, service.closing]),
      onWarning: (text) => warnings.push(text),
    });
    service.metrics.countUploadedRows(total.rows);
    const accepted: BatchAccepted = { schema: 'elsewise.batch-accepted/v1', ...total, warnings };
    return { status: 201, body: accepted, headers: { location: `/v1/batches/${total.id}` } };
  },
});

/** Node reads a header as Latin-1; clients send UTF-8. */
function readPolicyHeader(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1')));
  } catch {
    throw new ElsewiseError('bad-request', 'this is not JSON in UTF-8', 'headers.x-elsewise-policy');
  }
}

export const showBatch = defineRoute({
  method: 'GET',
  path: '/v1/batches/:id',
  summary: 'How far a batch is',
  access: 'read',
  params,
  responses: { 200: { description: 'its state', schema: SCHEMAS.batchStatus }, 404: UNKNOWN },
  async answer({ params: { id }, service }) {
    return { status: 200, body: describeBatch(await service.store.batches.status(id)) };
  },
});

export const dropBatch = defineRoute({
  method: 'DELETE',
  path: '/v1/batches/:id',
  summary: 'Cancel a batch: what waits is dropped, what runs is stopped, what is done stays',
  access: 'submit',
  params,
  responses: { 200: { description: 'its state', schema: SCHEMAS.batchStatus }, 404: UNKNOWN },
  async answer({ params: { id }, service: { store } }) {
    await cancelBatch(store, id);
    return { status: 200, body: describeBatch(await store.batches.status(id)) };
  },
});

export const retryFailed = defineRoute({
  method: 'POST',
  path: '/v1/batches/:id/retry',
  summary: 'Try the failed chunks of a batch again',
  access: 'submit',
  params,
  responses: {
    200: { description: 'its state', schema: SCHEMAS.batchStatus },
    404: UNKNOWN,
    409: { description: 'it was cancelled', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, service: { store } }) {
    await retryBatch(store, id);
    return { status: 200, body: describeBatch(await store.batches.status(id)) };
  },
});

export const showResults = defineRoute({
  method: 'GET',
  path: '/v1/batches/:id/results',
  summary: 'The results of a batch, in the order of its rows, while they arrive',
  access: 'read',
  params,
  query: z.strictObject({
    wait: z
      .enum(['true', 'false'])
      .default('true')
      .describe('false: the response ends before the first row without a result'),
  }),
  responses: {
    200: {
      description: 'one result per line; the connection breaks off at a failed chunk',
      type: NDJSON,
      schema: SCHEMAS.result,
    },
    404: UNKNOWN,
  },
  async answer({ params: { id }, query, service: { store, waitSlots }, gone }) {
    await store.batches.status(id); // an unknown batch is reported before anything is sent
    const leave = waitSlots.take();
    if (!leave) throw new ElsewiseError('too-many-requests', 'too many requests wait already');
    const parts = query.wait === 'true' ? followResults(store, id, { signal: gone }) : readyResults(store, id);
    const body = Readable.from(bytesOf(parts), { objectMode: false }).once('close', leave);
    return { status: 200, type: NDJSON, body };
  },
});

async function* bytesOf(parts: AsyncIterable<BatchPart>): AsyncGenerator<Buffer> {
  for await (const { bytes } of parts) yield bytes;
}

function describeBatch(status: BatchStatus): BatchStatusDocument {
  const { manifest, rows, answered, counts, chunks, done, failed } = status;
  const { id, created, model, policy } = manifest;
  return {
    schema: 'elsewise.batch-status/v1',
    id,
    state: stateOf(status),
    created,
    model,
    policy: { name: policy.document.name, digest: policy.digest },
    rows,
    answered,
    counts,
    chunks,
    chunksDone: done,
    chunksFailed: failed,
  };
}
