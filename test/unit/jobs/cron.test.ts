/** Cron patterns: what is next, also where clocks change, and words for what is no pattern. */
import { describe, expect, it } from 'vitest';
import { nextTimes, showTime } from '../../../src/jobs/schedules/cron.js';

const at = (text: string) => new Date(text).getTime();
const next = (cron: string, timeZone: string, after: string, count = 3) =>
  nextTimes({ cron, timeZone }, at(after), count).map((time) => time.toISOString());

describe('next times', () => {
  it('follow the clock of the time zone through its changes', () => {
    expect(next('0 4 * * *', 'Europe/Zurich', '2026-03-27T12:00:00Z')).toEqual([
      '2026-03-28T03:00:00.000Z',
      '2026-03-29T02:00:00.000Z',
      '2026-03-30T02:00:00.000Z',
    ]);
    expect(next('0 4 * * *', 'UTC', '2026-03-27T12:00:00Z', 1)).toEqual(['2026-03-28T04:00:00.000Z']);
  });

  it('have one run on the day that has no such hour, and on the day that has it twice', () => {
    const days = (after: string) => next('30 2 * * *', 'Europe/Zurich', after, 3).map((time) => time.slice(0, 10));
    expect(days('2026-03-28T00:00:00Z')).toEqual(['2026-03-28', '2026-03-29', '2026-03-30']);
    expect(days('2026-10-24T00:00:00Z')).toEqual(['2026-10-24', '2026-10-25', '2026-10-26']);
  });

  it('are shown on that clock', () => {
    expect(showTime(new Date('2026-01-15T01:00:00Z'), 'Europe/Zurich')).toBe('2026-01-15 02:00 Europe/Zurich');
    expect(showTime(new Date('2026-01-15T01:00:07Z'), 'UTC')).toBe('2026-01-15 01:00:07 UTC');
  });
});

describe('what is refused', () => {
  it.each([
    ['0 25 * * *', 'expected range 0-23'],
    ['x y z * *', 'Invalid characters'],
    ['0 2', '2 fields'],
    ['', '0 fields'],
    ['* * * * * * *', '7 fields'],
    ['0 0 31 2 *', 'no cron pattern'],
    ['@midnightly', 'no cron pattern'],
  ])('"%s": %s', (cron, words) => {
    expect(() => next(cron, 'UTC', '2026-01-01T00:00:00Z')).toThrow(words);
  });

  it('a time zone that is none', () => {
    expect(() => next('0 2 * * *', 'Europe/Zürich', '2026-01-01T00:00:00Z')).toThrow('is not a time zone');
  });
});
