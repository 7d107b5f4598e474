/**
 * Drops kept policies that no record of their day needs any more. A policy with a person's wishes tells about the person, and goes with the last
 * record that was solved with the policy. All days are searched: the next removal completes a removal that was interrupted.
 */
import { hasRecords, linesOf, readEntry } from './audit-entry.js';
import { isRedacted } from './audit-record.js';
import type { AuditStore } from './audit-store.js';

/** Returns the number of dropped policies. */
export async function dropUnneededPolicies(audit: AuditStore): Promise<number> {
  let dropped = 0;
  for (const { day, isStored } of await audit.days()) if (isStored) dropped += await dropOfDay(audit, day);
  return dropped;
}

/** Entries may be added meanwhile, and only these are then read. */
async function dropOfDay(audit: AuditStore, day: string): Promise<number> {
  const unneeded = new Set(await audit.keptPolicies(day));
  for (let read = 0; unneeded.size > 0; ) {
    for await (const bytes of audit.entries(day, read)) {
      read++;
      const entry = readEntry(bytes);
      const { head } = entry;
      if (hasRecords(head) && unneeded.has(head.policy.digest) && !linesOf(entry).every(isRedacted))
        unneeded.delete(head.policy.digest);
    }
    const dropped = await audit.dropPolicies(day, read, [...unneeded]);
    if (dropped !== undefined) return dropped;
  }
  return 0;
}
