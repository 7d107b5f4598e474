/** Progress of a run on standard error: a bar on a terminal, a plain line every few seconds elsewhere. */
import type { BulkProgress } from '../jobs/bulk/bulk.js';
import { formatClock, formatNumber } from '../report/numbers.js';

export interface ProgressDisplay {
  update(progress: BulkProgress): void;
  /** Removes the bar. */
  end(): void;
}

const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;
const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\x1b[2K';

const SILENT: ProgressDisplay = { update: () => {}, end: () => {} };

export function showProgress(quiet: boolean, stream: NodeJS.WriteStream = process.stderr): ProgressDisplay {
  if (quiet) return SILENT;
  return stream.isTTY
    ? new Display(
        BAR_EVERY_MS,
        (text) => stream.write(CLEAR_LINE + text),
        () => stream.write(CLEAR_LINE),
      )
    : new Display(
        LINE_EVERY_MS,
        (text) => stream.write(`${text}\n`),
        () => {},
      );
}

class Display implements ProgressDisplay {
  readonly #everyMs: number;
  readonly #show: (text: string) => void;
  readonly end: () => void;
  readonly #startedMs = performance.now();
  #shownMs = this.#startedMs;

  constructor(everyMs: number, show: (text: string) => void, end: () => void) {
    this.#everyMs = everyMs;
    this.#show = show;
    this.end = end;
  }

  update(progress: BulkProgress): void {
    const now = performance.now();
    if (now - this.#shownMs < this.#everyMs) return;
    this.#shownMs = now;
    this.#show(describeProgress(progress, now - this.#startedMs));
  }
}

export function describeProgress({ tally, bytesDone, bytesTotal }: BulkProgress, elapsedMs: number): string {
  const speed = `${formatNumber(Math.round((1000 * tally.rows) / elapsedMs))} rows/s`;
  const rows = `${formatNumber(tally.rows)} rows`;
  const invalid = tally.statuses.get('invalid') ?? 0;
  const warning = invalid > 0 ? [`${formatNumber(invalid)} invalid`] : [];
  if (!bytesTotal) return [rows, speed, ...warning].join('  ');
  const share = Math.min(1, bytesDone / bytesTotal);
  const left = formatClock(((1 - share) / share) * (elapsedMs / 1000));
  const bar = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
  return [`[${bar}] ${Math.floor(100 * share)} %`, rows, speed, `${left} left`, ...warning].join('  ');
}
