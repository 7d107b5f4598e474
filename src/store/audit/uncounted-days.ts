/**
 * Keys of days that the chain does not count. Nothing reads these keys, and nothing of this program writes them. The days around the
 * chain are looked at: from the first day, or from the first day whose jobs are remembered, to the day behind the last.
 */
import type { AuditStore } from './audit-store.js';
import { DAY_MS, type DayAnchor, dayOf, JOB_DAYS } from './chain-days.js';

const DAYS_AT_ONCE = 200;
/** A day before this many days is not looked at. */
const MOST_DAYS = 36_600;

export async function uncountedFault(audit: AuditStore, days: readonly DayAnchor[]): Promise<string | undefined> {
  const uncounted = uncountedDays(days.map(({ day }) => day));
  for (let k = 0; k < uncounted.length; k += DAYS_AT_ONCE) {
    const day = await audit.dayWithKeys(uncounted.slice(k, k + DAYS_AT_ONCE));
    if (day !== undefined) return `${day}: entries, policies or jobs are stored, and the chain has no entry of the day`;
  }
  return undefined;
}

function uncountedDays(counted: readonly string[]): string[] {
  const known = new Set(counted);
  const now = Date.now();
  const first = Math.min(Date.parse(counted[0] ?? dayOf(now)), now - (JOB_DAYS + 1) * DAY_MS);
  const last = Math.max(Date.parse(counted.at(-1) ?? dayOf(now)), now) + DAY_MS;
  const from = Math.max(first, last - MOST_DAYS * DAY_MS);
  const length = Math.floor((last - from) / DAY_MS) + 1;
  return Array.from({ length }, (_, k) => dayOf(last - k * DAY_MS)).filter((day) => !known.has(day));
}
