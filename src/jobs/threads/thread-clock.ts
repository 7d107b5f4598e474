/**
 * The CPU time of this thread, in milliseconds. Other processes do not shorten a deadline in these milliseconds, so a busy machine gives
 * the same answers as an idle one.
 *
 * Node 20 does not report a thread's own time; Linux does. Where neither does, wall-clock time counts.
 */
import { openSync, readSync } from 'node:fs';

const NANOSECONDS_PER_MS = 1e6;
const MICROSECONDS_PER_MS = 1e3;
const SPACE = 32;

type ThreadCpuUsage = () => { user: number; system: number };

/** Must be called in the thread whose time is measured. */
export function threadClock(): () => number {
  const { threadCpuUsage } = process as { threadCpuUsage?: ThreadCpuUsage };
  if (threadCpuUsage) {
    return () => {
      const { user, system } = threadCpuUsage.call(process);
      return (user + system) / MICROSECONDS_PER_MS;
    };
  }
  return linuxClock() ?? (() => performance.now());
}

/** The first number of a thread's schedstat: nanoseconds on a core. Null: the file does not exist. */
function linuxClock(): (() => number) | null {
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    const text = Buffer.alloc(64);
    const read = () => {
      readSync(file, text, 0, text.length, 0);
      return Number(text.toString('latin1', 0, text.indexOf(SPACE))) / NANOSECONDS_PER_MS;
    };
    return Number.isFinite(read()) ? read : null;
  } catch {
    return null;
  }
}
