/** Queues the rows of a request and waits for their answers. */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { refusalOf } from '../../documents/faults/refusal.js';
import type { ReadEvent } from '../../jobs/events/read-event.js';
import type { Pending } from '../schemas.js';
import type { Service } from '../service.js';

export const PATIENCE = z.strictObject({
  waitMs: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('milliseconds; more than the server allows counts as what it allows'),
});

export type IdentifiedRow = ReadEvent & { readonly id: string };

export interface RowPatience {
  readonly waitMs: number | undefined;
  /** Aborted when no client waits. */
  readonly gone: AbortSignal;
}

/** The result documents as JSON. Undefined: the answer was not there in time. The first error of a row ends the wait for all rows. */
export async function answerRows(
  service: Pick<Service, 'producer' | 'answers' | 'settings' | 'closing'>,
  rows: readonly IdentifiedRow[],
  { waitMs, gone }: RowPatience,
): Promise<(string | undefined)[]> {
  const { producer, answers, settings, closing } = service;
  const failed = new AbortController();
  const signal = AbortSignal.any([closing, gone, failed.signal]);
  const patience = { waitMs: Math.min(waitMs ?? settings.waitMs, settings.maxWaitMs), signal };
  await answers.listen();
  const ask = async (row: IdentifiedRow) => answers.await(await producer.enqueueRead(row), patience);
  return Promise.all(rows.map(ask)).catch((error) => {
    failed.abort();
    throw typeof rows[0].policy === 'object' ? ofBodyPolicy(error) : error;
  });
}

/** Workers name a fault of the policy `policy.features.age`. The caller sent the policy as `body.policy`. */
function ofBodyPolicy(error: unknown): unknown {
  if (!(error instanceof ElsewiseError)) return error;
  const { code, path, detail, faults } = error;
  if (!/^policy\b/.test(path)) return error;
  const inBody = faults.map((fault) => ({ ...fault, path: `body.${fault.path}` }));
  return inBody.length ? refusalOf(inBody, code) : new ElsewiseError(code, detail, `body.${path}`);
}

export function pendingOf(id: string): Pending {
  return { schema: 'elsewise.pending/v1', id, location: `/v1/explanations/${encodeURIComponent(id)}` };
}
