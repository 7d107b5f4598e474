/** The documents of the operator's routes. */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { actionRequestSchema } from '../../jobs/operator/action-request.js';
import { batchIdSchema, chunkRunSchema } from '../../store/batches/manifest.js';
import { letterSchema } from '../../store/events/dead-store.js';
import { actionEntrySchema } from '../../store/operator/action-log.js';
import { operationSchema } from '../../store/operator/operation-store.js';
import { heartbeatSchema } from '../../store/operator/worker-registry.js';
import { runSchema } from '../../store/schedules/schedule-document.js';

const count = z.int().min(0);
const next = z.string().optional().describe('The address of the next page. Missing: this page is the last.');

const letterLine = letterSchema.omit({ schema: true, body: true }).extend({
  canReplay: z.boolean().describe('False: the letter can only be dropped.'),
});

export const OPERATOR_DOCUMENTS = {
  queueList: z.strictObject({
    schema: z.literal('elsewise.queue-list/v1'),
    queues: listOf(
      z.strictObject({
        name: z.string(),
        waiting: count,
        active: count,
        delayed: count,
        failed: count.describe('Failed jobs that no worker has recorded yet. Recorded failures are dead letters.'),
        isPaused: z.boolean(),
        canPause: z.boolean(),
      }),
    ),
    deadLetters: count,
  }),
  workerList: z.strictObject({
    schema: z.literal('elsewise.worker-list/v1'),
    workers: listOf(
      heartbeatSchema.extend({ isGone: z.boolean().describe('The heartbeat has ended without a word.') }),
    ),
  }),
  chunkList: z.strictObject({
    schema: z.literal('elsewise.chunk-list/v1'),
    batch: batchIdSchema,
    chunks: listOf(
      z.strictObject({
        chunk: count,
        firstRow: count,
        rows: count,
        state: z.enum(['waiting', 'done', 'failed']),
        run: chunkRunSchema.optional(),
        code: z.string().optional(),
        message: z.string().optional(),
      }),
    ),
    next,
  }),
  scheduleList: z.strictObject({
    schema: z.literal('elsewise.schedule-list/v1'),
    schedules: listOf(
      z.strictObject({
        name: z.string(),
        cron: z.string(),
        timeZone: z.string(),
        model: z.string(),
        policy: z.string().optional(),
        input: z.string(),
        output: z.string().optional(),
        isPaused: z.boolean(),
        next: z.iso.datetime().optional().describe('The next time. Missing: the schedule is paused.'),
        runs: listOf(
          runSchema
            .pick({ id: true, kind: true, started: true, ended: true, outcome: true, failure: true })
            .extend({ files: count, rows: count, batches: listOf(batchIdSchema) }),
        ).describe('The last runs, newest first.'),
      }),
    ),
  }),
  letterGroupList: z.strictObject({
    schema: z.literal('elsewise.dead-letter-groups/v1'),
    letters: count,
    ungrouped: count.describe('Entries that are no valid letters and belong to no group.'),
    groupCount: count.describe('The number of all groups. The list has the largest.'),
    groups: listOf(
      z.strictObject({
        id: z.string(),
        code: z.string(),
        model: z.string().nullable(),
        policy: z.string().nullable(),
        count,
        first: z.iso.datetime(),
        last: z.iso.datetime(),
        message: z.string().describe('The message of the latest letter.'),
        meaning: z.string(),
        advice: z.string(),
      }),
    ),
  }),
  letterList: z.strictObject({
    schema: z.literal('elsewise.dead-letter-list/v1'),
    group: z.string(),
    letters: listOf(letterLine),
    next,
  }),
  letter: letterSchema,
  actionRequest: actionRequestSchema,
  action: z.strictObject({ schema: z.literal('elsewise.action/v1'), ...actionEntrySchema.shape }),
  actionList: z.strictObject({
    schema: z.literal('elsewise.action-list/v1'),
    actions: listOf(actionEntrySchema),
    next,
  }),
  operationList: z.strictObject({
    schema: z.literal('elsewise.operation-list/v1'),
    operations: listOf(
      operationSchema.omit({ ids: true, place: true, entry: true }).extend({
        by: z.string(),
        reason: z.string(),
      }),
    ),
  }),
};
