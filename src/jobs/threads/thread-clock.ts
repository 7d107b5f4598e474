/**
 * The CPU time of this thread, in milliseconds. Other processes do not shorten a deadline in these milliseconds, so a busy machine gives
 * the same answers as an idle one.
 *
 * Node 20 does not report a thread's own time; Linux does. Where neither does, wall-clock time counts.
 */
import { openSync, readFileSync, readlinkSync, readSync } from 'node:fs';

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

/** The kernel's number of the calling thread; 0: unknown. */
export function kernelThread(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0;
  } catch {
    return 0;
  }
}

/** The CPU time of a thread of this process, in milliseconds. Undefined: unknown. */
export function timeOfThread(kernelId: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/self/task/${kernelId}/schedstat`, 'latin1').split(' ')[0]) / NANOSECONDS_PER_MS;
  } catch {
    return undefined;
  }
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
