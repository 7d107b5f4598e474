/** The state of queues, workers, chunks and schedules, for operators. */
import { z } from 'zod';
import { queueStates } from '../../../jobs/operator/queue-states.js';
import { type ScheduleStatus, Schedules } from '../../../jobs/schedules/schedule.js';
import { batchIdSchema, type ManifestChunk } from '../../../store/batches/manifest.js';
import type { PolicySource, ScheduleRun } from '../../../store/schedules/schedule-document.js';
import type { Store } from '../../../store/store.js';
import { defineRoute } from '../../route.js';
import { SCHEMAS } from '../../schemas.js';

const MOST_CHUNKS = 1_000;
const MOST_RUNS = 20;

const listQueues = defineRoute({
  id: 'listQueues',
  method: 'GET',
  path: '/v1/queues',
  summary: 'Counts of jobs in each queue, paused or not, and the number of dead letters',
  access: 'read',
  responses: { 200: { description: 'all queues', schema: SCHEMAS.queueList } },
  async answer({ service: { store } }) {
    const [queues, deadLetters] = await Promise.all([queueStates(store), store.dead.count()]);
    return { status: 200, body: { schema: 'elsewise.queue-list/v1', queues, deadLetters } };
  },
});

const listWorkers = defineRoute({
  id: 'listWorkers',
  method: 'GET',
  path: '/v1/workers',
  summary: 'The workers by heartbeat: threads, queues, version, jobs under way',
  access: 'read',
  responses: { 200: { description: 'living workers first', schema: SCHEMAS.workerList } },
  answer: async ({ service: { store } }) => ({
    status: 200,
    body: { schema: 'elsewise.worker-list/v1', workers: await store.workers.list() },
  }),
});

const listChunks = defineRoute({
  id: 'listChunks',
  method: 'GET',
  path: '/v1/batches/:id/chunks',
  summary: 'The chunks of a batch: state, run, worker and attempts of each, a page at a time',
  access: 'read',
  params: z.strictObject({ id: batchIdSchema }),
  query: z.strictObject({
    from: z.coerce.number().int().min(0).default(0).describe('the number of the first chunk'),
    limit: z.coerce.number().int().min(1).max(MOST_CHUNKS).default(MOST_CHUNKS).describe('the most chunks of a page'),
  }),
  responses: {
    200: { description: 'a page', schema: SCHEMAS.chunkList },
    404: { description: 'not known, or expired', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, query: { from, limit }, service: { store } }) {
    const status = await store.batches.status(id);
    const count = Math.max(0, Math.min(limit, status.chunks - from));
    const found = count > 0 ? await store.batches.chunks(id, from, count) : [];
    const chunks = found.flatMap((chunk, i) => (chunk ? [describeChunk(chunk, from + i)] : []));
    const hasMore = from + limit < status.chunks;
    const next = hasMore ? `/v1/batches/${id}/chunks?from=${from + limit}&limit=${limit}` : undefined;
    return { status: 200, body: { schema: 'elsewise.chunk-list/v1', batch: id, chunks, ...(next && { next }) } };
  },
});

/** Without the digests of rows and results. */
function describeChunk({ digest: _, ...chunk }: ManifestChunk, index: number) {
  if (chunk.state !== 'done') return { chunk: index, ...chunk };
  const { results: _results, ...done } = chunk;
  return { chunk: index, ...done };
}

const listSchedules = defineRoute({
  id: 'listSchedules',
  method: 'GET',
  path: '/v1/schedules',
  summary: 'The schedules with their next time and last runs',
  access: 'read',
  query: z.strictObject({
    runs: z.coerce.number().int().min(0).max(MOST_RUNS).default(5).describe('the most runs of each schedule'),
  }),
  responses: { 200: { description: 'by name', schema: SCHEMAS.scheduleList } },
  async answer({ query: { runs }, service: { store } }) {
    const opened = new Schedules(store);
    try {
      const schedules = await Promise.all((await opened.list()).map((one) => describeSchedule(store, one, runs)));
      return { status: 200, body: { schema: 'elsewise.schedule-list/v1', schedules } };
    } finally {
      await opened.close();
    }
  },
});

async function describeSchedule(store: Store, { schedule, next }: ScheduleStatus, runCount: number) {
  const { name, cron, timeZone, model, policy, input, output, isPaused } = schedule;
  const runs = (await store.schedules.runs(name)).slice(0, runCount);
  return {
    ...{ name, cron, timeZone, model, input, isPaused },
    ...(policy && { policy: namedPolicy(policy) }),
    ...(output !== undefined && { output }),
    ...(next && { next: next.toISOString() }),
    runs: runs.map(describeRun),
  };
}

const namedPolicy = (source: PolicySource): string => ('reference' in source ? source.reference : source.document.name);

function describeRun({ id, kind, started, ended, outcome, failure, files }: ScheduleRun) {
  return {
    ...{ id, kind, started, outcome, ended, failure },
    files: files.length,
    rows: files.reduce((sum, file) => sum + (file.rows ?? 0), 0),
    batches: files.flatMap(({ batch }) => batch ?? []),
  };
}

export const stateRoutes = [listQueues, listWorkers, listChunks, listSchedules] as const;
