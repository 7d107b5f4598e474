/** `90`, `30s`, `15m`, `12h`, `7d`: a duration on the command line. */
import { ElsewiseError } from '../documents/error.js';

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Whole seconds, above 0. */
export function readDuration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smhdw]?)$/.exec(text.trim()) ?? [];
  const seconds = Math.round(Number(number) * SECONDS[unit ?? '']);
  if (seconds > 0 && Number.isSafeInteger(seconds)) return seconds;
  throw new ElsewiseError('usage', `expected a time such as 30m, 12h or 7d, got "${text}"`);
}
