/**
 * Removes the stored data of a row, by its id. Sources come before copies, so that nothing that was removed is written again. The entry in
 * the audit is written in any case: the removal itself is on record, with a digest of the id.
 */
import { digestOfText } from '../../documents/digest.js';
import { FORGOTTEN_PLACES, type Forgotten } from '../../documents/forgotten-document.js';
import { dropUnneededPolicies } from '../../store/audit/drop-policies.js';
import { redactRecords } from '../../store/audit/redact-records.js';
import { Keys } from '../../store/keys.js';
import { forgetKnownRows } from '../../store/known-rows/forget-known-rows.js';
import type { Store } from '../../store/store.js';
import { SOFTWARE } from '../audit/software.js';
import { forgetInBatches } from './forget-batches.js';
import { forgetEvents } from './forget-events.js';

export interface ForgetOptions {
  /** The name of a token, or user and machine. */
  readonly by: string;
  /** The records of answers stay, for a duty to keep them. */
  readonly keepsRecords?: boolean;
}

export async function forgetRow(
  store: Store,
  id: string,
  { by, keepsRecords = false }: ForgetOptions,
): Promise<Forgotten> {
  const events = await forgetEvents(store, id);
  const batches = await forgetInBatches(store, id);
  const keys = new Keys(store.settings.keyPrefix);
  const known = await forgetKnownRows(store.redis, keys, [...events.known, ...batches.known]);
  const { records, entry } = await redactRecords(store.audit, id, { software: SOFTWARE, by: by || null, keepsRecords });
  const policies = keepsRecords ? 0 : await dropUnneededPolicies(store.audit);
  const ofAudit = { 'records of the audit': records, 'policies of the audit': policies };
  const counts = { ...events.removed, ...batches.removed, ...ofAudit, 'known rows': known };
  return {
    schema: 'elsewise.forgotten/v1',
    subject: digestOfText(id),
    removed: FORGOTTEN_PLACES.map((place) => ({ place, count: counts[place] ?? 0 })),
    remaining: [...events.remaining, ...batches.remaining, ...(keepsRecords ? [KEPT] : [])],
    entry,
  };
}

const KEPT = 'records of the audit stay, as they were asked to';
