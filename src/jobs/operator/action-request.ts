/** The requests of actions, as schemas. */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { batchIdSchema } from '../../store/batches/manifest.js';
import { MAX_REASON } from '../../store/operator/action-log.js';
import { scheduleNameSchema } from '../../store/schedules/schedule-document.js';
import { PAUSABLE } from './queue-states.js';

/** Ids of one selection. */
const MOST_IDS = 1_000;

export const reasonSchema = z
  .string()
  .trim()
  .min(1, 'a reason is required')
  .max(MAX_REASON)
  .describe('The reason in the words of the person. The log keeps the reason.');
const reason = reasonSchema;
const queue = z.enum(PAUSABLE).describe('The name of the queue.');
const letters = {
  group: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional()
    .describe('All letters of this group that died up to `until`.'),
  until: z.iso.datetime().optional().describe('The time of the last letter of the group that the person saw.'),
  ids: listOf(z.string().min(1).max(500))
    .max(MOST_IDS)
    .optional()
    .describe('The letters of these ids, in place of a group.'),
  count: z.int().min(1).describe('The number that the person confirmed. More letters are refused.'),
};

export const actionRequestSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('pause-queue'), queue, reason }),
  z.strictObject({ action: z.literal('resume-queue'), queue, reason }),
  z.strictObject({ action: z.literal('cancel-batch'), batch: batchIdSchema, reason }),
  z.strictObject({ action: z.literal('retry-batch'), batch: batchIdSchema, reason }),
  z.strictObject({ action: z.literal('pause-schedule'), schedule: scheduleNameSchema, reason }),
  z.strictObject({ action: z.literal('resume-schedule'), schedule: scheduleNameSchema, reason }),
  z.strictObject({ action: z.literal('run-schedule'), schedule: scheduleNameSchema, reason }),
  z.strictObject({ action: z.literal('replay-letters'), ...letters, reason }),
  z.strictObject({ action: z.literal('drop-letters'), ...letters, reason }),
  z.strictObject({ action: z.literal('stop-operation'), operation: z.string().min(1).max(100), reason }),
]);

export type ActionRequest = z.output<typeof actionRequestSchema>;

export type LetterRequest = Extract<ActionRequest, { action: 'replay-letters' | 'drop-letters' }>;
