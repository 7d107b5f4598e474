/** The document `elsewise.forgotten/v1`: the data of a row that were removed, and the data that stay. It names the row by a digest. */
import { z } from 'zod';
import { sha256Schema } from './audit-document.js';
import { listOf } from './collections.js';

export const FORGOTTEN_PLACES = [
  'answers under the id',
  'answers by content',
  'notes of pending rows',
  'entries of the stream of answers',
  'entries of the stream of requests',
  'jobs of the queue of events',
  'messages of the queue of events',
  'dead letters',
  'results of batches',
  'known rows',
  'records of the audit',
  'policies of the audit',
] as const;

export type ForgottenPlace = (typeof FORGOTTEN_PLACES)[number];

export const forgottenSchema = z.strictObject({
  schema: z.literal('elsewise.forgotten/v1').describe('The kind and version of the document.'),
  subject: sha256Schema.describe('The SHA-256 of the id.'),
  removed: listOf(z.strictObject({ place: z.enum(FORGOTTEN_PLACES), count: z.int().min(0) })).describe(
    'The number of removed parts, by place.',
  ),
  remaining: listOf(z.string()).describe('Data that stay, in words.'),
  entry: sha256Schema.describe('The digest of the entry of the audit that records the removal.'),
});

export type Forgotten = z.output<typeof forgottenSchema>;
