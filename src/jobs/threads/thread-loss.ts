/**
 * Recognises the end of a thread: Node has a code for a thread that ran out of memory, piscina only a message for a thread that ended.
 * test/integration/library-words.test.ts checks both against real threads.
 */
import type { RowLoss } from './messages.js';

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';
const ENDED = 'worker exited with code';

/** Undefined: the thread is alive, and the error concerns the task. */
export function threadLoss(error: unknown): RowLoss | undefined {
  const { code, message } = error as { code?: string; message?: string };
  if (code === OUT_OF_MEMORY) return { code: 'thread-lost', message: 'the solver ran out of memory on this row' };
  if (!message?.startsWith(ENDED)) return undefined;
  return { code: 'thread-lost', message: 'the solver thread ended while it worked on this row' };
}
