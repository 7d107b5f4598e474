/** Faults of the chain that its days tell without their entries: the links and numbers between days, the end, and days without entries. */
import { config } from '../../config.js';
import { type ChainState, CLOCK_SKEW_MS, type DayAnchor, isExpired } from './chain-days.js';

/** The days have to be linked from the first day to the head of the chain. */
export function stateFault({ head, days, unreadable }: ChainState): string | undefined {
  if (unreadable !== undefined) return `${unreadable}: the counts and digests of the day cannot be read`;
  let [digest, entries] = ['', 0];
  for (const { day, previous, first = entries + 1, ...anchor } of days) {
    if (previous !== digest)
      return `${day}: the day is linked to ${shown(previous)}, and the day before ends with ${shown(digest)}`;
    if (first !== entries + 1)
      return `${day}: begins with entry ${first}, and the day before ends with entry ${entries}`;
    digest = anchor.digest;
    entries += anchor.entries;
  }
  const last = days.at(-1)?.day ?? '';
  if (head.digest !== digest)
    return `the last entry is ${shown(digest)}, and the chain ends with ${shown(head.digest)}`;
  if (head.number !== entries)
    return `the last entry is entry ${entries}, and the chain ends with entry ${head.number}`;
  return head.day === last ? undefined : `the last day is ${last || 'missing'}, and the chain ends with ${head.day}`;
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
