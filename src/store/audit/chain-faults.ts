/** Faults of the chain that its days tell without their entries: the links and numbers between days, the end, and days without entries. */
import { config } from '../../config.js';
import { type ChainState, CLOCK_SKEW_MS, type DayAnchor, isExpired } from './chain-days.js';

/** The days have to be linked from the first day to the head of the chain. */
export function stateFault({ head, days, unreadable }: ChainState): string | undefined {
  if (unreadable !== undefined) return unreadable;
  let before: DayAnchor | undefined;
  let entries = 0;
  for (const anchor of days) {
    const fault = linkFault(anchor, entries, before) ?? keysFault(anchor);
    if (fault) return fault;
    before = anchor;
    entries += anchor.entries;
  }
  const { digest = '', day: last = '' } = before ?? {};
  if (head.digest !== digest)
    return `the last entry is ${shown(digest)}, and the chain ends with ${shown(head.digest)}`;
  if (head.number !== entries)
    return `the last entry is entry ${entries}, and the chain ends with entry ${head.number}`;
  return head.day === last ? undefined : `the last day is ${last || 'missing'}, and the chain ends with ${head.day}`;
}

/** `entries`: the number of entries before the day. */
function linkFault({ day, previous, first }: DayAnchor, entries: number, before?: DayAnchor): string | undefined {
  const digest = before?.digest ?? '';
  if (previous !== digest)
    return `${day}: the day is linked to ${shown(previous)}, and the day before ends with ${shown(digest)}`;
  if (first === undefined && before?.first !== undefined) return `${day}: the number of its first entry is missing`;
  if (first === undefined || first === entries + 1) return undefined;
  return `${day}: begins with entry ${first}, and the day before ends with entry ${entries}`;
}

/** Entries and policies have no time to live: retention drops them. */
function keysFault({ day, dropped, keys: { entries, policies, places } }: DayAnchor): string | undefined {
  if (policies.size < 0) return `${day}: the kept policies of the day are no hash`;
  if (entries.ttlMs >= 0 || policies.ttlMs >= 0) return `${day}: Redis has a time to live for the records of the day`;
  if (!dropped || (policies.size === 0 && places.size === 0)) return undefined;
  return `${day}: was dropped by retention, and policies or jobs of the day are stored`;
}

const shown = (digest: string): string => digest || 'no entry';

/** Whether the entries of a day may be gone. Retention drops the first days: the day `before` has no entries either. */
export function missingFault({ day, stored, first, dropped }: DayAnchor, before?: DayAnchor): string | undefined {
  if (before?.isStored) return missing(day);
  if (dropped && stored !== 0) return `${day}: was dropped by retention, and entries of the day are stored`;
  const now = Date.now();
  if (dropped) {
    const at = Date.parse(dropped.at);
    if (at <= now + CLOCK_SKEW_MS && isExpired(day, at, dropped.after)) return undefined;
    return `${day}: the entries are missing, and retention of ${dropped.after} days cannot have dropped them at ${dropped.at}`;
  }
  // an earlier version dropped days without a word
  const isOld = first === undefined && isExpired(day, now + CLOCK_SKEW_MS, config.audit.retentionDays);
  return isOld ? undefined : missing(day);
}

export const missing = (day: string): string => `${day}: the entries of the day are missing`;
