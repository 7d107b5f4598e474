/**
 * `/v1/batches`: uploads of rows, the state of a batch, and results streamed in the order of the rows. An upload is read at the speed of
 * the store. After an upload breaks off, the same upload, repeated, completes the batch.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { parseUntrusted } from '../../documents/untrusted-json.js';
import type { ResultDetail } from '../../explain/result.js';
import { bytesOf, followResults, readyResults } from '../../jobs/batches/batch.js';
import { cancelBatch, retryBatch } from '../../jobs/batches/batch-control.js';
import { listBatches } from '../../jobs/batches/batch-list.js';
import { paceOf, stateOf, summariseWebhook } from '../../jobs/batches/batch-summary.js';
import { reasonSchema } from '../../jobs/operator/action-request.js';
import type { FileFormat } from '../../jobs/rows/endings.js';
import { conversionOf } from '../../jobs/tables/result-conversion.js';
import { tableInThread } from '../../jobs/tables/table-host.js';
import { checkWebhook } from '../../jobs/webhooks/webhook.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import { batchIdSchema } from '../../store/batches/manifest.js';
import { chooseType } from '../accept.js';
import { inRequestWords } from '../problem.js';
import { checkReference, withPlace } from '../references.js';
import { defineRoute } from '../route.js';
import { type BatchAccepted, type BatchList, type BatchStatusDocument, SCHEMAS } from '../schemas.js';
import { takeSlots } from '../wait-slots.js';

const NDJSON = 'application/x-ndjson';
const PARQUET = 'application/vnd.apache.parquet';
const CSV = 'text/csv';

/** Content types of results -> the format of a table. NDJSON is the first choice. */
const RESULT_FORMATS = { [NDJSON]: 'ndjson', [CSV]: 'csv', [PARQUET]: 'parquet' } as const;
type ResultType = keyof typeof RESULT_FORMATS;
const RESULT_TYPES = Object.keys(RESULT_FORMATS) as ResultType[];

/** Content type -> a file name of the format. */
const ROW_TYPES = {
  [CSV]: 'body.csv',
  'text/tab-separated-values': 'body.tsv',
  [NDJSON]: 'body.ndjson',
  'application/ndjson': 'body.ndjson',
  'application/jsonl': 'body.ndjson',
  [PARQUET]: 'body.parquet',
};

const params = z.strictObject({ id: batchIdSchema });
/** The log of actions tells that no reason was given. */
const WITH_REASON = z.strictObject({ reason: reasonSchema.optional().describe('the reason, for the log of actions') });
const UNKNOWN = { description: 'not known, or expired', schema: SCHEMAS.problem };

export const addBatch = defineRoute({
  id: 'addBatch',
  method: 'POST',
  path: '/v1/batches',
  summary: 'Upload rows of any number as a batch',
  access: 'submit',
  query: z.strictObject({
    model: z.string().min(1).describe('a model of the registry: name@version, name@alias, or name for its latest'),
    policy: z.string().min(1).optional().describe('a policy of the registry, in the same form; or else the header'),
    delimiter: z
      .string()
      .length(1)
      .optional()
      .describe('the character between two fields of a CSV; found unless given'),
    decimal: z.enum(['.', ',']).optional().describe('the decimal sign of a CSV; found unless given'),
    encoding: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe('the encoding of the text, such as latin1; found unless given'),
    webhook: z
      .string()
      .max(2000)
      .optional()
      .describe('an address that is told of the end of the batch; the operator allows its host'),
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
    const { webhook } = query;
    if (webhook !== undefined) withPlace('query.webhook', () => checkWebhook(webhook));
    const warnings: string[] = [];
    const leave = body.name === ROW_TYPES[PARQUET] ? takeSlots(service.tableSlots) : () => {};
    const total = await service.producer
      .enqueueBatch({
        source: body.bytes,
        name: body.name,
        maxFileBytes: service.settings.parquetBytes,
        model: query.model,
        policy: query.policy ?? readPolicyHeader(headers['x-elsewise-policy']),
        batch: query.batch,
        webhook,
        by: caller,
        signal: AbortSignal.any([gone, service.closing]),
        table: { delimiter: query.delimiter, decimal: query.decimal, encoding: query.encoding },
        onWarning: (text) => warnings.push(inRequestWords(text)),
      })
      .finally(leave);
    service.metrics.countUploadedRows(total.rows);
    const accepted: BatchAccepted = { schema: 'elsewise.batch-accepted/v1', ...total, warnings };
    return { status: 201, body: accepted, headers: { location: `/v1/batches/${total.id}` } };
  },
});

const POLICY_HEADER = 'headers.x-elsewise-policy';

/** Node reads a header as Latin-1; clients send UTF-8. */
function readPolicyHeader(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseUntrusted(Buffer.from(text, 'latin1'), POLICY_HEADER);
  } catch (error) {
    if (error instanceof ElsewiseError && error.path.startsWith(POLICY_HEADER)) throw error;
    throw new ElsewiseError('bad-request', 'this is not JSON in UTF-8', POLICY_HEADER);
  }
}

const MOST_LISTED = 100;
const BATCH_STATES = ['adding', 'working', 'done', 'failed', 'cancelled'] as const;

