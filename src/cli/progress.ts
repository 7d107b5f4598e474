/** Progress of a run on standard error: a bar on a terminal, a plain line every few seconds elsewhere. */
import type { BulkProgress } from '../jobs/bulk/bulk.js';
import { formatClock, formatCount, formatNumber } from '../report/numbers.js';
import { firstFitting } from './words/fit-line.js';

export interface ProgressDisplay {
  update(progress: BulkProgress): void;
  /** Removes the bar. */
  end(): void;
}

const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;
/** A narrow terminal gets the shorter bar, or none. */
const BAR_WIDTHS = [24, 8];
const CLEAR_LINE = '\r\x1b[2K';

const SILENT: ProgressDisplay = { update: () => {}, end: () => {} };

export function showProgress(quiet: boolean, stream: NodeJS.WriteStream = process.stderr): ProgressDisplay {
  if (quiet) return SILENT;
  return stream.isTTY
    ? new Display(
        BAR_EVERY_MS,
        (progress, elapsedMs) => stream.write(CLEAR_LINE + describeProgress(progress, elapsedMs, stream.columns)),
        () => stream.write(CLEAR_LINE),
      )
    : new Display(
        LINE_EVERY_MS,
        (progress, elapsedMs) => stream.write(`${describeProgress(progress, elapsedMs)}\n`),
        () => {},
      );
}

type Show = (progress: BulkProgress, elapsedMs: number) => void;

class Display implements ProgressDisplay {
  readonly #everyMs: number;
  readonly #show: Show;
  readonly end: () => void;
  readonly #startedMs = performance.now();
  #shownMs = this.#startedMs;

  constructor(everyMs: number, show: Show, end: () => void) {
    this.#everyMs = everyMs;
    this.#show = show;
    this.end = end;
  }

  update(progress: BulkProgress): void {
    const now = performance.now();
    if (now - this.#shownMs < this.#everyMs) return;
    this.#shownMs = now;
    this.#show(progress, now - this.#startedMs);
  }
}

/** The most that fits: `columns` of the terminal, undefined elsewhere. */
export function describeProgress(progress: BulkProgress, elapsedMs: number, columns?: number): string {
  const { tally, bytesDone, bytesTotal, bytesSkipped = 0 } = progress;
  const speed = `${formatNumber(Math.round((1000 * tally.rows) / elapsedMs))} rows/s`;
  const rows = formatCount(tally.rows, 'row');
  const invalid = tally.statuses.get('invalid') ?? 0;
  const warning = invalid > 0 ? [`${formatNumber(invalid)} invalid`] : [];
  const join = (...parts: string[]) => [...parts, ...warning].join('  ');
  if (!bytesTotal) return firstFitting([join(rows, speed), join(rows), rows], columns);
  const share = Math.min(1, bytesDone / bytesTotal);
  const left = `${formatClock(((bytesTotal - bytesDone) / (bytesDone - bytesSkipped)) * (elapsedMs / 1000))} left`;
  const percent = `${Math.floor(100 * share)} %`;
  const bars = BAR_WIDTHS.map((width) => join(`[${barOf(share, width)}] ${percent}`, rows, speed, left));
  const short = [join(percent, rows, speed, left), join(percent, rows, left), join(percent, rows), percent];
  return firstFitting([...bars, ...short], columns);
}

function barOf(share: number, width: number): string {
  return '#'.repeat(Math.round(share * width)).padEnd(width, '.');
}
