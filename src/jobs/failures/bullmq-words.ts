/**
 * What BullMQ says in words and has no code for. Each is held against BullMQ itself by test/integration/library-words.test.ts.
 */

const STALLED = /stalled more than allowable limit/;
const LOCK_LOST = /could not renew lock|Missing lock/;

/** A job whose workers died or lost it, once more than it may. */
export function isStalledTooOften(message: string): boolean {
  return STALLED.test(message);
}

/** Somebody else may have the job by now. */
export function isLockLost(message: string): boolean {
  return LOCK_LOST.test(message);
}