export const listed = defineRoute({
  id: 'listBatches',
  method: 'GET',
  path: '/v1/batches',
  summary: 'The stored batches, newest first, a page at a time',
  access: 'read',
  query: z.strictObject({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MOST_LISTED)
      .default(20)
      .describe(`batches of a page, at most ${MOST_LISTED}`),
    after: z.string().min(1).max(200).optional().describe('the place of a page, as in `next` of the page before'),
    search: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('a part of the id, the model, the policy or the sender; a page may then be short and have a next one'),
    state: z.enum(BATCH_STATES).optional().describe('only batches in this state'),
  }),
  responses: { 200: { description: 'a page', schema: SCHEMAS.batchList } },
  async answer({ query: { limit, after, ...filter }, service: { store } }) {
    const { batches, next } = await withPlace('query.after', () => listBatches(store, limit, after, filter));
    const query = { limit: String(limit), ...filter };
    const address = next === undefined ? undefined : `/v1/batches?${new URLSearchParams({ ...query, after: next })}`;
    const body: BatchList = {
      schema: 'elsewise.batch-list/v1',
      batches: batches.map(describeBatch),
      ...(address !== undefined && { next: address }),
    };
    return { status: 200, body };
  },
});

export const showBatch = defineRoute({
  id: 'showBatch',
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
  id: 'cancelBatch',
  method: 'DELETE',
  path: '/v1/batches/:id',
  summary: 'Cancel a batch: what waits is dropped, what runs is stopped, what is done stays',
  access: 'submit',
  params,
  query: WITH_REASON,
  responses: { 200: { description: 'its state', schema: SCHEMAS.batchStatus }, 404: UNKNOWN },
  async answer({ params: { id }, query: { reason = '' }, service: { store }, caller }) {
    const action = { action: 'cancel-batch', target: id, by: caller!, via: 'http', reason } as const;
    await store.actions.record(
      action,
      () => cancelBatch(store, id),
      ({ dropped }) => `chunks dropped: ${dropped}`,
    );
    return { status: 200, body: describeBatch(await store.batches.status(id)) };
  },
});

export const retryFailed = defineRoute({
  id: 'retryBatch',
  method: 'POST',
  path: '/v1/batches/:id/retry',
  summary: 'Try the failed chunks of a batch again',
  access: 'submit',
  params,
  query: WITH_REASON,
  responses: {
    200: { description: 'its state', schema: SCHEMAS.batchStatus },
    404: UNKNOWN,
    409: { description: 'it was cancelled', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, query: { reason = '' }, service: { store }, caller }) {
    const action = { action: 'retry-batch', target: id, by: caller!, via: 'http', reason } as const;
    await store.actions.record(
      action,
      () => retryBatch(store, id),
      (chunks) => `chunks tried again: ${chunks}`,
    );
    return { status: 200, body: describeBatch(await store.batches.status(id)) };
  },
});

export const showResults = defineRoute({
  id: 'showBatchResults',
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
    detail: z
      .enum(['full', 'brief'])
      .default('full')
      .describe('brief: short lines of NDJSON, without what the input row already has'),
  }),
  headers: z.object({
    accept: z
      .string()
      .optional()
      .describe(`one of ${RESULT_TYPES.join(', ')}; the first unless given`),
  }),
  responses: {
    200: {
      description:
        'one result per line, or a table with a line per answer; the connection breaks off at a failed chunk',
      type: NDJSON,
      others: [CSV, PARQUET],
      schema: SCHEMAS.result,
    },
    404: UNKNOWN,
    406: { description: 'no content type of results is acceptable', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, query, headers, service, gone }) {
    const { store, waitSlots, tableSlots } = service;
    const type = chooseType(headers.accept, RESULT_TYPES);
    const { manifest } = await store.batches.status(id); // an unknown batch is reported before anything is sent
    refuseBriefTable(RESULT_FORMATS[type], query.detail);
    const work = await conversionOf(store, manifest, RESULT_FORMATS[type], query.detail);
    const leave = takeSlots(waitSlots, ...(work ? [tableSlots] : []));
    const parts = query.wait === 'true' ? followResults(store, id, { signal: gone }) : readyResults(store, id);
    const bytes = work ? tableInThread(work, parts) : bytesOf(parts);
    const body = Readable.from(bytes, { objectMode: false }).once('close', leave);
    return { status: 200, type: type === CSV ? `${CSV}; charset=utf-8` : type, body, headers: { vary: 'accept' } };
  },
});

function refuseBriefTable(format: FileFormat, detail: ResultDetail): void {
  if (detail === 'full' || format === 'ndjson') return;
  const message = `brief lines are ${NDJSON}: leave this out, or accept ${NDJSON}`;
  throw new ElsewiseError('bad-request', message, 'query.detail');
}

function describeBatch(status: BatchStatus): BatchStatusDocument {
  const { manifest, rows, answered, counts, chunks, done, failed } = status;
  const { id, created, by, model, policy } = manifest;
  const webhook = summariseWebhook(status);
  return {
    schema: 'elsewise.batch-status/v1',
    id,
    state: stateOf(status),
    created,
    by,
    model,
    policy: { name: policy.document.name, digest: policy.digest },
    rows,
    answered,
    counts,
    chunks,
    chunksDone: done,
    chunksFailed: failed,
    ...paceOf(status),
    ...(webhook && { webhook }),
  };
}
