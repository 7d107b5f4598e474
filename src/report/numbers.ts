/** Numbers in a form for readers, independent of the machine's locale. */

const GROUPED = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `2,600`, `0.78125`; at most six digits, unless all are before the decimal point. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 1e6 ? WHOLE.format(value) : GROUPED.format(value);
}

/** `1 row`, `2,600 rows`. */
export function formatCount(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

const UPWARD = { 1: 'ceil', [-1]: 'floor' } as const;

/** The same, never rounded to the wrong side: `side` 1 rounds up, -1 rounds down. */
export function formatInward(value: number, side: 1 | -1): string {
  const digits =
    Number.isInteger(value) || Math.abs(value) >= 1e6 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 6 };
  return new Intl.NumberFormat('en-US', { ...digits, roundingMode: UPWARD[side] } as Intl.NumberFormatOptions).format(
    value,
  );
}

/** Three digits suffice for comparisons. */
export function formatShort(value: number): string {
  return Math.abs(value) >= 100 ? WHOLE.format(value) : String(Number(value.toPrecision(3)));
}

/** Numbers that line up in a column: `2.00`, `15.1`, `1,204`. Small numbers keep three digits. */
export function formatFigure(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return WHOLE.format(value);
  if (size >= 10) return value.toFixed(1);
  return size >= 0.1 || size === 0 ? value.toFixed(2) : formatShort(value);
}

export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '-';
  const percent = (100 * part) / whole;
  // 99.97 % must not be shown as 100 %.
  const shown = part < whole ? Math.min(percent, 99.9) : percent;
  return `${shown.toFixed(1)} %`;
}

export function formatSeconds(ms: number): string {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${formatClock(seconds)} min`;
}

/** `4:05`, `1:02:03` */
export function formatClock(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] > 0 ? parts : parts.slice(1);
  return shown.map((part, i) => (i === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
