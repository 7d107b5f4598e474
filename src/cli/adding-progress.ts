/** Progress of `enqueue` on standard error: rows added, and the reason for a wait. One line on a terminal, few lines elsewhere. */
import { formatCount } from '../report/numbers.js';
import { fitLine } from './words/fit-line.js';

const CLEAR_LINE = '\r\x1b[2K';
const LINE_EVERY_MS = { terminal: 100, elsewhere: 5_000 };

export interface AddingProgress {
  rows(added: number): void;
  wait(reason: string): void;
  end(): void;
}

export function showAdding(quiet: boolean, stream: NodeJS.WriteStream = process.stderr): AddingProgress {
  const everyMs = stream.isTTY ? LINE_EVERY_MS.terminal : LINE_EVERY_MS.elsewhere;
  let shownMs = performance.now();
  let added = 0;
  let isWaiting = false;
  const show = (text: string) => {
    shownMs = performance.now();
    stream.write(stream.isTTY ? CLEAR_LINE + fitLine(text, stream.columns) : `${text}\n`);
  };
  const isDue = () => performance.now() - shownMs >= everyMs;
  if (quiet) return { rows: () => {}, wait: () => {}, end: () => {} };
  return {
    rows(count) {
      added = count;
      if (isWaiting || isDue()) show(`${formatCount(added, 'row')} added`);
      isWaiting = false;
    },
    wait(reason) {
      if (!isWaiting || isDue()) show(`${formatCount(added, 'row')} added, waiting for room: ${reason}`);
      isWaiting = true;
    },
    end: () => void (stream.isTTY && stream.write(CLEAR_LINE)),
  };
}
