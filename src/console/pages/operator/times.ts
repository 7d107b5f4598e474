/** Times and names in words. */
import { formatClock } from '../../../report/numbers.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The first row whose limit is larger than the age counts. */
const AGES: readonly (readonly [limit: number, unit: number, name: string])[] = [
  [MINUTE, SECOND, 's'],
  [HOUR, MINUTE, 'min'],
  [2 * DAY, HOUR, 'h'],
  [Number.POSITIVE_INFINITY, DAY, 'days'],
];

/** `12 s`, `3 min`, `5 h`, `4 days` */
export function spanInWords(ms: number): string {
  const [, unit, name] = AGES.find(([limit]) => ms < limit)!;
  return `${Math.max(0, Math.floor(ms / unit))} ${name}`;
}

export const ago = (time: string): string => `${spanInWords(Date.now() - Date.parse(time))} ago`;

/** `2026-11-18 20:41:07` in the time zone of the browser. */
export function clockTime(time: string | number): string {
  const date = new Date(time);
  const local = new Date(date.getTime() - MINUTE * date.getTimezoneOffset());
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

export const left = (seconds: number | null): string => (seconds === null ? '' : formatClock(seconds));

const QUEUE_TITLES: Readonly<Record<string, string>> = {
  'elsewise-events': 'Single rows',
  'elsewise-requests': 'Stream of requests',
  'elsewise-bulk': 'Batches',
  'elsewise-schedule': 'Schedules',
  'elsewise-webhooks': 'Webhooks',
};

export const queueTitle = (name: string): string => QUEUE_TITLES[name] ?? name;
