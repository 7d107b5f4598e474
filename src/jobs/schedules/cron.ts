/** The next times of a cron pattern, by BullMQ's own arithmetic, so the displayed times are the times of the runs. */
import { getNextMillis } from 'bullmq';
import { ElsewiseError } from '../../documents/error.js';

export interface Timing {
  readonly cron: string;
  readonly timeZone: string;
}

const SHAPE = 'minute hour day-of-month month day-of-week, such as "0 2 * * *" for 02:00 every day';

/** The next times after a moment. Refuses a text that is no pattern, and a pattern without a next time. */
export function nextTimes({ cron, timeZone }: Timing, after: number, count: number): Date[] {
  checkTimeZone(timeZone);
  checkShape(cron);
  const times: Date[] = [];
  for (let last = after; times.length < count; ) {
    last = nextAfter(cron, timeZone, last);
    times.push(new Date(last));
  }
  return times;
}

function nextAfter(pattern: string, tz: string, after: number): number {
  let next: number | undefined;
  try {
    next = getNextMillis(after, { pattern, tz });
  } catch (error) {
    throw new ElsewiseError(
      'usage',
      `"${pattern}" is no cron pattern (${(error as Error).message}): expected ${SHAPE}`,
    );
  }
  if (next === undefined) throw new ElsewiseError('usage', `the cron pattern "${pattern}" matches no date`);
  return next;
}

/** The parser treats missing fields as any value, which would run a mistyped pattern every minute. */
function checkShape(cron: string): void {
  const fields = cron.trim().split(/\s+/);
  if (/^@[a-z]+$/.test(cron) || fields.length === 5 || fields.length === 6) return;
  const count = cron.trim() === '' ? 0 : fields.length;
  throw new ElsewiseError('usage', `"${cron}" is no cron pattern (it has ${count} fields): expected ${SHAPE}`);
}

function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new ElsewiseError('usage', `"${timeZone}" is not a time zone: expected a name such as Europe/Zurich or UTC`);
  }
}

/** `2026-01-15 02:00 Europe/Zurich`; with seconds if they are not zero. */
export function showTime(time: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return `${format.format(time).replace(/:00$/, '')} ${timeZone}`;
}
